"""Checks: tests in processes of their own, which call the program from outside (:mod:`evaluators.remote_check`)."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.judging.official_tests import OfficialTests
from benchmarks.suites.gate import joined_checks
from benchmarks.suites.task import calls_program
from evaluators.exceptions import UserError
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Limits
from evaluators.remote_check import CheckCode, check_remotely
from evaluators.verdict import Verdict


@dataclass(frozen=True)
class CheckedResult:
    """What came of a task's checks.

    Attributes:
        failures: Names of the checks that failed, each with its result, up to the first that the suite's own solution
            passes.
        cpu_seconds: Processor time of all processes.
    """

    failures: tuple[tuple[str, CaseResult], ...]
    cpu_seconds: float


async def run_checks(executor: Executor, tests: OfficialTests, solution: str, limits: Limits) -> CheckedResult:
    """Run all checks at once, and only if that fails, one by one.

    Args:
        executor: Runs them.
        tests: With checks.
        solution: A whole program.
        limits: Of the program.

    Raises:
        InfrastructureError: If the sandbox failed.
    """
    checks = tests.checks
    result = await _run(executor, tests, solution, joined_checks(checks), limits)
    if result.verdict.passed or len(checks) == 1:
        return CheckedResult(() if result.verdict.passed else ((checks[0].name, result),), result.cpu_seconds)
    spent, failures = result.cpu_seconds, []
    for check in checks:
        result = await _run(executor, tests, solution, check.code, limits)
        spent += result.cpu_seconds
        if not result.verdict.passed:
            failures.append((check.name, result))
            if check.name not in tests.disputed:
                break
    return CheckedResult(tuple(failures), spent)


async def _run(executor: Executor, tests: OfficialTests, solution: str, code: CheckCode, limits: Limits) -> CaseResult:
    program, name = calls_program(tests.task, solution), tests.task.entry_point
    try:
        return await check_remotely(executor, program, code, entry_point=name, limits=limits, confirmed=False)
    except UserError as error:  # a faulty test, which the suite's own solution fails, too
        return CaseResult(Verdict.WRONG_ANSWER, detail=" ".join(str(error).split()))
