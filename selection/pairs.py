"""The candidates of several selection events in one flat array."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from selection.selector import Indices


@dataclasses.dataclass(frozen=True, eq=False)
class Pairs:
    """The candidates of `E` events, one event after another.

    Attributes:
        candidates: Row of each candidate, `counts[0]` of them for the event 0, and so on.
        counts: Number of candidates of each event `[E]`, each at least 1.
    """

    candidates: Indices
    counts: Indices

    @classmethod
    def of_table(cls, members: NDArray[np.bool_]) -> Pairs:
        """Return the pairs of a table `[E, rows]` that says who is a candidate of which event."""
        counts = np.count_nonzero(members, axis=1)
        offsets = np.arange(len(members)) * members.shape[1]
        return cls(np.flatnonzero(members) - np.repeat(offsets, counts), counts)

    @property
    def starts(self) -> Indices:
        """Where each event's candidates begin `[E]`."""
        return np.cumsum(self.counts) - self.counts

    def of_events(self, wanted: NDArray[np.bool_]) -> Pairs:
        """Return the pairs of some of the events."""
        places = np.flatnonzero(np.repeat(wanted, self.counts))
        return Pairs(self.candidates.take(places), self.counts[wanted])

    def keep(self, passing: NDArray[np.bool_]) -> Pairs:
        """Return the pairs whose candidates pass, at least one for each event."""
        kept = np.flatnonzero(passing)
        ends = np.append(kept.searchsorted(self.starts), len(kept))
        return Pairs(self.candidates.take(kept), np.diff(ends))

    def draw(self, rng: np.random.Generator, weights: Indices | None = None) -> Indices:
        """Return a random candidate of each event `[E]`, in proportion to the whole-number weight of its row."""
        if weights is None:
            drawn: Indices = self.candidates[self.starts + rng.integers(0, self.counts)]
            return drawn
        upto = np.cumsum(weights[self.candidates])
        bounds = np.concatenate(([0], upto))[np.append(self.starts, len(upto))]
        tickets = bounds[:-1] + rng.integers(0, np.diff(bounds))
        weighted: Indices = self.candidates[np.searchsorted(upto, tickets, side="right")]
        return weighted
