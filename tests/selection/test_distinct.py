import numpy as np
import pytest

from selection.distinct import classes_of_equal_rows


@pytest.mark.parametrize("kind", [np.float64, np.uint8, np.bool_])
def test_groups_equal_rows_in_order(kind):
    matrix = np.array([[1, 0], [0, 0], [1, 0], [1, 1], [0, 0], [1, 0]], dtype=kind)
    classes = classes_of_equal_rows(matrix)
    np.testing.assert_array_equal(classes.representatives, [0, 1, 3])
    np.testing.assert_array_equal(classes.class_of, [0, 1, 0, 2, 1, 0])
    np.testing.assert_array_equal(classes.sizes, [3, 2, 1])


def test_members_are_drawn_evenly():
    classes = classes_of_equal_rows(np.array([[1.0], [0.0], [1.0], [1.0]]))
    drawn = classes.draw_members(np.zeros(30_000, dtype=np.int64), np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert np.all(np.abs(counts[[0, 2, 3]] - 10_000) < 400)


def test_rows_without_columns_are_equal():
    np.testing.assert_array_equal(classes_of_equal_rows(np.empty((3, 0))).sizes, [3])


def test_any_memory_layout():
    matrix = np.asfortranarray([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])
    np.testing.assert_array_equal(classes_of_equal_rows(matrix).class_of, [0, 0, 1])
