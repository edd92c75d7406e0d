import numpy as np
import pytest

from selection import AgeFitnessPareto, Context

ERRORS = np.array([[5.0], [3.0], [1.0], [4.0], [2.0], [9.0]])
AGES = Context(ages=np.array([0.0, 1.0, 5.0, 1.0, 5.0, 9.0]))


def test_survival_removes_the_dominated():
    for seed in range(20):
        chosen = AgeFitnessPareto(mode="survival").select(ERRORS, 3, np.random.default_rng(seed), AGES)
        assert set(chosen) == {0, 1, 2}


def test_survival_stops_at_k_and_goes_on_at_random_below_the_front():
    kept = [
        AgeFitnessPareto(mode="survival").select(ERRORS, 5, np.random.default_rng(seed), AGES) for seed in range(60)
    ]
    assert all(len(set(chosen)) == 5 for chosen in kept)
    assert all({0, 1, 2} <= set(chosen) for chosen in kept)
    few = [
        AgeFitnessPareto(mode="survival").select(ERRORS, 1, np.random.default_rng(seed), AGES)[0] for seed in range(60)
    ]
    assert set(few) == {0, 1, 2}


def test_tournament_has_the_counted_distribution():
    chosen = AgeFitnessPareto().select(ERRORS, 40_000, np.random.default_rng(0), AGES)
    # Of the 36 pairs, one of the two wins where it dominates, and each wins half of the others.
    expected = np.zeros(6)
    for first in range(6):
        for second in range(6):
            a = (ERRORS[first, 0], AGES.ages[first])
            b = (ERRORS[second, 0], AGES.ages[second])
            if a != b and a[0] <= b[0] and a[1] <= b[1]:
                expected[first] += 1
            elif a != b and b[0] <= a[0] and b[1] <= a[1]:
                expected[second] += 1
            else:
                expected[[first, second]] += 0.5 if first != second else 0
                expected[first] += first == second
    assert np.bincount(chosen, minlength=6) / 40_000 == pytest.approx(expected / 36, abs=0.01)


def test_options_are_checked():
    with pytest.raises(ValueError, match="needs ages"):
        AgeFitnessPareto().select(ERRORS, 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="use at least 2"):
        AgeFitnessPareto(1)
    with pytest.raises(ValueError, match="mode is"):
        AgeFitnessPareto(mode="front")
