"""Tournament selection."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from selection.criteria import Criterion, check_criterion, criterion_values
from selection.selector import Context, Errors, Indices, Probabilities, draw, validated


@dataclasses.dataclass(frozen=True)
class Tournament:
    """Tournament selection: each parent is the best of a few individuals drawn at random.

    Ties are broken at random, so that the order of the population does not matter.

    Source: Goldberg, Deb 1991, "A comparative analysis of selection schemes used in genetic algorithms",
    Foundations of Genetic Algorithms 1.

    Attributes:
        size: Individuals in one tournament, at least 1.
        replacement: Whether the individuals of one tournament are drawn with replacement, so that one may occur
            in it twice. Without, a tournament has `min(size, N)` different individuals.
        by: What makes the best: the smallest sum of errors, the largest share of cases passed (errors of 0 or
            less), or the smallest sum of errors weighted with `context.case_weights`.

    Raises:
        ValueError: If an option is out of its range.
    """

    size: int = 7
    replacement: bool = True
    by: Criterion = "total_error"

    def __post_init__(self) -> None:
        check_tournament_size(self.size)
        check_criterion(self.by)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return hold_tournaments(criterion_values(self.by, errors, context), k, self.size, self.replacement, rng)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return the probability `[N]` that one tournament is won by each individual."""
        errors, context = validated(errors, 1, context)
        return winning_probabilities(criterion_values(self.by, errors, context), self.size, self.replacement)


def check_tournament_size(size: int) -> None:
    """Raise ValueError unless the size is at least 1."""
    if size < 1:
        raise ValueError(f"tournament size is {size}; use at least 1 (7 is usual)")


def hold_tournaments(
    costs: NDArray[np.float64], k: int, size: int, replacement: bool, rng: np.random.Generator
) -> Indices:
    """Return the winners `[k]` of independent tournaments: the entrants of smallest cost, ties broken at random."""
    if k == 0:
        return np.empty(0, dtype=np.int64)
    if not replacement:
        # Drawing the winner from its distribution spares drawing different entrants for each tournament.
        return draw(winning_probabilities(costs, size, replacement), k, rng)
    entrants = rng.integers(0, len(costs), size=(k, size))
    # The entrants stand in random order, so the first of equal ones is a random one.
    winners: Indices = entrants[np.arange(k), costs[entrants].argmin(axis=1)]
    return winners


def winning_probabilities(costs: NDArray[np.float64], size: int, replacement: bool) -> Probabilities:
    """Return the probability `[N]` that a tournament is won by each individual, those of equal cost alike."""
    count = len(costs)
    _, group, group_sizes = np.unique(costs, return_inverse=True, return_counts=True)
    # A group wins if all entrants are as good or worse, and not all are worse.
    as_good_or_worse = count - np.concatenate(([0], np.cumsum(group_sizes)))
    if replacement:
        all_among = (as_good_or_worse / count) ** size
    else:
        drawn = np.arange(min(size, count))
        all_among = (np.maximum(as_good_or_worse[:, np.newaxis] - drawn, 0) / (count - drawn)).prod(axis=1)
    winning: Probabilities = ((all_among[:-1] - all_among[1:]) / group_sizes)[group]
    return winning
