"""The inputs of cases in one file: their number, their lengths, and themselves."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Sequence

_NUMBER = struct.Struct("=I")


def joined(inputs: Sequence[bytes]) -> bytes:
    """What the file holds."""
    return b"".join([struct.pack(f"={1 + len(inputs)}I", len(inputs), *map(len, inputs)), *inputs])


def offsets(file: int) -> list[int]:
    """Where the first input begins, and where each one ends.

    Args:
        file: Descriptor of the file.
    """
    (count,) = _NUMBER.unpack(os.pread(file, _NUMBER.size, 0))
    lengths = struct.unpack(f"={count}I", os.pread(file, _NUMBER.size * count, _NUMBER.size))
    return list(itertools.accumulate(lengths, initial=_NUMBER.size * (1 + count)))
