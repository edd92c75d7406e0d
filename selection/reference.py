"""Lexicase selection and its relatives word for word, one event at a time: slow, and the measure of the fast ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from selection.deviation import median_absolute_deviations
from selection.selector import Errors, Indices

Rule = Callable[[NDArray[np.float64], int], NDArray[np.bool_]]
"""Given the candidates' errors on a case, and its number: who stays."""


def only_best(errors: NDArray[np.float64], case: int) -> NDArray[np.bool_]:
    """Keep the candidates with the smallest error: lexicase selection."""
    best: NDArray[np.bool_] = errors == errors.min()
    return best


def within(tolerance: NDArray[np.float64]) -> Rule:
    """Keep those at most `tolerance[case]` worse than the best candidate: semi-dynamic epsilon-lexicase."""
    return lambda errors, case: errors <= errors.min() + tolerance[case]


def within_own_deviation(errors: NDArray[np.float64], case: int) -> NDArray[np.bool_]:
    """Keep those at most the candidates' own deviation worse than the best: dynamic epsilon-lexicase."""
    deviation = median_absolute_deviations(errors[:, np.newaxis])[0]
    near: NDArray[np.bool_] = errors <= errors.min() + deviation
    return near


def survivors(errors: Errors, order: Sequence[int], rule: Rule = only_best) -> Indices:
    """Return the candidates left when the cases have filtered in the given order, without stopping early."""
    candidates = np.arange(len(errors))
    for case in order:
        candidates = candidates[rule(errors[candidates, case], case)]
    return candidates


def batch_survivors(errors: Errors, order: Sequence[int], size: int) -> Indices:
    """Return the candidates left when batches of `size` cases, summed, have filtered in the given order."""
    candidates = np.arange(len(errors))
    for start in range(0, len(order), size):
        sums = errors[candidates][:, list(order[start : start + size])].sum(axis=1)
        candidates = candidates[sums == sums.min()]
    return candidates


def cases_used(errors: Errors, order: Sequence[int]) -> int:
    """Return how many cases of the order lexicase selection looks at before the survivors are settled.

    They are settled as soon as all candidates have equal errors on the cases still to come.
    """
    candidates = np.arange(len(errors))
    for used, case in enumerate(order):
        ahead = errors[np.ix_(candidates, np.array(order[used:], dtype=np.int64))]
        if (ahead == ahead[:1]).all():
            return used
        candidates = candidates[only_best(errors[candidates, case], case)]
    return len(order)
