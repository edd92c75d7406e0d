"""Events that depend on the whole order of the cases: batches of cases, and tolerances of the candidates' own.

All events go through their orders in step. Their candidates stand in one flat array, as in `selection.filtering`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from selection.deviation import median_absolute_deviations
from selection.distinct import classes_of_equal_rows
from selection.pairs import Pairs
from selection.selector import Errors, Indices

_PAIRS_AT_ONCE = 2**22


def select_by_batches(errors: Errors, size: int, k: int, rng: np.random.Generator) -> Indices:
    """Run `k` events in which each filter is the sum of the errors on `size` cases, of validated errors `[N, T]`."""
    classes = classes_of_equal_rows(errors)
    rows = errors[classes.representatives]
    step = max(1, _PAIRS_AT_ONCE // max(1, *rows.shape))
    chosen = [_run_batches(rows, classes.sizes, size, min(step, k - start), rng) for start in range(0, k, step)]
    return classes.draw_members(np.concatenate([*chosen, np.empty(0, dtype=np.int64)]), rng)


def _run_batches(rows: Errors, weights: Indices, size: int, k: int, rng: np.random.Generator) -> Indices:
    """Return the row chosen by each of `k` events; the rows are distinct, each of as many individuals as its weight."""
    cases = rows.shape[1]
    if cases == 0 or len(rows) == 1:
        return np.zeros(k, dtype=np.int64)
    orders = _orders(k, cases, rng)
    columns = np.ascontiguousarray(rows.T)
    with np.errstate(invalid="ignore"):
        sums = columns.take(orders[:, 0], axis=0)
        for place in range(1, min(size, cases)):
            sums += columns.take(orders[:, place], axis=0)
    sums[np.isnan(sums)] = np.inf
    pairs = Pairs.of_table(sums == sums.min(axis=1, keepdims=True))
    events = np.arange(k)
    chosen = np.empty(k, dtype=np.int64)
    for start in range(size, cases, size):
        single = pairs.counts == 1
        chosen[events[single]] = pairs.candidates[pairs.starts[single]]
        events, pairs = events[~single], pairs.of_events(~single)
        if not events.size:
            return chosen
        sums = _batch_sums(rows, pairs, orders[events, start : start + size])
        pairs = pairs.keep(sums <= np.repeat(np.minimum.reduceat(sums, pairs.starts), pairs.counts))
    # Different rows may have equal sums on every batch; then each individual is as likely.
    chosen[events] = pairs.draw(rng, weights)
    return chosen


def _batch_sums(rows: Errors, pairs: Pairs, batches: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return each candidate's sum of errors on its event's batch of cases `[E, size]`.

    Where infinities of both signs meet, the worst counts.
    """
    offsets = pairs.candidates * rows.shape[1]
    sums = np.zeros(len(offsets))
    with np.errstate(invalid="ignore"):
        for cases in batches.T:
            sums += rows.ravel().take(offsets + np.repeat(cases, pairs.counts))
    sums[np.isnan(sums)] = np.inf
    return sums


def select_dynamic(errors: Errors, k: int, rng: np.random.Generator) -> Indices:
    """Run `k >= 1` events of dynamic epsilon-lexicase selection on validated errors `[N, T]`.

    Each filter keeps the candidates whose error is at most their own median absolute deviation above the best.
    """
    step = max(1, _PAIRS_AT_ONCE // max(errors.shape))
    return np.concatenate([_run_dynamic(errors, min(step, k - start), rng) for start in range(0, k, step)])


def _run_dynamic(errors: Errors, k: int, rng: np.random.Generator) -> Indices:
    individuals, cases = errors.shape
    if cases == 0:
        return rng.integers(0, individuals, size=k)
    # Deviations count individuals, so clones are not put together; but candidates that are all clones are settled.
    class_of = classes_of_equal_rows(errors).class_of
    orders = _orders(k, cases, rng)
    passing = (errors <= errors.min(axis=0) + median_absolute_deviations(errors)).T
    pairs = Pairs.of_table(passing[orders[:, 0]])
    events = np.arange(k)
    chosen = np.empty(k, dtype=np.int64)
    for step in range(1, cases):
        numbers = class_of[pairs.candidates]
        alike = np.maximum.reduceat(numbers, pairs.starts) == np.minimum.reduceat(numbers, pairs.starts)
        chosen[events[alike]] = pairs.of_events(alike).draw(rng)
        events, pairs = events[~alike], pairs.of_events(~alike)
        if not events.size:
            return chosen
        drawn = errors.ravel().take(pairs.candidates * cases + np.repeat(orders[events, step], pairs.counts))
        limits = np.minimum.reduceat(drawn, pairs.starts) + _deviations_within(pairs, drawn)
        pairs = pairs.keep(drawn <= np.repeat(limits, pairs.counts))
    chosen[events] = pairs.draw(rng)
    return chosen


def _orders(k: int, cases: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return a random order of the cases for each event `[k, T]`."""
    return rng.permuted(np.tile(np.arange(cases, dtype=np.int32), (k, 1)), axis=1)


def _deviations_within(pairs: Pairs, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median absolute deviation of each event's values, the infinite ones left out."""
    owners = np.repeat(np.arange(len(pairs.counts)), pairs.counts)
    finite = np.isfinite(values)
    owners, values = owners[finite], values[finite]
    counts = np.bincount(owners, minlength=len(pairs.counts))
    medians = _medians_within(owners, values, counts)
    return _medians_within(owners, np.abs(values - medians[owners]), counts)


def _medians_within(owners: Indices, values: NDArray[np.float64], counts: Indices) -> NDArray[np.float64]:
    """Return the median of each owner's values, 0 for an owner without."""
    ranked = values[np.lexsort((values, owners))]
    medians = np.zeros(len(counts))
    some = counts > 0
    starts = (np.cumsum(counts) - counts)[some]
    medians[some] = 0.5 * (ranked[starts + (counts[some] - 1) // 2] + ranked[starts + counts[some] // 2])
    return medians
