"""The engine's side of a sandbox: start one, exchange messages with it, end it without a trace."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluators.exceptions import InfrastructureError
from evaluators.sandbox import wire
from evaluators.sandbox.memory_files import filled_file
from evaluators.sandbox.scratch import end_stuck_starts, scratch_folder
from evaluators.sandbox.visible import Visible, interpreter

_BOOT = (
    "import os, sys, types; os.register_at_fork = lambda **_: None; "
    "package = types.ModuleType('evaluators'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['evaluators'] = package; from evaluators.sandbox.supervisor import main; main(sys.argv[2])"
)
"""Makes a package of the few files that the sandbox shows, instead of the whole one with all that it imports.

What the standard library would do in each child is left out: it takes longer than the fork, and renews locks of threads
that a supervisor has not, and the numbers of ``random``, which begin anew with each case anyway.
"""

_PACKAGE = Path(__file__).resolve().parent.parent
_INSIDE_PACKAGE = "/evaluators"
_INSIDE_WORK = "/work"
_INSIDE_HEADERS = "/headers"
_INSIDE_PACKAGES = "/packages"
_WORK_BYTES = 512 * 2**20
_START_SECONDS = 60.0

Walls = Literal["namespaces", "landlock", "none"]


@dataclass(frozen=True)
class Isolation:
    """How a sandbox keeps the machine out of reach.

    Attributes:
        walls: Namespaces by bubblewrap, Landlock, or neither.
        bubblewrap: Path of its program, for namespaces.
        filtered: Whether system calls are filtered.
    """

    walls: Walls
    bubblewrap: str | None = None
    filtered: bool = True

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers, as they stand in results."""
        filters = ("seccomp",) if self.filtered else ()
        walls = () if self.walls == "none" else (self.walls,)
        return ("processes", "rlimits", *filters, *walls)


class Sandbox:
    """A running supervisor; use :meth:`start`."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        engine: socket.socket,
        errors: int,
        scratch: Path | None,
        visible: Visible,
    ) -> None:
        self._process = process
        self._socket = engine
        self._errors = errors
        self._scratch = scratch
        self._supervisor: int | None = None
        self._waiting: asyncio.Future[None] | None = None
        self.jobs = 0
        self.work = _INSIDE_WORK if scratch is None else str(scratch)
        self.visible = visible
        self.headers = visible.headers and (_INSIDE_HEADERS if scratch is None else visible.headers)
        self.packages = visible.packages and (_INSIDE_PACKAGES if scratch is None else visible.packages)

    @classmethod
    async def start(cls, isolation: Isolation, visible: Visible) -> Sandbox:
        """Start a fresh one: its environment is empty, and nothing of this process is open in it.

        Raises:
            InfrastructureError: If it does not come up.
        """
        _sweep_once()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        errors = os.memfd_create("supervisor-errors", os.MFD_CLOEXEC)
        scratch = None if isolation.walls == "namespaces" else scratch_folder()
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 - takes a millisecond, and belongs to no event loop
                _command(isolation, visible, theirs.fileno(), scratch),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                env={"PYTHONHASHSEED": "0"},  # sets of strings keep one order from run to run
                pass_fds=[theirs.fileno()],
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            os.close(errors)
            _remove(scratch)
            raise InfrastructureError(f"the sandbox cannot be started: {error}") from error
        finally:
            theirs.close()
        sandbox = cls(process, ours, errors, scratch, visible)
        try:
            await asyncio.wait_for(sandbox._greet(), _START_SECONDS)
        except (wire.BrokenWireError, OSError, TimeoutError) as error:
            raise InfrastructureError(f"the sandbox did not come up: {sandbox.end() or error}") from error
        except BaseException:
            sandbox.end()
            raise
        return sandbox

    async def _greet(self) -> None:
        header, files = await self._receive()
        if header.get("greeting") != "ready" or len(files) != 1:
            raise wire.BrokenWireError("no greeting")
        (self._supervisor,) = files

    async def send(self, header: Mapping[str, Any], blobs: Sequence[bytes], executable: bool = False) -> None:
        """Send a job.

        Args:
            header: What is to be done.
            blobs: Contents of the files that go with it.
            executable: Whether the first of them may be executed.

        Raises:
            wire.BrokenWireError: If the supervisor is gone.
        """
        self.jobs += 1
        made: list[int] = []
        try:
            for blob in blobs:
                made.append(filled_file("blob", blob, executable and not made))
            while True:
                try:
                    wire.send(self._socket, header, made)
                except BlockingIOError:
                    await self._ready(to_write=True)
                else:
                    return
        except OSError as error:
            raise wire.BrokenWireError(f"the sandbox does not listen: {error}") from error
        finally:
            for descriptor in made:
                os.close(descriptor)

    async def receive(self) -> tuple[dict[str, Any], list[bytes]]:
        """Take the next reply, with the contents of its files.

        Raises:
            wire.BrokenWireError: If the supervisor is gone, or its reply has not the form of one.
        """
        header, files = await self._receive()
        return header, wire.take_files(files)

    async def _receive(self) -> tuple[dict[str, Any], list[int]]:
        try:
            while True:
                try:
                    return wire.receive(self._socket)
                except BlockingIOError:
                    await self._ready(to_write=False)
        except OSError as error:
            raise wire.BrokenWireError(f"the sandbox does not answer: {error}") from error

    async def _ready(self, to_write: bool) -> None:
        """Wait until the socket can be read from, or written to, or is closed."""
        loop, descriptor = asyncio.get_running_loop(), self._socket.fileno()
        watch, forget = (loop.add_writer, loop.remove_writer) if to_write else (loop.add_reader, loop.remove_reader)
        self._waiting = loop.create_future()
        watch(descriptor, _set, self._waiting)
        try:
            await self._waiting
        finally:
            if self._socket.fileno() == descriptor:
                forget(descriptor)

    def end(self) -> str:
        """Kill everything in it and wait until it is gone; may be called again.

        Returns:
            The last line of what its trusted part wrote to standard error, for a message.
        """
        if self._errors < 0:
            return ""
        if self._supervisor is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._supervisor, signal.SIGKILL)
            select.select([self._supervisor], [], [], _START_SECONDS)
            os.close(self._supervisor)
        else:
            self._process.kill()
        if self._waiting is not None:  # nobody is told of a closed descriptor
            loop = self._waiting.get_loop()
            if not loop.is_closed():
                loop.remove_reader(self._socket)
                loop.remove_writer(self._socket)
            _set(self._waiting)
        self._socket.close()
        self._process.wait()
        os.lseek(self._errors, 0, os.SEEK_SET)
        with os.fdopen(self._errors, "rb") as file:
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
        self._errors = -1
        _remove(self._scratch)
        return lines[-1] if lines else ""


@functools.cache
def _sweep_once() -> None:
    end_stuck_starts()


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _remove(scratch: Path | None) -> None:
    if scratch is not None:
        shutil.rmtree(scratch, ignore_errors=True)


def _command(isolation: Isolation, visible: Visible, descriptor: int, scratch: Path | None) -> list[str]:
    inside = isolation.walls == "namespaces"
    package = _INSIDE_PACKAGE if inside else str(_PACKAGE)
    settings = {
        "engine": os.getpid(),
        "socket": descriptor,
        "work": _INSIDE_WORK if scratch is None else str(scratch),
        "scratch": scratch is not None,
        "readable": visible.allowed() if isolation.walls == "landlock" else None,
        "filtered": isolation.filtered,
    }
    python = [interpreter(), "-s", "-S", "-P", "-B", "-c", _BOOT, package, json.dumps(settings)]
    return [*_bubblewrap(isolation, visible), *python] if inside else python


def _bubblewrap(isolation: Isolation, visible: Visible) -> list[str]:
    command = [str(isolation.bubblewrap), "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    command += ["--unshare-uts", "--unshare-cgroup-try", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    command += ["--die-with-parent", "--new-session", "--as-pid-1", "--clearenv", "--setenv", "PYTHONHASHSEED", "0"]
    for path in visible.shown:
        command += ["--ro-bind", path, path]
    for link, target in visible.links:
        command += ["--symlink", target, link]
    for path in visible.hidden:
        command += ["--tmpfs", path]
    if visible.headers is not None:
        command += ["--ro-bind", visible.headers, _INSIDE_HEADERS]
    if visible.packages is not None:
        command += ["--ro-bind", visible.packages, _INSIDE_PACKAGES]
    for name in ("plain_data.py", "sandbox"):
        command += ["--ro-bind", str(_PACKAGE / name), f"{_INSIDE_PACKAGE}/{name}"]
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "0700", "--size", str(_WORK_BYTES)]
    return [*command, "--tmpfs", _INSIDE_WORK, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]
