"""WorkingTime: how much of a search's time was spent waiting for a provider that let it wait."""

from __future__ import annotations

import time

Interval = tuple[float, float]


class WorkingTime:
    """Collects when something worked (a model that writes, a program that runs), and when calls merely waited.

    A call waits for a free place, for a pause that the provider asked for, and through attempts that bring no answer.
    A search waits while some call does, and nothing works meanwhile.
    """

    def __init__(self) -> None:
        self._worked: list[Interval] = []
        self._waited: list[Interval] = []

    @staticmethod
    def now() -> float:
        """The clock of the intervals, in seconds."""
        return time.monotonic()

    def executed(self, begun: float) -> None:
        """Take note of a program that was run, and has ended now."""
        self._worked.append((begun, self.now()))

    def answered(self, asked: float, waiting_seconds: float) -> None:
        """Take note of an answer that has come now, the first part of which was waiting."""
        ended = self.now()
        sent = min(asked + waiting_seconds, ended)
        self._waited.append((asked, sent))
        self._worked.append((sent, ended))

    def failed(self, asked: float) -> None:
        """Take note of a call that was given up now: all of it was waiting."""
        self._waited.append((asked, self.now()))

    @property
    def waiting_seconds(self) -> float:
        """Wall time in which some call waited and nothing worked."""
        return _length(self._waited + self._worked) - _length(self._worked)


def _length(intervals: list[Interval]) -> float:
    """Length of the union of intervals."""
    total, covered_to = 0.0, float("-inf")
    for begun, ended in sorted(intervals):
        total += max(0.0, ended - max(begun, covered_to))
        covered_to = max(covered_to, ended)
    return total
