"""Verdicts: one sample on the official tests of its task."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from benchmarks.judging.checks import CheckedResult, run_checks
from benchmarks.judging.official_tests import OfficialTests
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Limits, Problem
from evaluators.verdict import Verdict

QUICK_SECONDS = 0.1
"""Processor time after which a program is looked at more closely; most right ones need a hundredth of it."""

REFERENCE_FACTOR = 4.0
"""A program may take so many times longer than the suite's own solution, however short the time limit is."""

CALL_SHARE = 1 / 3
"""The share of a program's time that it may use for one call, or for tests that are one program."""

MANY_INPUTS_FACTOR = 10
"""So many times longer it may take where a suite has hundreds of inputs for a task, as HumanEval+ and MBPP+ have."""

MEMORY_BYTES = 4 * 2**30
OUTPUT_BYTES = 2**26


@dataclass(frozen=True)
class SampleVerdict:
    """What became of a program.

    Attributes:
        passed: Whether it passes all tests.
        base_passed: Whether it passes the base tests; the same as ``passed`` where a suite has no others.
        validated_passed: Whether it passes all tests that the suite's own solution passes.
        verdict: ``"pass"``, or what became of the first case that it fails.
        case: Name of the first case that it fails; empty if there is none.
        cases: How many there are.
        detail: One line on the failure: exception, signal, limit.
        cpu_seconds: Processor time of all executions.
    """

    passed: bool
    base_passed: bool
    validated_passed: bool
    verdict: str
    case: str
    cases: int
    detail: str
    cpu_seconds: float


_LATE = frozenset({Verdict.TIMEOUT_CPU, Verdict.SKIPPED})
"""Verdicts that more processor time could change; standing still has the same limit each time."""


@dataclass(frozen=True)
class TimeLimits:
    """What a program may use, in seconds of processor time.

    Attributes:
        quick: For all tests, the first time that it is run.
        case: For one test.
        whole: For all tests.
        still: Seconds in which it may stand still.
    """

    quick: float
    case: float
    whole: float
    still: float


def time_limits(tests: OfficialTests, seconds: float) -> TimeLimits:
    """The limits of a task.

    All calls together have ``seconds``, and one call, or tests that are one program, :data:`CALL_SHARE` of that; both
    have at least :data:`REFERENCE_FACTOR` times what the suite's own solution took.
    """
    least = REFERENCE_FACTOR * tests.reference_seconds
    return TimeLimits(
        quick=max(least, QUICK_SECONDS),
        case=max(least, seconds * CALL_SHARE),
        whole=max(least, seconds * (MANY_INPUTS_FACTOR if tests.task.inputs else 1)),
        still=seconds,
    )


async def judge_program(executor: Executor, tests: OfficialTests, solution: str, seconds: float) -> SampleVerdict:
    """Judge a program: in little time first, since most need no more; what is late then has its whole time.

    Args:
        executor: Runs it, in a process of its own.
        tests: The tests of its task.
        solution: A whole program.
        seconds: The time limit.

    Raises:
        InfrastructureError: If the sandbox failed.
    """
    limits = time_limits(tests, seconds)
    if tests.only_checks:
        passed = SampleVerdict(True, True, True, str(Verdict.PASS), "", tests.count, "", 0.0)
        return await _checked(executor, tests, solution, limits, passed)
    results, spent = await _run(executor, tests, solution, limits, limits.quick, limits.quick)
    late = _late(tests, results) if limits.quick < limits.whole else None
    if late is not None and tests.calls:
        (result,), more = await _run(executor, tests, solution, limits, limits.case, limits.case, slice(late, late + 1))
        spent += more
        if not result.verdict.passed and tests.problem.cases[late].name not in tests.disputed:
            return _verdict(tests, [*results[:late], result], spent)
    if late is not None:
        results, more = await _run(executor, tests, solution, limits, limits.case, limits.whole)
        spent += more
    return await _checked(executor, tests, solution, limits, _verdict(tests, results, spent))


async def _run(
    executor: Executor,
    tests: OfficialTests,
    solution: str,
    limits: TimeLimits,
    case_seconds: float,
    whole_seconds: float,
    chosen: slice = slice(None),
) -> tuple[Sequence[CaseResult], float]:
    """Results of the chosen tests, and the processor time that they took."""
    problem = _limited(tests, case_seconds, whole_seconds, limits.still)
    part = dataclasses.replace(tests, problem=dataclasses.replace(problem, cases=problem.cases[chosen]))
    execution = await executor.run(tests.program(solution), part.problem)
    return part.results(execution), execution.cpu_seconds


async def _checked(
    executor: Executor, tests: OfficialTests, solution: str, limits: TimeLimits, verdict: SampleVerdict
) -> SampleVerdict:
    """The verdict after the checks, if there are any and it has not failed before."""
    if not (tests.checks and verdict.validated_passed):
        return verdict
    return _with_checks(tests, verdict, await run_checks(executor, tests, solution, _limits(limits)))


def _with_checks(tests: OfficialTests, verdict: SampleVerdict, checked: CheckedResult) -> SampleVerdict:
    spent = round(verdict.cpu_seconds + checked.cpu_seconds, 6)
    if not checked.failures:
        return dataclasses.replace(verdict, cpu_seconds=spent)
    name, result = checked.failures[0]
    return dataclasses.replace(
        verdict,
        passed=False,
        base_passed=False,
        validated_passed=all(name in tests.disputed for name, _ in checked.failures),
        verdict=verdict.verdict if verdict.case else str(result.verdict),
        detail=verdict.detail if verdict.case else result.detail[:300],
        case=verdict.case or name,
        cpu_seconds=spent,
    )


def judging_digest(task_digest: str, solution_digest: str, seconds: float, toolchain: str) -> str:
    """SHA-256 (hexadecimal) of all that a verdict depends on, so that a finished one need not be made again.

    Args:
        task_digest: As :func:`~benchmarks.judging.official_tests.task_digest` has it.
        solution_digest: Of the program.
        seconds: The time limit.
        toolchain: As the executor has it.
    """
    limits = [seconds, REFERENCE_FACTOR, CALL_SHARE, MANY_INPUTS_FACTOR, MEMORY_BYTES, OUTPUT_BYTES]
    return sha256(f"{task_digest} {solution_digest} {limits} {toolchain}".encode()).hexdigest()


def _limited(tests: OfficialTests, case_seconds: float, whole_seconds: float, still_seconds: float) -> Problem:
    return dataclasses.replace(
        tests.problem, limits=_limits(TimeLimits(0.0, case_seconds, whole_seconds, still_seconds))
    )


def _limits(limits: TimeLimits) -> Limits:
    return Limits(
        cpu_seconds=limits.case,
        wall_seconds=limits.still,
        memory_bytes=MEMORY_BYTES,
        output_bytes=OUTPUT_BYTES,
        total_cpu_seconds=limits.whole,
    )


def _late(tests: OfficialTests, results: Sequence[CaseResult]) -> int | None:
    """The first test that was late, if more time could make the program pass."""
    late = None
    for index, (case, result) in enumerate(zip(tests.problem.cases, results, strict=False)):
        if result.verdict in _LATE:
            late = index if late is None else late
        elif not result.verdict.passed and case.name not in tests.disputed:
            return None
    return late


def _verdict(tests: OfficialTests, results: Sequence[CaseResult], spent: float) -> SampleVerdict:
    """The verdict by results of the first tests, or of all; it has failed those that were not run."""
    cases = tests.problem.cases
    failing = [index for index, result in enumerate(results) if not result.verdict.passed]
    complete = len(results) == len(cases) > 0
    first = failing[0] if failing else None
    verdict = Verdict.PASS if first is None else results[first].verdict
    detail = "" if first is None else results[first].detail[:300]
    if verdict is Verdict.RUNTIME_ERROR and detail.startswith(("SyntaxError", "IndentationError", "TabError")):
        verdict = Verdict.COMPILE_ERROR
    return SampleVerdict(
        passed=complete and not failing,
        base_passed=len(results) >= tests.base_cases > 0 and not any(index < tests.base_cases for index in failing),
        validated_passed=complete and all(cases[index].name in tests.disputed for index in failing),
        verdict=str(verdict),
        case="" if first is None else cases[first].name,
        cases=tests.count,
        detail=detail,
        cpu_seconds=round(spent, 6),
    )
