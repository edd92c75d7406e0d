"""Random values for benchmark cases, derived from raw bits, so that no release of numpy can change a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from numpy.random import PCG64, SeedSequence

_Item = TypeVar("_Item")
_WORDS = 2**64


class RandomBits:
    """A stream of random values from the 64-bit words of PCG64, seeded through numpy's SeedSequence.

    Both algorithms are fixed by numpy's compatibility policy; what numpy builds on them (``Generator.integers`` and
    the like) is not, and is not used.

    Args:
        entropy: Integers from 0 upwards; equal ones give equal streams, and different ones independent streams.
    """

    def __init__(self, *entropy: int) -> None:
        self._source = PCG64(SeedSequence(entropy))
        self._words: list[int] = []

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included, each as likely as any other."""
        count = high - low + 1
        limit = _WORDS - _WORDS % count  # words from there on would favour the small remainders
        while True:
            if not self._words:
                self._words = self._source.random_raw(512).tolist()
            word = self._words.pop()
            if word < limit:
                return low + word % count

    def choice(self, items: Sequence[_Item]) -> _Item:
        """One of the items."""
        return items[self.integer(0, len(items) - 1)]

    def text(self, alphabet: str, length: int) -> str:
        """A text of that many characters of the alphabet."""
        return "".join([self.choice(alphabet) for _ in range(length)])

    def integers(self, low: int, high: int, length: int) -> list[int]:
        """That many integers from ``low`` to ``high``, both included."""
        return [self.integer(low, high) for _ in range(length)]

    def unit(self) -> float:
        """A number in ``[0, 1)``, a multiple of 2**-53."""
        return self.integer(0, 2**53 - 1) * 2.0**-53
