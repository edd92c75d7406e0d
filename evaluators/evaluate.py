"""Evaluate: compare what a program did with what was expected, outside the sandbox."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from evaluators.checkers import build_checker
from evaluators.confirmation import cases_to_confirm, with_disagreements
from evaluators.error_functions import build_error_function, matching_share
from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Evaluation, Execution, with_values
from evaluators.named import is_own_code, own_code_digest
from evaluators.plain_data import PlainData, to_json
from evaluators.problem import Case, Named, Problem
from evaluators.program import Program
from evaluators.verdict import Verdict

if TYPE_CHECKING:
    from evaluators.executor import Executor

SMALLEST_ERROR = 1e-6
"""Error of a wrong output in which the error function sees no difference; wrong outputs score so far below 1."""

_JUDGES_KEPT = 8


def compare(execution: Execution, problem: Problem, cases: Sequence[Case] | None = None) -> Evaluation:
    """Turn what a program did into verdicts, errors and scores.

    The checker alone decides. A case that passes has errors 0 and score 1. A case with a wrong output has the errors
    that the error function gives; where these are all 0, each is :data:`SMALLEST_ERROR`. Its score is the share of
    lines (elements for a list or tuple) that match, below 1. A case without an output has the penalty in each column,
    and score 0.

    Args:
        execution: One result a case; cases that were compared before are compared anew.
        problem: Names the checker and the error function.
        cases: What was executed, in the same order; the problem's visible cases if left out.

    Raises:
        InfrastructureError: If a case failed for reasons outside the program, or the number of results is not that of
            the cases.
        UserError: If a checker or an error function of the user's own fails.
    """
    cases = problem.cases if cases is None else cases
    if len(execution.cases) != len(cases):
        raise InfrastructureError(f"an executor returned {len(execution.cases)} results for {len(cases)} cases")
    judge = _Judge.of(problem)
    columns, column_case = judge.columns_of(cases)
    results: list[CaseResult] = []
    errors = np.zeros(len(column_case), dtype=np.float64)
    scores = np.ones(len(cases), dtype=np.float64)
    at = 0
    for index, (case, result, width) in enumerate(zip(cases, execution.cases, columns, strict=True)):
        if judge.plainly_right(case, result):
            verdict = Verdict.PASS
        else:
            verdict, score, row = judge.decide(case, result)
            errors[at : at + width], scores[index] = row, score
        results.append(result if result.verdict is verdict else with_values(result, verdict=verdict))
        at += width
    return Evaluation(
        execution=replace(execution, cases=tuple(results)),
        errors=errors,
        column_case=column_case,
        evaluated=np.ones(len(errors), dtype=np.bool_),
        scores=scores,
    )


class _Judge:
    """A problem's checker and error function, built once for as long as the same problem is judged again and again."""

    _last: ClassVar[OrderedDict[int, _Judge]] = OrderedDict()

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._checker = build_checker(problem.checker)
        self._error_function = build_error_function(problem.error_function)
        self._own_checker = is_own_code(problem.checker.name)
        self._columns: tuple[list[int], NDArray[np.int64]] | None = None

    @classmethod
    def of(cls, problem: Problem) -> _Judge:
        """The judge of this very problem; one with code of the user's own, which may change, is built anew."""
        if is_own_code(problem.checker.name) or is_own_code(problem.error_function.name):
            return cls(problem)
        judge = cls._last.get(id(problem))
        if judge is None:
            judge = cls._last[id(problem)] = cls(problem)
            if len(cls._last) > _JUDGES_KEPT:
                cls._last.popitem(last=False)
        return judge

    def columns_of(self, cases: Sequence[Case]) -> tuple[list[int], NDArray[np.int64]]:
        """How many columns each case has, and which case each column belongs to."""
        if cases is not self._problem.cases:
            return self._count(cases)
        if self._columns is None:
            self._columns = self._count(cases)
        return self._columns[0], self._columns[1].copy()

    def _count(self, cases: Sequence[Case]) -> tuple[list[int], NDArray[np.int64]]:
        columns = [self._error_function.columns(case) for case in cases]
        return columns, np.repeat(np.arange(len(cases), dtype=np.int64), columns)

    def plainly_right(self, case: Case, result: CaseResult) -> bool:
        """Whether a case passes by any checker of ours: it came to its end with the very text or number expected."""
        kind = type(case.expected)
        same = (kind is str or kind is int) and type(result.output) is kind and result.output == case.expected
        return same and result.verdict.produced_output and not self._own_checker

    def decide(self, case: Case, result: CaseResult) -> tuple[Verdict, float, Sequence[float]]:
        """Verdict, score and errors of a case; see :func:`compare`."""
        if result.verdict is Verdict.INFRA:
            raise InfrastructureError(f"case {case.name!r} could not be executed: {result.detail or 'no detail given'}")
        error_function = self._error_function
        columns = error_function.columns(case)
        if not result.verdict.produced_output:
            return result.verdict, 0.0, [error_function.penalty] * columns
        if self._checker(case.expected, result.output, case.input):
            return Verdict.PASS, 1.0, [0.0] * columns
        score = min(matching_share(case.expected, result.output), 1 - SMALLEST_ERROR)
        row = [float(error) for error in error_function.errors(case.expected, result.output)]
        return Verdict.WRONG_ANSWER, score, row if any(row) else [SMALLEST_ERROR] * columns


async def evaluate(executor: Executor, program: Program, problem: Problem) -> Evaluation:
    """Run a program on the visible cases, and compare.

    Where the executor let the cases share a process, and all passed, they are confirmed with a fresh process each
    (:mod:`evaluators.confirmation`); a case that then does not pass has failed, and its detail says why.

    Raises:
        InfrastructureError: As :func:`compare`.
        UserError: As :func:`compare`.
    """
    evaluation = compare(await executor.run(program, problem), problem)
    if not (evaluation.solved and evaluation.execution.shared_process):
        return evaluation
    confirmed = cases_to_confirm(program, len(problem.cases))
    cases = tuple(problem.cases[index] for index in confirmed)
    fresh = await executor.run(program, problem, cases, fresh=True)
    verdicts = compare(fresh, problem, cases).verdicts
    return compare(with_disagreements(evaluation.execution, fresh, confirmed, verdicts), problem)


def execution_key(program: Program, problem: Problem, toolchain: str, cases: Sequence[Case] | None = None) -> str:
    """Digest of all that an evaluation depends on, so that equal programs share one.

    Names, descriptions and the place in the search are left out, as nothing depends on them.

    Args:
        program: The program.
        problem: What it is run on.
        toolchain: The executor's word for compiler and interpreter of that language.
        cases: Other cases than the problem's own.

    Returns:
        SHA-256, hexadecimal.

    Raises:
        InfrastructureError: If packages of the problem's are neither there nor to be had.
        UserError: If a file of the user's own that the problem names cannot be read.
    """
    return ExecutionKeys(problem, cases).of(program, toolchain)


class ExecutionKeys:
    """The keys of many programs on one problem; see :func:`execution_key`.

    Args:
        problem: What they are run on.
        cases: Other cases than the problem's own.

    Raises:
        UserError: If a file of the user's own that the problem names cannot be read.
    """

    def __init__(self, problem: Problem, cases: Sequence[Case] | None = None) -> None:
        self._problem_digest = _judging_digest(problem, problem.cases if cases is None else cases)

    def of(self, program: Program, toolchain: str) -> str:
        """The key of one program: SHA-256, hexadecimal."""
        return sha256(f"{program.digest}\0{toolchain}\0{self._problem_digest}".encode()).hexdigest()


def _judging_digest(problem: Problem, cases: Sequence[Case]) -> str:
    parts = {
        "mode": problem.mode,
        "signature": str(problem.signature) if problem.signature else None,
        "limits": asdict(problem.limits),
        "checker": _identity(problem.checker),
        "error_function": _identity(problem.error_function),
        "cases": [[to_json(case.input), to_json(case.expected)] for case in cases],
    }
    if problem.packages:
        from evaluators.packages import prepare

        parts["packages"] = prepare(problem.packages).digest
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _identity(named: Named) -> PlainData:
    name = own_code_digest(named.name) if is_own_code(named.name) else named.name
    return [name, to_json(dict(named.options))]
