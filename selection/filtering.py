"""Many lexicase events at once, in numpy: the engine below lexicase and its relatives.

Three facts make it fast and keep it exact:

1. Individuals of equal errors are one class (`selection.distinct`), and one that is within the tolerance of the best
   on no case can never survive the first case that matters.
2. A case that has filtered the candidates once cannot filter them again, nor can a case on which all are within
   the tolerance of the best; both stay so however the candidates dwindle, also when the best is taken among them
   (the smallest error of fewer candidates is no smaller). So the next case that matters is uniform over the cases
   that still filter, whatever came before: cases may be drawn with replacement until one does, and no event needs a
   permutation. (This does not hold if the tolerance depends on the candidates, or if cases form batches.)
3. While a case's best of the whole population is among the candidates, filtering is an AND of bit sets. The rest
   is done on one flat array of (event, candidate) pairs for all events together.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selection.distinct import Classes, classes_of_equal_rows
from selection.pairs import Pairs
from selection.selector import Errors, Indices

BitSets = NDArray[np.uint64]

_PAIRS_AT_ONCE = 2**23
"""At most so many (event, candidate) pairs are held in memory."""

_VALUES_AT_ONCE = 2**22
"""At most about so many errors are looked at together when cases that still filter are listed."""

_SAMPLED_ROWS = 8
"""So many rows are looked at before all are turned into small integers."""

_FEW = 32
"""Up to so many candidates an event are reduced one by one."""

_WORTHWHILE = 0.25
"""While at least this share of the work shrinks in a round, drawing blindly is cheaper than listing cases."""


@dataclasses.dataclass(frozen=True, eq=False)
class FilterProblem:
    """What a lexicase event needs to know, cut down to the individuals and cases that can matter.

    Attributes:
        errors: Distinct error rows `[C, T]`, small integers where that loses nothing.
        tolerance: How much worse than the best passes a case, in errors `[T]`; None for not at all.
        best: Individuals with the smallest error of the whole population, a bit set a case `[T, words]`.
        passing: Individuals that pass when the whole population is filtered, a bit set a case `[T, words]`.
        classes: The individuals of each row; its numbers count within `individuals`.
        individuals: Row numbers in the caller's matrix `[M]` of those that can be selected at all.
    """

    errors: NDArray[Any]
    tolerance: NDArray[np.float64] | None
    best: BitSets
    passing: BitSets
    classes: Classes
    individuals: Indices

    @property
    def binary(self) -> bool:
        """Whether every error is either the best of its case or the worst, so that bit sets say all."""
        return self.errors.dtype == np.bool_


def prepare(errors: Errors, tolerance: NDArray[np.float64] | None = None) -> FilterProblem | None:
    """Cut a validated error matrix down to what matters.

    Args:
        errors: Validated errors `[N, T]`, `N >= 1`.
        tolerance: How much worse than the best of the candidates still passes `[T]`, not negative.

    Returns:
        The problem, or None if no case tells any two individuals apart.
    """
    if errors.shape[1] == 0:
        return None
    table: NDArray[Any] = errors if tolerance is not None else _compact(errors)
    smallest = table.min(axis=0)
    passing = table <= (smallest if tolerance is None else smallest + tolerance)
    cases = np.flatnonzero(~passing.all(axis=0))
    if cases.size == 0:
        return None
    if cases.size < table.shape[1]:
        table, passing = table.take(cases, axis=1), passing.take(cases, axis=1)
        smallest = smallest[cases]
        tolerance = None if tolerance is None else tolerance[cases]
    individuals = np.flatnonzero(passing.any(axis=1))
    table, passing = _rows(table, individuals), _rows(passing, individuals)
    if tolerance is None and (passing | (table == table.max(axis=0))).all():
        table = ~passing
    classes = classes_of_equal_rows(table)
    table, passing = _rows(table, classes.representatives), _rows(passing, classes.representatives)
    passing_sets = _bit_sets(passing)
    best_sets = passing_sets if tolerance is None else _bit_sets(table == smallest)
    return FilterProblem(table, tolerance, best_sets, passing_sets, classes, individuals)


def select_by_filtering(problem: FilterProblem, k: int, rng: np.random.Generator) -> Indices:
    """Run `k` independent events and return the individuals `[k]` chosen, as numbers of the caller's rows."""
    at_once = max(1, _PAIRS_AT_ONCE // len(problem.errors))
    rows = [_run_events(problem, min(at_once, k - start), rng) for start in range(0, k, at_once)]
    members = problem.classes.draw_members(np.concatenate([*rows, np.empty(0, dtype=np.int64)]), rng)
    chosen: Indices = problem.individuals[members]
    return chosen


def _rows(table: NDArray[Any], wanted: Indices) -> NDArray[Any]:
    """Return some rows of a table, ascending, without a copy if they are all."""
    return table if len(wanted) == len(table) else table.take(wanted, axis=0)


def _compact(errors: Errors) -> NDArray[Any]:
    """Return the errors as small integers (the largest standing for infinity) if that changes no comparison."""
    if errors.min() < 0:
        return errors
    largest = errors.max()
    infinite = None
    if largest == np.inf:
        infinite = np.isinf(errors)
        largest = errors.max(where=~infinite, initial=0)
    for kind in (np.uint8, np.uint16):
        top = np.iinfo(kind).max
        if largest >= top:
            continue
        whole = errors if infinite is None else np.where(infinite, top, errors)
        # Errors that are no integers mostly show at once.
        for rows in (slice(0, _SAMPLED_ROWS), slice(None)):
            small = whole[rows].astype(kind)
            if not (small == whole[rows]).all():
                return errors
        return small
    return errors


def _bit_sets(members: NDArray[np.bool_]) -> BitSets:
    """Pack a table of members `[C, T]` into a bit set a case `[T, words]`."""
    packed = np.packbits(np.ascontiguousarray(members.T), axis=1, bitorder="little")
    padded = np.zeros((packed.shape[0], -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def _table(sets: BitSets, rows: int) -> NDArray[np.bool_]:
    """Return the table `[sets, rows]` of the members of bit sets."""
    return np.unpackbits(sets.view(np.uint8), axis=1, count=rows, bitorder="little").view(np.bool_)


def _run_events(problem: FilterProblem, k: int, rng: np.random.Generator) -> Indices:
    """Return the chosen row of `problem.errors` for each of `k` events."""
    chosen = np.full(k, -1, dtype=np.int64)
    events = np.arange(k)
    cases = len(problem.passing)
    pools = problem.passing.take(rng.integers(0, cases, size=k), axis=0)
    events, pools = _take_singletons(events, pools, np.arange(k), chosen)
    waiting: list[tuple[Indices, BitSets, Indices]] = []
    shrinking = 1.0
    while events.size and shrinking >= _WORTHWHILE:
        drawn = rng.integers(0, cases, size=events.size)
        filtered = pools & problem.best.take(drawn, axis=0)
        hits = filtered.any(axis=1)
        if problem.tolerance is not None:
            filtered = pools & problem.passing.take(drawn, axis=0)
        shrunk = np.flatnonzero(hits & (filtered != pools).any(axis=1))
        pools[shrunk] = filtered[shrunk]
        shrinking = shrunk.size / events.size
        if not problem.binary and not hits.all():
            # The best on the drawn case is gone, so its filter needs the errors themselves. The draw stands.
            waiting.append((events[~hits], pools[~hits], drawn[~hits]))
            shrunk = (np.cumsum(hits) - 1)[shrunk]
            places = np.flatnonzero(hits)
            events, pools = events.take(places), pools.take(places, axis=0)
        events, pools = _take_singletons(events, pools, shrunk, chosen)
    waiting.append((events, pools, np.full(events.size, -1)))
    events, pools, drawn = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
    if events.size:
        chosen[events] = _finish(problem, Pairs.of_table(_table(pools, len(problem.errors))), drawn, rng)
    return chosen


def _take_singletons(events: Indices, pools: BitSets, changed: Indices, chosen: Indices) -> tuple[Indices, BitSets]:
    """Note the events, among those whose pools changed, that have one row left; return the others."""
    sets = pools[changed]
    # Clearing each word's lowest bit leaves something if and only if a word has two; two words may have one each.
    several = (sets & (sets - np.uint64(1))).any(axis=1) | (np.count_nonzero(sets, axis=1) != 1)
    single = changed[~several]
    if not single.size:
        return events, pools
    chosen[events[single]] = _table(sets[~several], 64 * sets.shape[1]).argmax(axis=1)
    rest = np.ones(events.size, dtype=np.bool_)
    rest[single] = False
    places = np.flatnonzero(rest)
    return events.take(places), pools.take(places, axis=0)


def _finish(problem: FilterProblem, pairs: Pairs, drawn: Indices, rng: np.random.Generator) -> Indices:
    """Filter until every event has one row, and return it.

    Args:
        problem: The problem.
        pairs: The candidates of each event, at least one each.
        drawn: The case each event has already drawn but not applied `[E]`, or -1.
        rng: Source of randomness.
    """
    cases = problem.errors.shape[1]
    drawn = np.where(drawn >= 0, drawn, rng.integers(0, cases, size=len(drawn)))
    while True:
        before = len(pairs.candidates)
        pairs = _filter(problem, pairs, drawn)
        if len(pairs.candidates) > (1 - _WORTHWHILE) * before:
            break
        drawn = rng.integers(0, cases, size=len(drawn))
    chosen = np.empty(len(drawn), dtype=np.int64)
    events = np.arange(len(drawn))
    while events.size:
        single = pairs.counts == 1
        chosen[events[single]] = pairs.candidates[pairs.starts[single]]
        events, pairs = events[~single], pairs.of_events(~single)
        drawn = _filtering_cases(problem, pairs, rng)
        alike = drawn < 0
        if alike.any():
            chosen[events[alike]] = pairs.of_events(alike).draw(rng, problem.classes.sizes)
            events, pairs, drawn = events[~alike], pairs.of_events(~alike), drawn[~alike]
        pairs = _filter(problem, pairs, drawn)
    return chosen


def _filter(problem: FilterProblem, pairs: Pairs, drawn: Indices) -> Pairs:
    """Apply to each event `e` the case `drawn[e]`."""
    if not len(drawn):
        return pairs
    places = pairs.candidates * problem.errors.shape[1]
    places += np.repeat(drawn, pairs.counts)
    errors = problem.errors.ravel().take(places)
    starts = pairs.starts
    limits = np.minimum.reduceat(errors, starts)
    if problem.tolerance is not None:
        limits = limits + problem.tolerance[drawn]
    return pairs.keep(errors <= np.repeat(limits, pairs.counts))


def _filtering_cases(problem: FilterProblem, pairs: Pairs, rng: np.random.Generator) -> Indices:
    """Return for each event a uniform one of the cases that filter its candidates, or -1 if there are none."""
    limit = max(1, _VALUES_AT_ONCE // problem.errors.shape[1])
    starts = pairs.starts
    drawn = np.full(len(starts), -1, dtype=np.int64)
    first = 0
    while first < len(starts):
        # As many whole events as fit, but at least one.
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + limit)))
        counts = pairs.counts[first:last]
        errors = problem.errors.take(pairs.candidates[starts[first] : starts[first] + counts.sum()], axis=0)
        drawn[first:last] = _draw_cases(_still_filtering(errors, counts, problem.tolerance), rng)
        first = last
    return drawn


def _still_filtering(errors: NDArray[Any], counts: Indices, tolerance: NDArray[np.float64] | None) -> NDArray[np.bool_]:
    """Return which cases filter each event's candidates `[E, T]`, given their errors `[sum of counts, T]`."""
    starts = np.cumsum(counts) - counts
    if tolerance is None:
        unequal: NDArray[np.bool_] = _reduce(
            np.logical_or, errors != errors.take(np.repeat(starts, counts), axis=0), counts
        )
        return unequal
    smallest = _reduce(np.minimum, errors, counts)
    spread: NDArray[np.bool_] = _reduce(np.maximum, errors, counts) > smallest + tolerance
    return spread


def _reduce(function: np.ufunc, values: NDArray[Any], counts: Indices) -> NDArray[Any]:
    """Reduce each event's rows of values to one `[E, T]`, as `function.reduceat` does."""
    starts = np.cumsum(counts) - counts
    most = int(counts.max())
    if most > _FEW:
        reduced: NDArray[Any] = function.reduceat(values, starts, axis=0)
        return reduced
    # For a few rows an event, taking everyone's second row, third row and so on is many times faster.
    reduced = values.take(starts, axis=0)
    for place in range(1, most):
        longer = np.flatnonzero(counts > place)
        reduced[longer] = function(reduced.take(longer, axis=0), values.take(starts[longer] + place, axis=0))
    return reduced


def _draw_cases(filtering: NDArray[np.bool_], rng: np.random.Generator) -> Indices:
    """Return a uniform one of the true columns of each row, or -1 for a row without."""
    counts = np.count_nonzero(filtering, axis=1)
    drawn = np.full(len(filtering), -1, dtype=np.int64)
    some = counts > 0
    tickets = (np.cumsum(counts) - counts)[some] + rng.integers(0, counts[some])
    drawn[some] = np.flatnonzero(filtering)[tickets] % filtering.shape[1]
    return drawn
