import itertools

import numpy as np
import pytest
from matrices import assert_distribution

from selection import Context, Tournament

ERRORS = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 2.0], [9.0, 0.0], [0.0, 9.0]])


def counted(costs, size, replacement):
    """Go through all tournaments, ties shared evenly."""
    entries = itertools.product(range(len(costs)), repeat=size)
    if not replacement:
        entries = itertools.permutations(range(len(costs)), size)
    chances = np.zeros(len(costs))
    for count, entrants in enumerate(entries, start=1):  # noqa: B007 (the count is used after the loop)
        best = min(costs[entrant] for entrant in entrants)
        winners = [entrant for entrant in entrants if costs[entrant] == best]
        for winner in winners:
            chances[winner] += 1 / len(winners)
    return chances / count


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("replacement", [True, False])
def test_has_the_counted_distribution(size, replacement):
    exact = counted(ERRORS.sum(axis=1), size, replacement)
    selector = Tournament(size, replacement)
    assert selector.probabilities(ERRORS) == pytest.approx(exact)
    assert_distribution(selector, ERRORS, exact)


def test_without_replacement_a_large_tournament_is_the_whole_population():
    assert Tournament(99, replacement=False).probabilities(ERRORS) == pytest.approx([0, 0.5, 0.5, 0, 0])


def test_by_pass_rate():
    passes_two = np.array([[0.0, 0.0, 9.0], [1.0, 1.0, 0.0], [-1.0, 0.0, 9.0]])
    exact = counted([1, 2, 1], 2, True)
    assert Tournament(2, by="pass_rate").probabilities(passes_two) == pytest.approx(exact)


def test_by_weighted_error():
    context = Context(case_weights=np.array([10.0, 1.0]))
    exact = counted(ERRORS @ [10.0, 1.0], 2, True)
    assert Tournament(2, by="weighted").probabilities(ERRORS, context) == pytest.approx(exact)
    with pytest.raises(ValueError, match="needs case_weights"):
        Tournament(by="weighted").select(ERRORS, 1, np.random.default_rng(0))


def test_a_case_of_weight_zero_does_not_count():
    errors = np.array([[np.inf, 0.0], [0.0, 1.0]])
    context = Context(case_weights=np.array([0.0, 1.0]))
    assert Tournament(5, by="weighted").probabilities(errors, context)[0] > 0.9


def test_options_are_checked():
    with pytest.raises(ValueError, match="tournament size is 0"):
        Tournament(0)
    with pytest.raises(ValueError, match="use 'total_error', 'pass_rate' or 'weighted'"):
        Tournament(by="total")
