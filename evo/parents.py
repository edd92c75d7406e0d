"""Who is worked on next: the chosen of a population, or a seed of the tree of all programs found so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from typing_extensions import TypeIs

from evo.individual import Individual
from evo.population import Population
from evo.stop import Stop, StopReason
from selection.selector import Selector
from selection.tree import SeedTree, Visit


class Parents(Protocol):
    """Chooses parents, and learns what became of their children."""

    def choose(self, count: int, rng: np.random.Generator) -> tuple[Individual, ...]:
        """Choose the parents of a generation; one may be chosen more than once.

        Raises:
            Stop: If there is nobody left to choose.
        """
        ...

    def learn(self, families: Sequence[Sequence[Individual]], children: Population) -> None:
        """Take in the children of a generation.

        Args:
            families: One a chosen parent, in the order in which they were chosen.
            children: All of them, with the cohorts of their sample.
        """
        ...


class ChosenOfPopulation:
    """A selector over the error matrix of a population that is replaced in each generation.

    Args:
        population: Generation 0.
        selector: Chooses by the error matrix.
        keep_parents: Whether distinct parents may survive (plus), or children replace them all (comma); Beyer and
            Schwefel, Evolution strategies, Natural Computing 1, 2002, section 2.
    """

    def __init__(self, population: Population, selector: Selector, *, keep_parents: bool) -> None:
        self._population = population
        self._selector = selector
        self._keep_parents = keep_parents
        self._chosen: tuple[Individual, ...] = ()

    def choose(self, count: int, rng: np.random.Generator) -> tuple[Individual, ...]:
        """Select; see :meth:`Parents.choose`."""
        self._chosen = self._population.select(self._selector, count, rng)
        return self._chosen

    def learn(self, families: Sequence[Sequence[Individual]], children: Population) -> None:
        """Replace the population; see :meth:`Parents.learn`."""
        elite = tuple({parent.id: parent for parent in self._chosen}.values()) if self._keep_parents else ()
        self._population = Population(elite) + children if elite else children


class SeedsOfTree:
    """A seed tree over all programs that were found; a visit's reward is the mean score of the children it made.

    Args:
        population: Generation 0, the roots.
        tree: MCTS-Explore, a bandit, ...; empty.
    """

    def __init__(self, population: Population, tree: SeedTree) -> None:
        self._tree = tree
        self._programs: list[Individual] = []
        self._visits: list[Visit] = []
        for individual in population:
            self._add(individual, None)

    def choose(self, count: int, rng: np.random.Generator) -> tuple[Individual, ...]:
        """Visit seeds; see :meth:`Parents.choose`.

        Raises:
            Stop: If every branch is used up.
        """
        visits = (self._tree.select(rng) for _ in range(count))
        self._visits = [visit for visit in visits if visit is not None]
        if not self._visits:
            raise Stop(StopReason.EXHAUSTED)
        return tuple(self._programs[visit.seed] for visit in self._visits)

    def learn(self, families: Sequence[Sequence[Individual]], children: Population) -> None:
        """Hang children below their parents, and credit the visits; see :meth:`Parents.learn`."""
        for visit, family in zip(self._visits, families, strict=True):
            for child in family:
                self._add(child, visit.seed)
            self._tree.update(visit, float(np.mean([child.judged.mean_score for child in family])))

    def _add(self, individual: Individual, parent: int | None) -> None:
        seed = self._tree.add(parent)
        assert seed == len(self._programs)
        self._programs.append(individual)


def parents_by(ranking: Selector | SeedTree, population: Population, *, keep_parents: bool) -> Parents:
    """Choose by a selector or by a seed tree.

    Args:
        ranking: Either.
        population: Generation 0.
        keep_parents: For a selector; a seed tree keeps all programs.
    """
    if _is_tree(ranking):
        return SeedsOfTree(population, ranking)
    return ChosenOfPopulation(population, ranking, keep_parents=keep_parents)


def _is_tree(ranking: Selector | SeedTree) -> TypeIs[SeedTree]:
    return hasattr(ranking, "update")
