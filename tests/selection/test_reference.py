import numpy as np

from selection.reference import batch_survivors, cases_used, survivors, within, within_own_deviation

ERRORS = np.array([[0.0, 2.0, 1.0], [0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 1.0, 2.0]])


def test_survivors_of_an_order():
    np.testing.assert_array_equal(survivors(ERRORS, [0, 1, 2]), [1, 3])
    np.testing.assert_array_equal(survivors(ERRORS, [0, 2, 1]), [0])
    np.testing.assert_array_equal(survivors(ERRORS, [2, 0, 1]), [2])
    np.testing.assert_array_equal(survivors(ERRORS, [0]), [0, 1, 3])


def test_survivors_within_a_tolerance():
    np.testing.assert_array_equal(survivors(ERRORS, [0, 1, 2], within(np.array([0.0, 1.0, 0.0]))), [0])
    np.testing.assert_array_equal(survivors(ERRORS, [1, 0], within(np.array([0.0, 1.0, 0.0]))), [1, 3])


def test_survivors_within_their_own_deviation():
    errors = np.array([[0.0], [1.0], [3.0], [9.0]])
    # The median is 2, the distances from it are 2, 1, 1 and 7, and their median is 1.5.
    np.testing.assert_array_equal(survivors(errors, [0], within_own_deviation), [0, 1])
    # Of those the deviation is 0.5, so the case filters a second time.
    np.testing.assert_array_equal(survivors(errors, [0, 0], within_own_deviation), [0])


def test_survivors_of_batches():
    np.testing.assert_array_equal(batch_survivors(ERRORS, [0, 1], 2), [1, 2, 3])
    np.testing.assert_array_equal(batch_survivors(ERRORS, [0, 1, 2], 2), [2])
    np.testing.assert_array_equal(batch_survivors(ERRORS, [0, 1, 2], 3), [2])


def test_cases_used():
    assert cases_used(ERRORS, [2, 0, 1]) == 1
    assert cases_used(ERRORS, [0, 1, 2]) == 2
    assert cases_used(ERRORS, [0, 2, 1]) == 2
    assert cases_used(np.ones((3, 4)), [0, 1, 2, 3]) == 0
    assert cases_used(ERRORS[:1], [0, 1, 2]) == 0
