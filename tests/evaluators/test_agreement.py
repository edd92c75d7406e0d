"""Agreement between runs, and variety within one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.agreement import (
    assertion_form,
    code_form,
    diversity,
    fleiss_kappa,
    jaccard,
    kept_set_jaccard,
    pass_agreement,
    plan_form,
    sequence_overlap,
    unanimity,
    unique_assertion_ratio,
    word_overlap,
)

sets = st.sets(st.integers(0, 9), max_size=8)
outcomes = st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=20)


@given(sets, sets)
def test_jaccard(one, other):
    value = jaccard(one, other)
    assert value == jaccard(other, one)
    assert (value is None) == (not one and not other)
    if value is not None:
        assert 0 <= value <= 1
        assert (value == 1) == (one == other)
        assert (value == 0) == one.isdisjoint(other)


def test_kept_sets_are_averaged_over_pairs_then_tasks():
    runs = {"a": [{1, 2}, {2, 3}, {1, 2}], "b": [set(), set(), {4}], "c": [set(), set()], "d": [{1}]}
    result = kept_set_jaccard(runs)
    assert result.mean == pytest.approx(((1 / 3 + 1 + 1 / 3) / 3 + 0) / 2)
    assert result.skipped_pairs == 2
    assert kept_set_jaccard({"c": [set(), set()]}).mean is None


@given(outcomes)
def test_pass_agreement_and_unanimity(rows):
    runs = {str(number): row for number, row in enumerate(rows)}
    agreement, unanimous = pass_agreement(runs), unanimity(runs)
    assert 0 <= agreement <= 1
    assert unanimous <= agreement
    assert (agreement == 1) == (unanimous == 1)
    # of three runs, either all three pairs agree or one of them
    assert agreement == pytest.approx(unanimous + (1 - unanimous) / 3)
    kappa = fleiss_kappa(runs)
    assert kappa is None or kappa <= 1
    assert (kappa is None) == (len({outcome for row in rows for outcome in row}) == 1)


def test_the_figure_of_codecor_is_460_of_492_pairs():
    runs = {str(number): [True, True, number >= 16] for number in range(164)}
    assert pass_agreement(runs) == pytest.approx(460 / 492)
    assert round(pass_agreement(runs), 4) == 0.9350
    assert unanimity(runs) == pytest.approx(148 / 164)


def test_nothing_to_compare_is_none():
    assert pass_agreement({"a": [True]}) is None
    assert unanimity({}) is None
    assert diversity(["one"]) is None
    assert unique_assertion_ratio([]) is None


def test_kappa_by_hand():
    # Observed (1 + 1/3 + 1) / 3; a share of 4/9 passes.
    runs = {"a": [True] * 3, "b": [True, False, False], "c": [False] * 3}
    by_chance = (4 / 9) ** 2 + (5 / 9) ** 2
    assert fleiss_kappa(runs) == pytest.approx((7 / 9 - by_chance) / (1 - by_chance))
    for wrong in ({}, {"a": [True]}, {"a": [True, False], "b": [True]}):
        with pytest.raises(ValueError, match="same number"):
            fleiss_kappa(wrong)


def test_forms():
    assert plan_form(" First \n\t sort. ") == "First sort."
    assert assertion_form("assert f( 1,2)==3   # three") == assertion_form("assert f(1, 2) == 3")
    assert assertion_form("assert f(1, 2) == 3") != assertion_form("assert f(1, 2) == 4")
    assert assertion_form("assert f(  (") == "assert f( ("
    assert code_form('def f(x):\n    """Doc."""\n    return x') == code_form("def f( x ):\n  return x  # same")
    assert code_form("def f(x): return x") != code_form("def f(y): return y")
    assert code_form('def f():\n    """Doc."""') == code_form("def f(): pass")
    assert code_form("no python") == "no python"


@given(st.lists(st.text(max_size=20), min_size=2, max_size=6))
def test_diversity_is_0_for_equal_and_at_most_1(texts):
    assert 0 <= diversity(texts) <= 1
    assert diversity([texts[0]] * len(texts)) == 0


def test_diversity_and_unique_assertions_by_hand():
    assert word_overlap("return a + b", "return b + a") == 1
    assert word_overlap("", "") == 1
    assert diversity(["a b", "b c", "a b"]) == pytest.approx(1 - (1 / 3 + 1 + 1 / 3) / 3)
    assert diversity(["a", "b", "c"], lambda one, other: 0.25) == 0.75
    assert unique_assertion_ratio(["assert f(1) == 1", "assert f( 1 )==1", "assert f(2) == 1"]) == pytest.approx(2 / 3)


@given(one=st.text(alphabet="abc", max_size=12), other=st.text(alphabet="abc", max_size=12))
def test_sequence_overlap_is_a_symmetric_share(one, other):
    assert 0 <= sequence_overlap(one, other) == sequence_overlap(other, one) <= 1
    assert sequence_overlap(one, one) == 1


def test_sequence_overlap_sees_the_order_that_word_overlap_does_not():
    assert word_overlap("a b", "b a") == 1
    assert sequence_overlap("a b", "b a") == 1 / 3
    assert diversity(["abcd", "abxy"], sequence_overlap) == 1 / 2
