"""The trusted process inside a sandbox: takes jobs from the engine, one at a time, until the engine closes its end.

It holds no secret. Sources, inputs and outputs go through memory files, never through its own memory, so that a
child, which inherits that memory, finds nothing of the candidates before it.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import functools
import gc
import importlib
import itertools
import json
import mmap
import os
import resource
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evaluators.sandbox import kernel, python_program, wire
from evaluators.sandbox.child import Bounds, Confinement, EngineGoneError, Outcome, run_child
from evaluators.sandbox.fork_server import Batch, ForkServer
from evaluators.sandbox.ledger import Ledger
from evaluators.sandbox.memory_files import memory_file
from evaluators.sandbox.seccomp import EXECUTABLE_DESCRIPTOR, Filter

WARM_MODULES = [
    "array",
    "bisect",
    "cmath",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "threading",
    "typing",
]
_STACK_BYTES = 64 * 2**20
_INHERITED_SPACE = 64 * 2**20  # libraries and start-up of an executed program, beyond its own memory
_START_SECONDS = 0.01  # the processor time that a process costs anyway is not charged to the program's whole budget
_REPORT, _ARGUMENTS = 3, 4
_COMPILER_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


class Supervisor:
    """Serves one engine.

    Args:
        engine: The connected socket.
        work_directory: Where a compile step may write.
        readable: What Landlock leaves readable to children, or None inside namespaces.
        filtered: Whether children get a seccomp filter.
    """

    def __init__(
        self, engine: socket.socket, work_directory: Path, readable: Sequence[str] | None, filtered: bool
    ) -> None:
        self._engine = engine
        self._work = work_directory
        machine = os.uname().machine
        candidate = Filter("candidate", machine) if filtered else None
        server = Filter("fork server", machine) if filtered else None
        compiler = Filter("compiler", machine) if filtered else None
        self._run_confinement = Confinement(candidate, readable)
        own = None if readable is None else [*readable, str(work_directory)]
        self._command_confinement = Confinement(candidate, own)
        self._serve_confinement = Confinement(server, readable)
        writable = [str(work_directory), "/dev/null"]
        self._compile_confinement = Confinement(compiler, readable, writable, processes=True)
        self._own_space = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE

    def serve(self) -> None:
        """Do jobs until the engine closes its end."""
        while True:
            try:
                header, blobs = self._receive()
            except wire.BrokenWireError:
                return
            try:
                jobs = {"compile": self._compile, "run": self._run}
                jobs[header["job"]](header, blobs)
            finally:
                for blob in blobs:
                    os.close(blob)

    def _compile(self, job: dict[str, Any], blobs: list[int]) -> None:
        """Compile the source (the only blob); reply with the outcome, the diagnostics and the compiled program."""
        command = job["command"]
        bounds = _bounds(job["bounds"], 0 if command else self._own_space)
        confinement = self._compile_confinement if command else self._run_confinement
        diagnostics = memory_file("diagnostics")
        compiled = memory_file("compiled")
        empty = memory_file("empty")
        try:
            files = [empty, diagnostics, diagnostics]
            if command:
                _copy(blobs[0], self._work / job["source_name"])
                for name, text in job["files"].items():
                    (self._work / name).write_text(text, encoding="utf-8")
                environment = job.get("environment", ())
                work: Callable[[], int] = functools.partial(_execute_compiler, command, str(self._work), environment)
            else:
                files += [compiled, blobs[0]]
                work = functools.partial(_compile_python, source=4, target=3)
            outcome = run_child(work, files, bounds, confinement, self._engine.fileno())
            if command and outcome.status == 0:
                _collect(self._work / job["result_name"], compiled)
            self._reply(outcome, (diagnostics, compiled))
        finally:
            for descriptor in (diagnostics, compiled, empty):
                os.close(descriptor)
            _empty_directory(self._work)

    def _run(self, job: dict[str, Any], blobs: list[int]) -> None:
        """Run a program (first blob) on cases (slices of the second); replies for every case, in order.

        The program is a compiled one, or the source where one process compiles it and runs all cases.
        """
        program, inputs = blobs
        commanded = job["kind"] == "command"
        if commanded:
            program = self._place(job, program)
            blobs.append(program)
        python_program.packages = job.get("packages")
        ends = list(itertools.accumulate(job["cases"]))
        cases = [(end - length, length) for end, length in zip(ends, job["cases"], strict=True)]
        bounds = _bounds(job["bounds"], self._own_space if job["kind"] == "python" else _INHERITED_SPACE)
        left = job["total_seconds"]
        ledger = Ledger(len(cases)) if job["shared"] else None
        # Outside namespaces, whom a case may signal cannot be told by numbers.
        if job["kind"] == "served" and os.getpid() == 1 and self._serve_confinement.filter is not None:
            left, cases = self._run_served(job, program, inputs, cases, bounds, left)
        try:
            while cases:
                if left <= 0:
                    self._engine.sendall(wire.pack({"skipped": len(cases)}))
                    return
                if ledger is not None:
                    done, spent = self._run_shared(job, program, inputs, cases, bounds, ledger, left)
                    if not ledger.compiled:
                        return
                else:
                    done, spent = 1, self._run_case(job, program, (inputs, *cases[0]), bounds)
                left -= spent
                cases = cases[done:]
        finally:
            if commanded:
                _empty_directory(self._work)
            if ledger is not None:
                ledger.close()

    def _place(self, job: dict[str, Any], program: int) -> int:
        """Put a program where its interpreter finds it, and the program cannot change it; opens the interpreter."""
        path = self._work / job["program_name"]
        _copy(program, path)
        path.chmod(0o400)
        return os.open(job["interpreter"], os.O_RDONLY | os.O_CLOEXEC)

    def _run_shared(
        self,
        job: dict[str, Any],
        program: int,
        inputs: int,
        cases: list[tuple[int, int]],
        bounds: Bounds,
        ledger: Ledger,
        left: float,
    ) -> tuple[int, float]:
        """Run as many cases as one process manages; returns how many were replied for, and the seconds spent."""
        opened = [memory_file(name) for name in ("given", "stdout", "stderr", "report")]
        wide = dataclasses.replace(
            bounds,
            address_space_bytes=bounds.address_space_bytes + ledger.address_space_bytes,
            whole_cpu_seconds=left + _START_SECONDS,
        )
        ledger.clear()
        try:
            work = functools.partial(_run_python_cases, job["function"], cases, ledger)
            files = [*opened, inputs, program]
            engine = self._engine.fileno()
            outcome = run_child(work, files, wide, self._run_confinement, engine, progress=lambda: ledger.done)
            rows = ledger.rows()
            if not ledger.compiled:
                self._reply(outcome, opened[2:3])
                return 0, 0.0
            if rows:
                size = sum(sum(row[1:4]) for row in rows)
                self._engine.sendall(wire.pack({"batch": rows}, [size]))
                ledger.give(size, self._engine.sendall)
            done = len(rows)
            if done < len(cases) and (outcome.status != 0 or outcome.stopped or not rows):
                self._reply(outcome, opened[1:], bounds.file_bytes)  # the case in which it ended
                done += 1
            return done, _charged(outcome)
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _run_served(
        self,
        job: dict[str, Any],
        program: int,
        inputs: int,
        cases: list[tuple[int, int]],
        bounds: Bounds,
        left: float,
    ) -> tuple[float, list[tuple[int, int]]]:
        """Run cases by fork servers; returns the seconds and the cases that are left."""
        size = os.fstat(inputs).st_size
        given = memoryview(mmap.mmap(inputs, size, access=mmap.ACCESS_READ) if size else b"")
        engine = self._engine.fileno()
        batch = Batch(self._engine.sendall)
        done = begun = 0
        try:
            while done < len(cases) and left > 0 and begun <= done:
                begun = done + 1  # a server that ends at its first case is the last one
                function = job["function"] is not None
                with ForkServer(program, function, bounds, self._serve_confinement, engine) as server:
                    while done < len(cases) and left > 0:
                        ended = server.run(given, cases[done], left + _START_SECONDS)
                        if ended is None:
                            break
                        plain = not ended.stopped and not ended.survivors
                        if not plain or not batch.add(ended, server.outputs, bounds.file_bytes):
                            batch.flush()
                            self._reply(ended, server.outputs, bounds.file_bytes)
                        left -= _charged(ended)
                        done += 1
            batch.flush()
        finally:
            batch.close()
        return left, cases[done:]

    def _run_case(self, job: dict[str, Any], program: int, part: tuple[int, int, int], bounds: Bounds) -> float:
        """Run one case in a process of its own; returns the seconds spent."""
        python, function = job["kind"] == "python", job["function"]
        opened = [memory_file(name) for name in ("given", "nothing", "stdout", "stderr", "report")]
        given, nothing, stdout, stderr, report = opened
        try:
            _send_range(given, *part)
            os.lseek(given, 0, os.SEEK_SET)
            files = [given if function is None else nothing, stdout, stderr, report, given, program]
            arguments, environment = job.get("arguments", ["program"]), job.get("environment", ())
            execute = functools.partial(_execute_candidate, arguments, environment)
            work: Callable[[], int] = functools.partial(_run_python, function) if python else execute
            outcome = run_child(
                work,
                files if python else files[: 4 if function is None else 5],
                bounds,
                self._command_confinement if job["kind"] == "command" else self._run_confinement,
                self._engine.fileno(),
                None if python else program,
            )
            self._reply(outcome, (stdout, stderr, report), bounds.file_bytes)
        finally:
            for descriptor in opened:
                os.close(descriptor)
        return _charged(outcome)

    def _reply(self, outcome: Outcome, files: Sequence[int], most: int = wire.MAX_BLOB_BYTES) -> None:
        lengths = [min(os.fstat(descriptor).st_size, most) for descriptor in files]
        self._engine.sendall(wire.pack(outcome.record(), lengths))
        for descriptor, length in zip(files, lengths, strict=True):
            _send_range(self._engine.fileno(), descriptor, 0, length)

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        length = wire.header_length(self._receive_bytes(wire.LENGTH.size))
        header, lengths = wire.unpack(self._receive_bytes(length))
        executable = header.get("kind") in ("executable", "served")
        return header, [self._receive_file(length, executable) for length in lengths]

    def _receive_bytes(self, length: int) -> bytes:
        buffer = bytearray(length)
        self._receive_into(memoryview(buffer))
        return bytes(buffer)

    def _receive_file(self, length: int, executable: bool) -> int:
        descriptor = memory_file("blob", executable)
        if length:
            os.ftruncate(descriptor, length)
            with mmap.mmap(descriptor, length) as memory, memoryview(memory) as view:
                self._receive_into(view)
        if not executable:
            return descriptor
        try:  # a file that is open for writing cannot be executed
            return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.close(descriptor)

    def _receive_into(self, view: memoryview) -> None:
        done = 0
        while done < len(view):
            count = self._engine.recv_into(view[done:])
            if count == 0:
                raise wire.BrokenWireError("the engine closed its end")
            done += count


def _charged(outcome: Outcome) -> float:
    return max(0.0, outcome.cpu_seconds - _START_SECONDS) + outcome.idle_seconds


def _bounds(limits: dict[str, Any], own_space: int) -> Bounds:
    return Bounds(
        cpu_seconds=limits["cpu_seconds"],
        idle_seconds=limits["idle_seconds"],
        address_space_bytes=limits["memory_bytes"] + own_space,
        file_bytes=limits["file_bytes"],
        stack_bytes=min(_STACK_BYTES, limits["memory_bytes"]),
    )


def _send_range(target: int, source: int, offset: int, length: int) -> None:
    end = offset + length
    while offset < end:
        sent = os.sendfile(target, source, offset, end - offset)
        if sent == 0:
            raise wire.BrokenWireError("a file became shorter while it was sent")
        offset += sent


def _copy(source: int, path: Path) -> None:
    target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        _send_range(target, source, 0, os.fstat(source).st_size)
    finally:
        os.close(target)


def _read_whole(descriptor: int) -> bytes:
    length = os.fstat(descriptor).st_size
    parts = []
    offset = 0
    while offset < length:
        parts.append(os.pread(descriptor, length - offset, offset))
        offset += len(parts[-1])
    return b"".join(parts)


def _empty_directory(directory: Path) -> None:
    for entry in directory.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _collect(path: Path, into: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            _send_range(into, descriptor, 0, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)


def _compile_python(source: int, target: int) -> int:
    return python_program.compile_source(_read_whole(source), functools.partial(_write_whole, target))


def _write_whole(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _run_python(function: str | None) -> int:
    program = _ARGUMENTS + 1
    compiled = _read_whole(program)
    os.close(program)
    if function is None:
        os.close(_ARGUMENTS)
    return python_program.run(compiled, function, None if function is None else _ARGUMENTS, _REPORT)


def _run_python_cases(function: str | None, cases: Sequence[tuple[int, int]], ledger: Ledger) -> int:
    inputs, program = _ARGUMENTS, _ARGUMENTS + 1
    source = _read_whole(program)
    os.close(program)
    return python_program.run_cases(source, function, inputs, cases, ledger)


def _execute_compiler(command: Sequence[str], directory: str, environment: Sequence[str]) -> int:
    os.chdir(directory)
    own = dict(entry.split("=", 1) for entry in environment)
    os.execve(command[0], list(command), {**_COMPILER_ENVIRONMENT, "TMPDIR": directory, **own})  # noqa: S606 - meant


def _execute_candidate(arguments: Sequence[str], environment: Sequence[str]) -> int:
    kernel.execute_descriptor(EXECUTABLE_DESCRIPTOR, [*map(os.fsencode, arguments)], [*map(os.fsencode, environment)])


def main(settings_text: str) -> None:
    """Set this process up and serve.

    Args:
        settings_text: JSON object: ``socket`` (descriptor), ``work`` (directory), ``scratch`` (whether that
            is a directory of the machine, to be removed), ``readable`` (list or null), ``filtered`` (boolean).
    """
    settings = json.loads(settings_text)
    kernel.forbid_inspection()
    if settings["scratch"]:  # a directory of the machine, to be removed even if the engine is killed
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        kernel.die_with_parent(signal.SIGTERM)
    else:
        kernel.die_with_parent()
    kernel.adopt_orphans()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 2 * EXECUTABLE_DESCRIPTOR
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    for name in WARM_MODULES:
        importlib.import_module(name)
    for name in ("exit", "quit"):
        setattr(builtins, name, sys.exit)  # a script expects them, and the module that defines them is left out
    engine = socket.socket(fileno=settings["socket"])
    supervisor = Supervisor(engine, Path(settings["work"]), settings["readable"], settings["filtered"])
    gc.collect()
    gc.freeze()
    itself = os.pidfd_open(os.getpid())
    socket.send_fds(engine, [wire.pack({"greeting": "ready"})], [itself])
    os.close(itself)
    try:
        with contextlib.suppress(EngineGoneError, BrokenPipeError, ConnectionResetError):
            supervisor.serve()
    finally:
        if settings["scratch"]:
            shutil.rmtree(settings["work"], ignore_errors=True)
