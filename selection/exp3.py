"""EXP3: seeds drawn by exponential weights."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.selector import draw
from selection.tree import Forest, Visit


@dataclasses.dataclass
class Exp3(Forest):
    """EXP3 over all seeds alike: exponential weights for exploration and exploitation.

    A seed is drawn with probability `(1 - gamma) * weight / total + gamma / N` among the `N` seeds not retired. Its
    weight is then multiplied by `exp(-alpha * loss / (probability * N))`, with `loss = 1 - reward`; new seeds have
    weight 1. Weights only shrink, so their logarithms are kept.

    Source: Auer, Cesa-Bianchi, Freund, Schapire 2002, "The nonstochastic multiarmed bandit problem", SIAM Journal on
    Computing 32(1); in this form of losses in the released code of GPTFUZZER (arXiv 2309.10253).

    Attributes:
        gamma: Share of uniform exploration, above 0 and at most 1.
        alpha: Learning rate, at least 0.

    Raises:
        ValueError: If an option is out of its range.
    """

    gamma: float = 0.05
    alpha: float = 25.0

    _columns = ("logarithms",)

    def __post_init__(self) -> None:
        if not (0 < self.gamma <= 1 and 0 <= self.alpha < np.inf):
            raise ValueError(
                f"gamma and alpha are {self.gamma} and {self.alpha}; use gamma above 0 and at most 1, and alpha of at "
                "least 0 (0.05 and 25 are usual)"
            )
        super().__post_init__()

    def select(self, rng: np.random.Generator) -> Visit | None:
        """Draw a seed; see `selection.tree.SeedTree.select`."""
        seeds = self._active()
        if not seeds:
            return None
        logarithms = np.array([self._numbers["logarithms"][seed] for seed in seeds])
        weights = np.exp(logarithms - logarithms.max())
        chances = (1 - self.gamma) * weights / weights.sum() + self.gamma / len(seeds)
        place = int(draw(chances, 1, rng)[0])
        return Visit(seeds[place], self.path_to(seeds[place]), float(chances[place]))

    def update(self, visit: Visit, reward: float) -> None:
        """Credit the seed with a reward in `[0, 1]`; see `selection.tree.SeedTree.update`."""
        self._check_reward(visit, reward)
        if reward > 1 or not 0 < visit.probability <= 1:
            raise ValueError(
                f"reward is {reward} and the visit's probability {visit.probability}; EXP3 takes rewards from 0 to 1, "
                "of visits that its own select() returned"
            )
        arms = max(1, len(self._active()))
        self._numbers["logarithms"][visit.seed] -= self.alpha * (1 - reward) / (visit.probability * arms)
