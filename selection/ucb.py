"""UCB: the seed of largest upper confidence bound."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from selection.tree import Forest, Visit


@dataclasses.dataclass
class Ucb(Forest):
    """UCB1 over all seeds alike, whoever was made from whom.

    The score of a seed `v` in selection number `step` is

        rewards[v] / (visits[v] + 1)  +  exploration * sqrt(2 ln(step) / (visits[v] + 1))

    Source: Auer, Cesa-Bianchi, Fischer 2002, "Finite-time analysis of the multiarmed bandit problem", Machine Learning
    47; in this smoothed form in the released code of GPTFUZZER (arXiv 2309.10253).

    Attributes:
        exploration: Weight of exploration, at least 0.

    Raises:
        ValueError: If the weight is out of its range.
    """

    exploration: float = 1.0

    _columns = ("rewards", "visits")
    _counters = ("step",)

    def __post_init__(self) -> None:
        if not 0 <= self.exploration < math.inf:
            raise ValueError(f"exploration is {self.exploration}; use a finite number of at least 0 (1 is usual)")
        super().__post_init__()

    def select(self, rng: np.random.Generator) -> Visit | None:
        """Select a seed, without randomness; see `selection.tree.SeedTree.select`."""
        seeds = self._active()
        if not seeds:
            return None
        self._totals["step"] += 1
        seed = max(seeds, key=self._score)
        self._numbers["visits"][seed] += 1
        return Visit(seed, self.path_to(seed))

    def update(self, visit: Visit, reward: float) -> None:
        """Credit the seed; see `selection.tree.SeedTree.update`."""
        self._check_reward(visit, reward)
        self._numbers["rewards"][visit.seed] += reward

    def _score(self, seed: int) -> float:
        tried = self._numbers["visits"][seed] + 1
        bonus = math.sqrt(2 * math.log(self._totals["step"]) / tried)
        return self._numbers["rewards"][seed] / tried + self.exploration * bonus
