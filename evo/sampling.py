"""Case sampling: which visible cases each child is run on, decided before it is born.

A sampler makes a generation cheaper (Hernandez et al., "Random subsampling improves performance in lexicase
selection", GECCO 2019; Boldi et al., "Informed down-sampled lexicase selection", Evolutionary Computation 2024). A
child that passes its sample is run on the other cases too, as only then can it be a solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluators.execution import Evaluation
from evaluators.problem import Problem
from evo.breed import Birth
from evo.population import Population
from selection.sampler import CaseSampler, Cohort


class CaseSampling:
    """Deals cases to the births of each generation.

    Children are run as soon as their text arrives, so the children that a sampler probes on all cases inform the
    samples of the generations after theirs.

    Args:
        problem: Whose visible cases are dealt.
        sampler: Deals them; None runs every child on all cases.
    """

    def __init__(self, problem: Problem, sampler: CaseSampler | None) -> None:
        self._sampler = sampler
        self._cases = len(problem.cases)
        self._cohorts: tuple[Cohort, ...] = ()
        self._probed: list[int] = []

    def deal(self, births: Sequence[Birth], generation: int, rng: np.random.Generator) -> list[Birth]:
        """The births of a generation, each with its cases.

        Args:
            births: In canonical order.
            generation: Its number.
            rng: The randomness.
        """
        if self._sampler is None or not births:
            return list(births)
        self._cohorts = self._sampler.cohorts(len(births), self._cases, rng)
        self._probed = self._sampler.probe(generation, len(births), rng).tolist()
        dealt = list(births)
        for cohort in self._cohorts:
            cases = tuple(cohort.cases.tolist())
            for index in cohort.individuals.tolist():
                if index not in self._probed:
                    dealt[index] = replace(births[index], cases=cases)
        return dealt

    def learn(self, children: Population) -> Population:
        """Take in the children of the births that were dealt last; gives them with their cohorts, for selection."""
        if self._sampler is None or not len(children):
            return children
        if self._probed:
            rows = [_case_errors(children.individuals[index].judged, self._cases) for index in self._probed]
            self._sampler.observe(np.array(rows))
        column_case = children.individuals[0].judged.column_case
        return Population(
            children.individuals,
            tuple(
                Cohort(cohort.individuals, np.flatnonzero(np.isin(column_case, cohort.cases)))
                for cohort in self._cohorts
            ),
        )


def _case_errors(evaluation: Evaluation, cases: int) -> list[float]:
    """The largest error of each case."""
    worst = [0.0] * cases
    for case, error in zip(evaluation.column_case.tolist(), evaluation.errors.tolist(), strict=True):
        worst[case] = max(worst[case], error)
    return worst
