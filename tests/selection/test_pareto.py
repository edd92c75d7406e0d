import numpy as np

from selection.pareto import crowding_distances, dominance, front_numbers

POINTS = np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0], [2.0, 2.0], [1.0, 1.0], [3.0, 3.0]])


def test_dominance():
    expected = np.zeros((6, 6), dtype=bool)
    expected[[1, 4], 3] = True
    expected[[0, 1, 2, 3, 4], 5] = True
    np.testing.assert_array_equal(dominance(POINTS), expected)


def test_fronts():
    np.testing.assert_array_equal(front_numbers(POINTS), [0, 0, 0, 1, 0, 2])
    chain = np.arange(30.0)[:, np.newaxis] * [1, 1]
    np.testing.assert_array_equal(front_numbers(chain), np.arange(30))
    assert front_numbers(np.empty((0, 2))).shape == (0,)


def test_fronts_of_random_points_equal_the_definition():
    points = np.random.default_rng(0).integers(0, 6, (60, 3)).astype(float)
    numbers = front_numbers(points)
    left = np.arange(60)
    number = 0
    while left.size:
        inside = dominance(points[left])
        front = left[~inside.any(axis=0)]
        np.testing.assert_array_equal(np.sort(front), np.flatnonzero(numbers == number))
        left = np.setdiff1d(left, front)
        number += 1


def test_crowding():
    points = np.array([[0.0, 4.0], [1.0, 2.0], [3.0, 1.0], [4.0, 0.0]])
    distances = crowding_distances(points, np.zeros(4, dtype=np.int64))
    np.testing.assert_allclose(distances, [np.inf, 3 / 4 + 3 / 4, 3 / 4 + 2 / 4, np.inf])


def test_crowding_with_infinite_and_equal_objectives():
    points = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [np.inf, 5.0]])
    distances = crowding_distances(points, np.zeros(4, dtype=np.int64))
    assert np.isinf(distances[3])
    assert np.isfinite(distances[[1, 2]]).any()
    assert not np.isnan(distances).any()
