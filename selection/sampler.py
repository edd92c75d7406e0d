"""Case samplers: which cases are executed at all.

A sampler runs before the evaluation, so that a case left out is really not executed. It deals the individuals into
cohorts, each with its own cases; most samplers make a single cohort. Selection then takes place within each cohort.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from selection.selector import Context, Errors, Indices, Selector, validated


@dataclasses.dataclass(frozen=True, eq=False)
class Cohort:
    """Some individuals, and the cases they are evaluated on.

    Attributes:
        individuals: Row numbers `[n]`, ascending.
        cases: Column numbers `[t]`, ascending.
    """

    individuals: Indices
    cases: Indices


class CaseSampler(Protocol):
    """Chooses the cases of each generation.

    A generation goes: `probe`; evaluate the individuals it names on all cases, and `observe` their errors; then
    `cohorts`; evaluate each cohort on its cases; `select_in_cohorts`.
    """

    def probe(self, generation: int, individuals: int, rng: np.random.Generator) -> Indices:
        """Return who is to be evaluated on all cases in this generation (0 is the first); often nobody."""
        ...

    def observe(self, errors: Errors) -> None:
        """Learn the errors `[probed, T]` on all cases of the individuals that `probe` named."""
        ...

    def cohorts(self, individuals: int, cases: int, rng: np.random.Generator) -> tuple[Cohort, ...]:
        """Deal `individuals` and choose among `cases`; every individual is in exactly one cohort.

        Raises:
            ValueError: If there are fewer than 0 of either, or other cases than were observed.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return what the sampler has learned, as JSON-able values."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned.

        Raises:
            ValueError: If it is none of this sampler's.
        """
        ...


def evaluation_mask(cohorts: tuple[Cohort, ...], individuals: int, cases: int) -> NDArray[np.bool_]:
    """Return which individuals are to be evaluated on which cases `[individuals, cases]`."""
    mask = np.zeros((individuals, cases), dtype=np.bool_)
    for cohort in cohorts:
        mask[np.ix_(cohort.individuals, cohort.cases)] = True
    return mask


def select_in_cohorts(
    selector: Selector,
    errors: Errors,
    cohorts: tuple[Cohort, ...],
    k: int,
    rng: np.random.Generator,
    context: Context | None = None,
) -> Indices:
    """Choose `k` individuals, each among its cohort only and by the cohort's cases.

    Args:
        selector: Who chooses.
        errors: Errors `[N, T]`; what stands outside of the cohorts' cases does not matter.
        cohorts: The cohorts of this generation.
        k: How many to choose. A cohort's share is in proportion to its individuals.
        rng: Source of randomness.
        context: Context of all individuals.

    Returns:
        Row numbers `[k]`, cohort by cohort.

    Raises:
        ValueError: If there are individuals to choose and no cohort has any, or the selector refuses its input.
    """
    errors = np.asarray(errors, dtype=np.float64)
    context = Context() if context is None else context
    sizes = np.array([len(cohort.individuals) for cohort in cohorts], dtype=np.int64)
    if k > 0 and sizes.sum() == 0:
        raise ValueError(f"the cohorts have no individuals, and {k} are to be selected; pass at least one")
    # Evenly spaced tickets from a random start: shares differ from proportion by less than one.
    tickets = (np.arange(k) + rng.random()) * (sizes.sum() / max(k, 1))
    owners = np.searchsorted(np.cumsum(sizes), tickets, side="right")
    shares = np.bincount(np.minimum(owners, len(sizes) - 1), minlength=len(sizes)) if k else sizes * 0
    chosen = [np.empty(0, dtype=np.int64)]
    for cohort, share in zip(cohorts, shares, strict=True):
        if share:
            part = _cohort_context(context, cohort)
            picks = selector.select(errors[np.ix_(cohort.individuals, cohort.cases)], int(share), rng, part)
            chosen.append(cohort.individuals[picks])
    return np.concatenate(chosen)


def _cohort_context(context: Context, cohort: Cohort) -> Context:
    part = context.rows(cohort.individuals)
    weights = None if context.case_weights is None else context.case_weights[cohort.cases]
    mask = None if part.evaluated is None else part.evaluated[:, cohort.cases]
    return dataclasses.replace(part, case_weights=weights, evaluated=mask)


def sample_size(rate: float, cases: int) -> int:
    """Return how many of the cases a rate in `(0, 1]` takes: the nearest number, but at least one if there are any."""
    return min(cases, max(1, round(rate * cases)))


def check_rate(rate: float) -> None:
    """Raise ValueError unless the rate is in `(0, 1]`."""
    if not 0 < rate <= 1:
        raise ValueError(f"rate is {rate}; use the share of cases to execute, above 0 and at most 1")


def check_counts(individuals: int, cases: int) -> None:
    """Raise ValueError unless both numbers are at least 0."""
    if individuals < 0 or cases < 0:
        raise ValueError(f"cannot sample for {individuals} individuals and {cases} cases; use numbers of at least 0")


class Stateless:
    """The part of a sampler that probes nobody and learns nothing."""

    def probe(self, generation: int, individuals: int, rng: np.random.Generator) -> Indices:
        """Return nobody."""
        return np.empty(0, dtype=np.int64)

    def observe(self, errors: Errors) -> None:
        """Check the errors, and learn nothing from them."""
        validated(errors, 0, None)

    def state(self) -> dict[str, Any]:
        """Return an empty state."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Accept an empty state.

        Raises:
            ValueError: If the state is not empty.
        """
        if state:
            raise ValueError(f"{type(self).__name__} has no state, and was given {sorted(state)}; restore {{}}")
