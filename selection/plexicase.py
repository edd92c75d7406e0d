"""Plexicase selection: a probability for each individual, in one pass, close to that of lexicase selection."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from selection.distinct import classes_of_equal_rows
from selection.selector import Context, Errors, Indices, Probabilities, draw, validated


@dataclasses.dataclass(frozen=True)
class Plexicase:
    """Plexicase selection: probabilistic lexicase selection.

    Of the distinct error vectors, those that are best on some case and Pareto-optimal over all cases are kept. Each
    case gives a share of the probability to those that are best on it, in proportion to the number of cases on
    which each is best. The probabilities are raised to the power `alpha`. Individuals of equal errors share theirs.

    This approximates lexicase selection: the total variation distance is often above 0.3.

    Source: Ding, Pantridge, Spector 2023, "Probabilistic lexicase selection", GECCO, arXiv 2305.11681.

    Attributes:
        alpha: Above 1 favours the likely ones more, below 1 less; larger than 0.

    Raises:
        ValueError: If `alpha` is out of its range.
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha is {self.alpha}; use a finite number larger than 0 (1 is usual)")

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return draw(self._chances(errors), k, rng) if k else np.empty(0, dtype=np.int64)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return each individual's probability `[N]`."""
        errors, context = validated(errors, 1, context)
        return self._chances(errors)

    def _chances(self, errors: Errors) -> Probabilities:
        if errors.shape[1] == 0:
            return np.full(len(errors), 1 / len(errors))
        classes = classes_of_equal_rows(errors)
        rows = errors[classes.representatives]
        best = rows == rows.min(axis=0)
        wins = np.count_nonzero(best, axis=1)
        kept = (wins > 0) & ~_dominated(rows, best)
        weights = np.where(best & kept[:, np.newaxis], wins[:, np.newaxis], 0)
        chances = (weights / weights.sum(axis=0)).mean(axis=1)
        # Logarithms keep high powers of small probabilities apart.
        logarithms = self.alpha * np.log(chances, where=kept, out=np.full(len(chances), -np.inf))
        powers = np.exp(logarithms - logarithms.max())
        probabilities: Probabilities = (powers / powers.sum() / classes.sizes)[classes.class_of]
        return probabilities


def _dominated(rows: Errors, best: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows have another that is nowhere worse; the rows are distinct."""
    table = best.astype(np.float32)
    shared = table @ table.T
    wins = shared.diagonal()
    # Only one that is best wherever the row is best can dominate it.
    loser, winner = np.nonzero((shared == wins[:, np.newaxis]) & (wins[:, np.newaxis] > 0))
    different = loser != winner
    loser, winner = loser[different], winner[different]
    dominated = np.zeros(len(rows), dtype=np.bool_)
    step = max(1, 2**22 // rows.shape[1])
    for start in range(0, len(loser), step):
        losers, winners = loser[start : start + step], winner[start : start + step]
        dominated[losers[(rows[winners] <= rows[losers]).all(axis=1)]] = True
    return dominated
