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
import json
import mmap
import os
import posix
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
from evaluators.sandbox.inputs import offsets
from evaluators.sandbox.ledger import ledger_bytes, ledger_file, progress_of, true_rows
from evaluators.sandbox.memory_files import memory_file, read_file, write_whole
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
_ROOM_BYTES = 4 * 2**20
"""What files of a process that runs many cases may hold before another one goes on; each case has its limit more."""

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
        jobs = {"compile": self._compile, "run": self._run}
        while True:
            try:
                header, files = wire.receive(self._engine)
            except wire.BrokenWireError:
                return
            try:
                jobs[header["job"]](header, files)
            finally:
                for descriptor in files:
                    os.close(descriptor)

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

    def _run(self, job: dict[str, Any], files: list[int]) -> None:
        """Run a program (first file) on cases (second file); replies for every case, in order.

        The program is a compiled one, or the source where one process compiles it and runs all cases.
        """
        program, inputs = files
        commanded = job["kind"] == "command"
        if commanded:
            program = self._place(job, program)
            files.append(program)
        python_program.packages = job.get("packages")
        bounds = _bounds(job["bounds"], self._own_space if job["kind"] == "python" else _INHERITED_SPACE)
        run = Run(job, program, inputs, bounds)
        try:
            # Outside namespaces, whom a case may signal cannot be told by numbers.
            if job["kind"] == "served" and os.getpid() == 1 and self._serve_confinement.filter is not None:
                self._run_served(run)
            while run.done < run.count:
                if run.left <= 0:
                    wire.send(self._engine, {"skipped": run.count - run.done})
                    return
                if not job["shared"]:
                    self._run_case(run)
                elif not self._run_shared(run):
                    return
        finally:
            if commanded:
                _empty_directory(self._work)

    def _place(self, job: dict[str, Any], program: int) -> int:
        """Put a program where its interpreter finds it, and the program cannot change it; opens the interpreter."""
        path = self._work / job["program_name"]
        _copy(program, path)
        path.chmod(0o400)
        return os.open(job["interpreter"], os.O_RDONLY | os.O_CLOEXEC)

    def _run_shared(self, run: Run) -> bool:
        """Run as many cases as one process manages; False if the program cannot be compiled."""
        opened = [memory_file(name) for name in ("given", "stdout", "stderr", "report")]
        ledger = ledger_file(run.count - run.done)
        opened.append(ledger)
        bounds = dataclasses.replace(
            run.bounds,
            address_space_bytes=run.bounds.address_space_bytes + run.shared_bytes,
            file_bytes=run.bounds.file_bytes + _ROOM_BYTES,
            whole_cpu_seconds=run.left + _START_SECONDS,
        )
        try:
            work = functools.partial(_run_python_cases, run.function, run.done)
            files = [*opened, run.inputs, run.program]
            engine = self._engine.fileno()
            outcome = run_child(
                work, files, bounds, self._run_confinement, engine, progress=lambda: progress_of(ledger)[0]
            )
            done, compiled = true_rows(ledger, opened[1:4])
            if not compiled:
                self._reply(outcome, opened[2:3])
                return False
            stopped = outcome.status != 0 or outcome.stopped != "" or done == 0
            ended = outcome.record() if stopped and done < run.count - run.done else None
            wire.send(self._engine, {"done": done, "ended": ended}, [ledger, *opened[1:4]])
            run.account(done + (ended is not None), _charged(outcome))
            return True
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _run_served(self, run: Run) -> None:
        """Run cases by fork servers, as long as they serve."""
        given = memoryview(mmap.mmap(run.inputs, 0, access=mmap.ACCESS_READ))
        batch = Batch(self._engine)
        begun = 0
        try:
            while run.done < run.count and run.left > 0 and begun <= run.done:
                begun = run.done + 1  # a server that ends at its first case is the last one
                function = run.function is not None
                with ForkServer(
                    run.program, function, run.bounds, self._serve_confinement, self._engine.fileno()
                ) as server:
                    while run.done < run.count and run.left > 0:
                        begin, end = run.ends[run.done : run.done + 2]
                        ended = server.run(given[begin:end], run.left + _START_SECONDS)
                        if ended is None:
                            break
                        batch.add(ended, server.outputs, run.bounds.file_bytes)
                        run.account(1, _charged(ended))
            batch.flush()
        finally:
            batch.close()
            given.release()

    def _run_case(self, run: Run) -> None:
        """Run one case in a process of its own."""
        job = run.job
        python, function = job["kind"] == "python", run.function
        opened = [memory_file(name) for name in ("given", "nothing", "stdout", "stderr", "report")]
        given, nothing, stdout, stderr, report = opened
        try:
            begin, end = run.ends[run.done : run.done + 2]
            _send_range(given, run.inputs, begin, end - begin)
            os.lseek(given, 0, os.SEEK_SET)
            files = [given if function is None else nothing, stdout, stderr, report, given, run.program]
            arguments, environment = job.get("arguments", ["program"]), job.get("environment", ())
            execute = functools.partial(_execute_candidate, arguments, environment)
            work: Callable[[], int] = functools.partial(_run_python, function) if python else execute
            outcome = run_child(
                work,
                files if python else files[: 4 if function is None else 5],
                run.bounds,
                self._command_confinement if job["kind"] == "command" else self._run_confinement,
                self._engine.fileno(),
                None if python else run.program,
            )
            self._reply(outcome, (stdout, stderr, report))
        finally:
            for descriptor in opened:
                os.close(descriptor)
        run.account(1, _charged(outcome))

    def _reply(self, outcome: Outcome, files: Sequence[int]) -> None:
        wire.send(self._engine, outcome.record(), files)


class Run:
    """A program on its way through its cases.

    Args:
        job: What the engine asked for.
        program: Descriptor of what is run.
        inputs: Descriptor of the inputs of all cases; see inputs.py.
        bounds: Of each case.

    Attributes:
        ends: Where in the file the first input begins, and where each one ends.
        count: How many cases there are.
        done: How many have been replied for.
        left: Seconds of the whole budget.
    """

    def __init__(self, job: dict[str, Any], program: int, inputs: int, bounds: Bounds) -> None:
        self.job = job
        self.function: str | None = job["function"]
        self.program = program
        self.inputs = inputs
        self.bounds = bounds
        self.left: float = job["total_seconds"]
        self.done = 0
        self.ends = offsets(inputs)
        self.count = len(self.ends) - 1

    @property
    def shared_bytes(self) -> int:
        """What the inputs and the ledger add to the address space of a process that runs all cases."""
        return os.fstat(self.inputs).st_size + ledger_bytes(self.count) + 2 * mmap.PAGESIZE

    def account(self, cases: int, seconds: float) -> None:
        """Note what has been done, and what it took of the budget."""
        self.done += cases
        self.left -= seconds


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
    return python_program.compile_into(read_file(source), functools.partial(write_whole, target))


def _run_python(function: str | None) -> int:
    program = _ARGUMENTS + 1
    compiled = read_file(program)
    os.close(program)
    if function is None:
        os.close(_ARGUMENTS)
    return python_program.run(compiled, function, None if function is None else _ARGUMENTS, _REPORT)


def _run_python_cases(function: str | None, first: int) -> int:
    ledger, inputs, program = range(_ARGUMENTS, _ARGUMENTS + 3)
    source = read_file(program)
    os.close(program)
    return python_program.run_cases(source, function, inputs, first, ledger, _ROOM_BYTES)


def _execute_compiler(command: Sequence[str], directory: str, environment: Sequence[str]) -> int:
    os.chdir(directory)
    own = dict(entry.split("=", 1) for entry in environment)
    os.execve(command[0], list(command), {**_COMPILER_ENVIRONMENT, "TMPDIR": directory, **own})  # noqa: S606 - meant


def _execute_candidate(arguments: Sequence[str], environment: Sequence[str]) -> int:
    kernel.execute_descriptor(EXECUTABLE_DESCRIPTOR, [*map(os.fsencode, arguments)], [*map(os.fsencode, environment)])


def main(settings_text: str) -> None:
    """Set this process up and serve.

    Args:
        settings_text: JSON object: ``engine`` (process number), ``socket`` (descriptor), ``work`` (directory),
            ``scratch`` (whether that is a directory of the machine, to be removed), ``readable`` (list or null),
            ``filtered`` (boolean).
    """
    settings = json.loads(settings_text)
    kernel.forbid_inspection()
    if settings["scratch"]:  # a directory of the machine, to be removed even if the engine is killed
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        kernel.die_with_parent(signal.SIGTERM)
    else:
        kernel.die_with_parent()
    kernel.adopt_orphans()
    kernel.renounce_privileges()
    kernel.drop_capabilities()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 2 * EXECUTABLE_DESCRIPTOR
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    for name in WARM_MODULES:
        importlib.import_module(name)
    os.register_at_fork = posix.register_at_fork  # the client's command put it aside while modules were imported
    for name in ("exit", "quit"):
        setattr(builtins, name, sys.exit)  # a script expects them, and the module that defines them is left out
    os.environ.clear()
    for ours in [name for name in sys.modules if name == "evaluators" or name.startswith("evaluators.")]:
        del sys.modules[ours]  # no candidate imports them
    engine = socket.socket(fileno=settings["socket"])
    supervisor = Supervisor(engine, Path(settings["work"]), settings["readable"], settings["filtered"])
    gc.collect()
    gc.freeze()
    itself = os.pidfd_open(os.getpid())
    wire.send(engine, {"greeting": "ready"}, [itself])
    os.close(itself)
    try:
        with contextlib.suppress(EngineGoneError, BrokenPipeError, ConnectionResetError):
            supervisor.serve()
    finally:
        if settings["scratch"]:
            shutil.rmtree(settings["work"], ignore_errors=True)
