"""How far a search came and what it spent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.effort import (
    excess_programs_generated,
    expected_to_solution,
    pass_rate,
    programs_to_solution,
    solved_at_least_once,
    spent_to_solution,
)


@given(st.lists(st.booleans(), max_size=50))
def test_excess_programs_are_those_before_the_first_solution(solves):
    excess = excess_programs_generated(solves)
    if excess is None:
        assert not any(solves)
        assert programs_to_solution(solves) is None
    else:
        assert solves[excess]
        assert not any(solves[:excess])
        assert programs_to_solution(solves) == excess + 1 == spent_to_solution(solves, [1] * len(solves))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 1000)), max_size=30))
def test_what_comes_after_the_solution_does_not_count(programs):
    solves, spent = [solved for solved, _ in programs], [amount for _, amount in programs]
    before = spent_to_solution(solves, spent)
    assert spent_to_solution([*solves, False], [*spent, 10_000]) == before
    assert before is None or 0 <= before <= sum(spent)


@given(st.lists(st.booleans(), max_size=50))
def test_a_pass_rate_is_a_share(passed):
    assert 0 <= pass_rate(passed) <= 1
    assert (pass_rate(passed) == 1) == (bool(passed) and all(passed))


def test_examples():
    assert pass_rate([True, False, False, True]) == 0.5
    assert solved_at_least_once({"a": [False, True], "b": [False], "c": [True, True], "d": []}) == ("a", "c")
    assert spent_to_solution([False, True, True], [1.5, 2.0, 9.0]) == 3.5
    assert expected_to_solution([True, False, True], [10, 100, 30]) == 70
    assert expected_to_solution([False], [5]) is None
    assert expected_to_solution([], []) is None


@pytest.mark.parametrize("measure", [spent_to_solution, expected_to_solution])
def test_amounts_must_belong_to_outcomes(measure):
    with pytest.raises(ValueError, match="2 amounts spent"):
        measure([True], [1, 2])
