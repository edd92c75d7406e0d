"""Batch lexicase selection."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.ordered import select_by_batches
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class BatchLexicase:
    """Batch lexicase selection: lexicase selection in which each filter is the sum of errors on a few cases.

    For each parent the cases are shuffled and dealt into batches anew; the last batch may be smaller. Batches of 1
    are lexicase selection, one batch of all is selection by total error.

    Source: Aenugu, Spector 2019, "Lexicase selection in learning classifier systems", GECCO.

    Attributes:
        size: Cases in a batch, at least 1.

    Raises:
        ValueError: If the size is out of its range.
    """

    size: int = 4

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"batch size is {self.size}; use at least 1 case")

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return select_by_batches(errors, self.size, k, rng)
