"""A child of the supervisor: forked, bounded, watched, and cleared away with its descendants."""

from __future__ import annotations

import contextlib
import fcntl
import math
import mmap
import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluators.sandbox import kernel
from evaluators.sandbox.seccomp import CONTROL_DESCRIPTOR, EXECUTABLE_DESCRIPTOR, Filter

PROCESSORS = os.cpu_count() or 1
"""At most so many seconds of processor time pass in a second."""

_TICK_SECONDS = 0.1
_PROCESSOR_CLOCK = 2
_OPEN_FILES = 64  # at most: descriptors above it, of ours, cannot be made again once they are closed
_THREADS = 512


class EngineGoneError(Exception):
    """The engine closed its end while a child ran."""


@dataclass(frozen=True)
class Bounds:
    """What a child may use.

    Attributes:
        cpu_seconds: Processor time of the child and its descendants.
        idle_seconds: Time in which it neither runs nor waits for a processor.
        address_space_bytes: Of each process.
        file_bytes: Of each file that it writes, standard output too.
        stack_bytes: Of the first thread.
        whole_cpu_seconds: Processor time of a child that does several things, each within ``cpu_seconds``.
    """

    cpu_seconds: float
    idle_seconds: float
    address_space_bytes: int
    file_bytes: int
    stack_bytes: int
    whole_cpu_seconds: float = 0.0


@dataclass(frozen=True)
class Confinement:
    """What a child may do.

    Attributes:
        filter: Installed last; None only where a weak sandbox was asked for.
        readable: Directories and files that Landlock leaves readable; None where namespaces do that work.
        writable: Directories that Landlock leaves writable.
        processes: Whether it may have descendants.
    """

    filter: Filter | None
    readable: Sequence[str] | None
    writable: Sequence[str] = ()
    processes: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the kernel says of a child's end.

    Attributes:
        status: Exit status, or minus the number of the signal.
        stopped: Which clock the supervisor stopped it by (``"cpu"``, ``"idle"``), or ``""``.
        ready: Whether it got as far as the work itself; if not, the sandbox is at fault.
        cpu_seconds: Processor time, of descendants too.
        idle_seconds: Time in which it stood still.
        memory_bytes: Peak resident memory.
        survivors: Descendants that were left when it ended, killed since.
    """

    status: int
    stopped: str
    ready: bool
    cpu_seconds: float
    idle_seconds: float
    memory_bytes: int
    survivors: int

    def record(self) -> dict[str, Any]:
        """As a JSON object."""
        return dict(vars(self))


def run_child(
    work: Callable[[], int],
    files: Sequence[int],
    bounds: Bounds,
    confinement: Confinement,
    engine: int,
    executable: int | None = None,
    progress: Callable[[], int] = int,
) -> Outcome:
    """Start a child, watch it, and clear away whatever is left of it.

    Args:
        work: Runs in the child; its result is the exit status.
        files: Open files that become the child's descriptors 0, 1, 2, ...; it has no others.
        bounds: What it may use.
        confinement: What it may do.
        engine: The supervisor's descriptor towards the engine, watched meanwhile.
        executable: A file that the child may replace itself by, or None.
        progress: How many things the child has done; each may use ``cpu_seconds`` and ``idle_seconds``.

    Raises:
        EngineGoneError: If the engine closed its end; the child is gone then, too.
    """
    ready = mmap.mmap(-1, mmap.PAGESIZE)
    child = start_child(work, files, bounds, confinement, ready, executable)
    handle = os.pidfd_open(child)
    try:
        stopped, idle = _watch(child, handle, bounds, engine, confinement.processes, progress)
    finally:
        os.close(handle)
        status, usage, survivors = clear_away(child)
    # A limit that is shorter than what it takes to begin is no fault of the sandbox.
    was_ready = ready[0] == 1 or stopped == "cpu"
    ready.close()
    return outcome(status, usage, stopped, idle, was_ready, survivors)


def start_child(
    work: Callable[[], int],
    files: Sequence[int],
    bounds: Bounds,
    confinement: Confinement,
    ready: mmap.mmap,
    executable: int | None = None,
    control: socket.socket | None = None,
) -> int:
    """Fork, confine the child, and let it work; returns its number. See :func:`run_child`.

    That it can gain no privileges, and has none, it inherits.

    Args:
        work: As there.
        files: As there.
        bounds: As there.
        confinement: As there.
        ready: Shared memory, in which the child notes that it got as far as the work itself.
        executable: As there.
        control: Takes the descriptor by which the filter asks; becomes :data:`CONTROL_DESCRIPTOR`.
    """
    first = os.getpid() == 1  # whose end ends all other processes of its namespace
    child = os.fork()
    if child == 0:
        _be_the_child(work, files, bounds, confinement, executable, control, ready, first)
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.setpgid(child, child)  # the child does it as well: whoever comes first
    return child


def outcome(
    status: int, usage: resource.struct_rusage, stopped: str, idle_seconds: float, ready: bool, survivors: int
) -> Outcome:
    """What is known of a child, from its wait status and usage."""
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    seconds = usage.ru_utime + usage.ru_stime
    return Outcome(code, stopped, ready, seconds, idle_seconds, usage.ru_maxrss * 1024, survivors)


def _be_the_child(
    work: Callable[[], int],
    files: Sequence[int],
    bounds: Bounds,
    confinement: Confinement,
    executable: int | None,
    control: socket.socket | None,
    ready: mmap.mmap,
    first: bool,
) -> None:
    status = 255
    try:
        os.setpgid(0, 0)
        if not first:
            kernel.die_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        _arrange_descriptors(files, executable, control)
        if confinement.readable is not None:
            kernel.landlock(confinement.readable, confinement.writable)
        _set_limits(bounds)
        if confinement.filter is not None:
            program, length = confinement.filter.program(os.getpid()), confinement.filter.length
            if control is None:
                kernel.install_filter(program, length)
            else:
                teller = socket.socket(fileno=CONTROL_DESCRIPTOR)
                socket.send_fds(teller, [b"!"], [kernel.install_asking_filter(program, length)])
        ready[0] = 1
        ready.close()
        status = work()
    except BaseException as error:  # noqa: BLE001 - nothing may return into the supervisor's code
        with contextlib.suppress(OSError):
            os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(status)


def _arrange_descriptors(files: Sequence[int], executable: int | None, control: socket.socket | None) -> None:
    # First above all targets, so that nothing is overwritten before its turn.
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, len(files)) for descriptor in files]
    if executable is not None:
        os.dup2(executable, EXECUTABLE_DESCRIPTOR, inheritable=False)
    for target, descriptor in enumerate(moved):
        os.dup2(descriptor, target, inheritable=True)
    if control is not None:
        os.dup2(control.fileno(), CONTROL_DESCRIPTOR, inheritable=True)
    os.closerange(len(files), CONTROL_DESCRIPTOR)
    os.closerange(CONTROL_DESCRIPTOR + (control is not None), EXECUTABLE_DESCRIPTOR)
    os.closerange(EXECUTABLE_DESCRIPTOR + (executable is not None), 2**16)


def _set_limits(bounds: Bounds) -> None:
    seconds = (
        int(max(bounds.cpu_seconds, bounds.whole_cpu_seconds)) + 2
    )  # the watchdog is exact; this one is for the day it is late
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_AS: bounds.address_space_bytes,
        resource.RLIMIT_FSIZE: bounds.file_bytes,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_STACK: bounds.stack_bytes,
        resource.RLIMIT_CPU: seconds,
    }
    if os.getpid() != 1 and os.getppid() == 1:  # in namespaces of its own: the count is the sandbox's
        limits[resource.RLIMIT_NPROC] = _THREADS
    for kind, wanted in limits.items():
        hard = resource.getrlimit(kind)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (value, value))


def _watch(
    child: int, handle: int, bounds: Bounds, engine: int, processes: bool, progress: Callable[[], int]
) -> tuple[str, float]:
    """Wait for the child's end, stopping it at its bounds; returns which bound, and the seconds it stood still."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(engine, select.POLLIN | select.POLLHUP)
    whole = bounds.whole_cpu_seconds or math.inf
    idle = used = begun = 0.0
    done = 0
    then = time.monotonic()
    while True:
        left = min(begun + bounds.cpu_seconds, whole) - used
        events = poll.poll(max(1.0, 1000 * min(_TICK_SECONDS, left / PROCESSORS)))
        if any(descriptor == handle for descriptor, _ in events):
            return "", idle
        if events:
            raise EngineGoneError
        now, before = time.monotonic(), used
        used = _used_seconds(child, processes)
        if progress() != done:
            done, begun, idle = progress(), before, 0.0
        if used >= min(begun + bounds.cpu_seconds, whole):
            return "cpu", idle
        # Under load a process may wait long for a processor: that is the machine's fault and not counted.
        if used - before < 0.5 * (now - then) and not _runnable(child, processes):
            idle += now - then - (used - before)
        if idle >= bounds.idle_seconds:
            return "idle", idle
        then = now


def process_seconds(process: int) -> float:
    """Processor time of a process, 0 if it has just ended."""
    try:
        return time.clock_gettime(((~process) << 3) | _PROCESSOR_CLOCK)
    except OSError:
        return 0.0


def _used_seconds(child: int, processes: bool) -> float:
    used = process_seconds(child)
    if processes:
        ticks = os.sysconf("SC_CLK_TCK")
        used = sum(sum(map(int, fields[11:15])) for fields in _group(child)) / ticks
    return used


def _group(child: int) -> list[list[str]]:
    """Fields of ``/proc/<n>/stat`` after the command's name, of every process in the child's group."""
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would be slower
        if name.isdigit():
            with contextlib.suppress(OSError):
                fields = _stat(f"/proc/{name}/stat")
                if int(fields[2]) == child:
                    found.append(fields)
    return found


def _stat(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _runnable(child: int, processes: bool) -> bool:
    if processes:
        return any(fields[0] in "RD" for fields in _group(child))
    return runnable(child)


def runnable(process: int) -> bool:
    """Whether a thread of it runs, or waits for a processor."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208
            if _stat(f"/proc/{process}/task/{thread}/stat")[0] == "R":
                return True
    return False


def clear_away(child: int) -> tuple[int, resource.struct_rusage, int]:
    """Kill and reap the child and all descendants; returns its wait status and usage, and the number of others."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    others = 0
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    while True:
        try:
            os.wait4(-1, 0)
        except ChildProcessError:
            return status, usage, others
        others += 1
