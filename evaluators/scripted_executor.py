"""An executor that runs nothing: a function says what each program does. For tests, users' own too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluators.execution import CaseResult, Execution
from evaluators.problem import Case, Problem
from evaluators.program import Program


class ScriptedExecutor:
    """Answers every program from a function; satisfies :class:`~evaluators.executor.Executor`.

    Args:
        script: Says what a program does on a case. ``COMPLETED`` results are compared like those of a sandbox.
        workers: As an executor's.

    Attributes:
        runs: The programs run so far, in the order of their start.
    """

    def __init__(self, script: Callable[[Program, Case], CaseResult], workers: int = 1) -> None:
        self._script = script
        self.workers = workers
        self.layers: tuple[str, ...] = ("scripted",)
        self.runs: list[Program] = []

    def toolchain(self, language: str) -> str:
        """A fixed string a language."""
        return f"scripted {language}"

    async def run(
        self, program: Program, problem: Problem, cases: Sequence[Case] | None = None, *, fresh: bool = False
    ) -> Execution:
        """Ask the function about every case; there are no processes to be fresh."""
        self.runs.append(program)
        results = tuple(self._script(program, case) for case in (problem.cases if cases is None else cases))
        return Execution(results, cpu_seconds=sum(result.cpu_seconds for result in results), layers=self.layers)

    async def close(self) -> None:
        """Nothing is open."""
