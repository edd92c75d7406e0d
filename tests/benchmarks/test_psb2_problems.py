"""The bundled PSB2 problems: facts, references, descriptions."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.catalog import PROBLEMS, psb2_problem
from benchmarks.psb2.cases import cases, visible_cases
from benchmarks.psb2.rendering import describe, render
from evaluators.checkers import build_checker
from evaluators.error_functions import build_error_function
from evaluators.evaluate import compare
from evaluators.execution import CaseResult, Execution
from evaluators.verdict import Verdict

HERE = Path(__file__).parent
REFERENCES = HERE / "reference_programs"
DATA = Path(os.environ.get("EVO_TEST_DATA", HERE.parents[1].parent / "shared" / "data")) / "psb2"

every_problem = pytest.mark.parametrize("name", sorted(PROBLEMS))


@every_problem
@pytest.mark.skipif(not DATA.is_dir(), reason="needs the PSB2 edge cases: set EVO_TEST_DATA to a folder with psb2/")
def test_edge_cases_are_those_of_the_suite(name):
    problem = psb2_problem(name)
    rows = [json.loads(line) for line in (DATA / f"{name}-edge.jsonl").read_text().splitlines()]

    def columns(row, kind):
        return tuple(row[f"{kind}{number}"] for number in range(1, 1 + sum(key.startswith(kind) for key in row)))

    def answer(given):
        answered = problem.solve(*given)
        return answered if len(problem.outputs) > 1 else (answered,)

    wanted = {repr(columns(row, "input")): columns(row, "output") for row in rows}
    assert {repr(given): answer(given) for given in problem.edge_inputs} == wanted
    assert len(problem.edge_inputs) == len(rows)


@every_problem
def test_the_values_fit_the_signature(name):
    problem = psb2_problem(name)
    signature = problem.signature
    python_types = {"int": int, "str": str, "list": list, "tuple": tuple, "float": float, "bool": bool}
    for case in visible_cases(problem, 0, mode="function"):
        assert len(case.input) == len(signature.parameters)
        for value, (_, kind) in zip(case.input, signature.parameters, strict=True):
            assert type(value) is python_types[kind.name]
        assert type(case.expected) is python_types[signature.returns.name]


@every_problem
def test_a_line_of_input_is_one_value(name):
    problem = psb2_problem(name)
    lines = sum(2 if field.type.name == "list" else 1 for field in problem.inputs)
    for case in visible_cases(problem, 0):
        assert case.input.endswith("\n")
        assert case.input.count("\n") == lines
        assert case.expected.count("\n") == len(problem.outputs)


@every_problem
def test_the_python_reference_passes_every_case(name):
    problem = psb2_problem(name)
    code = compile((REFERENCES / f"{name.replace('-', '_')}.py").read_text(), name, "exec")
    visible, hidden = cases(problem, 3, hidden=200)

    def run(text, monkeypatched):
        monkeypatched.setattr("sys.stdin", io.StringIO(text))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, {})
        return CaseResult(Verdict.COMPLETED, out.getvalue())

    with pytest.MonkeyPatch.context() as patch:
        results = tuple(run(case.input, patch) for case in (*visible, *hidden))
    assert compare(Execution(results), render(problem, visible), (*visible, *hidden)).solved


@every_problem
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs the compiler g++")
def test_the_cpp_reference_passes_the_edge_cases(name, tmp_path):
    problem = psb2_problem(name)
    program = tmp_path / "program"
    source = REFERENCES / f"{name.replace('-', '_')}.cpp"
    subprocess.run(["g++", "-std=c++17", "-o", program, source], check=True, timeout=60)
    visible = visible_cases(problem, 0, len(problem.edge_inputs) + 5)
    results = tuple(
        CaseResult(
            Verdict.COMPLETED,
            subprocess.run([program], input=case.input, capture_output=True, text=True, check=True, timeout=10).stdout,
        )
        for case in visible
    )
    assert compare(Execution(results), render(problem, visible)).solved


@every_problem
@pytest.mark.parametrize("mode", ["stdio", "function"])
def test_a_wrong_program_is_graded_by_column(name, mode):
    problem = psb2_problem(name)
    visible = visible_cases(problem, 0, 50, mode)
    rendered = render(problem, visible, mode)
    answer = visible[7].expected
    evaluation = compare(Execution(tuple(CaseResult(Verdict.COMPLETED, answer) for _ in visible)), rendered)
    assert evaluation.verdicts[7].passed
    assert not evaluation.solved
    columns = len(problem.outputs) if problem.error_function.name == "absolute_difference" else 1
    assert evaluation.errors.size == columns * len(visible)
    assert evaluation.errors.max() < build_error_function(problem.error_function).penalty


@every_problem
@pytest.mark.parametrize("mode", ["stdio", "function"])
def test_the_description_shows_no_example_and_says_how_to_read_and_write(name, mode):
    text = describe(psb2_problem(name), mode)
    assert all(word not in text.lower() for word in ("example", "e.g.", "for instance", "output:"))
    assert ("standard input" in text) == (mode == "stdio")
    assert ("Write the function" in text) == (mode == "function")
    assert all(ord(character) < 128 for character in text)


def test_blanks_matter_where_the_answer_is_a_string():
    check = build_checker(psb2_problem("middle-character").checker("stdio"))
    assert check("  \n", "  \n", "")
    assert not check("  \n", "\n", "")
    assert build_checker(psb2_problem("coin-sums").checker("stdio"))("1\n2\n", "1 \n2", "")


def test_several_outputs_are_a_tuple():
    problem = psb2_problem("coin-sums")
    assert str(problem.signature) == "coin_sums(cents: int) -> tuple[int, int, int, int]"
    assert visible_cases(problem, 0, 33, "function")[-1].expected == (4, 1, 0, 4)
