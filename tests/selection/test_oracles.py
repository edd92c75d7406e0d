import numpy as np
import pytest
from matrices import medium_matrix, small_matrix

from selection.oracles import (
    enumerated_probabilities,
    lexicase_probabilities,
    sampling_distance_limit,
    total_variation,
)
from selection.reference import survivors


def test_both_oracles_agree():
    for seed in range(40):
        errors = small_matrix(seed)
        enumerated = enumerated_probabilities(errors, survivors)
        assert lexicase_probabilities(errors) == pytest.approx(enumerated, abs=1e-13)


def test_known_probabilities():
    errors = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    assert lexicase_probabilities(errors) == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6, 0])
    # The last two tie on the first case, and each wins one of the two others.
    errors = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    assert lexicase_probabilities(errors) == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_no_cases_are_uniform():
    assert lexicase_probabilities(np.empty((4, 0))) == pytest.approx([0.25] * 4)
    assert enumerated_probabilities(np.empty((4, 0)), survivors) == pytest.approx([0.25] * 4)


def test_too_many_orders_are_refused():
    with pytest.raises(ValueError, match="9 cases have too many orders"):
        enumerated_probabilities(np.ones((2, 9)), survivors)


def test_total_variation():
    assert total_variation([1.0, 0.0], [0.0, 1.0]) == 1
    assert total_variation([0.5, 0.5], [0.25, 0.75]) == 0.25


def test_honest_samples_stay_within_the_limit_and_others_do_not():
    exact = lexicase_probabilities(medium_matrix(0))
    rng = np.random.default_rng(0)
    draws = 5000
    limit = sampling_distance_limit(exact, draws)
    distances = [total_variation(rng.multinomial(draws, exact) / draws, exact) for _ in range(200)]
    assert max(distances) < limit
    # The mean is predicted, so the limit is no wider than it has to be.
    assert np.mean(distances) > limit - np.sqrt(np.log(1e4) / (2 * draws)) - 0.004
    flat = 0.9 * exact + 0.1 / len(exact)
    assert min(total_variation(rng.multinomial(draws, flat) / draws, exact) for _ in range(50)) > limit
