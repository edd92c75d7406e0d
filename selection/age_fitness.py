"""Age-fitness Pareto selection."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from selection.criteria import objective_values
from selection.nsga2 import check_mode
from selection.pareto import dominance
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class AgeFitnessPareto:
    """Age-fitness Pareto selection: the old must be better than the young, so that new blood gets its chance.

    An individual dominates another if it is not older, has no larger sum of errors, and one of both is smaller.
    Needs `context.ages`.

    Source: Schmidt, Lipson 2010, "Age-fitness Pareto optimization", Genetic Programming Theory and Practice VIII.

    Attributes:
        size: Individuals in one tournament, at least 2.
        mode: "survival" is the paper's: from random tournaments the dominated are removed until `k` are left (when
            nobody dominates another any more, random ones go; when more are asked for than there are, all are
            returned over and over). "tournament" chooses parents: one of the undominated of a random tournament.

    Raises:
        ValueError: If an option is out of its range, or no ages are given.
    """

    size: int = 2
    mode: Literal["tournament", "survival"] = "tournament"

    def __post_init__(self) -> None:
        if self.size < 2:
            raise ValueError(f"tournament size is {self.size}; use at least 2, the paper's size")
        check_mode(self.mode)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        if k == 0:
            return np.empty(0, dtype=np.int64)
        table = objective_values(("error", "age"), errors, context)
        if self.mode == "survival":
            return np.resize(_survivors(table, k, self.size, rng), k)
        entrants = rng.integers(0, len(table), size=(k, self.size))
        costs, ages = table[entrants, 0], table[entrants, 1]
        dominated = np.zeros(entrants.shape, dtype=np.bool_)
        for rival in range(self.size):
            cost, age = costs[:, [rival]], ages[:, [rival]]
            dominated |= (cost <= costs) & (age <= ages) & ((cost < costs) | (age < ages))
        # The entrants stand in random order, so the first undominated one is a random one.
        winners: Indices = entrants[np.arange(k), dominated.argmin(axis=1)]
        return winners


def _survivors(table: NDArray[np.float64], k: int, size: int, rng: np.random.Generator) -> Indices:
    dominates = dominance(table)
    alive = list(range(len(table)))
    while len(alive) > k:
        here = np.array(alive)
        contested = dominates[np.ix_(here, here)].any()
        if not contested:
            return np.sort(rng.permutation(here)[:k])
        # As many tournaments as there are individuals, before looking again whether anybody dominates another.
        for _ in range(len(alive)):
            entrants = [alive[place] for place in rng.choice(len(alive), min(size, len(alive)), replace=False)]
            for loser in entrants:
                if len(alive) > k and dominates[entrants, loser].any():
                    alive.remove(loser)
    return np.array(alive, dtype=np.int64)
