"""Fitness-proportionate selection, made right for errors that are minimised."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from selection.criteria import total_errors, without_infinities
from selection.selector import Context, Errors, Indices, Probabilities, draw, validated


@dataclasses.dataclass(frozen=True)
class Roulette:
    """Roulette-wheel selection: the probability of each individual is proportional to its fitness.

    Errors are minimised, so the fitness must be made of them first:

    - "window": the worst finite total error of the population, minus one's own. The worst have probability 0.
    - "adjusted": `1 / (1 + total error)`, for errors that are not negative.

    Individuals of infinite total error have probability 0 if there are others. If all fitnesses are 0 (or everybody
    fails), all individuals are as likely.

    Source: Holland 1975, "Adaptation in Natural and Artificial Systems"; the adjusted fitness is of Koza 1992,
    "Genetic Programming", section 6.3.

    Attributes:
        fitness: "window" or "adjusted".

    Raises:
        ValueError: If `fitness` is unknown, or a total error is negative where it may not be.
    """

    fitness: Literal["window", "adjusted"] = "window"

    def __post_init__(self) -> None:
        if self.fitness not in ("window", "adjusted"):
            raise ValueError(f"fitness is {self.fitness!r}; use 'window' or 'adjusted'")

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return draw(self._shares(errors), k, rng) if k else np.empty(0, dtype=np.int64)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return each individual's share of the total fitness `[N]`."""
        errors, context = validated(errors, 1, context)
        return self._shares(errors)

    def _shares(self, errors: Errors) -> Probabilities:
        totals = total_errors(errors)
        if np.isneginf(totals).any():
            totals = without_infinities(totals[:, np.newaxis])[:, 0]
        hopeless = np.isposinf(totals)
        if hopeless.all():
            return np.full(len(totals), 1 / len(totals))
        if self.fitness == "window":
            fitness = np.where(hopeless, 0.0, totals[~hopeless].max() - np.where(hopeless, 0.0, totals))
        elif totals.min() < 0:
            raise ValueError(
                f"the smallest total error is {totals.min()}, and the adjusted fitness is made for errors of at "
                "least 0; use fitness='window'"
            )
        else:
            fitness = 1 / (1 + totals)
        if not fitness.any():
            fitness = np.where(hopeless, 0.0, 1.0)
        # Dividing by the largest first keeps the sum finite.
        fitness = fitness / fitness.max()
        shares: Probabilities = fitness / fitness.sum()
        return shares
