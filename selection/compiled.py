"""Lexicase events in compiled code: the optional numba engine, of the same distribution as `selection.filtering`.

The problem is prepared in numpy. The functions below are plain Python that numba compiles at their first use and
keeps compiled on disk; see `selection.filtering` for why cases may be drawn with replacement.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from selection.filtering import FilterProblem
from selection.selector import Indices

_FEW = 4
"""Of so few candidates, the cases that still filter are listed at once."""

_PATIENCE = 6
"""After so many draws in a row that filtered nothing, the cases that still filter are listed."""


def select_compiled(problem: FilterProblem, k: int, rng: np.random.Generator) -> Indices:
    """Run `k` independent events and return the individuals `[k]` chosen, as numbers of the caller's rows."""
    errors = problem.errors.view(np.uint8) if problem.binary else problem.errors
    tolerance = np.zeros(errors.shape[1]) if problem.tolerance is None else problem.tolerance
    classes = problem.classes
    rows: Indices = _events(errors, tolerance, problem.passing, problem.best, classes.sizes, problem.binary, k, rng)
    chosen: Indices = problem.individuals[classes.draw_members(rows, rng)]
    return chosen


def _members_of(bits: Any, pool: Any) -> int:
    """Write the members of a bit set to the pool, and return their number."""
    size = 0
    for word in range(len(bits)):
        rest = bits[word]
        row = word << 6
        while rest:
            if not rest & np.uint64(0xFF):
                rest >>= np.uint64(8)
                row += 8
                continue
            pool[size] = row
            size += int(rest & np.uint64(1))
            rest >>= np.uint64(1)
            row += 1
    return size


def _filter_bits(bits: Any, passing: Any, best: Any, binary: bool, rng: Any) -> int:
    """Filter a set of candidates by cases drawn until one row is left, or bit sets are of no more use.

    Returns:
        The number of a case that was drawn, but whose best individuals are all gone from the set, or -1.
    """
    useless = 0
    while useless < _PATIENCE:
        drawn = int(rng.random() * len(passing))
        hit = np.uint64(0)
        for word in range(len(bits)):
            hit |= bits[word] & best[drawn, word]
        if not hit:
            if not binary:
                return drawn
            useless += 1
            continue
        lost = np.uint64(0)
        several = 0
        for word in range(len(bits)):
            left = bits[word] & passing[drawn, word]
            lost |= bits[word] ^ left
            several += (left != 0) + ((left & (left - np.uint64(1))) != 0)
            bits[word] = left
        if several == 1:
            return -1
        useless = 0 if lost else useless + 1
    return -1


def _draw_filtering(errors: Any, tolerance: Any, pool: Any, size: int, found: Any, rng: Any) -> int:
    """Return a uniform one of the cases that filter the pool, or -1 if there is none."""
    count = 0
    for case in range(errors.shape[1]):
        smallest = errors[pool[0], case]
        largest = smallest
        for place in range(1, size):
            error = errors[pool[place], case]
            smallest = min(smallest, error)
            largest = max(largest, error)
        if largest > smallest + tolerance[case]:
            found[count] = case
            count += 1
    return found[int(rng.random() * count)] if count else -1


def _filter_pool(errors: Any, case: int, tolerance: Any, pool: Any, size: int) -> int:
    """Keep the candidates that pass a case, at the front of the pool, and return their number."""
    smallest = errors[pool[0], case]
    for place in range(1, size):
        smallest = min(smallest, errors[pool[place], case])
    limit = smallest + tolerance[case]
    kept = 0
    for place in range(size):
        row = pool[place]
        pool[kept] = row
        kept += errors[row, case] <= limit
    return kept


def _draw_row(pool: Any, size: int, sizes: Any, rng: Any) -> int:
    """Return one of the rows in the pool, each by the number of its individuals."""
    if size == 1:
        return pool[0]  # type: ignore[no-any-return]
    total = 0
    for place in range(size):
        total += sizes[pool[place]]
    ticket = int(rng.random() * total)
    place = 0
    while ticket >= sizes[pool[place]]:
        ticket -= sizes[pool[place]]
        place += 1
    return pool[place]  # type: ignore[no-any-return]


def _run_events(
    errors: Any, tolerance: Any, passing: Any, best: Any, sizes: Any, binary: bool, k: int, rng: Any
) -> Any:
    """Return the row chosen by each of `k` events."""
    cases = errors.shape[1]
    chosen = np.empty(k, dtype=np.int64)
    pool = np.empty(len(errors), dtype=np.int64)
    found = np.empty(cases, dtype=np.int64)
    bits = np.empty(passing.shape[1], dtype=np.uint64)
    for event in range(k):
        bits[:] = passing[int(rng.random() * cases)]
        drawn = _filter_bits(bits, passing, best, binary, rng)
        size = _members_of(bits, pool)
        if drawn >= 0:
            size = _filter_pool(errors, drawn, tolerance, pool, size)
        useless = 0
        while size > 1:
            if useless < _PATIENCE and size > _FEW:
                case = int(rng.random() * cases)
            else:
                case = _draw_filtering(errors, tolerance, pool, size, found, rng)
                if case < 0:
                    break
            left = _filter_pool(errors, case, tolerance, pool, size)
            useless = useless + 1 if left == size else 0
            size = left
        chosen[event] = _draw_row(pool, size, sizes, rng)
    return chosen


# Compiled under their own names, because compiled code looks its callees up in this module.
_members_of = numba.njit(_members_of, cache=True)
_filter_bits = numba.njit(_filter_bits, cache=True)
_draw_filtering = numba.njit(_draw_filtering, cache=True)
_filter_pool = numba.njit(_filter_pool, cache=True)
_draw_row = numba.njit(_draw_row, cache=True)
_events = numba.njit(_run_events, cache=True)
