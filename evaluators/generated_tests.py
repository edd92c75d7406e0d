"""How good generated tests are: their accuracy, and what they cover, both by running them on a reference solution.

Test accuracy is the share of generated assertions that the reference satisfies, and coverage how much of the reference
they reach (D. Huang et al., "AgentCoder", arXiv:2312.13010, section on test cases). The paper gives no formulas; these
are ours, and say what is counted. Everything runs in the sandbox, each assertion in a process of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

from evaluators.coverage import Coverage, CoveredProgram, covered_program
from evaluators.exceptions import InfrastructureError
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.python_text import parse_python
from evaluators.signature import Signature
from evaluators.verdict import Verdict

if TYPE_CHECKING:
    from evaluators.execution import CaseResult
    from evaluators.executor import Executor

_SIGNATURE = Signature.parse("_evo_assertion(context: str, assertion: str) -> Any")


@dataclass(frozen=True)
class TestScript:
    """A generated test, taken apart.

    Attributes:
        context: Its other statements at the top level, such as imports: executed before each assertion.
        assertions: The sources of its ``assert`` statements at the top level, in order.
    """

    __test__ = False  # pytest takes it for tests

    context: str
    assertions: tuple[str, ...]


def read_test_script(text: str) -> TestScript:
    """Take a generated test apart.

    Assertions inside of functions or blocks are context. Of a text that does not parse, each line that begins with
    ``assert`` is an assertion (which may not parse either, and then fails), and there is no context.
    """
    tree = parse_python(text)
    if tree is None:
        lines = [line.strip() for line in text.splitlines()]
        return TestScript("", tuple(line for line in lines if line.startswith(("assert ", "assert("))))
    assertions = tuple(ast.unparse(node) for node in tree.body if isinstance(node, ast.Assert))
    context = "\n".join(ast.unparse(node) for node in tree.body if not isinstance(node, ast.Assert))
    return TestScript(context, assertions)


@dataclass(frozen=True)
class AssertionResult:
    """What came of one assertion on the reference solution.

    Attributes:
        holds: Whether it ran to its end, and the reference satisfies it. One that does not parse, raises something,
            runs out of time or leaves the interpreter does not hold.
        detail: Why it does not hold.
        coverage: What it reached; nothing where it was stopped before its end.
    """

    holds: bool
    detail: str
    coverage: Coverage


@dataclass(frozen=True)
class TestedTask:
    """What came of a task's generated tests on its reference solution.

    Attributes:
        scripts: For each script, one result an assertion.
        untouched: The reference's coverage by nothing at all.
    """

    __test__ = False

    scripts: tuple[tuple[AssertionResult, ...], ...]
    untouched: Coverage

    @property
    def assertions(self) -> tuple[AssertionResult, ...]:
        """The results of all scripts."""
        return tuple(result for script in self.scripts for result in script)

    def coverage(self, *, only_holding: bool = False) -> Coverage:
        """What the task's assertions reach, all scripts together.

        Args:
            only_holding: Leave out those that do not hold.
        """
        counted = [result.coverage for result in self.assertions if result.holds or not only_holding]
        return reduce(or_, counted, self.untouched)


@dataclass(frozen=True)
class Shares:
    """A share of many, in two means.

    Attributes:
        micro: All hits over all that was counted, in ``[0, 1]``; None if nothing was counted.
        macro: The mean of the groups' own shares, in ``[0, 1]``; None if no group has any.
        empty_groups: Groups without anything to count: they are no part of ``macro``.
    """

    micro: float | None
    macro: float | None
    empty_groups: int


def shares(groups: Sequence[tuple[int, int]]) -> Shares:
    """Micro and macro mean of a share.

    Args:
        groups: For each group (such as a task), its hits and how many were counted.

    Raises:
        ValueError: If a group has more hits than were counted, or fewer than 0.
    """
    for hits, counted in groups:
        if not 0 <= hits <= counted:
            raise ValueError(f"{hits} hits of {counted}: it must be 0 to {counted}")
    total = sum(counted for _, counted in groups)
    own = [hits / counted for hits, counted in groups if counted]
    return Shares(
        micro=sum(hits for hits, _ in groups) / total if total else None,
        macro=sum(own) / len(own) if own else None,
        empty_groups=len(groups) - len(own),
    )


def assertion_accuracy(tasks: Sequence[TestedTask]) -> Shares:
    """Test accuracy: assertions that hold over all assertions that were generated; a group is a task."""
    return shares([(sum(r.holds for r in task.assertions), len(task.assertions)) for task in tasks])


def script_accuracy(tasks: Sequence[TestedTask]) -> Shares:
    """Scripts all of whose assertions hold, over all scripts; one without any assertion counts as wrong."""
    return shares(
        [
            (sum(bool(script) and all(r.holds for r in script) for script in task.scripts), len(task.scripts))
            for task in tasks
        ]
    )


def line_coverage(tasks: Sequence[TestedTask], *, only_holding: bool = False) -> Shares:
    """Lines of the references that a task's assertions together execute, over their lines; a group is a task.

    A task without assertions covers nothing, and counts.
    """
    found = [task.coverage(only_holding=only_holding) for task in tasks]
    return shares([(len(coverage.reached_lines), len(coverage.lines)) for coverage in found])


def branch_coverage(tasks: Sequence[TestedTask], *, only_holding: bool = False) -> Shares:
    """Branches that a task's assertions together take, over their branches; as :func:`line_coverage`."""
    found = [task.coverage(only_holding=only_holding) for task in tasks]
    return shares([(len(coverage.taken_branches), len(coverage.branches)) for coverage in found])


async def run_generated_tests(
    executor: Executor,
    reference: Program,
    scripts: Sequence[str],
    entry_point: str,
    *,
    limits: Limits | None = None,
) -> TestedTask:
    """Run a task's generated tests on its reference solution.

    Args:
        executor: Runs programs.
        reference: The canonical solution, a whole Python program.
        scripts: Generated test scripts: any texts.
        entry_point: Name of the function that they test: coverage is that of its body.
        limits: Of each assertion, the usual ones if left out; the limit on all together is not used.

    Raises:
        ValueError: If the reference is no Python program that defines the entry point.
        InfrastructureError: If the sandbox failed.
    """
    if reference.language != "python":
        raise ValueError(f"generated tests run on Python programs, and the reference is in {reference.language!r}")
    covered = covered_program(reference.source, entry_point)
    read = [read_test_script(script) for script in scripts]
    cases = tuple(
        Case((script.context, assertion), None, f"script-{number}-assertion-{place}")
        for number, script in enumerate(read, 1)
        for place, assertion in enumerate(script.assertions, 1)
    )
    results: list[CaseResult] = []
    if cases:
        each = limits or Limits()
        limits = replace(each, total_cpu_seconds=(each.cpu_seconds + 1) * len(cases))
        problem = Problem("generated tests", "", "function", cases, signature=_SIGNATURE, limits=limits)
        program = Program(f"{covered.source}\n\n{_caller()}", "python")
        results += (await executor.run(program, problem, fresh=True)).cases
    outcomes = iter([_result(result, covered) for result in results])
    return TestedTask(tuple(tuple(next(outcomes) for _ in script.assertions) for script in read), covered.coverage(()))


def _result(result: CaseResult, covered: CoveredProgram) -> AssertionResult:
    if result.verdict is Verdict.INFRA:
        raise InfrastructureError(f"a generated test could not be run: {result.detail or 'no detail given'}")
    match result.output:
        case [bool(holds), str(failure), list(reached)] if result.verdict.produced_output:
            numbers = [number for number in reached if type(number) is int]
            return AssertionResult(holds, failure, covered.coverage(numbers))
    return AssertionResult(False, result.detail or str(result.verdict), covered.coverage(()))


@cache
def _caller() -> str:
    return Path(__file__).with_name("assertion_call.py").read_text(encoding="utf-8")
