"""Executors: run a program on a problem's cases, and say what it did; comparing is not their work."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import hashlib
import os
import platform
import re
import shutil
import subprocess
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.execution import CaseResult, Execution
from evaluators.languages import LANGUAGES, Language, language
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.sandbox import judge, wire
from evaluators.sandbox.client import Sandbox
from evaluators.sandbox.functions import DRIVER_NAME, decode_call, driver_files, encode_call
from evaluators.sandbox.probe import SandboxReport, probe, require_platform
from evaluators.sandbox.visible import visible
from evaluators.verdict import Verdict

EXECUTOR_VERSION = 1
"""Counts changes after which the same program may get another verdict; part of every execution's key."""

NO_PROGRAM = "the reply held no program"

_RESULT_NAME = "program"
_NOT_ONE_FUNCTION = re.compile(r"overloaded|unresolved|no matching function for call to .run<|couldn't deduce")
_COMPILED_FILE_BYTES = 64 * 2**20
_CACHE_BYTES = 256 * 2**20
_JOBS_A_SANDBOX = 2000  # then a fresh one takes over, so that nothing can pile up


class Executor(Protocol):
    """Runs programs.

    Attributes:
        workers: How many programs run at the same time.
        layers: Names of the sandbox layers that are active.
    """

    @property
    def workers(self) -> int: ...

    @property
    def layers(self) -> tuple[str, ...]: ...

    def toolchain(self, language: str) -> str:
        """Versions of everything that a verdict may depend on, as a short string for an execution's key."""
        ...

    async def run(self, program: Program, problem: Problem, cases: Sequence[Case] | None = None) -> Execution:
        """Run a program on cases, or on all of the problem's.

        Returns:
            One result a case in the order given; ``COMPLETED`` where the program came to its end.

        Raises:
            InfrastructureError: If the sandbox failed twice.
            UserError: If the machine lacks what the program's language needs.
        """
        ...

    async def close(self) -> None:
        """End every sandbox."""
        ...


@dataclass(frozen=True)
class _Compiled:
    """What came of a compile step; ``failure`` is None if it worked."""

    failure: Verdict | None
    output: str
    cpu_seconds: float
    program: bytes


class SandboxExecutor:
    """Runs each program in a sandbox, on this machine.

    Args:
        workers: How many programs run at the same time.
        allow_weak_sandbox: Go on where the machine cannot give the layers that are required.

    Raises:
        UserError: If this platform cannot run programs.
        InfrastructureError: If the required layers cannot be had, and a weak sandbox is not allowed.
    """

    def __init__(self, workers: int = 1, allow_weak_sandbox: bool = False) -> None:
        if workers < 1:
            raise UserError(f"workers is {workers}: at least 1 is needed")
        require_platform()
        self.report: SandboxReport = probe()
        self.report.require(allow_weak_sandbox)
        self.workers = workers
        self.layers = self.report.layers
        self._visible = visible(_toolchains(LANGUAGES.values()))
        self._toolchains: dict[str, str] = {}
        self._compiled: OrderedDict[str, _Compiled] = OrderedDict()
        self._idle: list[Sandbox] = []
        self._busy: set[Sandbox] = set()
        self._slots = asyncio.Semaphore(workers)
        self._loop: asyncio.AbstractEventLoop | None = None

    def toolchain(self, language_name: str) -> str:
        """Versions of executor, interpreter or compiler, and its options, as a short string.

        Args:
            language_name: Name or alias of a language.

        Raises:
            UserError: If the language is unknown, or its compiler is missing.
        """
        record = language(language_name)
        if record.name not in self._toolchains:
            self._toolchains[record.name] = _toolchain(record)
        return self._toolchains[record.name]

    async def run(self, program: Program, problem: Problem, cases: Sequence[Case] | None = None) -> Execution:
        """Run a program on cases, or on all of the problem's; see :class:`Executor`."""
        started = time.monotonic()
        chosen = problem.cases if cases is None else tuple(cases)
        record = language(program.language)
        self.toolchain(record.name)
        inputs = [_encode_input(record, problem, case) for case in chosen]
        if not program.source.strip():
            nothing = _Compiled(Verdict.COMPILE_ERROR, NO_PROGRAM, 0.0, b"")
            return self._execution(nothing, [None] * len(chosen), started)
        task = _Task(program, record, problem, inputs)
        async with self._slot():
            trouble = ""
            for _ in range(2):
                sandbox = await self._take()
                try:
                    compiled, results = await self._work(sandbox, task)
                except wire.BrokenWireError as error:
                    trouble = self._drop(sandbox) or str(error)
                    continue
                except BaseException:
                    self._drop(sandbox)
                    raise
                self._put_back(sandbox)
                return self._execution(compiled, results, started)
        raise InfrastructureError(f"the sandbox failed twice on one program: {trouble}")

    async def close(self) -> None:
        """End every sandbox; what is being run fails."""
        for sandbox in [*self._idle, *self._busy]:
            sandbox.end()
        self._idle.clear()
        self._busy.clear()

    @contextlib.asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # a semaphore belongs to one event loop
            self._loop, self._slots = loop, asyncio.Semaphore(self.workers)
        async with self._slots:
            yield

    async def _take(self) -> Sandbox:
        sandbox = self._idle.pop() if self._idle else await Sandbox.start(self.report.isolation, self._visible)
        self._busy.add(sandbox)
        return sandbox

    def _put_back(self, sandbox: Sandbox) -> None:
        self._busy.discard(sandbox)
        if sandbox.jobs < _JOBS_A_SANDBOX:
            self._idle.append(sandbox)
        else:
            sandbox.end()

    def _drop(self, sandbox: Sandbox) -> str:
        self._busy.discard(sandbox)
        return sandbox.end()

    async def _work(self, sandbox: Sandbox, task: _Task) -> tuple[_Compiled, list[CaseResult | None]]:
        compiled = await self._compile(sandbox, task)
        if compiled.failure is not None:
            return compiled, [None] * len(task.inputs)
        limits = task.problem.limits
        bounds = _run_bounds(limits)
        function = task.problem.signature.name if task.problem.mode == "function" and task.problem.signature else None
        job = {
            "job": "run",
            "kind": task.language.runner,
            "function": function,
            "bounds": bounds,
            "total_seconds": limits.total_cpu_seconds,
            "cases": [len(given) for given in task.inputs],
        }
        await sandbox.send(job, [compiled.program, b"".join(task.inputs)])
        return compiled, [_judge(task, bounds, *await sandbox.receive()) for _ in task.inputs]

    async def _compile(self, sandbox: Sandbox, task: _Task) -> _Compiled:
        key = task.compile_key(self.toolchain(task.language.name))
        if key in self._compiled:
            self._compiled.move_to_end(key)
            return dataclasses.replace(self._compiled[key], cpu_seconds=0.0)
        compiled = await _compile(sandbox, task, overloaded=False)
        if compiled.failure is Verdict.COMPILE_ERROR and task.problem.mode == "function":
            if _NOT_ONE_FUNCTION.search(compiled.output):
                second = await _compile(sandbox, task, overloaded=True)
                compiled = second if second.failure is None else compiled
        if compiled.failure is not Verdict.COMPILE_LIMIT:
            self._remember(key, compiled)
        return compiled

    def _remember(self, key: str, compiled: _Compiled) -> None:
        self._compiled[key] = compiled
        held = sum(len(entry.program) for entry in self._compiled.values())
        while held > _CACHE_BYTES:
            held -= len(self._compiled.popitem(last=False)[1].program)

    def _execution(self, compiled: _Compiled, results: Sequence[CaseResult | None], started: float) -> Execution:
        failed = CaseResult(compiled.failure or Verdict.SKIPPED, detail=_first_line(compiled.output))
        cases = tuple(failed if result is None else result for result in results)
        cpu_seconds = compiled.cpu_seconds + sum(result.cpu_seconds for result in cases)
        wall_seconds = time.monotonic() - started
        return Execution(cases, compiled.output, compiled.cpu_seconds, cpu_seconds, wall_seconds, self.layers)


@dataclass(frozen=True)
class _Task:
    program: Program
    language: Language
    problem: Problem
    inputs: list[bytes]

    def compile_key(self, toolchain: str) -> str:
        limits, signature = self.problem.limits, str(self.problem.signature)
        parts = (self.program.digest, toolchain, self.problem.mode, signature, limits.compile_cpu_seconds)
        return hashlib.sha256(repr((*parts, limits.compile_memory_bytes)).encode()).hexdigest()


async def _compile(sandbox: Sandbox, task: _Task, overloaded: bool) -> _Compiled:
    record, limits = task.language, task.problem.limits
    job: dict[str, Any] = {
        "job": "compile",
        "command": None,
        "bounds": {
            "cpu_seconds": limits.compile_cpu_seconds,
            "idle_seconds": limits.wall_seconds,
            "memory_bytes": limits.compile_memory_bytes,
            "file_bytes": _COMPILED_FILE_BYTES,
        },
    }
    if record.compile_command is not None:
        files: dict[str, str] = {}
        if task.problem.mode == "function" and task.problem.signature is not None:
            files = driver_files(record, task.problem.signature, overloaded)
        names = {"{source}": DRIVER_NAME if files else record.source_name, "{result}": _RESULT_NAME}
        command = [_find(record.compile_command[0], record), *record.compile_command[1:]]
        job |= {"command": [names.get(word, word) for word in command], "files": files}
        job |= {"source_name": record.source_name, "result_name": _RESULT_NAME}
    await sandbox.send(job, [task.program.source.encode("utf-8", "surrogatepass")])
    outcome, blobs = await sandbox.receive()
    if not outcome.get("ready") or len(blobs) != 2:
        raise wire.BrokenWireError("the compile step could not be set up")
    text = judge.readable_diagnostics(blobs[0], sandbox.work)
    failure = judge.compile_verdict(outcome, text)
    if failure is None and not blobs[1]:
        failure, text = Verdict.COMPILE_ERROR, text or "the compiler made no program"
    if failure is Verdict.COMPILE_LIMIT:
        text = f"compiling it went beyond its limits of time, memory or size\n{text}".strip()
    return _Compiled(failure, text, outcome["cpu_seconds"], blobs[1])


def _judge(task: _Task, bounds: dict[str, Any], outcome: dict[str, Any], blobs: list[bytes]) -> CaseResult:
    if outcome.get("skipped"):
        detail = f"all cases together used more than {task.problem.limits.total_cpu_seconds:g} s"
        return CaseResult(Verdict.SKIPPED, detail=detail)
    if not outcome.get("ready") or len(blobs) != 3:
        reason = blobs[1].decode("utf-8", "replace").strip() if len(blobs) == 3 else ""
        raise wire.BrokenWireError(f"a case could not be set up: {reason}")
    stdout, stderr, report = blobs
    result = judge.case_result(outcome, stdout, stderr, report, bounds)
    if task.problem.mode == "stdio" or task.problem.signature is None:
        return result
    if result.verdict is not Verdict.COMPLETED:
        return dataclasses.replace(result, output=None)
    facts = judge.read_report(report)
    if "result" not in facts:
        detail = f"the program ended before {task.problem.signature.name} returned"
        return dataclasses.replace(result, verdict=Verdict.EARLY_EXIT, output=None, detail=detail)
    try:
        output = decode_call(task.language, task.problem.signature, facts["result"])
    except ValueError as error:
        return dataclasses.replace(result, verdict=Verdict.RUNTIME_ERROR, output=None, detail=f"result: {error}")
    return dataclasses.replace(result, output=output)


def _run_bounds(limits: Limits) -> dict[str, Any]:
    return {
        "cpu_seconds": limits.cpu_seconds,
        "idle_seconds": limits.wall_seconds,
        "memory_bytes": limits.memory_bytes,
        "file_bytes": limits.output_bytes + 1,  # an output of exactly the limit is allowed
    }


def _encode_input(record: Language, problem: Problem, case: Case) -> bytes:
    if problem.mode == "stdio":
        if not isinstance(case.input, str):
            raise UserError(f"case {case.name!r} of {problem.name!r}: the input of a 'stdio' problem is a string")
        return case.input.encode("utf-8", "surrogatepass")
    if problem.signature is None or not isinstance(case.input, tuple):
        raise UserError(
            f"case {case.name!r} of {problem.name!r}: a 'function' problem has a signature and argument lists"
        )
    return encode_call(record, problem.signature, case.input)


def _first_line(text: str) -> str:
    lines = text.splitlines()
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")[:300]


def _find(name: str, record: Language) -> str:
    found = shutil.which(name)
    if found is None:
        raise UserError(f"language {record.name!r} needs {name}, which is not installed: type {record.install}")
    return os.path.realpath(found)


def _toolchains(records: Iterable[Language]) -> list[str]:
    commands = [
        command for record in records for command in (record.compile_command, record.version_command) if command
    ]
    found = (shutil.which(command[0]) for command in commands)
    return [path for path in found if path is not None]


def _toolchain(record: Language) -> str:
    if record.version_command is None:
        version = f"{platform.python_implementation()} {platform.python_version()} {platform.machine()}"
    else:
        command = [_find(record.version_command[0], record), *record.version_command[1:]]
        shown = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        version = " ".join([*(shown.stdout or shown.stderr).splitlines()[:1], *(record.compile_command or ())[1:]])
    return f"{version}; executor {EXECUTOR_VERSION}"
