"""The official tests of a task, ready for any number of samples."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from benchmarks.suites.gate import GateResult, reference_gate
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
from evaluators.execution import CaseResult, Execution
from evaluators.executor import Executor
from evaluators.plain_data import to_json
from evaluators.problem import Problem
from evaluators.program import Program
from evaluators.verdict import Verdict


@dataclass(frozen=True)
class OfficialTests:
    """The tests of one task.

    Attributes:
        task: The task.
        problem: What a program is run on: calls with their results, or a program of tests.
        calls: Whether it is calls; in mode ``stdio``, inputs and outputs.
        base_cases: How many of the cases, the first ones, are the suite's base tests; all where it has no others.
        checks: Tests in processes of their own, after the calls; where there are any, a program of tests is not run.
        disputed: Names of the tests that the suite's own solution fails.
        reference_seconds: Processor time that the suite's own solution took.
    """

    task: SuiteTask
    problem: Problem
    calls: bool
    base_cases: int
    checks: tuple[Check, ...]
    disputed: frozenset[str]
    reference_seconds: float

    @property
    def count(self) -> int:
        """How many tests there are."""
        return len(self.checks) + (0 if self.only_checks else len(self.problem.cases))

    @property
    def only_checks(self) -> bool:
        """Whether the checks are all there is."""
        return bool(self.checks) and not self.calls

    def program(self, solution: str) -> Program:
        """What is run for a solution (a whole program)."""
        if self.calls:
            return calls_program(self.task, solution)
        program = official_tests_program(self.task, solution)
        return _as_module(program) if program.language == "python" else program

    def results(self, execution: Execution) -> tuple[CaseResult, ...]:
        """One final result a case.

        Raises:
            InfrastructureError: If a case failed for reasons outside the program.
        """
        if self.calls:
            return compare(execution, self.problem).execution.cases
        (result,) = execution.cases
        if result.verdict is Verdict.INFRA:
            raise InfrastructureError(f"the tests of {self.task.task_id} could not be run: {result.detail}")
        if passes_official_tests(self.task, execution):
            return (CaseResult(Verdict.PASS, cpu_seconds=result.cpu_seconds, memory_bytes=result.memory_bytes),)
        if result.verdict.produced_output:
            detail = "the program ended before the tests did"
            return (CaseResult(Verdict.EARLY_EXIT, detail=detail, cpu_seconds=result.cpu_seconds),)
        return (result,)


async def learn_official_tests(executor: Executor, task: SuiteTask) -> tuple[OfficialTests, GateResult]:
    """The tests of a task, and what the suite's own solution makes of them.

    Inputs of HumanEval+ and MBPP+ that the suite's own solution does not answer have no right result, and are left
    out; MBPP+'s assertion is not run beside its inputs, as in its own harness.

    Raises:
        InfrastructureError: If the sandbox failed.
        UserError: If the suite's file has no tests for the task.
    """
    if not task.has_tests:
        raise UserError(f"{task.task_id} has no tests in this file of the suite: nothing can be judged on it")
    checks = () if task.inputs else task.checks
    (gate,) = await reference_gate(executor, [task])
    disputed = frozenset(name for name, _ in gate.failures)
    if task.inputs:
        cases = tuple(case for case in gate.cases if case.name.startswith("input-"))
        base = sum(int(case.name.partition("-")[2]) <= (task.base_inputs or len(task.inputs)) for case in cases)
        problem = calls_problem(task, cases, gate.checker)
    elif task.calls:
        problem, base = calls_problem(task, task.calls), len(task.calls)
    else:
        problem, base = official_tests_problem(task), 1
    calls = bool(task.inputs or task.calls)
    return OfficialTests(task, problem, calls, base, checks, disputed, gate.cpu_seconds), gate


def _as_module(program: Program) -> Program:
    """The program, so that it does not take itself for a script that was started, as the suites' harnesses have it."""
    names = {"__name__": "solution"}
    return Program(f"exec(compile({program.source!r}, 'solution.py', 'exec'), {names!r})\n", program.language)


def task_digest(task: SuiteTask) -> str:
    """SHA-256 (hexadecimal) of all that a verdict on the task may depend on."""
    calls = [[case.name, to_json(case.input), to_json(case.expected)] for case in task.calls]
    checker = [task.checker.name, to_json(dict(task.checker.options))]
    texts = [task.task_id, task.language, task.head, task.entry_point, task.reference, task.tests, task.adapter]
    checks = [[check.name, *vars(check.code).values()] for check in task.checks]
    numbers = [task.base_inputs, task.tolerance, task.mode]
    parts = [texts, calls, checker, checks, [to_json(given) for given in task.inputs], numbers]
    return sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def dataset_digest(tasks: Sequence[SuiteTask]) -> str:
    """SHA-256 (hexadecimal) of what a suite's file says, in its order, however it is packed and used here."""
    rows = [
        [
            *(task.task_id, task.language, task.prompt, task.head, task.entry_point, task.reference, task.tests),
            [to_json(given) for given in task.inputs],
            [[to_json(case.input), to_json(case.expected)] for case in task.calls if not task.tests],
        ]
        for task in tasks
    ]
    return sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()
