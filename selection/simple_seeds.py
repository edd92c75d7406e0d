"""Seeds at random, and seeds in turn: the policies that learn nothing from rewards."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.tree import Forest, Visit


@dataclasses.dataclass
class UniformSeeds(Forest):
    """Every seed not retired is as likely. The control arm of the other policies."""

    def select(self, rng: np.random.Generator) -> Visit | None:
        """Draw a seed; see `selection.tree.SeedTree.select`."""
        seeds = self._active()
        if not seeds:
            return None
        seed = seeds[int(rng.integers(len(seeds)))]
        return Visit(seed, self.path_to(seed), 1 / len(seeds))

    def update(self, visit: Visit, reward: float) -> None:
        """Check the reward, and learn nothing from it."""
        self._check_reward(visit, reward)


@dataclasses.dataclass
class RoundRobin(Forest):
    """The first seed, and then always the one before; before the first comes the newest.

    Seeds just added are thus reached soon.

    Source: released code of GPTFUZZER (arXiv 2309.10253).
    """

    # One more than the seed selected last, or 0 before the first selection.
    _counters = ("last_plus_one",)

    def select(self, rng: np.random.Generator) -> Visit | None:
        """Take the next seed, without randomness; see `selection.tree.SeedTree.select`."""
        seeds = self._active()
        if not seeds:
            return None
        if not self._totals["last_plus_one"]:
            seed = seeds[0]
        else:
            earlier = [seed for seed in seeds if seed < self._totals["last_plus_one"] - 1]
            seed = (earlier or seeds)[-1]
        self._totals["last_plus_one"] = seed + 1
        return Visit(seed, self.path_to(seed))

    def update(self, visit: Visit, reward: float) -> None:
        """Check the reward, and learn nothing from it."""
        self._check_reward(visit, reward)
