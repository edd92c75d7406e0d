"""Memory files: what jobs, inputs and outputs lie in."""

from __future__ import annotations

import os

_EXECUTABLE, _NOT_EXECUTABLE = 0x10, 0x8  # MFD_EXEC, MFD_NOEXEC_SEAL: known since Linux 6.3


def memory_file(name: str, executable: bool = False) -> int:
    """Make one; closed by an execution.

    Args:
        name: For whoever debugs.
        executable: Whether it may be executed.
    """
    try:
        return os.memfd_create(name, os.MFD_CLOEXEC | (_EXECUTABLE if executable else _NOT_EXECUTABLE))
    except OSError:
        return os.memfd_create(name, os.MFD_CLOEXEC)
