import numpy as np
import pytest

from selection.deviation import median_absolute_deviations


@pytest.mark.parametrize("individuals", [1, 2, 7, 10])
def test_equals_the_definition(individuals):
    errors = np.random.default_rng(individuals).random((individuals, 5))
    medians = np.median(errors, axis=0)
    expected = np.median(np.abs(errors - medians), axis=0)
    np.testing.assert_allclose(median_absolute_deviations(errors), expected, rtol=1e-15)


def test_infinite_errors_are_left_out():
    errors = np.array([[1.0, np.inf], [2.0, np.inf], [4.0, -np.inf], [np.inf, np.inf]])
    np.testing.assert_array_equal(median_absolute_deviations(errors), [1.0, 0.0])


def test_no_cases():
    assert median_absolute_deviations(np.empty((3, 0))).shape == (0,)
