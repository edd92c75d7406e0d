"""The reference gate: does a suite's own solution pass a suite's own tests here?

What the canonical solution fails cannot be held against anybody. ``validated`` figures leave such tests out; they are
listed with the reason, and figures over all tests are reported beside them.

    python -m benchmarks.suites.gate NAME [--data FILE] [--language NAME] [--json]

runs a suite's gate, prints both figures, and stores what failed (:mod:`benchmarks.suites.gate_file`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.suites.task import (
    Check,
    SuiteTask,
    calls_problem,
    calls_program,
    official_tests_problem,
    official_tests_program,
    passes_official_tests,
)
from evaluators.evaluate import compare
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Case, Named
from evaluators.program import Program
from evaluators.remote_check import CheckCode, check_remotely
from evaluators.verdict import Verdict


@dataclass(frozen=True)
class GateResult:
    """What became of the canonical solution of one task.

    Attributes:
        task_id: The task.
        failures: Names of the tests that it fails, each with the reason.
        cases: What it was called with and has to return, without those of ``failures``; empty where the tests are a
            program.
        checker: Compares results of ``cases``.
        cpu_seconds: Processor time that it took on all tests.
        not_run: Why it was not run: the file holds no solution, or no tests. Then nothing is known of the tests.
    """

    task_id: str
    failures: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...] = ()
    checker: Named = Named("exact", {"python_equality": True})
    cpu_seconds: float = 0.0
    not_run: str = ""

    @property
    def passed(self) -> bool:
        """Whether the canonical solution was run, and passes all tests."""
        return not (self.failures or self.not_run)


async def reference_gate(executor: Executor, tasks: Sequence[SuiteTask]) -> tuple[GateResult, ...]:
    """Run the canonical solution of each task on the official tests.

    Args:
        executor: Runs programs; it may run several at once.
        tasks: The tasks.

    Returns:
        One result a task, in the same order.

    Raises:
        InfrastructureError: If the executor fails.
    """
    gates = [asyncio.ensure_future(_gate(executor, task)) for task in tasks]
    try:
        return tuple(await asyncio.gather(*gates))
    finally:
        for gate in gates:
            gate.cancel()
        await asyncio.gather(*gates, return_exceptions=True)


async def _gate(executor: Executor, task: SuiteTask) -> GateResult:
    if not (task.reference.strip() and task.has_tests):
        return GateResult(
            task.task_id, (), not_run=f"the file holds no {'tests' if task.reference.strip() else 'solution'}"
        )
    failures: list[tuple[str, str]] = []
    cases: tuple[Case, ...] = ()
    checker, cpu_seconds = task.checker, 0.0
    program = calls_program(task, task.reference)
    if task.calls:
        problem = calls_problem(task, task.calls)
        evaluation = compare(await executor.run(program, problem), problem)
        cpu_seconds += evaluation.execution.cpu_seconds
        failed = [not verdict.passed for verdict in evaluation.verdicts]
        failures += _reasons(task.calls, evaluation.execution.cases, failed)
        cases = tuple(case for case, is_failed in zip(task.calls, failed, strict=True) if not is_failed)
    if task.checks:
        failed_checks, seconds = await _failed_checks(executor, task, program)
        cpu_seconds += seconds
        failures += failed_checks
    elif not task.calls and task.tests.strip():
        execution = await executor.run(official_tests_program(task, task.reference), official_tests_problem(task))
        cpu_seconds += execution.cpu_seconds
        (result,) = execution.cases
        if result.verdict is Verdict.INFRA:
            raise InfrastructureError(f"the tests of {task.task_id} could not be run: {result.detail}")
        if not passes_official_tests(task, execution):
            failures.append(("tests", _reason(result, execution.compile_output)))
    if task.inputs:
        learned, checker, unanswered, seconds = await _learned(executor, task, program)
        cpu_seconds += seconds
        failures += unanswered
        cases = (*cases, *learned)
    return GateResult(task.task_id, tuple(failures), cases, checker, cpu_seconds)


async def _failed_checks(executor: Executor, task: SuiteTask, program: Program) -> tuple[list[tuple[str, str]], float]:
    """The checks that a program fails, and the seconds it took: all at once, and one by one only if that fails."""
    limits = calls_problem(task, ()).limits

    async def run(code: CheckCode) -> CaseResult:
        try:
            name = task.entry_point
            return await check_remotely(executor, program, code, entry_point=name, limits=limits, confirmed=False)
        except UserError as error:
            return CaseResult(Verdict.WRONG_ANSWER, detail=str(error))  # a faulty test is told as any other

    result = await run(joined_checks(task.checks))
    if result.verdict.passed:
        return [], result.cpu_seconds
    if len(task.checks) == 1:
        return [(task.checks[0].name, _reason(result))], result.cpu_seconds
    results = [await run(check.code) for check in task.checks]
    failed = [not result.verdict.passed for result in results]
    reasons = [
        (check.name, _reason(result))
        for check, result, is_failed in zip(task.checks, results, failed, strict=True)
        if is_failed
    ]
    return reasons, sum(result.cpu_seconds for result in results)


def joined_checks(checks: Sequence[Check]) -> CheckCode:
    """One program that runs all checks, the first that fails ending it.

    Args:
        checks: Of one task, at least one.
    """
    first = checks[0].code
    return replace(first, source="\n".join(check.code.source for check in checks))


async def _learned(
    executor: Executor, task: SuiteTask, program: Program
) -> tuple[tuple[Case, ...], Named, list[tuple[str, str]], float]:
    """The results of the canonical solution, how to compare them, what it does not answer, and the seconds it took."""
    from benchmarks.suites.eval_plus import result_checker

    cases = tuple(Case(given, None, f"input-{number}") for number, given in enumerate(task.inputs, 1))
    execution = await executor.run(program, calls_problem(task, cases))
    failed = [not result.verdict.produced_output for result in execution.cases]
    for result in execution.cases:
        if result.verdict is Verdict.INFRA:
            raise InfrastructureError(f"{task.task_id} could not be run: {result.detail}")
    learned = tuple(
        replace(case, expected=result.output)
        for case, result, is_failed in zip(cases, execution.cases, failed, strict=True)
        if not is_failed
    )
    expected: list[Any] = [case.expected for case in learned]
    reasons = _reasons(cases, execution.cases, failed)
    return learned, result_checker(task, expected), reasons, execution.cpu_seconds


def _reasons(cases: Sequence[Case], results: Sequence[CaseResult], failed: Sequence[bool]) -> list[tuple[str, str]]:
    return [
        (case.name, _reason(result))
        for case, result, is_failed in zip(cases, results, failed, strict=True)
        if is_failed
    ]


def _reason(result: CaseResult, compile_output: str = "") -> str:
    first = next(iter(compile_output.strip().splitlines()), "")
    return f"{result.verdict}: {result.detail or first or 'no detail'}"


if __name__ == "__main__":
    from benchmarks.suites.gate_file import main

    raise SystemExit(main())
