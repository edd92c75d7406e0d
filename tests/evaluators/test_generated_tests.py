"""Accuracy and coverage of generated tests."""

from __future__ import annotations

import ast
import asyncio
import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Execution
from evaluators.executor import SandboxExecutor
from evaluators.generated_tests import (
    assertion_accuracy,
    branch_coverage,
    line_coverage,
    read_test_script,
    run_generated_tests,
    script_accuracy,
    shares,
)
from evaluators.problem import Limits
from evaluators.program import Program
from evaluators.verdict import Verdict

HUMAN_EVAL = Path(os.environ.get("EVO_TEST_DATA", "")) / "humaneval" / "HumanEval.jsonl.gz"

SIGN = '''from __future__ import annotations

def sign(x: int) -> int:
    """The sign."""
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0
'''
REFERENCE = Program(SIGN, "python")


@pytest.fixture(scope="module")
def executor():
    try:
        built = SandboxExecutor()
    except InfrastructureError as error:
        pytest.skip(f"needs the sandbox: {error}")
    yield built
    asyncio.run(built.close())


def outcome_of(executor, *scripts, reference=REFERENCE, entry_point="sign", **options):
    return asyncio.run(run_generated_tests(executor, reference, scripts, entry_point, **options))


def test_a_script_is_taken_apart():
    script = read_test_script("import math\nassert f(1) == 2, 'no'\nif True:\n    assert False\nassert  f( 2 )\n")
    assert script.assertions == ("assert f(1) == 2, 'no'", "assert f(2)")
    assert "import math" in script.context
    assert "if True" in script.context


def test_of_a_script_that_does_not_parse_each_line_may_be_an_assertion():
    script = read_test_script("Here are tests:\nassert f(1) == 2\n  assert(f(2))\nassert f(\nassertive\n")
    assert script.assertions == ("assert f(1) == 2", "assert(f(2))", "assert f(")
    assert script.context == ""


def test_accuracy_counts_assertions_and_scripts(executor):
    first = outcome_of(
        executor,
        "assert sign(5) == 1\nassert sign(-5) == 1\nassert sign(0) == undefined\nassert sign(0) == 0",
        "limit = 3\nassert sign(limit) == 1",
        "no assertion here",
        "assert sign(2) == 1\nassert sign(",
    )
    second = outcome_of(executor, "assert sign(1) == 1")
    third = outcome_of(executor)
    assert [[result.holds for result in script] for script in first.scripts] == [
        [True, False, False, True],
        [True],
        [],
        [True, False],
    ]
    assert [result.detail for result in first.scripts[0][1:3]] == [
        "AssertionError",
        "NameError: name 'undefined' is not defined",
    ]
    accuracy = assertion_accuracy([first, second, third])
    assert (accuracy.micro, accuracy.macro, accuracy.empty_groups) == (5 / 8, (4 / 7 + 1) / 2, 1)
    by_script = script_accuracy([first, second, third])
    assert (by_script.micro, by_script.macro, by_script.empty_groups) == (2 / 5, (1 / 4 + 1) / 2, 1)


def test_coverage_is_that_of_the_union_and_a_task_without_tests_covers_nothing(executor):
    task = outcome_of(executor, "assert sign(5) == 1", "assert sign(-5) == 1")
    coverage = task.coverage()
    assert sorted(coverage.lines) == [5, 6, 7, 8, 9]
    assert sorted(coverage.reached_lines) == [5, 6, 7, 8]
    assert coverage.branch_coverage == 3 / 4
    assert task.coverage(only_holding=True).line_coverage == 2 / 5
    nothing = outcome_of(executor)
    assert nothing.coverage().line_coverage == 0
    lines, branches = line_coverage([task, nothing]), branch_coverage([task, nothing])
    assert (lines.micro, lines.macro) == (4 / 10, (4 / 5 + 0) / 2)
    assert (branches.micro, branches.macro) == (3 / 8, (3 / 4 + 0) / 2)
    assert line_coverage([task], only_holding=True).micro == 2 / 5


@pytest.mark.parametrize(
    "assertion",
    [
        "assert sign(1) or True if __import__('os')._exit(0) else 0",
        "assert exit()",
        "assert [1 for _ in iter(int, 1)]",
        "assert '' * sign([])",
        "assert (lambda f: f(f))(lambda f: f(f))",
        "assert __import__('ctypes').string_at(0)",
    ],
)
def test_what_does_not_come_to_its_end_does_not_hold_and_hurts_no_other(executor, assertion):
    quick = replace(Limits(), cpu_seconds=0.5)
    task = outcome_of(executor, f"assert sign(1) == 1\n{assertion}\nassert sign(0) == 0", limits=quick)
    assert [result.holds for result in task.assertions] == [True, False, True]
    assert task.assertions[1].detail
    assert task.coverage().reached_lines >= {5, 6, 7, 9}


def test_what_an_assertion_leaves_behind_is_gone_for_the_next(executor):
    task = outcome_of(executor, "assert globals().update(sign=None) is None\nassert sign(1) == 1")
    assert [result.holds for result in task.assertions] == [True, True]


def test_forged_numbers_are_only_those_of_lines_that_exist(executor):
    forged = "assert _evo_reached.update([-1, 5, 10 ** 9, True, 'x', 0, 1, 2]) is None"
    failing = outcome_of(executor, forged).assertions[0]
    assert not failing.holds  # numbers and texts do not sort
    task = outcome_of(executor, "assert _evo_reached.update(range(-5, 99)) is None")
    assert task.coverage().line_coverage == 1


def test_a_reference_without_the_function_is_an_error(executor):
    with pytest.raises(ValueError, match="defines no 'missing'"):
        outcome_of(executor, entry_point="missing")
    with pytest.raises(ValueError, match="parses"):
        outcome_of(executor, reference=Program("def sign(", "python"))
    with pytest.raises(ValueError, match="'cpp'"):
        outcome_of(executor, reference=Program("int sign(int);", "cpp"))


def test_a_failure_of_the_sandbox_is_no_result():
    class Broken:
        async def run(self, program, problem, cases=None, *, fresh=False):
            return Execution((CaseResult(Verdict.INFRA, detail="no disk"),))

    with pytest.raises(InfrastructureError, match="no disk"):
        outcome_of(Broken(), "assert sign(1) == 1")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (min(pair), max(pair)))))
def test_shares_lie_between_the_extremes_of_their_groups(groups):
    found = shares(groups)
    own = [hits / counted for hits, counted in groups if counted]
    assert found.empty_groups == len(groups) - len(own)
    for mean in (found.micro, found.macro):
        assert mean is None if not own else min(own) - 1e-9 <= mean <= max(own) + 1e-9


def test_more_hits_than_were_counted_are_an_error():
    with pytest.raises(ValueError, match="3 hits of 2"):
        shares([(3, 2)])


@pytest.mark.skipif(not HUMAN_EVAL.is_file(), reason="needs humaneval/HumanEval.jsonl.gz: set EVO_TEST_DATA")
def test_the_assertions_of_human_eval_hold_and_cover_the_canonical_solutions(executor):
    with gzip.open(HUMAN_EVAL, "rt") as file:
        records = [json.loads(line) for line in file][:30:3]

    async def run():
        return await asyncio.gather(*(run_generated_tests(executor, *arguments(record)) for record in records))

    def arguments(record):
        name = record["entry_point"]
        (check,) = (node for node in ast.parse(record["test"]).body if getattr(node, "name", "") == "check")
        asserts = [ast.unparse(node) for node in check.body if isinstance(node, ast.Assert)]
        script = "\n".join([f"candidate = {name}", *asserts])
        return Program(record["prompt"] + record["canonical_solution"], "python"), [script], name

    tasks = asyncio.run(run())
    assert assertion_accuracy(tasks).micro == 1
    assert script_accuracy(tasks).micro == 1
    assert line_coverage(tasks).macro > 0.95
    assert branch_coverage(tasks).macro > 0.9
