import numpy as np
import pytest

from selection import LinearRank


def test_probability_falls_linearly_with_the_rank():
    errors = np.array([[30.0], [0.0], [1.0], [2.0], [900.0]])
    assert LinearRank(2.0).probabilities(errors) == pytest.approx(np.array([1, 4, 3, 2, 0]) / 10)
    assert LinearRank(1.5).probabilities(errors) == pytest.approx(np.array([0.75, 1.5, 1.25, 1, 0.5]) / 5)
    assert LinearRank(1.0).probabilities(errors) == pytest.approx([0.2] * 5)


def test_equal_errors_share_their_ranks():
    errors = np.array([[0.0], [1.0], [1.0], [2.0]])
    probabilities = LinearRank(2.0).probabilities(errors)
    assert probabilities == pytest.approx([0.5, 0.25, 0.25, 0])


@pytest.mark.parametrize("pressure", [0.9, 2.1, float("nan")])
def test_pressure_is_checked(pressure):
    with pytest.raises(ValueError, match="pressure is"):
        LinearRank(pressure)
