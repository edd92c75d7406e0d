"""DALex: lexicase selection by random weights of the cases."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from selection.criteria import without_infinities
from selection.distinct import classes_of_equal_rows
from selection.selector import Context, Errors, Indices, validated

_SCORES_AT_ONCE = 2**22

_NO_SCORE = 1e-280
"""Scores below this have lost too many bits to be compared."""


@dataclasses.dataclass(frozen=True)
class Dalex:
    """DALex, diversely aggregated lexicase selection: each parent is the best by a random weighting of the cases.

    The weights of an event are the softmax of normal deviates: the larger their spread, the more each case
    outweighs the next, and the nearer the selection is to lexicase selection; 0 would be selection by total error.
    It relaxes lexicase selection: near-best on an important case may be made good by others. (With a large spread
    the weights of most cases vanish beside the largest; those within rounding of the best are therefore compared
    again by the cases on which they differ, so that no case is lost to underflow.)

    An infinite error counts as the largest finite one of its case plus their spread.

    Source: Ni, Ding, Spector 2024, "DALex: lexicase-like selection via diverse aggregation", EuroGP,
    arXiv 2401.12424.

    Attributes:
        spread: Standard deviation of the logarithms of the weights, finite and larger than 0; 20 is near lexicase
            selection, 3 is a relaxed one.

    Raises:
        ValueError: If the spread is out of its range.
    """

    spread: float = 20.0

    def __post_init__(self) -> None:
        if not 0 < self.spread < np.inf:
            raise ValueError(f"spread is {self.spread}; use a finite number larger than 0 (20 is near lexicase)")

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        if k == 0:
            return np.empty(0, dtype=np.int64)
        # The same amount less on a case for everybody changes no comparison, and makes errors comparable to 0.
        errors = without_infinities(errors)
        errors = errors - errors.min(axis=0)
        classes = classes_of_equal_rows(errors)
        rows = errors[classes.representatives]
        step = max(1, _SCORES_AT_ONCE // max(rows.shape))
        chosen = [_best_rows(rows, self._weigh(rows, min(step, k - start), rng)) for start in range(0, k, step)]
        return classes.draw_members(np.concatenate(chosen), rng)

    def _weigh(self, rows: Errors, events: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the logarithm of each case's weight for each event `[events, T]`."""
        return self.spread * rng.standard_normal((events, rows.shape[1]))


def _best_rows(rows: Errors, logarithms: NDArray[np.float64]) -> Indices:
    """Return the row with the smallest weighted sum of errors for each event; the rows are distinct."""
    if rows.shape[1] == 0 or len(rows) == 1:
        return np.zeros(len(logarithms), dtype=np.int64)
    weights = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    scores = weights @ rows.T
    near = _near_best(scores, rows.shape[1])
    best: Indices = scores.argmin(axis=1)
    for event in np.flatnonzero(np.count_nonzero(near, axis=1) > 1):
        best[event] = _best_of_near(rows, np.flatnonzero(near[event]), logarithms[event])
    return best


def _near_best(scores: NDArray[np.float64], cases: int) -> NDArray[np.bool_]:
    """Return which scores may be the smallest, as far as their rounding allows to tell."""
    rounding = 4 * cases * np.finfo(np.float64).eps
    near: NDArray[np.bool_] = scores <= scores.min(axis=-1, keepdims=True) * (1 + rounding) + _NO_SCORE
    return near


def _best_of_near(rows: Errors, candidates: Indices, logarithms: NDArray[np.float64]) -> int:
    """Return the best of some rows, by the cases on which they differ."""
    while len(candidates) > 1:
        errors = rows[candidates] - rows[candidates].min(axis=0)
        differing = errors.any(axis=0)
        exponents = logarithms[differing]
        # Summed in numpy, not in a linear algebra library, so that near ties fall alike on every machine.
        scores = (errors[:, differing] * np.exp(exponents - exponents.max())).sum(axis=1)
        left = candidates[_near_best(scores, len(exponents))]
        if len(left) == len(candidates):
            return int(candidates[scores.argmin()])
        candidates = left
    return int(candidates[0])
