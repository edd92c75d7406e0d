"""Random selection."""

from __future__ import annotations

import dataclasses

import numpy as np

from selection.selector import Context, Errors, Indices, Probabilities, validated


@dataclasses.dataclass(frozen=True)
class Uniform:
    """Random selection, without regard to errors: the control arm that every selection must beat."""

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return rng.integers(0, max(1, len(errors)), size=k)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return `1 / N` for each individual `[N]`."""
        errors, context = validated(errors, 1, context)
        return np.full(len(errors), 1 / len(errors))
