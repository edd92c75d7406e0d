import numpy as np
import pytest
from matrices import medium_matrix, shares

from selection import Dalex, Lexicase
from selection.oracles import lexicase_probabilities, total_variation


def distance_to_lexicase(spread, errors, draws=5000):
    chosen = Dalex(spread).select(errors, draws, np.random.default_rng(0))
    return total_variation(shares(chosen, len(errors)), lexicase_probabilities(errors))


def test_the_larger_the_spread_the_nearer_to_lexicase():
    errors = medium_matrix(0)
    distances = [distance_to_lexicase(spread, errors) for spread in (0.1, 3, 20, 200, 5000)]
    assert distances[0] > 0.3
    assert distances[0] > distances[1] > distances[2] > distances[3]
    # Far beyond what a softmax in floating point can tell apart, it is lexicase selection itself.
    assert distances[4] < 0.04


def test_a_tiny_spread_is_the_total_error():
    errors = medium_matrix(1)
    chosen = Dalex(1e-9).select(errors, 50, np.random.default_rng(0))
    assert set(errors.sum(axis=1)[chosen]) == {errors.sum(axis=1).min()}


def test_scores_are_those_of_the_definition():
    errors = np.random.default_rng(2).random((40, 7))
    chosen = Dalex(2.0).select(errors, 200, np.random.default_rng(3))
    logarithms = 2.0 * np.random.default_rng(3).standard_normal((200, 7))
    weights = np.exp(logarithms) / np.exp(logarithms).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(chosen, (errors @ weights.T).argmin(axis=0))


def test_clones_share():
    errors = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    chosen = Dalex().select(errors, 20_000, np.random.default_rng(0))
    np.testing.assert_allclose(shares(chosen, 3), [0.5, 0.25, 0.25], atol=0.02)


def test_an_infinite_error_is_the_worst_of_its_case_only():
    errors = np.array([[np.inf, 0.0], [1.0, 1.0], [0.0, 2.0]])
    chosen = Dalex(50.0).select(errors, 4000, np.random.default_rng(0))
    np.testing.assert_allclose(shares(chosen, 3), Lexicase().probabilities(errors), atol=0.05)


@pytest.mark.parametrize("spread", [0.0, -1.0, float("nan"), float("inf")])
def test_spread_is_checked(spread):
    with pytest.raises(ValueError, match="spread is"):
        Dalex(spread)
