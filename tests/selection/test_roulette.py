import numpy as np
import pytest

from selection import Roulette


def test_small_errors_are_favoured():
    errors = np.array([[1.0], [3.0], [5.0]])
    assert Roulette().probabilities(errors) == pytest.approx([4 / 6, 2 / 6, 0])
    assert Roulette("adjusted").probabilities(errors) == pytest.approx(np.array([6, 3, 2]) / 11)


def test_negative_errors_are_favoured_most():
    assert Roulette().probabilities(np.array([[-3.0], [0.0], [1.0]])) == pytest.approx([0.8, 0.2, 0])
    with pytest.raises(ValueError, match="use fitness='window'"):
        Roulette("adjusted").probabilities(np.array([[-3.0], [0.0]]))


@pytest.mark.parametrize("fitness", ["window", "adjusted"])
def test_the_failed_are_left_out_unless_all_are(fitness):
    probabilities = Roulette(fitness).probabilities(np.array([[np.inf], [2.0], [2.0]]))
    assert probabilities == pytest.approx([0, 0.5, 0.5])
    assert Roulette(fitness).probabilities(np.full((4, 2), np.inf)) == pytest.approx([0.25] * 4)


def test_minus_infinity_is_better_than_all():
    probabilities = Roulette().probabilities(np.array([[-np.inf], [2.0], [4.0]]))
    assert probabilities[0] > probabilities[1] > probabilities[2] == 0


def test_huge_errors_do_not_overflow():
    assert Roulette().probabilities(np.array([[0.0], [1e308], [1e308]])) == pytest.approx([1, 0, 0])


def test_fitness_is_checked():
    with pytest.raises(ValueError, match="use 'window' or 'adjusted'"):
        Roulette("inverse")
