"""Endless programs: those that provably never end need not be waited for."""

from __future__ import annotations

import re

from benchmarks.judging.official_tests import OfficialTests
from benchmarks.judging.texts import watched
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Case, Problem

WATCHED_SECONDS = 0.2
"""Processor time in which a proof must be found."""

_OUTSIDE = re.compile(
    r"signal|thread|trace|profile|asyncio|concurrent|multiprocessing|ctypes|weakref|__del__|inspect|gc\b"
)
_MARK = re.compile(r"this program never ends: a loop repeats itself on line (\d+)")


async def proof_of_no_end(
    executor: Executor, tests: OfficialTests, problem: Problem, solution: str, case: Case
) -> tuple[str, float]:
    """Run a program that is late on a case once more, and watch its loops (:mod:`benchmarks.judging.watcher`).

    Args:
        executor: Runs it.
        tests: The tests.
        problem: Theirs, with the limits to run it under.
        solution: A whole program.
        case: The first case in which it was late.

    Returns:
        Why it never ends, or an empty string if that is not known; and the processor time of the execution.
    """
    program = tests.program(solution)
    if program.language != "python" or _OUTSIDE.search(program.source):
        return "", 0.0
    execution = await executor.run(watched(program), problem, (case,))
    (result,) = execution.cases
    return _told(result), execution.cpu_seconds


def _told(result: CaseResult) -> str:
    mark = None if result.verdict.produced_output else _MARK.search(result.stderr)
    return "" if mark is None else f"never ends: a loop repeats itself on line {mark[1]}"
