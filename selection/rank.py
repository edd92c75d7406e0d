"""Rank-based selection."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.criteria import Criterion, check_criterion, criterion_values
from selection.selector import Context, Errors, Indices, Probabilities, draw, validated


@dataclasses.dataclass(frozen=True)
class LinearRank:
    """Linear ranking selection: the probability of each individual falls linearly with its rank.

    The best is expected `pressure` times among `N` selected, the median once, and the worst `2 - pressure` times.
    Individuals of equal error share the mean of their ranks.

    Source: Baker 1985, "Adaptive selection methods for genetic algorithms", ICGA.

    Attributes:
        pressure: In `[1, 2]`; 1 is random selection.
        by: What makes the best, as for `selection.tournament.Tournament`.

    Raises:
        ValueError: If an option is out of its range.
    """

    pressure: float = 1.7
    by: Criterion = "total_error"

    def __post_init__(self) -> None:
        if not 1 <= self.pressure <= 2:
            raise ValueError(f"pressure is {self.pressure}; use a number from 1 (random) to 2 (steepest)")
        check_criterion(self.by)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return draw(self._shares(errors, context), k, rng) if k else np.empty(0, dtype=np.int64)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return each individual's probability `[N]`."""
        errors, context = validated(errors, 1, context)
        return self._shares(errors, context)

    def _shares(self, errors: Errors, context: Context) -> Probabilities:
        count = len(errors)
        costs = criterion_values(self.by, errors, context)
        _, group, group_sizes = np.unique(costs, return_inverse=True, return_counts=True)
        if len(group_sizes) == 1:
            return np.full(count, 1 / count)
        mean_ranks = np.cumsum(group_sizes) - (group_sizes + 1) / 2
        expected = self.pressure - 2 * (self.pressure - 1) * mean_ranks / (count - 1)
        shares: Probabilities = expected[group] / count
        return shares
