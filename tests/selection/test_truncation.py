import numpy as np
import pytest

from selection import Context, Truncation

ERRORS = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 2.0], [9.0, 0.0]])


def test_best_first_and_stable():
    chosen = Truncation().select(ERRORS, 3, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen, [1, 2, 0])


def test_runs_through_the_ranking_again():
    chosen = Truncation().select(ERRORS, 10, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen, [1, 2, 0, 3, 1, 2, 0, 3, 1, 2])


def test_uses_no_randomness():
    rng = np.random.default_rng(0)
    Truncation().select(ERRORS, 3, rng)
    assert rng.integers(1000) == np.random.default_rng(0).integers(1000)


def test_by_other_criteria():
    context = Context(case_weights=np.array([0.0, 1.0]))
    np.testing.assert_array_equal(
        Truncation("weighted").select(ERRORS, 4, np.random.default_rng(0), context), [0, 3, 1, 2]
    )
    np.testing.assert_array_equal(Truncation("pass_rate").select(ERRORS, 4, np.random.default_rng(0)), [0, 2, 3, 1])
    with pytest.raises(ValueError, match="by is 'error'"):
        Truncation("error")
