"""Verdicts: one sample on the official tests of its task."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from benchmarks.judging.checks import CheckedResult, run_checks
from benchmarks.judging.endless import WATCHED_SECONDS, proof_of_no_end
from benchmarks.judging.official_tests import OfficialTests
from benchmarks.judging.self_contained import compares_as_usual, keeps_to_itself
from benchmarks.judging.together import run_together
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Limits, Problem
from evaluators.verdict import Verdict

QUICK_SECONDS = 0.1
"""Processor time after which a program is looked at more closely; most right ones need a hundredth of it."""

QUICK_CASE_SECONDS = 0.05
"""The same for one test, where many programs share a process."""

REFERENCE_FACTOR = 4.0
"""A program may take so many times longer than the suite's own solution, however short the time limit is."""

CALL_SHARE = 1 / 3
"""The share of a program's time that it may use for one call."""

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

    All tests together have ``seconds``, and one call :data:`CALL_SHARE` of that; both have at least
    :data:`REFERENCE_FACTOR` times what the suite's own solution took.
    """
    least = REFERENCE_FACTOR * tests.reference_seconds
    return TimeLimits(
        quick=max(least, QUICK_SECONDS),
        case=max(least, seconds * (CALL_SHARE if tests.calls else 1)),
        whole=max(least, seconds * (MANY_INPUTS_FACTOR if tests.task.inputs else 1)),
        still=seconds,
    )


async def judge_programs(
    executor: Executor, tests: OfficialTests, sources: Mapping[str, str], seconds: float
) -> AsyncIterator[tuple[str, SampleVerdict]]:
    """Judge programs, those that keep to themselves in one process, the others and what that leaves open alone.

    Args:
        executor: Runs them.
        tests: The tests of their task.
        sources: Solutions (whole programs) under their keys.
        seconds: The time limit.

    Yields:
        Each key with its verdict.

    Raises:
        InfrastructureError: If the sandbox failed.
    """
    limits = time_limits(tests, seconds)
    left = dict(sources)
    if tests.problem.mode == "function" or not tests.calls:
        joint = {
            key: source
            for key, source in sources.items()
            if tests.task.language == "python" and _is_safe(tests, source)
        }
        if len(joint) > 1:
            case_seconds = max(QUICK_CASE_SECONDS, REFERENCE_FACTOR * tests.reference_seconds)
            limited = dataclasses.replace(tests, problem=_limited(tests, case_seconds, limits.whole, limits.still))
            for key, results in (await run_together(executor, limited, joint, case_seconds, limits.whole)).items():
                source, spent = left.pop(key), sum(result.cpu_seconds for result in results)
                if results[-1].verdict in _LATE:
                    yield key, await judge_late(executor, tests, source, limits, results, spent)
                else:
                    yield key, await _checked(executor, tests, source, limits, _verdict(tests, results, spent))
    for key, source in left.items():
        yield key, await judge_program(executor, tests, source, limits)


def _is_safe(tests: OfficialTests, source: str) -> bool:
    """Whether a program can share a process with others, and with a program of tests if these are one."""
    return keeps_to_itself(source) and (tests.calls or compares_as_usual(source))


async def judge_program(executor: Executor, tests: OfficialTests, solution: str, limits: TimeLimits) -> SampleVerdict:
    """Judge a program in a process of its own: in little time first.

    Args:
        executor: Runs it.
        tests: The tests.
        solution: A whole program.
        limits: The time limits.

    Raises:
        InfrastructureError: If the sandbox failed.
    """
    if tests.checks and not tests.calls and not _is_safe(tests, solution):
        return await _judge_by_checks(executor, tests, solution, limits)
    results, spent = await _run(executor, tests, solution, limits, limits.quick, limits.quick, slice(1))
    first = tests.problem.cases[0].name
    if len(tests.problem.cases) > 1 and (results[0].verdict.passed or first in tests.disputed):
        results, more = await _run(executor, tests, solution, limits, limits.quick, limits.quick)
        spent += more
    if limits.quick < limits.whole and _is_open(tests, results):
        return await judge_late(executor, tests, solution, limits, results, spent)
    return await _checked(executor, tests, solution, limits, _verdict(tests, results, spent))


async def judge_late(
    executor: Executor,
    tests: OfficialTests,
    solution: str,
    limits: TimeLimits,
    results: Sequence[CaseResult],
    spent: float,
) -> SampleVerdict:
    """Judge a program that took too long for a first look: it has its whole time, unless it provably never ends.

    Args:
        executor: Runs it.
        tests: The tests.
        solution: A whole program.
        limits: The time limits.
        results: Of the first tests, one of them late.
        spent: Processor time up to now.

    Raises:
        InfrastructureError: If the sandbox failed.
    """
    index = next(index for index, result in enumerate(results) if result.verdict in _LATE)
    problem = _limited(tests, WATCHED_SECONDS, WATCHED_SECONDS, limits.still)
    reason, watched_seconds = await proof_of_no_end(executor, tests, problem, solution, problem.cases[index])
    if reason:
        late = dataclasses.replace(results[index], verdict=Verdict.TIMEOUT_CPU, detail=reason)
        return _verdict(tests, [*results[:index], late, *results[index + 1 :]], spent + watched_seconds)
    spent += watched_seconds
    if tests.calls:
        (late,), more = await _run(executor, tests, solution, limits, limits.case, limits.case, slice(index, index + 1))
        spent += more
        if not late.verdict.passed and problem.cases[index].name not in tests.disputed:
            return _verdict(tests, [*results[:index], late], spent)
    results, more = await _run(executor, tests, solution, limits, limits.case, limits.whole)
    return await _checked(executor, tests, solution, limits, _verdict(tests, results, spent + more))


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
    execution = await executor.run(tests.program_alone(solution), part.problem)
    return part.results(execution), execution.cpu_seconds


async def _checked(
    executor: Executor, tests: OfficialTests, solution: str, limits: TimeLimits, verdict: SampleVerdict
) -> SampleVerdict:
    """The verdict after the checks, if there are any and it has not failed before."""
    if not (tests.checks and tests.calls and verdict.validated_passed):
        return verdict
    return _with_checks(tests, verdict, await run_checks(executor, tests, solution, _limits(limits)))


async def _judge_by_checks(
    executor: Executor, tests: OfficialTests, solution: str, limits: TimeLimits
) -> SampleVerdict:
    """The verdict on a program that shall not come near the program of tests."""
    verdict = SampleVerdict(True, True, True, str(Verdict.PASS), "", tests.count, "", 0.0)
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


def _is_open(tests: OfficialTests, results: Sequence[CaseResult]) -> bool:
    """Whether more time could make the program pass."""
    late = False
    for case, result in zip(tests.problem.cases, results, strict=False):
        if result.verdict in _LATE:
            late = True
        elif not result.verdict.passed and case.name not in tests.disputed:
            return False
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
