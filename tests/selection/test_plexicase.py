import numpy as np
import pytest
from matrices import medium_matrix

from selection import Lexicase, Plexicase
from selection.oracles import total_variation


def literal_plexicase(errors, alpha):
    """The definition, loop by loop, on distinct rows."""
    rows, inverse, counts = np.unique(errors, axis=0, return_inverse=True, return_counts=True)
    best = rows == rows.min(axis=0)
    kept = [
        row
        for row in range(len(rows))
        if best[row].any() and not any(other != row and np.all(rows[other] <= rows[row]) for other in range(len(rows)))
    ]
    chances = np.zeros(len(rows))
    for case in range(rows.shape[1]):
        winners = [row for row in kept if best[row, case]]
        total = sum(best[row].sum() for row in winners)
        for row in winners:
            chances[row] += best[row].sum() / total / rows.shape[1]
    chances = np.where(chances > 0, chances**alpha, 0)
    return (chances / chances.sum() / counts)[inverse.reshape(-1)]


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_equals_the_definition(alpha):
    for seed in range(10):
        errors = medium_matrix(seed)
        assert Plexicase(alpha).probabilities(errors) == pytest.approx(literal_plexicase(errors, alpha))


def test_by_hand():
    # The first is best on two cases and the second on one; the third is best on one, but dominated by the first.
    errors = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    assert Plexicase().probabilities(errors) == pytest.approx([2 / 3, 1 / 3, 0])
    errors = np.array([[0.0, 0.0, 2.0], [0.0, 2.0, 1.0], [2.0, 2.0, 0.0]])
    assert Plexicase().probabilities(errors) == pytest.approx([(2 / 3 + 1) / 3, 1 / 9, 1 / 3])


def test_is_near_lexicase_but_not_it():
    errors = medium_matrix(0)
    assert 0.01 < total_variation(Plexicase().probabilities(errors), Lexicase().probabilities(errors)) < 0.6


@pytest.mark.parametrize("alpha", [0.0, -1.0, float("nan"), float("inf")])
def test_alpha_is_checked(alpha):
    with pytest.raises(ValueError, match="alpha is"):
        Plexicase(alpha)
