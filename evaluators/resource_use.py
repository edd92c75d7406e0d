"""What this process and its children took: processor time, disk writes, and traffic with model endpoints.

Times and writes are the kernel's own counts. It adds those of a child that has ended to its parent's, when the parent
waits for it, so that children which ended are counted as those which live. What is lost is the share of processes whose
parent ended before them, or ignored their end.

The kernel keeps no count of a process's network traffic, so that the client of the models counts what it sends and
receives: requests and responses of HTTP, heads included, before they are encrypted and packed; through a proxy, bodies
alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil


@dataclass(frozen=True)
class ResourceUse:
    """What was taken; ``later - earlier`` is what was taken in between.

    Attributes:
        cpu_seconds: Processor time, of the user and the system, of the process, its descendants and those that ended.
        written_bytes: What they caused to be written to disks, as Linux counts it: when a page is changed in memory,
            so that what is rewritten or deleted soon counts too; 0 for file systems in memory. None where the system
            does not tell.
        sent_bytes: To model endpoints, by this process alone.
        received_bytes: From model endpoints, by this process alone.
    """

    cpu_seconds: float
    written_bytes: int | None
    sent_bytes: int
    received_bytes: int

    def __sub__(self, earlier: ResourceUse) -> ResourceUse:
        written = None
        if self.written_bytes is not None and earlier.written_bytes is not None:
            written = self.written_bytes - earlier.written_bytes
        return ResourceUse(
            self.cpu_seconds - earlier.cpu_seconds,
            written,
            self.sent_bytes - earlier.sent_bytes,
            self.received_bytes - earlier.received_bytes,
        )

    def processor_share(self, wall_seconds: float, processors: int | None = None) -> float:
        """Processor time over what all processors could have given, 0 to about 1.

        Args:
            wall_seconds: Time that passed meanwhile, above 0.
            processors: How many there are; those of this machine if left out.

        Raises:
            ValueError: If one of them is not above 0.
        """
        count = os.cpu_count() or 1 if processors is None else processors
        if wall_seconds <= 0 or count <= 0:
            raise ValueError(f"{wall_seconds} s on {count} processors: both must be above 0")
        return self.cpu_seconds / (wall_seconds * count)


@dataclass
class Traffic:
    """Bytes that a client sent and received; it adds to them."""

    sent_bytes: int = 0
    received_bytes: int = 0


MODEL_TRAFFIC = Traffic()
"""Of all model clients of this process, from its start."""


def resources_used() -> ResourceUse:
    """What was taken since this process began.

    A child that ends while the tree is being read may be missing, and is in the next reading.
    """
    import psutil

    own = psutil.Process()
    cpu_seconds = 0.0
    writes: list[int | None] = []
    for process in [own, *own.children(recursive=True)]:
        try:
            times, written = process.cpu_times(), _written_bytes(process)
        except psutil.NoSuchProcess:  # it has ended, and is in its parent's counts
            continue
        writes.append(written)
        cpu_seconds += times.user + times.system
        cpu_seconds += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
    known = [written for written in writes if written is not None]
    # A part of the sum would look like all of it.
    written_bytes = sum(known) if len(known) == len(writes) else None
    return ResourceUse(cpu_seconds, written_bytes, MODEL_TRAFFIC.sent_bytes, MODEL_TRAFFIC.received_bytes)


def _written_bytes(process: psutil.Process) -> int | None:
    """What the kernel says; None if it says nothing, or not to us."""
    import psutil

    if not hasattr(process, "io_counters"):
        return None
    try:
        return int(process.io_counters().write_bytes)
    except psutil.AccessDenied:
        return None
