"""Memory files: what jobs, inputs and outputs lie in.

Whoever has one can write to it, but not seal it: a candidate that sealed its output would hinder the supervisor.
"""

from __future__ import annotations

import fcntl
import os
import sys

_EXECUTABLE, _NOT_EXECUTABLE = 0x10, 0x8  # MFD_EXEC, MFD_NOEXEC_SEAL: known since Linux 6.3


def memory_file(name: str, executable: bool = False, size: int | None = None) -> int:
    """Make one; closed by an execution.

    Args:
        name: For whoever debugs.
        executable: Whether it may be executed.
        size: Bytes that it has, and will always have; None for one that grows.
    """
    flags = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
    try:
        descriptor = os.memfd_create(name, flags | (_EXECUTABLE if executable else _NOT_EXECUTABLE))
    except OSError:
        descriptor = os.memfd_create(name, flags)
    seals = fcntl.F_SEAL_SEAL
    if size is not None:
        os.ftruncate(descriptor, size)
        seals |= fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def filled_file(name: str, data: bytes, executable: bool = False) -> int:
    """Make one that holds some data, and that cannot be written to by this descriptor; see :func:`memory_file`."""
    descriptor = memory_file(name, executable)
    try:
        write_whole(descriptor, data)
        return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(descriptor)


def write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it at the file's position."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def read_file(descriptor: int, most: int = sys.maxsize) -> bytes:
    """Read a file from its beginning.

    Args:
        descriptor: Its position does not matter, and stays.
        most: How many bytes at most.
    """
    length = min(os.fstat(descriptor).st_size, most)
    data = os.pread(descriptor, length, 0)
    while len(data) < length:
        more = os.pread(descriptor, length - len(data), len(data))
        if not more:
            break
        data += more
    return data
