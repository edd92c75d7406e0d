"""The reference gate: does a suite's own solution pass a suite's own tests here?

What the canonical solution fails cannot be held against anybody. ``validated`` figures leave such tasks out; they are
listed with the reason, and figures over all tasks are reported beside them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.suites.task import (
    SuiteTask,
    calls_problem,
    calls_program,
    official_tests_problem,
    official_tests_program,
    passes_official_tests,
)
from evaluators.evaluate import compare
from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Case, Named
from evaluators.program import Program
from evaluators.verdict import Verdict


@dataclass(frozen=True)
class GateResult:
    """What became of the canonical solution of one task.

    Attributes:
        task_id: The task.
        failures: Names of the tests that it fails, each with the reason; empty if it passes.
        cases: What it was called with and has to return, without those of ``failures``; empty where the tests are a
            program.
        checker: Compares results of ``cases``.
    """

    task_id: str
    failures: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...] = ()
    checker: Named = Named("exact", {"python_equality": True})

    @property
    def passed(self) -> bool:
        """Whether the canonical solution passes all tests."""
        return not self.failures


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
    failures: list[tuple[str, str]] = []
    cases: tuple[Case, ...] = ()
    checker = task.checker
    program = calls_program(task, task.reference)
    if task.calls:
        problem = calls_problem(task, task.calls)
        evaluation = compare(await executor.run(program, problem), problem)
        failed = [not verdict.passed for verdict in evaluation.verdicts]
        failures += _reasons(task.calls, evaluation.execution.cases, failed)
        cases = tuple(case for case, is_failed in zip(task.calls, failed, strict=True) if not is_failed)
    elif task.tests.strip():
        execution = await executor.run(official_tests_program(task, task.reference), official_tests_problem(task))
        (result,) = execution.cases
        if result.verdict is Verdict.INFRA:
            raise InfrastructureError(f"the tests of {task.task_id} could not be run: {result.detail}")
        if not passes_official_tests(task, execution):
            failures.append(("tests", _reason(result, execution.compile_output)))
    if task.inputs:
        learned, checker, unanswered = await _learned(executor, task, program)
        failures += unanswered
        cases = (*cases, *learned)
    return GateResult(task.task_id, tuple(failures), cases, checker)


async def _learned(
    executor: Executor, task: SuiteTask, program: Program
) -> tuple[tuple[Case, ...], Named, list[tuple[str, str]]]:
    """The results of the canonical solution, how to compare them, and what it does not answer."""
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
    return learned, result_checker(task, expected), _reasons(cases, execution.cases, failed)


def _reasons(cases: Sequence[Case], results: Sequence[CaseResult], failed: Sequence[bool]) -> list[tuple[str, str]]:
    return [
        (case.name, _reason(result))
        for case, result, is_failed in zip(cases, results, failed, strict=True)
        if is_failed
    ]


def _reason(result: CaseResult, compile_output: str = "") -> str:
    first = next(iter(compile_output.strip().splitlines()), "")
    return f"{result.verdict}: {result.detail or first or 'no detail'}"
