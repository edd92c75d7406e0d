"""Implicit fitness sharing."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from selection.selector import Context, Errors, Indices, Probabilities, validated
from selection.tournament import check_tournament_size, hold_tournaments, winning_probabilities


@dataclasses.dataclass(frozen=True)
class FitnessSharing:
    """Implicit fitness sharing: those who solve a case share its reward, and tournaments compare the rewards.

    A case that few solve is worth more to each of them. The reward of a case is its weight if the context has case
    weights, and 1 otherwise.

    Source: Smith, Forrest, Perelson 1993, "Searching for diverse, cooperative populations with genetic algorithms",
    Evolutionary Computation 1(2); McKay 2000, "Fitness sharing in genetic programming", GECCO.

    Attributes:
        size: Individuals in one tournament, at least 1, drawn with replacement.
        solved_within: An error of at most this counts as solved.

    Raises:
        ValueError: If an option is out of its range.
    """

    size: int = 7
    solved_within: float = 0.0

    def __post_init__(self) -> None:
        check_tournament_size(self.size)
        if np.isnan(self.solved_within):
            raise ValueError("solved_within is NaN; use the largest error that counts as solved")

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return hold_tournaments(-self._rewards(errors, context), k, self.size, True, rng)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return the probability `[N]` that one tournament is won by each individual."""
        errors, context = validated(errors, 1, context)
        return winning_probabilities(-self._rewards(errors, context), self.size, True)

    def _rewards(self, errors: Errors, context: Context) -> NDArray[np.float64]:
        solved = errors <= self.solved_within
        solvers = np.count_nonzero(solved, axis=0)
        weights = np.ones(errors.shape[1]) if context.case_weights is None else context.case_weights
        shares = weights / np.maximum(solvers, 1)
        rewards: NDArray[np.float64] = np.where(solved, shares, 0.0).sum(axis=1)
        return rewards
