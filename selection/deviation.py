"""The median absolute deviation of the errors of each case."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from selection.selector import Errors


def median_absolute_deviations(errors: Errors) -> NDArray[np.float64]:
    """Return each case's median distance of the errors to their median `[T]`, in errors.

    Infinite errors are left out: they say that a program failed, not how widely the others are spread. A case
    without finite errors has deviation 0.

    Args:
        errors: Validated errors `[N, T]`, without NaN, `N >= 1`.

    Source: Pham-Gia, Hung 2001, "The mean and median absolute deviations", Mathematical and Computer Modelling 34.
    """
    columns = np.ascontiguousarray(errors.T)
    whole = np.isfinite(columns.min(axis=1)) & np.isfinite(columns.max(axis=1))
    if whole.all():
        return _deviations(columns)
    deviations = np.zeros(len(columns))
    deviations[whole] = _deviations(columns[whole])
    for case in np.flatnonzero(~whole):
        finite = columns[case][np.isfinite(columns[case])]
        if finite.size:
            deviations[case] = _deviations(finite[np.newaxis])[0]
    return deviations


def _deviations(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return _medians(np.abs(columns - _medians(columns)[:, np.newaxis]))


def _medians(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each row; `numpy.median` takes several times as long."""
    middle = columns.shape[1] // 2
    split = np.partition(columns, middle, axis=1)
    upper: NDArray[np.float64] = split[:, middle]
    if columns.shape[1] % 2:
        return upper
    lower: NDArray[np.float64] = split[:, :middle].max(axis=1)
    return 0.5 * (lower + upper)
