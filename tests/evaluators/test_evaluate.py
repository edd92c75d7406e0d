from __future__ import annotations

import asyncio
import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import evaluators
from evaluators.confirmation import MAX_CONFIRMED_CASES, cases_to_confirm
from evaluators.evaluate import SMALLEST_ERROR, compare, evaluate, execution_key
from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Execution
from evaluators.executor import SandboxExecutor
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


class Sharing:
    """An executor whose programs do one thing in a shared process, and another in a fresh one."""

    def __init__(self, shared, fresh):
        self.shared, self.fresh, self.asked = shared, fresh, []

    async def run(self, program, problem, cases=None, *, fresh=False):
        chosen = problem.cases if cases is None else cases
        self.asked.append((fresh, [case.name for case in chosen]))
        answer = self.fresh if fresh else self.shared
        results = tuple(answer(case) for case in chosen)
        return Execution(results, cpu_seconds=1.0, wall_seconds=2.0, shared_process=not fresh)


def right(case):
    return completed(case.expected)


def test_what_passes_in_a_shared_process_is_confirmed_in_fresh_ones():
    executor = Sharing(right, right)
    evaluation = asyncio.run(evaluate(executor, PROGRAM, PROBLEM))
    assert evaluation.solved
    assert [fresh for fresh, _ in executor.asked] == [False, True]
    assert sorted(executor.asked[1][1]) == ["a", "b", "c"]
    assert (evaluation.execution.cpu_seconds, evaluation.execution.wall_seconds) == (2.0, 4.0)


@pytest.mark.parametrize(
    ("fresh", "verdict", "told"),
    [
        (completed("0\n"), Verdict.WRONG_ANSWER, "wrong_answer"),
        (CaseResult(Verdict.CRASH, detail="killed by SIGSEGV"), Verdict.CRASH, "crash: killed by SIGSEGV"),
    ],
)
def test_a_pass_that_is_not_confirmed_has_failed(fresh, verdict, told):
    executor = Sharing(right, lambda case: fresh if case.name == "b" else right(case))
    evaluation = asyncio.run(evaluate(executor, PROGRAM, PROBLEM))
    assert evaluation.verdicts == (Verdict.PASS, verdict, Verdict.PASS)
    assert not evaluation.solved
    assert evaluation.errors[2:4].all()
    assert evaluation.execution.cases[1].detail.endswith(f"in a fresh one ends with {told}")


def test_what_fails_in_a_shared_process_is_not_run_again():
    executor = Sharing(lambda case: completed("") if case.name == "c" else right(case), right)
    evaluation = asyncio.run(evaluate(executor, PROGRAM, PROBLEM))
    assert evaluation.pass_rate == pytest.approx(2 / 3)
    assert len(executor.asked) == 1


def test_the_order_of_confirmation_comes_from_the_program_and_of_many_cases_a_sample_is_drawn():
    orders = [cases_to_confirm(Program(f"print({n})", "python"), 50) for n in range(3)]
    assert all(sorted(order) == list(range(50)) for order in orders)
    assert len(set(orders)) == 3
    assert cases_to_confirm(Program("print(1)", "python"), 50) == orders[1]
    sample = cases_to_confirm(PROGRAM, 2000)
    assert len(set(sample)) == MAX_CONFIRMED_CASES
    assert max(sample) > 1000


def test_a_program_that_passes_by_what_it_keeps_is_found_out():
    cases = tuple(Case("", f"{n}\n", f"{n}") for n in range(1, 5))
    problem = Problem("count", "", "stdio", cases)
    keeps = Program("import math\nmath.n = getattr(math, 'n', 0) + 1\nprint(math.n)", "python")

    async def scene():
        executor = SandboxExecutor()
        try:
            shared = compare(await executor.run(keeps, problem), problem)
            honest = Program("print(1)", "python")
            one = Problem("one", "", "stdio", (Case("", "1\n", "a"), Case("x", "1\n", "b")))
            return shared, await evaluate(executor, keeps, problem), await evaluate(executor, honest, one)
        finally:
            await executor.close()

    shared, confirmed, honest = asyncio.run(scene())
    assert shared.solved
    assert confirmed.pass_rate == 0.25
    assert "fresh" in confirmed.execution.cases[1].detail
    assert honest.solved


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
