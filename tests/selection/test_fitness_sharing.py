import numpy as np
import pytest

from selection import Context, FitnessSharing, Tournament


def test_a_rare_solution_is_worth_more():
    # Rewards: 1/3 + 1/3 for the generalists, 1 for the one who alone solves the third case.
    errors = np.array([[0.0, 0.0, 5.0], [0.0, 0.0, 5.0], [0.0, 0.0, 5.0], [9.0, 9.0, 0.0]])
    probabilities = FitnessSharing(2).probabilities(errors)
    assert probabilities[3] == pytest.approx(1 - (3 / 4) ** 2)
    assert Tournament(2).probabilities(errors)[3] == pytest.approx(1 / 16)


def test_tolerance_and_weights():
    errors = np.array([[0.4, 9.0], [9.0, 0.6]])
    assert FitnessSharing(2, solved_within=0.5).probabilities(errors) == pytest.approx([0.75, 0.25])
    context = Context(case_weights=np.array([1.0, 3.0]))
    assert FitnessSharing(2, solved_within=1.0).probabilities(errors, context) == pytest.approx([0.25, 0.75])


def test_nobody_solves_anything():
    assert FitnessSharing().probabilities(np.ones((4, 3))) == pytest.approx([0.25] * 4)


def test_options_are_checked():
    with pytest.raises(ValueError, match="tournament size"):
        FitnessSharing(0)
    with pytest.raises(ValueError, match="solved_within is NaN"):
        FitnessSharing(solved_within=float("nan"))
