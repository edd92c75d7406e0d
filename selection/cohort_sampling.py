"""Cohorts: parts of the population evaluated on parts of the cases."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.sampler import Cohort, Stateless, check_counts


@dataclasses.dataclass(frozen=True)
class CohortSampling(Stateless):
    """Cohort sampling: individuals and cases are dealt at random into equally many parts, which are paired.

    Each generation executes one in `count` of all (individual, case) pairs, and yet every case.

    Source: Hernandez, Lalejini, Dolson, Ofria 2019, "Random subsampling improves performance in lexicase selection",
    GECCO.

    Attributes:
        count: Number of cohorts, at least 1; no more are made than there are individuals or cases.

    Raises:
        ValueError: If the count is out of its range.
    """

    count: int = 10

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count is {self.count}; use at least 1 cohort")

    def cohorts(self, individuals: int, cases: int, rng: np.random.Generator) -> tuple[Cohort, ...]:
        """Return `count` cohorts; see `selection.sampler.CaseSampler.cohorts`."""
        check_counts(individuals, cases)
        count = max(1, min(self.count, individuals, cases))
        people = np.array_split(rng.permutation(individuals), count)
        parts = np.array_split(rng.permutation(cases), count)
        return tuple(Cohort(np.sort(who), np.sort(what)) for who, what in zip(people, parts, strict=True))
