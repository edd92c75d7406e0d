"""The ledger of a process that runs many cases: what each of them left, in a memory file that the supervisor reads.

The process writes it, so it is a hint and no fact: it can only say which of the process's own bytes are the output
of which case.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Sequence
from typing import TypeAlias

from evaluators.sandbox.memory_files import memory_file, read_file, write_whole

_DONE = struct.Struct("=QQ")  # cases, and 1 once the program is compiled
_ROW = struct.Struct("=iIIIII")

Row: TypeAlias = tuple[int, int, int, int, int, int]
"""What is known of a case.

Exit status that its process would have had; where its standard output, standard error and report end, in files that
hold those of all cases one behind the other; microseconds of processor time; kibibytes of peak resident memory of the
process so far.
"""


def ledger_file(cases: int) -> int:
    """Make a file with room for so many rows, whose size nobody can change."""
    return memory_file("ledger", size=ledger_bytes(cases))


def ledger_of(rows: Sequence[Row]) -> int:
    """Make a file with rows that the supervisor knows."""
    descriptor = memory_file("ledger")
    write_whole(descriptor, b"".join([_DONE.pack(len(rows), 1), *(_ROW.pack(*row) for row in rows)]))
    return descriptor


def ledger_bytes(cases: int) -> int:
    """Size of such a file."""
    return _DONE.size + cases * _ROW.size


def rows_of(ledger: bytes) -> list[Row]:
    """The rows that a file holds."""
    done = int(_DONE.unpack_from(ledger)[0])
    return list(_ROW.iter_unpack(ledger[_DONE.size : _DONE.size + done * _ROW.size]))


def true_rows(ledger: int, outputs: Sequence[int]) -> tuple[int, bool]:
    """Cut a ledger where it cannot be true, once its process is gone.

    Args:
        ledger: Descriptor of the file.
        outputs: Descriptors of standard output, standard error and report.

    Returns:
        How many rows it has now, and whether the process got past compiling the program.
    """
    written = read_file(ledger)
    said, compiled = _DONE.unpack_from(written)
    sizes = [os.fstat(descriptor).st_size for descriptor in outputs]
    rows = 0
    before: Sequence[int] = (0, 0, 0)
    for row in _ROW.iter_unpack(written[_DONE.size :]):
        ends = row[1:4]
        if rows == said or any(end < last or end > size for end, last, size in zip(ends, before, sizes, strict=True)):
            break
        rows, before = rows + 1, ends
    os.pwrite(ledger, _DONE.pack(rows, compiled), 0)
    return rows, bool(compiled)


def progress_of(ledger: int) -> tuple[int, bool]:
    """How many cases have ended, and whether the process got past compiling the program.

    Args:
        ledger: Descriptor of the file.
    """
    done, compiled = _DONE.unpack(os.pread(ledger, _DONE.size, 0))
    return done, bool(compiled)


class LedgerWriter:
    """The process's own hand on its ledger.

    Args:
        ledger: Descriptor of the file.
    """

    def __init__(self, ledger: int) -> None:
        self._memory = mmap.mmap(ledger, os.fstat(ledger).st_size)
        self._done = 0
        _DONE.pack_into(self._memory, 0, 0, 1)

    def append(self, *row: int) -> None:
        """Note a case; see :data:`Row`."""
        _ROW.pack_into(self._memory, _DONE.size + self._done * _ROW.size, *row)
        self._done += 1
        _DONE.pack_into(self._memory, 0, self._done, 1)
