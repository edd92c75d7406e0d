"""Fork servers: run the cases of an executable that drivers/fork_server.c is linked into, a fork each.

A server can fork only when it is let through, once a case. The processes are children of this one, so that status,
clocks and memory come from the kernel. The server itself is no more trusted than a candidate: what its ending or its
silence leaves undone is done without it.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import select
import signal
import socket
import time
from collections.abc import Sequence

from evaluators.sandbox import kernel, wire
from evaluators.sandbox.child import (
    PROCESSORS,
    Bounds,
    Confinement,
    EngineGoneError,
    Outcome,
    clear_away,
    outcome,
    process_seconds,
    runnable,
    start_child,
)
from evaluators.sandbox.ledger import Row, ledger_of
from evaluators.sandbox.memory_files import memory_file
from evaluators.sandbox.seccomp import EXECUTABLE_DESCRIPTOR

_TICK_SECONDS = 0.1
_SEAL_SEALS = 1
_MAX_ROWS = 500
_MAX_BYTES = 16 * 2**20


class ForkServer:
    """One server; a context manager.

    Args:
        program: Descriptor of the executable.
        function: Whether it reads arguments from descriptor 4; else its input is descriptor 0.
        bounds: Of each case.
        confinement: With the filter for fork servers.
        engine: The descriptor towards the engine, watched meanwhile.
    """

    def __init__(self, program: int, function: bool, bounds: Bounds, confinement: Confinement, engine: int) -> None:
        self._bounds = bounds
        self._intruders: set[int] = set()
        self._engine = select.poll()
        self._engine.register(engine, select.POLLIN | select.POLLHUP)
        self._given, nothing, *self.outputs = [
            _sealed_file(name) for name in ("given", "nothing", "stdout", "stderr", "report")
        ]
        files = [nothing if function else self._given, *self.outputs, *([self._given] if function else [])]
        self._opened = [self._given, nothing, *self.outputs]
        ours, theirs = socket.socketpair()
        ready = mmap.mmap(-1, mmap.PAGESIZE)
        try:
            with theirs:
                self._process = start_child(_execute, files, bounds, confinement, ready, program, theirs)
            with ours:
                _, self._asking, _, _ = socket.recv_fds(ours, 1, 1)
        finally:
            ready.close()
        self._requests = select.poll()
        for descriptor in self._asking:
            self._requests.register(descriptor, select.POLLIN)
        self._request: int | None = None
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with contextlib.suppress(ChildProcessError):  # it was reaped when it ended
                clear_away(self._process)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            for descriptor in [*self._opened, *self._asking]:
                os.close(descriptor)

    def run(self, given: memoryview, whole_seconds: float) -> Outcome | None:
        """Run one case.

        Args:
            given: Its input.
            whole_seconds: Processor time that is left to all cases.

        Returns:
            How it ended; its output is in :attr:`outputs`. None if the server is of no use.

        Raises:
            EngineGoneError: If the engine closed its end.
        """
        if not self._asking or not self._wait_for_request():
            return None
        self._prepare(given)
        try:
            kernel.let_through(self._asking[0], self._request or 0)
        except OSError:  # it is gone, or the kernel is too old
            return None
        self._request = None
        return self._watch(min(self._bounds.cpu_seconds, whole_seconds))

    def _wait_for_request(self) -> bool:
        """Wait until the server wants its next process; False if it does not."""
        since, used, idle = time.monotonic(), 0.0, 0.0
        while not self._take_request(1000 * _TICK_SECONDS):
            if self._engine.poll(0):
                raise EngineGoneError
            before, used, then, since = used, process_seconds(self._process), since, time.monotonic()
            if used - before < 0.5 * (since - then) and not runnable(self._process):
                idle += since - then
            if used >= self._bounds.cpu_seconds or idle >= self._bounds.idle_seconds or self._ended():
                return False
        return True

    def _take_request(self, milliseconds: float) -> bool:
        """Take the server's request, if it is there; any other process has no right to one."""
        if self._request is None and self._requests.poll(milliseconds):
            with contextlib.suppress(OSError):  # the process was just killed
                name, process = kernel.next_request(self._asking[0])
                if process == self._process:
                    self._request = name
                else:
                    self._intruders.add(process)
        return self._request is not None

    def _ended(self) -> bool:
        return os.waitid(os.P_PID, self._process, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None

    def _prepare(self, given: memoryview) -> None:
        done = 0
        while done < len(given):
            done += os.pwrite(self._given, given[done:], done)
        if os.lseek(self._given, 0, os.SEEK_END) != len(given):
            os.ftruncate(self._given, len(given))
        os.lseek(self._given, 0, os.SEEK_SET)

    def _watch(self, cpu_seconds: float) -> Outcome | None:
        idle = used = 0.0
        then = time.monotonic()
        while True:
            tick = max(0.001, min(_TICK_SECONDS, (cpu_seconds - used) / PROCESSORS))
            signal.sigtimedwait((signal.SIGCHLD,), tick)
            try:
                child, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return None
            if child == self._process:
                return None
            if child:
                return outcome(status, usage, "", idle, ready=True, survivors=0)
            now, before = time.monotonic(), used
            if now - then < 0.001:
                continue
            if self._engine.poll(0):
                raise EngineGoneError
            cases = self._cases()
            watched = cases[0] if cases else self._process
            used = process_seconds(watched)
            if used - before < 0.5 * (now - then) and not runnable(watched):
                idle += now - then - (used - before)
            then = now
            stopped = "cpu" if used >= cpu_seconds else "idle" if idle >= self._bounds.idle_seconds else ""
            if stopped or self._intrusion():
                return self._stop(cases, stopped, idle)

    def _cases(self) -> list[int]:
        numbers = map(int, filter(str.isdigit, os.listdir("/proc")))  # noqa: PTH208
        return [number for number in numbers if number not in (1, self._process)]

    def _intrusion(self) -> bool:
        """Whether a case asked for a process of its own, as only the server may; the server's request may be first."""
        self._take_request(0)
        if self._requests.poll(0):
            with contextlib.suppress(OSError):
                self._intruders.add(kernel.next_request(self._asking[0])[1])
        return bool(self._intruders)

    def _stop(self, cases: Sequence[int], stopped: str, idle: float) -> Outcome | None:
        """End a case that is beyond its bounds, or asks for what it may not have."""
        if not cases:
            return None
        os.kill(cases[0], signal.SIGKILL)
        try:
            _, status, usage = os.wait4(cases[0], 0)
        except ChildProcessError:
            return None
        survivors = len(self._intruders)
        self._intruders.clear()
        return outcome(status, usage, stopped, idle, ready=True, survivors=survivors)


class Batch:
    """Results of cases on their way to the engine, in one message for many.

    Args:
        engine: The socket.
    """

    def __init__(self, engine: socket.socket) -> None:
        self._engine = engine
        self._rows: list[Row] = []
        self._files: list[int] = []
        self._ends = [0, 0, 0]

    def add(self, ended: Outcome, files: Sequence[int], most: int) -> None:
        """Keep a case, and empty its files for the next one.

        What is kept is sent when it is much, or when there is more to say than fits a row.
        """
        alone = ended.stopped != "" or ended.survivors > 0
        if alone:
            self.flush()
        if not self._files:
            self._files = [memory_file(name) for name in ("stdout", "stderr", "report")]
        for place, (kept, descriptor) in enumerate(zip(self._files, files, strict=True)):
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if size:
                self._ends[place] += os.sendfile(kept, descriptor, 0, min(size, most))
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
        if alone:
            self._send(ended)
            return
        stdout, stderr, report = self._ends
        self._rows.append(
            (ended.status, stdout, stderr, report, int(1e6 * ended.cpu_seconds), ended.memory_bytes // 1024)
        )
        if len(self._rows) == _MAX_ROWS or max(self._ends) > _MAX_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send what is there."""
        if self._rows:
            self._send(None)

    def _send(self, ended: Outcome | None) -> None:
        ledger = ledger_of(self._rows)
        try:
            header = {"done": len(self._rows), "waited": True, "ended": ended and ended.record()}
            wire.send(self._engine, header, [ledger, *self._files])
        finally:
            os.close(ledger)
            self.close()

    def close(self) -> None:
        """Give up what is there."""
        for descriptor in self._files:
            os.close(descriptor)
        self._rows, self._files, self._ends = [], [], [0, 0, 0]


def _sealed_file(name: str) -> int:
    """A memory file whose size no candidate can fix by a seal of its own."""
    descriptor = memory_file(name)
    with contextlib.suppress(PermissionError):  # a kernel that did not make it sealable
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEAL_SEALS)
    return descriptor


def _execute() -> int:
    kernel.execute_descriptor(EXECUTABLE_DESCRIPTOR, [b"program"])
