"""Random down-sampling of the cases."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.sampler import Cohort, Stateless, check_counts, check_rate, sample_size


@dataclasses.dataclass(frozen=True)
class RandomDownSampling(Stateless):
    """Random down-sampling: in each generation, everybody is evaluated on the same random share of the cases.

    The executions saved can be spent on more generations.

    Source: Hernandez, Lalejini, Dolson, Ofria 2019, "Random subsampling improves performance in lexicase selection",
    GECCO; Helmuth, Spector 2022, "Problem-solving benefits of down-sampled lexicase selection", Artificial Life 27.

    Attributes:
        rate: Share of the cases to execute, above 0 and at most 1; at least one case is.

    Raises:
        ValueError: If the rate is out of its range.
    """

    rate: float = 0.1

    def __post_init__(self) -> None:
        check_rate(self.rate)

    def cohorts(self, individuals: int, cases: int, rng: np.random.Generator) -> tuple[Cohort, ...]:
        """Return one cohort of all; see `selection.sampler.CaseSampler.cohorts`."""
        check_counts(individuals, cases)
        sample = rng.permutation(cases)[: sample_size(self.rate, cases)]
        return (Cohort(np.arange(individuals), np.sort(sample)),)
