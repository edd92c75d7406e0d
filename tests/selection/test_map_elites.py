import numpy as np
import pytest

from selection import Context, MapElites

ERRORS = np.array([[5.0], [3.0], [1.0], [4.0], [1.0], [9.0]])
BEHAVIOURS = np.array([[0.0], [0.1], [0.6], [0.5], [0.7], [1.0]])
HALVES = MapElites(bins=2, ranges=((0.0, 1.0),))


def test_keeps_the_best_of_each_cell_the_earlier_of_equals():
    np.testing.assert_array_equal(HALVES.elites(ERRORS, Context(behaviours=BEHAVIOURS)), [1, 2])
    np.testing.assert_array_equal(MapElites(bins=1).elites(ERRORS, Context(behaviours=BEHAVIOURS)), [2])


def test_elites_are_equally_likely():
    chosen = HALVES.select(ERRORS, 10_000, np.random.default_rng(0), Context(behaviours=BEHAVIOURS))
    assert np.bincount(chosen, minlength=6) / 10_000 == pytest.approx([0, 0.5, 0.5, 0, 0, 0], abs=0.03)


def test_values_outside_belong_to_the_outermost_cells():
    behaviours = np.array([[-9.0], [0.1], [np.inf], [0.9], [-np.inf], [0.6]])
    np.testing.assert_array_equal(HALVES.elites(ERRORS, Context(behaviours=behaviours)), [2, 4])


def test_ranges_of_the_population():
    behaviours = np.column_stack([np.arange(6) * 10.0, np.full(6, 3.0)])
    elites = MapElites(bins=3).elites(ERRORS, Context(behaviours=behaviours))
    np.testing.assert_array_equal(elites, [1, 2, 4])


def test_an_archive_carried_on_never_gets_worse():
    rng = np.random.default_rng(0)
    selector = MapElites(bins=5, ranges=((0.0, 1.0),))
    kept_errors, kept_behaviours = np.empty((0, 1)), np.empty((0, 1))
    best = {}
    for _ in range(10):
        errors = np.vstack([kept_errors, rng.random((20, 1))])
        behaviours = np.vstack([kept_behaviours, rng.random((20, 1))])
        elites = selector.elites(errors, Context(behaviours=behaviours))
        kept_errors, kept_behaviours = errors[elites], behaviours[elites]
        now = dict(zip((kept_behaviours[:, 0] * 5).astype(int).tolist(), kept_errors[:, 0], strict=True))
        assert all(now[cell] <= error for cell, error in best.items())
        best = now
    assert len(best) == 5


def test_options_and_behaviours_are_checked():
    with pytest.raises(ValueError, match="needs behaviours"):
        MapElites().select(ERRORS, 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="1 descriptors, and ranges are given for 2"):
        MapElites(ranges=((0, 1), (0, 1))).elites(ERRORS, Context(behaviours=BEHAVIOURS))
    with pytest.raises(ValueError, match="behaviours hold NaN"):
        HALVES.elites(ERRORS, Context(behaviours=BEHAVIOURS * np.nan))
    with pytest.raises(ValueError, match="bins is 0"):
        MapElites(bins=0)
    with pytest.raises(ValueError, match="empty or infinite"):
        MapElites(ranges=((1.0, 1.0),))
