"""Population: individuals in the canonical order of the search, and their error matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluators.exceptions import UserError, users_code
from evo.individual import Individual
from selection.sampler import Cohort, select_in_cohorts
from selection.selector import Context, Selector


@dataclass(frozen=True)
class Population:
    """Individuals that have been evaluated on the same cases.

    Attributes:
        individuals: In the canonical order of the search.
        cohorts: Who was run on which columns, where not all were run on all.
    """

    individuals: tuple[Individual, ...]
    cohorts: tuple[Cohort, ...] = ()

    def __iter__(self) -> Iterator[Individual]:
        return iter(self.individuals)

    def __len__(self) -> int:
        return len(self.individuals)

    def __add__(self, other: Population) -> Population:
        return Population(self.individuals + other.individuals)

    @property
    def errors(self) -> NDArray[np.float64]:
        """The error matrix, shape ``[individuals, columns]``; 0 is right."""
        return np.array([individual.judged.errors for individual in self.individuals], dtype=np.float64)

    def select(self, selector: Selector, k: int, rng: np.random.Generator) -> tuple[Individual, ...]:
        """Choose parents.

        Args:
            selector: From the package ``selection``, or a user's own.
            k: How many, with repetition where the selector draws with repetition.
            rng: The randomness.

        Returns:
            ``k`` individuals, in the selector's order.
        """
        sizes = np.array([len(individual.genome.source) for individual in self.individuals], dtype=np.float64)
        passed = np.array([individual.judged.pass_rate for individual in self.individuals], dtype=np.float64)
        context = Context(
            sizes=sizes,
            # What MAP-Elites tells programs apart by: characters, and the share of cases passed.
            behaviours=np.column_stack([sizes, passed]),
            ages=np.array([individual.generation for individual in self.individuals], dtype=np.float64),
        )
        name = f"selection {type(selector).__name__}"
        with users_code(name):
            if self.cohorts:
                chosen = select_in_cohorts(selector, self.errors, self.cohorts, k, rng, context)
            else:
                chosen = selector.select(self.errors, k, rng, context)
            rows = np.asarray(chosen)
        if rows.shape != (k,) or rows.dtype.kind not in "iu" or (k and not 0 <= rows.min() <= rows.max() < len(self)):
            raise UserError(
                f"{name} returned {chosen!r:.80}: it must return {k} row numbers, each from 0 to {len(self) - 1}"
            )
        return tuple(self.individuals[index] for index in rows)


def best(individuals: tuple[Individual, ...]) -> Individual | None:
    """The individual with the highest mean score; the first of equals; None of none.

    One that solves all visible cases comes before any that does not, and one that was run on all of them before any
    that was run on a sample, whose score may be luck.
    """

    def merit(individual: Individual) -> tuple[bool, bool, float, float]:
        evaluation = individual.judged
        return evaluation.solved, bool(evaluation.evaluated.all()), evaluation.mean_score, evaluation.pass_rate

    return max(individuals, key=merit, default=None)
