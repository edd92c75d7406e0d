import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from selection.filtering import prepare, select_by_filtering
from selection.oracles import lexicase_probabilities


def test_constant_cases_and_hopeless_individuals_are_dropped():
    errors = np.array([[0.0, 7.0, 2.0], [1.0, 7.0, 0.0], [2.0, 7.0, 2.0], [0.0, 7.0, 2.0]])
    problem = prepare(errors)
    np.testing.assert_array_equal(problem.individuals, [0, 1, 3])
    assert problem.errors.shape == (2, 2)
    np.testing.assert_array_equal(problem.classes.sizes, [2, 1])


@pytest.mark.parametrize("errors", [np.ones((4, 3)), np.empty((4, 0)), np.ones((1, 5)), np.full((3, 2), np.inf)])
def test_nothing_to_tell_apart(errors):
    assert prepare(errors) is None


@pytest.mark.parametrize(
    ("scale", "kind"),
    [(1, np.uint8), (254 / 4, np.float64), (63, np.uint8), (64, np.uint16), (16_383, np.uint16), (16_384, np.float64)],
)
def test_small_integers_are_kept_small(scale, kind):
    errors = np.array([[0, 1, 4], [1, 4, 0], [4, 0, 1], [2, 3, 0]]) * float(scale)
    assert prepare(errors).errors.dtype == kind


@pytest.mark.parametrize("top", [254.0, 255.0, 65_534.0, 65_535.0])
def test_infinity_is_worse_than_the_largest_integer(top):
    errors = np.array([[0.0, np.inf, 3.0], [1.0, top, 0.0], [np.inf, 0.0, 1.0], [2.0, 7.0, 0.0]])
    table = prepare(errors).errors
    expected = errors[:, :, np.newaxis] < errors[:, np.newaxis, :]
    np.testing.assert_array_equal(table[:, :, np.newaxis] < table[:, np.newaxis, :], expected)


def test_two_values_a_case_become_truth_values():
    problem = prepare(np.array([[0.0, 8.5], [3.0, 1.5], [3.0, 1.5]]))
    assert problem.binary
    np.testing.assert_array_equal(problem.errors, [[False, True], [True, False]])


def test_negative_and_real_errors_stay_as_they_are():
    errors = np.array([[-1.0, 2.0, 5.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]])
    np.testing.assert_array_equal(prepare(errors).errors, errors)


@settings(max_examples=150, deadline=None)
@given(
    errors=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
        elements=st.sampled_from([-np.inf, -1.5, 0.0, 1.0, 2.0, 254.0, 255.0, 65_535.0, 1e300, np.inf]),
    ),
    tolerant=st.booleans(),
)
def test_chosen_are_those_who_can_be(errors, tolerant):
    """All, and only, the individuals of positive probability are chosen, whatever the errors."""
    tolerance = np.linspace(0, 2, errors.shape[1]) if tolerant else None
    exact = lexicase_probabilities(errors, tolerance)
    problem = prepare(errors, tolerance)
    if problem is None:
        np.testing.assert_allclose(exact, 1 / len(errors))
        return
    chosen = select_by_filtering(problem, 3000, np.random.default_rng(0))
    counts = np.bincount(chosen, minlength=len(errors))
    assert np.all(counts[exact == 0] == 0)
    assert np.all(counts[exact > 0.01] > 0)
    np.testing.assert_allclose(counts / 3000, exact, atol=0.06)
