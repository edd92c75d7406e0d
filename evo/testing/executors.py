"""The contract of executors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TypeVar

from evaluators.execution import CaseResult, Execution
from evaluators.executor import Executor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.verdict import Verdict
from evo.testing.contract import check_rules, require

_T = TypeVar("_T")

_LIMITS = Limits(cpu_seconds=0.5, wall_seconds=1.5, output_bytes=10_000)
_DOUBLE = "print(2 * int(input()))"
_FAILURES = {
    "raise ValueError('no')": (Verdict.RUNTIME_ERROR,),
    "import sys; sys.exit(3)": (Verdict.RUNTIME_ERROR, Verdict.EARLY_EXIT),
    "while True: pass": (Verdict.TIMEOUT_CPU, Verdict.TIMEOUT_WALL),
    "import time; time.sleep(60)": (Verdict.TIMEOUT_WALL,),
    "print('y' * 1_000_000)": (Verdict.OUTPUT_LIMIT,),
    "print('": (Verdict.COMPILE_ERROR, Verdict.RUNTIME_ERROR),
    "": (Verdict.COMPILE_ERROR,),
}
_LOOKS_AROUND = """
import os, sys
print(sys.argv, sorted(os.environ.values()), sys.stdin.read())
for name in sorted(os.listdir("."))[:20]:
    if os.path.isfile(name):
        print(open(name, errors="replace").read(200))
"""
_SECRET = "expected output 7f3a"  # noqa: S105 - what a program must not see


def check_executor(make: Callable[[], Executor]) -> None:
    """Check that an executor does what every executor must do, with small Python programs.

    This says nothing of how well it shuts untrusted programs in: see docs/threat-model.md for that.

    Args:
        make: Makes the executor; called for each rule.

    Raises:
        AssertionError: If it does not; one line a broken rule.

    Example:
        >>> from evaluators.executor import SandboxExecutor
        >>> check_executor(SandboxExecutor)  # doctest: +SKIP
    """
    check_rules("executor", _RULES, _Subject(make))


@dataclass(frozen=True)
class _Subject:
    make: Callable[[], Executor]
    problem: Problem = field(
        default_factory=lambda: Problem(
            "double",
            "Print twice the number.",
            "stdio",
            tuple(Case(f"{number}\n", _SECRET, f"case {number}") for number in range(5)),
            limits=_LIMITS,
        )
    )

    def within(self, work: Callable[[Executor], Coroutine[None, None, _T]]) -> _T:
        """Do some work with a fresh executor."""

        async def done() -> _T:
            executor = self.make()
            try:
                return await work(executor)
            finally:
                await executor.close()

        return asyncio.run(done())

    def run(self, *sources: str, cases: tuple[Case, ...] | None = None) -> list[Execution]:
        """Run Python programs, all at once."""

        async def work(executor: Executor) -> list[Execution]:
            programs = [Program(source, "python") for source in sources]
            return list(await asyncio.gather(*(executor.run(each, self.problem, cases) for each in programs)))

        return self.within(work)


def _says_what_it_is(subject: _Subject) -> None:
    """An executor tells its workers, its layers, and the toolchain of a language, always the same."""

    async def work(executor: Executor) -> tuple[int, object, tuple[str, str]]:
        return executor.workers, executor.layers, (executor.toolchain("python"), executor.toolchain("python"))

    workers, layers, toolchains = subject.within(work)
    require(isinstance(workers, int) and workers >= 1, f"Its workers are {workers!r}: at least 1 is needed.")
    names = isinstance(layers, tuple) and all(isinstance(layer, str) for layer in layers)
    require(names, f"Its layers are {layers!r}: a tuple of names is needed, empty for none.")
    require(
        bool(toolchains[0]) and toolchains[0] == toolchains[1],
        f"Its toolchain of Python is {toolchains[0]!r} and then {toolchains[1]!r}: executions stand under it.",
    )


def _runs_all_cases_in_order(subject: _Subject) -> None:
    """Each case has its result, in the order given, with what the program printed, and is not compared."""
    for cases in (subject.problem.cases, subject.problem.cases[3:0:-2], ()):
        results = subject.run(_DOUBLE, cases=None if len(cases) == 5 else cases)[0].cases
        require(len(results) == len(cases), f"Of {len(cases)} cases, it gave {len(results)} results.")
        for case, result in zip(cases, results, strict=True):
            expected = f"{2 * int(str(case.input))}\n"
            require(
                result.output == expected,
                f"With the input {case.input!r}, {_DOUBLE!r} printed {result.output!r}, and not {expected!r}: "
                "it mixes up cases, or loses output.",
            )
            require(
                result.verdict is Verdict.COMPLETED,
                f"{_DOUBLE!r} has the verdict {result.verdict!r}: whether an output is right is not the executor's to "
                "say, so COMPLETED.",
            )


def _failures_are_verdicts(subject: _Subject) -> None:
    """Whatever a program does is a verdict, and no exception."""
    for source, allowed in _FAILURES.items():
        execution = subject.run(source, cases=subject.problem.cases[:1])[0]
        require(len(execution.cases) == 1, f"{source!r} has {len(execution.cases)} results on one case.")
        result: CaseResult = execution.cases[0]
        require(
            result.verdict in allowed,
            f"{source!r} has the verdict {str(result.verdict)!r}, and not {' or '.join(map(str, allowed))}.",
        )


def _expected_outputs_are_out_of_reach(subject: _Subject) -> None:
    """A program cannot see what output is expected of it."""
    result = subject.run(_LOOKS_AROUND, cases=subject.problem.cases[:1])[0].cases[0]
    require(
        result.verdict is Verdict.COMPLETED,
        f"A program that looks around has the verdict {result.verdict!r}: {result.detail or result.stderr[-200:]}",
    )
    require(_SECRET not in str(result.output), "A program found the expected output in what it can look at.")


def _many_programs_do_not_mix(subject: _Subject) -> None:
    """Many programs at once each have their own results."""
    executions = subject.run(*(f"print({number}, input())" for number in range(6)), cases=subject.problem.cases[:2])
    for number, execution in enumerate(executions):
        outputs = [result.output for result in execution.cases]
        expected = [f"{number} {index}\n" for index in range(2)]
        require(outputs == expected, f"Program {number} of 6 printed {outputs}, and not {expected}.")


_RULES = (
    _says_what_it_is,
    _runs_all_cases_in_order,
    _failures_are_verdicts,
    _expected_outputs_are_out_of_reach,
    _many_programs_do_not_mix,
)
