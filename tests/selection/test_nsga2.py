import numpy as np
import pytest

from selection import Context, Nsga2
from selection.pareto import front_numbers

ERRORS = np.random.default_rng(0).integers(0, 9, (30, 4)).astype(float)
SIZES = np.random.default_rng(1).integers(1, 20, 30).astype(float)
CONTEXT = Context(sizes=SIZES)
FRONTS = front_numbers(np.column_stack([ERRORS.sum(axis=1), SIZES]))


def test_survival_fills_front_by_front():
    chosen = Nsga2(mode="survival").select(ERRORS, 12, np.random.default_rng(0), CONTEXT)
    assert len(set(chosen)) == 12
    left = np.setdiff1d(np.arange(30), chosen)
    assert FRONTS[chosen].max() <= FRONTS[left].min() + 0
    assert np.all(np.diff(FRONTS[chosen]) >= 0)


def test_survival_keeps_the_less_crowded_of_a_front():
    errors = np.array([[0.0], [1.0], [1.1], [1.2], [4.0]])
    sizes = np.array([4.0, 3.0, 2.9, 2.8, 0.0])
    chosen = Nsga2(mode="survival").select(errors, 4, np.random.default_rng(0), Context(sizes=sizes))
    assert set(chosen) == {0, 4, 1, 3}


def test_survival_of_more_than_there_are_goes_round():
    chosen = Nsga2(mode="survival").select(ERRORS, 75, np.random.default_rng(0), CONTEXT)
    np.testing.assert_array_equal(np.bincount(chosen, minlength=30)[chosen[:15]], [3] * 15)


def test_tournament_prefers_better_fronts():
    chosen = Nsga2().select(ERRORS, 20_000, np.random.default_rng(0), CONTEXT)
    counts = np.bincount(chosen, minlength=30) / 20_000
    means = [counts[front == FRONTS].mean() for front in range(FRONTS.max() + 1)]
    assert means == sorted(means, reverse=True)
    # The k-th of N in the ranking wins (2 (N - k) + 1) / N^2 of the tournaments.
    assert np.sort(counts)[::-1] == pytest.approx((2 * (30 - np.arange(30)) - 1) / 900, abs=0.006)


def test_other_objectives_are_read_from_the_context():
    context = Context(ages=np.arange(30.0), costs=-np.arange(30.0))
    chosen = Nsga2(("age", "cost", "error"), "survival").select(ERRORS, 5, np.random.default_rng(0), context)
    assert {0, 29} <= set(chosen)
    with pytest.raises(ValueError, match="objective 'cost' needs costs"):
        Nsga2(("error", "cost")).select(ERRORS, 5, np.random.default_rng(0), CONTEXT)


def test_options_are_checked():
    with pytest.raises(ValueError, match="objectives are"):
        Nsga2(("error",))
    with pytest.raises(ValueError, match="mode is 'parents'"):
        Nsga2(mode="parents")
