from __future__ import annotations

import asyncio
import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import evaluators
from evaluators.evaluate import SMALLEST_ERROR, compare, evaluate, execution_key
from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Execution
from evaluators.problem import Case, Limits, Named, Problem
from evaluators.program import Program
from evaluators.signature import Signature
from evaluators.verdict import Verdict

CASES = (Case("1\n", "1\n2\n", "a"), Case("2\n", "5\n6\n", "b"), Case("3\n", "7\n8\n", "c"))
PROBLEM = Problem("p", "words", "stdio", CASES, error_function=Named("absolute_difference"))
PROGRAM = Program("print(1)", "python")


def ran(*results):
    return Execution(tuple(results))


def completed(output):
    return CaseResult(Verdict.COMPLETED, output)


def test_verdicts_errors_and_scores():
    evaluation = compare(
        ran(completed("1\n2\n"), completed("5\n9\n"), CaseResult(Verdict.TIMEOUT_CPU, detail="2 s")), PROBLEM
    )
    assert evaluation.verdicts == (Verdict.PASS, Verdict.WRONG_ANSWER, Verdict.TIMEOUT_CPU)
    assert evaluation.errors.tolist() == [0, 0, 0, 3, 1e6, 1e6]
    assert evaluation.column_case.tolist() == [0, 0, 1, 1, 2, 2]
    assert evaluation.evaluated.tolist() == [True] * 6
    assert evaluation.scores.tolist() == [1, 0.5, 0]
    assert (evaluation.errors.dtype, evaluation.column_case.dtype) == (np.float64, np.int64)
    assert not evaluation.solved
    assert evaluation.failing() == (2, 1)


def test_each_case_is_compared_with_its_own_expectation():
    evaluation = compare(ran(*(completed("7\n8\n") for _ in CASES)), PROBLEM)
    assert [verdict.passed for verdict in evaluation.verdicts] == [False, False, True]


@pytest.mark.parametrize("name", ["mismatch", "lines", "absolute_difference", "levenshtein"])
@pytest.mark.parametrize("output", ["1\n2\n", "1\n2 \n", "1\n2\nx", "1.0\n2\n", "", "\n1\n2", "12"])
def test_errors_are_all_zero_if_and_only_if_the_case_passes(name, output):
    problem = dataclasses.replace(PROBLEM, error_function=Named(name), cases=CASES[:1])
    evaluation = compare(ran(completed(output)), problem)
    assert evaluation.solved == (not evaluation.errors.any())
    assert (evaluation.scores[0] == 1) == evaluation.solved


def test_a_difference_that_the_error_function_does_not_see_still_counts():
    evaluation = compare(ran(completed("1.0\n2\n")), PROBLEM, CASES[:1])
    assert evaluation.verdicts == (Verdict.WRONG_ANSWER,)
    assert evaluation.errors.tolist() == [SMALLEST_ERROR] * 2


def test_a_checker_that_accepts_makes_every_error_zero():
    problem = dataclasses.replace(PROBLEM, checker=Named("numbers"), error_function=Named("levenshtein"))
    evaluation = compare(ran(completed("1.0 2")), problem, CASES[:1])
    assert evaluation.solved
    assert evaluation.errors.tolist() == [0]


@pytest.mark.parametrize(
    "verdict", [v for v in Verdict if not v.produced_output and v is not Verdict.INFRA], ids=lambda v: v.value
)
def test_a_case_without_output_has_the_penalty_even_if_some_output_is_there(verdict):
    evaluation = compare(ran(CaseResult(verdict, output="1\n2\n")), PROBLEM, CASES[:1])
    assert evaluation.verdicts == (verdict,)
    assert evaluation.errors.tolist() == [1e6, 1e6]
    assert evaluation.scores.tolist() == [0]


def test_infrastructure_trouble_is_never_scored():
    with pytest.raises(InfrastructureError, match=r"'b'.*no space left"):
        compare(ran(completed("1\n2\n"), CaseResult(Verdict.INFRA, detail="no space left"), completed("")), PROBLEM)
    with pytest.raises(InfrastructureError, match="1 results for 3 cases"):
        compare(ran(completed("")), PROBLEM)


def test_comparing_again_changes_nothing():
    once = compare(ran(completed("1\n2\n"), completed("5\n9\n"), CaseResult(Verdict.CRASH)), PROBLEM)
    again = compare(once.execution, PROBLEM)
    assert again.execution == once.execution
    assert again.errors.tolist() == once.errors.tolist()


def test_no_cases_are_not_a_solution():
    evaluation = compare(ran(), PROBLEM, ())
    assert not evaluation.solved
    assert evaluation.errors.shape == evaluation.scores.shape == (0,)


def test_tuples_score_by_element():
    problem = Problem("p", "", "function", (Case((1,), (1, 2, 3, 4), "a"),))
    assert compare(ran(completed((1, 2, 3, 5))), problem).scores.tolist() == [0.75]
    assert compare(ran(completed([1, 2, 3, 4])), problem).scores.tolist() == [0]


def test_evaluate_runs_the_visible_cases():
    class Echo:
        async def run(self, program, problem, cases=None):
            return ran(*(completed(case.expected) for case in cases or problem.cases))

        def toolchain(self, language):
            return language

    assert asyncio.run(evaluate(Echo(), PROGRAM, PROBLEM)).solved


def test_the_key_changes_with_all_that_matters_and_nothing_else():
    function = Problem("p", "", "function", (Case((1,), 2, "a"),), Signature.parse("f(a: int) -> int"))
    keys = [
        execution_key(PROGRAM, PROBLEM, "g++ 12"),
        execution_key(PROGRAM, PROBLEM, "g++ 13"),
        execution_key(Program("print(1)", "cpp"), PROBLEM, "g++ 12"),
        execution_key(Program("print(2)", "python"), PROBLEM, "g++ 12"),
        execution_key(PROGRAM, PROBLEM, "g++ 12", CASES[:2]),
        execution_key(PROGRAM, dataclasses.replace(PROBLEM, checker=Named("tokens")), "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(PROBLEM, checker=Named("numbers", {"absolute": 1})), "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(PROBLEM, error_function=Named("lines")), "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(PROBLEM, limits=Limits(cpu_seconds=1)), "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(PROBLEM, cases=(Case("1\n", "1\n3\n", "a"), *CASES[1:])), "g++ 12"),
        execution_key(PROGRAM, function, "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(function, cases=(Case((True,), 2, "a"),)), "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(function, cases=(Case((1,), (2,), "a"),)), "g++ 12"),
        execution_key(PROGRAM, dataclasses.replace(function, signature=Signature.parse("g(a: int) -> int")), "g++ 12"),
    ]
    assert len(set(keys)) == len(keys)
    renamed = dataclasses.replace(PROBLEM, name="other", description="other")
    assert execution_key(PROGRAM, renamed, "g++ 12") == keys[0]


def test_the_key_follows_the_content_of_the_users_own_checker_not_its_place(tmp_path):
    keys = []
    for folder, source in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "mine.py"
        file.write_text(f"def check(e, a, g):\n    return {source} == 1\n")
        keys.append(execution_key(PROGRAM, dataclasses.replace(PROBLEM, checker=Named(f"{file}:check")), "x"))
    assert keys[0] == keys[1] != keys[2]


def test_the_package_hands_on_its_nouns_without_importing_numpy():
    assert evaluators.Execution is Execution
    assert all(hasattr(evaluators, name) for name in evaluators.__all__)
    with pytest.raises(AttributeError, match="Executon"):
        _ = evaluators.Executon
    code = "import sys, evaluators; print('numpy' in sys.modules)"
    root = Path(evaluators.__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout == "False\n"
