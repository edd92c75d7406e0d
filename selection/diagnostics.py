"""What a selection does to a population, in a few numbers."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.distinct import classes_of_equal_rows
from selection.reference import cases_used
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class Diagnostics:
    """Facts about an error matrix and a selection from it.

    Attributes:
        individuals: Rows of the matrix.
        cases: Evaluated columns of the matrix.
        distinct_rows: Different rows.
        elite_rows: Different rows that are best on at least one case; lexicase selection can choose no others
            (unless the cases tell nobody apart).
        telling_cases: Cases on which not all individuals are equal.
        cases_used: Mean number of cases that lexicase selection looks at for one parent, in `[0, cases]`, estimated
            from a few events; None if no generator was given.
        parents: Different individuals selected; None, as are the next two, if nobody was.
        effective_parents: How many equally frequent parents would be as concentrated: 1 / the sum of squared shares
            of the parents, in `[1, parents]`.
        entropy: Shannon entropy of the shares of the parents, in nats, in `[0, ln(parents)]`.
    """

    individuals: int
    cases: int
    distinct_rows: int
    elite_rows: int
    telling_cases: int
    cases_used: float | None
    parents: int | None
    effective_parents: float | None
    entropy: float | None


def diagnose(
    errors: Errors,
    chosen: Indices | None = None,
    rng: np.random.Generator | None = None,
    context: Context | None = None,
    events: int = 50,
) -> Diagnostics:
    """Describe an error matrix, and a selection from it if there is one.

    Args:
        errors: Error matrix `[N, T]`, as for a selector.
        chosen: Row numbers `[k]` that a selector returned.
        rng: Source of randomness for the estimate of `cases_used`.
        context: Context of the selection; only the mask of evaluated cases is used.
        events: Lexicase events, at least 1, from which `cases_used` is estimated.

    Raises:
        ValueError: If the input is malformed, or `chosen` has numbers that are no rows.
    """
    errors, _ = validated(errors, 0, context)
    if events < 1:
        raise ValueError(f"events is {events}; use at least 1")
    individuals, cases = errors.shape
    rows = errors[classes_of_equal_rows(errors).representatives]
    best = rows == rows.min(axis=0, initial=np.inf)
    used = None
    if rng is not None:
        used = float(np.mean([cases_used(rows, rng.permutation(cases).tolist()) for _ in range(events)]))
    shares = _shares(chosen, individuals)
    return Diagnostics(
        individuals=individuals,
        cases=cases,
        distinct_rows=len(rows),
        elite_rows=int(np.count_nonzero(best.any(axis=1))),
        telling_cases=int(np.count_nonzero((rows != rows[:1]).any(axis=0))),
        cases_used=used,
        parents=None if shares is None else len(shares),
        effective_parents=None if shares is None else float(1 / np.sum(shares**2)),
        entropy=None if shares is None else float(-np.sum(shares * np.log(shares))),
    )


def _shares(chosen: Indices | None, individuals: int) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """Return the share of each different parent, or None if nobody was selected."""
    if chosen is None or len(chosen) == 0:
        return None
    numbers = np.asarray(chosen)
    if numbers.min() < 0 or numbers.max() >= individuals:
        raise ValueError(f"chosen has row numbers outside of 0 to {individuals - 1}; pass what select() returned")
    counts = np.unique(numbers, return_counts=True)[1]
    return counts / len(numbers)
