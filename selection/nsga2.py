"""NSGA-II selection over a few objectives."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from selection.criteria import Objective, check_objectives, objective_values
from selection.pareto import crowding_distances, front_numbers
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class Nsga2:
    """NSGA-II: the better Pareto front goes first, and within a front the less crowded place.

    Meant for a few objectives; cases as objectives leave nearly everybody on the first front.

    Source: Deb, Pratap, Agarwal, Meyarivan 2002, "A fast and elitist multiobjective genetic algorithm: NSGA-II",
    IEEE Transactions on Evolutionary Computation 6(2).

    Attributes:
        objectives: Two or more of "error" (the sum of errors), "size", "age" and "cost"; all but the error are
            read from the context.
        mode: "tournament" chooses parents, each the better of two individuals drawn at random, as the algorithm's
            mating selection. "survival" returns the `k` best, best first, as its replacement of a generation; when
            more are asked for than there are, it goes through the ranking again.

    Raises:
        ValueError: If an option is out of its range, or the context lacks an objective.
    """

    objectives: tuple[Objective, ...] = ("error", "size")
    mode: Literal["tournament", "survival"] = "tournament"

    def __post_init__(self) -> None:
        check_objectives(self.objectives)
        check_mode(self.mode)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        if k == 0:
            return np.empty(0, dtype=np.int64)
        table = objective_values(self.objectives, errors, context)
        # Shuffled, since of equal ones at the end of a front only the first and last in order are the less crowded; and
        # those of equal front and crowding stay in random order.
        shuffled = rng.permutation(len(table))
        fronts = front_numbers(table[shuffled])
        ranking = shuffled[np.lexsort((-crowding_distances(table[shuffled], fronts), fronts))]
        if self.mode == "survival":
            return np.resize(ranking, k)
        entrants = rng.integers(0, len(table), size=(k, 2))
        rank = np.empty(len(table), dtype=np.int64)
        rank[ranking] = np.arange(len(table))
        winners: Indices = ranking[rank[entrants].min(axis=1)]
        return winners


def check_mode(mode: str) -> None:
    """Raise ValueError unless the mode is known."""
    if mode not in ("tournament", "survival"):
        raise ValueError(f"mode is {mode!r}; use 'tournament' to choose parents or 'survival' to keep the best")
