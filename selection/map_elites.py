"""MAP-Elites: the best of each kind of behaviour."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from selection.criteria import total_errors
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class MapElites:
    """MAP-Elites: the space of behaviours is cut into cells, each keeps its best, and all kept are as likely.

    The archive is a part of the population given: `elites` says which individuals to keep, and keeping them in the
    population keeps the archive from generation to generation. Needs `context.behaviours` `[N, B]`.

    Source: Mouret, Clune 2015, "Illuminating search spaces by mapping elites", arXiv 1504.04909.

    Attributes:
        bins: Intervals in each dimension of behaviour, at least 1.
        ranges: Lowest and highest value of each dimension, `((low, high), ...)`; values outside belong to the
            outermost intervals. None for those of the population given, which moves the cells with it: give ranges
            to keep an archive over generations.

    Raises:
        ValueError: If an option is out of its range, or behaviours are not given or do not fit.
    """

    bins: int = 10
    ranges: tuple[tuple[float, float], ...] | None = None

    def __post_init__(self) -> None:
        if self.bins < 1:
            raise ValueError(f"bins is {self.bins}; use at least 1 interval in each dimension of behaviour")
        for low, high in self.ranges or ():
            if not -np.inf < low < high < np.inf:
                raise ValueError(f"range {(low, high)} of a behaviour is empty or infinite; use finite (low, high)")

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        if k == 0:
            return np.empty(0, dtype=np.int64)
        elites = self._elites(errors, context)
        chosen: Indices = elites[rng.integers(0, len(elites), size=k)]
        return chosen

    def elites(self, errors: Errors, context: Context) -> Indices:
        """Return the individuals that the archive keeps, ascending: of each cell the best, the earlier of equals.

        Raises:
            ValueError: If the input is malformed, or behaviours are not given or do not fit.
        """
        errors, context = validated(errors, 0, context)
        return self._elites(errors, context)

    def _elites(self, errors: Errors, context: Context) -> Indices:
        cells = self._cells(context.require("behaviours", "MAP-Elites"))
        by_error = np.argsort(total_errors(errors), kind="stable")
        _, first = np.unique(cells[by_error], axis=0, return_index=True)
        elites: Indices = np.sort(by_error[first])
        return elites

    def _cells(self, behaviours: NDArray[np.float64]) -> NDArray[np.int64]:
        values = np.asarray(behaviours, dtype=np.float64)
        if np.isnan(values).any():
            raise ValueError("behaviours hold NaN; give a number for each descriptor (infinity is allowed)")
        if self.ranges is None:
            finite = np.isfinite(values)
            low = np.where(finite, values, np.inf).min(axis=0, initial=np.inf)
            high = np.where(finite, values, -np.inf).max(axis=0, initial=-np.inf)
            low, high = np.where(low <= high, low, 0.0), np.where(low <= high, high, 0.0)
        elif len(self.ranges) != values.shape[1]:
            raise ValueError(
                f"behaviours have {values.shape[1]} descriptors, and ranges are given for {len(self.ranges)}; "
                "give one (low, high) a descriptor"
            )
        else:
            low, high = np.array(self.ranges, dtype=np.float64).reshape(-1, 2).T
        width = np.where(high > low, high - low, 1.0)
        # Clipped before the conversion, which infinities would not survive.
        cells: NDArray[np.int64] = np.clip(np.floor((values - low) / width * self.bins), 0, self.bins - 1).astype(
            np.int64
        )
        return cells
