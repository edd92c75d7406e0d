"""Together: many programs for one task in one process, as far as no program can notice another.

A process costs ten times what a call costs, and most samples are short functions that do nothing but compute. Those
that keep to themselves (:mod:`benchmarks.judging.self_contained`) share a process. Whatever ends in it by a limit or a
crash is judged anew in a process of its own, like all programs that open, patch or import more than that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from benchmarks.judging.official_tests import OfficialTests
from benchmarks.judging.texts import together
from evaluators.evaluate import compare
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.problem import Case, Problem
from evaluators.program import Program
from evaluators.signature import DataType, Signature
from evaluators.verdict import Verdict

MOST_TOGETHER = 25
"""Programs in one process; what a crash costs the others grows with it."""

_FINAL = frozenset({Verdict.PASS, Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR})
_MAYBE_OURS = ("RecursionError", "MemoryError")  # a shared process leaves a little less room


async def run_together(
    executor: Executor, tests: OfficialTests, sources: Mapping[str, str], case_seconds: float, whole_seconds: float
) -> dict[str, tuple[CaseResult, ...]]:
    """Run programs on the tests, all on the first one, and then those that pass it on the others.

    Args:
        executor: Runs them.
        tests: The tests.
        sources: Solutions (whole programs) under their keys; each keeps to itself.
        case_seconds: Processor time of one test.
        whole_seconds: Processor time of all tests of one program.

    Returns:
        Under the keys of most: results of the tests from the first on, to the first one that fails if the suite's own
        solution passes it, or that takes too long. Programs that ended in another way are left out.
    """
    cases = tests.problem.cases
    found: dict[str, list[CaseResult]] = {key: [] for key in sources}
    for part in (cases[:1], cases[1:]):
        keys = [key for key, results in found.items() if not _fails(tests, results) and not _is_late(results)]
        if not (part and keys):
            continue
        rows = await _run(executor, tests, {key: sources[key] for key in keys}, part, case_seconds)
        for key, row in zip(keys, rows, strict=True):
            late = next(
                (place for place, result in enumerate(row, 1) if result.verdict is Verdict.TIMEOUT_CPU), len(row)
            )
            found[key] += row[:late]
            is_slow = sum(result.cpu_seconds for result in found[key]) > whole_seconds
            if is_slow or not all(_is_final(result) or _is_late([result]) for result in row[:late]):
                del found[key]
    return {key: tuple(results) for key, results in found.items()}


def _is_late(results: Sequence[CaseResult]) -> bool:
    return bool(results) and results[-1].verdict is Verdict.TIMEOUT_CPU


def _is_final(result: CaseResult) -> bool:
    return result.verdict in _FINAL and not any(name in result.detail for name in _MAYBE_OURS)


def _fails(tests: OfficialTests, results: Sequence[CaseResult]) -> bool:
    return any(
        not result.verdict.passed and case.name not in tests.disputed
        for case, result in zip(tests.problem.cases, results, strict=False)
    )


async def _run(
    executor: Executor, tests: OfficialTests, sources: Mapping[str, str], cases: Sequence[Case], case_seconds: float
) -> list[list[CaseResult]]:
    """Results of the cases, for each program."""
    numbered = dict(enumerate(tests.program(source).source for source in sources.values()))
    called = [
        Case(
            (number, *(case.input if tests.calls else ())),
            case.expected if tests.calls else None,
            f"{number} {case.name}",
        )
        for number in numbered
        for case in cases
    ]
    anything = DataType("Any")
    names = ("number", *(f"argument_{place}" for place in range(1, len(called[0].input))))
    problem = Problem(
        name=tests.problem.name,
        description="",
        mode="function",
        cases=tuple(called),
        signature=Signature("run_program", tuple((name, anything) for name in names), anything),
        checker=tests.problem.checker,
        limits=dataclasses.replace(
            tests.problem.limits, cpu_seconds=case_seconds, total_cpu_seconds=case_seconds * len(called)
        ),
    )
    program = Program(together(numbered, tests.task.called if tests.calls else ""), "python")
    results = compare(await executor.run(program, problem), problem).execution.cases
    return [[*results[start : start + len(cases)]] for start in range(0, len(results), len(cases))]
