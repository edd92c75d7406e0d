"""Informed down-sampling of the cases."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selection.sampler import Cohort, check_counts, check_rate, sample_size
from selection.selector import Errors, Indices, validated


@dataclasses.dataclass
class InformedDownSampling:
    """Informed down-sampling: a share of the cases is chosen that are solved by different individuals.

    Every few generations a few random individuals are evaluated on all cases. The distance of two cases is the
    number of them that solve one and not the other. The sample starts with a random case, and takes again and again
    the case farthest from those taken (of equally far ones a random one). Before anything is observed, and among
    cases that no distance tells apart, it is random down-sampling.

    Source: Boldi, Briesch, Sobania, Lalejini, Helmuth, Rothlauf, Ofria, Spector 2024, "Informed down-sampled lexicase
    selection: identifying productive training cases for efficient problem solving", Evolutionary Computation 32(4),
    arXiv 2301.01488. (There 1 % of a population of 1000 is probed, which are 10; a number suits small ones better.)

    Attributes:
        rate: Share of the cases to execute, above 0 and at most 1; at least one case is.
        probes: Individuals evaluated on all cases, at least 1 (fewer if there are fewer).
        interval: Generations from one probing to the next, at least 1.

    Raises:
        ValueError: If an option is out of its range.
    """

    rate: float = 0.1
    probes: int = 10
    interval: int = 10
    _solved: NDArray[np.bool_] | None = dataclasses.field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_rate(self.rate)
        if self.probes < 1 or self.interval < 1:
            raise ValueError(
                f"probes and interval are {self.probes} and {self.interval}; use numbers of at least 1 "
                "(10 and 10 are usual)"
            )

    def probe(self, generation: int, individuals: int, rng: np.random.Generator) -> Indices:
        """Return random individuals in every `interval`-th generation, the first (0) included."""
        if generation % self.interval:
            return np.empty(0, dtype=np.int64)
        return np.sort(rng.choice(individuals, min(self.probes, individuals), replace=False))

    def observe(self, errors: Errors) -> None:
        """Learn which cases the probed individuals solve; see `selection.sampler.CaseSampler.observe`."""
        errors, _ = validated(errors, 0, None)
        if len(errors):
            self._solved = errors <= 0

    def cohorts(self, individuals: int, cases: int, rng: np.random.Generator) -> tuple[Cohort, ...]:
        """Return one cohort of all; see `selection.sampler.CaseSampler.cohorts`."""
        check_counts(individuals, cases)
        solved = np.zeros((0, cases), dtype=np.bool_) if self._solved is None else self._solved
        if solved.shape[1] != cases:
            raise ValueError(
                f"{solved.shape[1]} cases were observed, and a sample of {cases} is asked for; observe the errors on "
                "all cases of this problem first"
            )
        sample = _farthest_first(solved, sample_size(self.rate, cases), rng) if cases else []
        return (Cohort(np.arange(individuals), np.sort(np.array(sample, dtype=np.int64))),)

    def state(self) -> dict[str, Any]:
        """Return which cases each probed individual solves, one string of 0 and 1 each, or None."""
        if self._solved is None:
            return {"solved": None}
        return {"solved": ["".join("01"[solved] for solved in row) for row in self._solved.tolist()]}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned.

        Raises:
            ValueError: If it is none of this sampler's.
        """
        rows = state.get("solved", 0)
        if rows is None:
            self._solved = None
            return
        good = isinstance(rows, list) and rows and all(isinstance(row, str) for row in rows)
        if not good or {len(row) for row in rows} != {len(rows[0])} or set("".join(rows)) - {"0", "1"}:
            raise ValueError("this is no state of informed down-sampling; restore what state() returned")
        self._solved = np.array([[digit == "1" for digit in row] for row in rows], dtype=np.bool_)


def _farthest_first(solved: NDArray[np.bool_], size: int, rng: np.random.Generator) -> list[int]:
    """Return cases far from each other, given who solves which `[probed, T]`."""
    cases = solved.shape[1]
    sample = [int(rng.integers(cases))]
    nearest = np.full(cases, np.iinfo(np.int64).max)
    while len(sample) < size:
        distances = np.count_nonzero(solved != solved[:, [sample[-1]]], axis=0)
        nearest = np.minimum(nearest, distances)
        nearest[sample[-1]] = -1
        sample.append(int(rng.choice(np.flatnonzero(nearest == nearest.max()))))
    return sample
