"""MCTS-Explore: Monte Carlo tree search over seeds that may stop on its way down."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from selection.tree import Forest, Visit


@dataclasses.dataclass
class MctsExplore(Forest):
    """MCTS-Explore, over a growing forest of seeds.

    A selection starts at the root of largest score and descends to the child of largest score (of equal ones the
    first added), until it is at a leaf, or stops at an inner seed with a fixed probability, so that inner seeds are
    worked on again. The score of a seed `v` in the selection number `step` of the whole forest is

        rewards[v] / (visits[v] + 1)  +  frequency_weight * sqrt(2 ln(step) / (visits[v] + 0.01))

    All seeds on the path count the visit, and later earn the reward times `max(reward_floor, 1 - depth_penalty *
    level)`, where `level` is that of the selected seed (a root's is 0).

    Source: Yu, Lin, Yu, Xing 2023, "GPTFUZZER: red teaming large language models with auto-generated jailbreak
    prompts", arXiv 2309.10253, algorithm 1, with the values of its released code.

    Attributes:
        frequency_weight: Weight of exploration, at least 0.
        stop_probability: Probability to stop at an inner seed, in `[0, 1]`.
        depth_penalty: Part of the reward lost with each level, at least 0.
        reward_floor: Smallest part of the reward that is kept, in `[0, 1]`.
        max_visits: A branch is left alone once its root has been visited so often; None for no limit.

    Raises:
        ValueError: If an option is out of its range.
    """

    frequency_weight: float = 0.5
    stop_probability: float = 0.1
    depth_penalty: float = 0.1
    reward_floor: float = 0.2
    max_visits: int | None = None

    _columns = ("rewards", "visits")
    _counters = ("step",)

    def __post_init__(self) -> None:
        if not (0 <= self.frequency_weight < math.inf and 0 <= self.depth_penalty < math.inf):
            raise ValueError(
                f"frequency_weight and depth_penalty are {self.frequency_weight} and {self.depth_penalty}; "
                "use finite numbers of at least 0 (0.5 and 0.1 are usual)"
            )
        if not 0 <= self.stop_probability <= 1 or not 0 <= self.reward_floor <= 1:
            raise ValueError(
                f"stop_probability and reward_floor are {self.stop_probability} and {self.reward_floor}; "
                "use numbers from 0 to 1 (0.1 and 0.2 are usual)"
            )
        if self.max_visits is not None and self.max_visits < 1:
            raise ValueError(f"max_visits is {self.max_visits}; use at least 1, or None for no limit")
        super().__post_init__()

    def select(self, rng: np.random.Generator) -> Visit | None:
        """Select a seed; see `selection.tree.SeedTree.select`."""
        visits = self._numbers["visits"]
        limit = math.inf if self.max_visits is None else self.max_visits
        roots = [root for root in self._roots if root not in self._retired and visits[root] < limit]
        if not roots:
            return None
        self._totals["step"] += 1
        path = [max(roots, key=self._score)]
        while self._children[path[-1]] and rng.random() >= self.stop_probability:
            path.append(max(self._children[path[-1]], key=self._score))
        for seed in path:
            visits[seed] += 1
        return Visit(path[-1], tuple(path))

    def update(self, visit: Visit, reward: float) -> None:
        """Credit all seeds on the path; see `selection.tree.SeedTree.update`."""
        self._check_reward(visit, reward)
        level = len(visit.path) - 1
        share = reward * max(self.reward_floor, 1 - self.depth_penalty * level)
        for seed in visit.path:
            self._check_seed(seed)
            self._numbers["rewards"][seed] += share

    def _score(self, seed: int) -> float:
        visits = self._numbers["visits"][seed]
        mean = self._numbers["rewards"][seed] / (visits + 1)
        return mean + self.frequency_weight * math.sqrt(2 * math.log(self._totals["step"]) / (visits + 0.01))
