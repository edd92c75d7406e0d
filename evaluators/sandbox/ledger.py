"""The ledger of a process that runs many cases: what each of them left, in memory that the supervisor shares.

The process writes it, so it is a hint and no fact: it can only say which of the process's own bytes are the output
of which case.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable, Sequence
from typing import TypeAlias

DATA_BYTES = 32 * 2**20
"""Room for outputs; a process whose outputs fill it ends, and another one goes on."""

_DONE = struct.Struct("=QQ")  # cases, and 1 once the program is compiled
_ROW = struct.Struct("=iIIIII")


Row: TypeAlias = tuple[int, int, int, int, int, int]
"""What is known of a case.

Exit status that its process would have had; bytes of standard output, standard error and report; microseconds of
processor time; kibibytes of peak resident memory of the process so far.
"""


class Ledger:
    """Shared with the processes that are forked after it is made.

    Args:
        cases: How many rows it has room for.
    """

    def __init__(self, cases: int) -> None:
        self._cases = cases
        self._rows = mmap.mmap(-1, _DONE.size + cases * _ROW.size)
        self._data = mmap.mmap(-1, DATA_BYTES)
        self._written = 0

    @property
    def address_space_bytes(self) -> int:
        """What it adds to a process's address space, at most."""
        return DATA_BYTES + len(self._rows) + 2 * mmap.PAGESIZE

    @property
    def done(self) -> int:
        """How many cases have ended."""
        return min(int(_DONE.unpack_from(self._rows)[0]), self._cases)

    @property
    def compiled(self) -> bool:
        """Whether the process got past compiling the program."""
        return bool(_DONE.unpack_from(self._rows)[1])

    def begin(self) -> None:
        """Note that the program is compiled; called in the process that runs the cases."""
        _DONE.pack_into(self._rows, 0, 0, 1)

    def clear(self) -> None:
        """Begin anew, for another process."""
        _DONE.pack_into(self._rows, 0, 0, 0)
        self._written = 0

    def has_room(self, size: int) -> bool:
        """Whether so many bytes of output can still be kept."""
        return self._written + size <= DATA_BYTES

    def append(self, row: Row, outputs: Sequence[int]) -> None:
        """Note a case, and keep what is in its three files; called in the process that runs the cases."""
        for descriptor, size in zip(outputs, row[1:4], strict=True):
            if size:
                with memoryview(self._data) as whole, whole[self._written : self._written + size] as part:
                    os.preadv(descriptor, [part], 0)
                self._written += size
        done = self.done
        _ROW.pack_into(self._rows, _DONE.size + done * _ROW.size, *row)
        _DONE.pack_into(self._rows, 0, done + 1, 1)

    def rows(self) -> list[list[int]]:
        """The rows of the cases that ended, as lists; cut where they cannot be true."""
        rows, size = [], 0
        for index in range(self.done):
            row = list(_ROW.unpack_from(self._rows, _DONE.size + index * _ROW.size))
            size += sum(row[1:4])
            if size > DATA_BYTES:
                break
            rows.append(row)
        return rows

    def give(self, size: int, send: Callable[[memoryview], object]) -> None:
        """Hand on the first bytes of the outputs.

        Args:
            size: How many.
            send: Copies them. A file's pages would be sent without a copy, and change on their way with the next case.
        """
        with memoryview(self._data) as whole, whole[:size] as part:
            send(part)

    def close(self) -> None:
        """Give the memory back."""
        self._rows.close()
        self._data.close()
