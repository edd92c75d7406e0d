import numpy as np

from selection.pairs import Pairs

TABLE = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)


def test_of_table_and_of_events():
    pairs = Pairs.of_table(TABLE)
    np.testing.assert_array_equal(pairs.candidates, [1, 2, 0, 0, 1, 2, 3])
    np.testing.assert_array_equal(pairs.counts, [2, 1, 4])
    np.testing.assert_array_equal(pairs.starts, [0, 2, 3])
    some = pairs.of_events(np.array([True, False, True]))
    np.testing.assert_array_equal(some.candidates, [1, 2, 0, 1, 2, 3])
    np.testing.assert_array_equal(some.counts, [2, 4])


def test_keep():
    kept = Pairs.of_table(TABLE).keep(np.array([False, True, True, True, False, False, True]))
    np.testing.assert_array_equal(kept.candidates, [2, 0, 0, 3])
    np.testing.assert_array_equal(kept.counts, [1, 1, 2])


def test_draw():
    pairs = Pairs.of_table(np.repeat(TABLE[[0, 2]], 20_000, axis=0))
    rng = np.random.default_rng(0)
    even, weighted = pairs.draw(rng), pairs.draw(rng, np.array([5, 1, 3, 1]))
    np.testing.assert_allclose(np.bincount(even[:20_000], minlength=4) / 20_000, [0, 0.5, 0.5, 0], atol=0.02)
    np.testing.assert_allclose(np.bincount(even[20_000:]) / 20_000, [0.25] * 4, atol=0.02)
    np.testing.assert_allclose(np.bincount(weighted[:20_000], minlength=4) / 20_000, [0, 0.25, 0.75, 0], atol=0.02)
    np.testing.assert_allclose(np.bincount(weighted[20_000:]) / 20_000, [0.5, 0.1, 0.3, 0.1], atol=0.02)
