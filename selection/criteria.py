"""Single numbers by which individuals can be compared: error, size, age and cost."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from selection.selector import Context, Errors

Criterion = Literal["total_error", "pass_rate", "weighted"]
Objective = Literal["error", "size", "age", "cost"]


def check_criterion(by: str) -> None:
    """Raise ValueError unless `by` names one of the criteria."""
    if by not in get_args(Criterion):
        raise ValueError(f"by is {by!r}; use 'total_error', 'pass_rate' or 'weighted'")


def criterion_values(by: Criterion, errors: Errors, context: Context) -> NDArray[np.float64]:
    """Return one number an individual `[N]`, smaller is better, from validated errors and context.

    Raises:
        ValueError: If weights are needed and were not given.
    """
    if by == "pass_rate":
        failed: NDArray[np.float64] = np.count_nonzero(errors > 0, axis=1).astype(np.float64)
        return failed
    if by == "weighted":
        weights = context.require("case_weights", "selection by weighted error")
        # A case of weight 0 does not count, not even when its error is infinite.
        return total_errors(errors[:, weights > 0] * weights[weights > 0])
    return total_errors(errors)


def total_errors(errors: Errors) -> NDArray[np.float64]:
    """Return each individual's sum of errors `[N]`; where infinities of both signs meet, infinity."""
    with np.errstate(invalid="ignore"):
        totals: NDArray[np.float64] = errors.sum(axis=1)
    totals[np.isnan(totals)] = np.inf
    return totals


def check_objectives(objectives: tuple[str, ...]) -> None:
    """Raise ValueError unless the objectives are known, different and at least two."""
    unknown = [name for name in objectives if name not in get_args(Objective)]
    if unknown or len(set(objectives)) != len(objectives) or len(objectives) < 2:
        raise ValueError(
            f"objectives are {objectives!r}; use at least two different ones of 'error', 'size', 'age' and 'cost'"
        )


def objective_values(objectives: tuple[str, ...], errors: Errors, context: Context) -> NDArray[np.float64]:
    """Return a table `[N, objectives]`, smaller is better, from validated errors and context.

    Raises:
        ValueError: If the context lacks one of them.
    """
    fields = {"size": "sizes", "age": "ages", "cost": "costs"}
    return np.column_stack(
        [
            total_errors(errors) if name == "error" else context.require(fields[name], f"the objective {name!r}")
            for name in objectives
        ]
    ).astype(np.float64)


def without_infinities(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace infinities column by column, for arithmetic that they would spoil.

    An infinity lies as far beyond the finite numbers of its column as they are spread, or by 1 if they are all
    equal; a column without finite numbers becomes 0 and 1 (or -1).

    Args:
        table: Numbers `[N, columns]` without NaN.
    """
    finite = np.isfinite(table)
    if finite.all():
        return table
    low = np.where(finite, table, np.inf).min(axis=0)
    high = np.where(finite, table, -np.inf).max(axis=0)
    empty = low > high
    low, high = np.where(empty, 0.0, low), np.where(empty, 0.0, high)
    step = np.where(high > low, high - low, 1.0)
    return np.where(finite, table, np.where(table > 0, high + step, low - step))
