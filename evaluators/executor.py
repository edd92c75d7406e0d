"""Executors: run a program on a problem's cases, and say what it did; comparing is not their work."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.execution import CaseResult, Execution
from evaluators.languages import LANGUAGES, Language
from evaluators.languages import language as find_language
from evaluators.problem import Case, Problem
from evaluators.program import Program
from evaluators.sandbox import toolchains, wire
from evaluators.sandbox.client import Sandbox
from evaluators.sandbox.precompiled import Precompiled, find_or_make
from evaluators.sandbox.probe import SandboxReport, probe, require_platform
from evaluators.sandbox.task import Compiled, Task, compile_and_run_task, compile_task, encode_inputs, run_task
from evaluators.sandbox.visible import Visible, visible
from evaluators.verdict import Verdict

EXECUTOR_VERSION = 2
"""Counts changes after which the same program may get another verdict; part of every execution's key."""

NO_PROGRAM = "the reply held no program"

_CACHE_BYTES = 128 * 2**20
_CACHE_ENTRIES = 1000
_PROBLEMS_KEPT = 8
_JOBS_A_SANDBOX = 2000  # then a fresh one takes over, so that nothing can pile up


class Executor(Protocol):
    """Runs programs."""

    @property
    def workers(self) -> int:
        """How many programs run at the same time."""
        ...

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the active sandbox layers."""
        ...

    def toolchain(self, language: str) -> str:
        """Versions of everything that a verdict may depend on, as a short string for an execution's key."""
        ...

    async def run(
        self, program: Program, problem: Problem, cases: Sequence[Case] | None = None, *, fresh: bool = False
    ) -> Execution:
        """Run a program on cases, or on all of the problem's.

        Args:
            program: The program.
            problem: Its mode, signature and limits; its cases if no others are given.
            cases: What to run it on.
            fresh: Give each case a process of its own. Without it cases may share one, where that is faster; the
                execution then says so, and may be asked for again with fresh ones.

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
        self._visible = visible(toolchains.installed(LANGUAGES.values()))
        self._precompiled: dict[str, Precompiled | None] = {}
        self._toolchains: dict[Language, str] = {}
        self._own_visible: dict[Language, Visible] = {}
        self._importable: set[tuple[str, int]] = set()
        self._compiled: OrderedDict[str, Compiled] = OrderedDict()
        self._compiled_bytes = 0
        self._encoded: OrderedDict[tuple[int, Language], tuple[Problem, bytes]] = OrderedDict()
        self._idle: list[Sandbox] = []
        self._busy: set[Sandbox] = set()
        self._loop: _InLoop | None = None
        self._closed = False

    def toolchain(self, language: str) -> str:
        """Versions of executor, interpreter or compiler, and its options, as a short string.

        Args:
            language: Name, alias, or path of a record.

        Raises:
            UserError: If the language is unknown, or its compiler is missing.
        """
        record = find_language(language)
        if record not in self._toolchains:
            self._toolchains[record] = toolchains.version(record, EXECUTOR_VERSION)
        return self._toolchains[record]

    async def run(
        self, program: Program, problem: Problem, cases: Sequence[Case] | None = None, *, fresh: bool = False
    ) -> Execution:
        """Run a program on cases, or on all of the problem's; see :class:`Executor`.

        Args:
            program: The program.
            problem: Its mode, signature and limits; its cases if no others are given.
            cases: What to run it on.
            fresh: Give each case a process of its own. Without it the cases of a Python program share one, which is
                many times faster; a program that keeps something from case to case may then pass by it, or fail.
                Cases of a compiled program have a process each in any case.
        """
        started = time.monotonic()
        chosen = problem.cases if cases is None else tuple(cases)
        if not program.source.strip():
            return self._execution(Compiled(Verdict.COMPILE_ERROR, NO_PROGRAM), [], len(chosen), started)
        record = find_language(program.language)
        self.toolchain(record.reference)
        inputs = self._inputs(record, problem, chosen)
        task = Task(program, record, problem, inputs, len(chosen), fresh, await self._precompile(record))
        folder = await self._packages(record, problem)
        async with self._in_loop().slots:
            trouble = ""
            for _ in range(2):
                if self._closed:
                    raise InfrastructureError("the executor was closed while a program was to be run")
                try:
                    sandbox = await self._take(self._shown(record, folder))
                except InfrastructureError as error:
                    trouble = str(error)
                    continue
                try:
                    compiled, results = await self._work(sandbox, task)
                except wire.BrokenWireError as error:
                    trouble = self._drop(sandbox) or str(error)
                    continue
                except BaseException:
                    self._drop(sandbox)
                    raise
                self._put_back(sandbox)
                execution = self._execution(compiled, results, len(chosen), started)
                return dataclasses.replace(execution, shared_process=task.in_one_process)
        raise InfrastructureError(f"the sandbox failed twice on one program: {trouble}")

    async def close(self) -> None:
        """End every sandbox, for good; what is being run fails."""
        self._closed = True
        for sandbox in [*self._idle, *self._busy]:
            sandbox.end()
        self._idle.clear()
        self._busy.clear()

    async def _precompile(self, record: Language) -> Precompiled | None:
        """See to it that sandboxes started from now on have what the language's programs are compiled with."""
        if record.precompiled_header is None or record.compile_command is None:
            return None
        async with self._in_loop().lock:
            if record.name not in self._precompiled:
                toolchain, command = self.toolchain(record.name), toolchains.compiler(record)
                made = await find_or_make(record, toolchain, command, self.report.isolation, self._visible)
                self._precompiled[record.name] = made
                if made is not None:
                    self._visible = dataclasses.replace(self._visible, headers=str(made.directory))
                    while self._idle:
                        self._idle.pop().end()
            return self._precompiled[record.name]

    def _in_loop(self) -> _InLoop:
        loop = asyncio.get_running_loop()
        if self._loop is None or self._loop.loop is not loop:
            self._loop = _InLoop(loop, asyncio.Semaphore(self.workers), asyncio.Lock())
        return self._loop

    async def _packages(self, record: Language, problem: Problem) -> str | None:
        """The folder of what a problem's programs in Python may import; None for the standard library alone."""
        if not problem.packages or record.runner != "python":
            return None
        from evaluators.packages import prepare, require_importable

        packages = await asyncio.to_thread(prepare, problem.packages)
        wanted = (packages.digest, problem.limits.memory_bytes)
        if wanted not in self._importable:
            self._importable.add(wanted)
            try:
                await require_importable(self, packages, problem)
            except BaseException:
                self._importable.discard(wanted)
                raise
        return packages.folder

    def _inputs(self, record: Language, problem: Problem, cases: tuple[Case, ...]) -> bytes:
        """The cases' inputs as the sandbox takes them; those of a problem's own are written once."""
        if cases is not problem.cases:
            return encode_inputs(record, problem, cases)
        key = (id(problem), record)
        if key not in self._encoded:
            while len(self._encoded) >= _PROBLEMS_KEPT:
                self._encoded.popitem(last=False)
            self._encoded[key] = (problem, encode_inputs(record, problem, cases))
        return self._encoded[key][1]

    def _shown(self, record: Language, packages: str | None) -> Visible:
        """What a sandbox must show for a language, with packages or without."""
        if record.path and record not in self._own_visible:
            programs = toolchains.installed([*LANGUAGES.values(), record])
            self._own_visible[record] = visible(programs, record.mounts)
        shown = self._own_visible[record] if record.path else self._visible
        return dataclasses.replace(shown, headers=self._visible.headers, packages=packages)

    async def _take(self, wanted: Visible) -> Sandbox:
        for sandbox in reversed(self._idle):
            if sandbox.visible == wanted:
                self._idle.remove(sandbox)
                break
        else:
            while self._idle and len(self._idle) + len(self._busy) >= self.workers:
                self._idle.pop(0).end()
            sandbox = await Sandbox.start(self.report.isolation, wanted)
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

    async def _work(self, sandbox: Sandbox, task: Task) -> tuple[Compiled, list[CaseResult]]:
        if task.in_one_process:
            return await compile_and_run_task(sandbox, task)
        compiled = await self._compile(sandbox, task)
        if compiled.failure is not None:
            return compiled, []
        return compiled, await run_task(sandbox, task, compiled.program)

    async def _compile(self, sandbox: Sandbox, task: Task) -> Compiled:
        key = f"{task.compile_key} {self.toolchain(task.language.reference)}"
        if key in self._compiled:
            self._compiled.move_to_end(key)
            return dataclasses.replace(self._compiled[key], cpu_seconds=0.0)
        compiled = await compile_task(sandbox, task)
        if compiled.failure is not Verdict.COMPILE_LIMIT:
            self._remember(key, compiled)
        return compiled

    def _remember(self, key: str, compiled: Compiled) -> None:
        if key in self._compiled:
            return
        self._compiled[key] = compiled
        self._compiled_bytes += len(compiled.program)
        while self._compiled_bytes > _CACHE_BYTES or len(self._compiled) > _CACHE_ENTRIES:
            self._compiled_bytes -= len(self._compiled.popitem(last=False)[1].program)

    def _execution(self, compiled: Compiled, results: Sequence[CaseResult], count: int, started: float) -> Execution:
        cases = tuple(results)
        if compiled.failure is not None:
            cases = (CaseResult(compiled.failure, detail=_first_line(compiled.output)),) * count
        cpu_seconds = compiled.cpu_seconds + sum(result.cpu_seconds for result in cases)
        wall_seconds = time.monotonic() - started
        return Execution(cases, compiled.output, compiled.cpu_seconds, cpu_seconds, wall_seconds, self.layers)


@dataclass(frozen=True)
class _InLoop:
    """What belongs to one event loop: an executor may serve several, one after the other."""

    loop: asyncio.AbstractEventLoop
    slots: asyncio.Semaphore
    lock: asyncio.Lock


def _first_line(text: str) -> str:
    lines = text.splitlines()
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")[:300]
