"""Truncation selection."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.criteria import Criterion, check_criterion, criterion_values
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class Truncation:
    """Truncation selection: the `k` best, best first. Nothing is random.

    Of equal ones the earlier in the population comes first. When more are asked for than there are, the ranking is
    run through again from its top. (The released code of SEIDR calls this selection "tournament".)

    Source: Mühlenbein, Schlierkamp-Voosen 1993, "Predictive models for the breeder genetic algorithm",
    Evolutionary Computation 1(1).

    Attributes:
        by: What makes the best, as for `selection.tournament.Tournament`.

    Raises:
        ValueError: If `by` is unknown.
    """

    by: Criterion = "total_error"

    def __post_init__(self) -> None:
        check_criterion(self.by)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`. The generator is not used."""
        errors, context = validated(errors, k, context)
        ranking = np.argsort(criterion_values(self.by, errors, context), kind="stable")
        return np.resize(ranking, k).astype(np.int64)
