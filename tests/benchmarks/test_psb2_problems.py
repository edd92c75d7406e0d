"""The bundled PSB2 problems: facts, references, descriptions."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from benchmarks.catalog import PROBLEMS, load_problem, psb2_problem
from benchmarks.psb2.cases import cases, visible_cases
from benchmarks.psb2.genetic_settings import TYPES
from benchmarks.psb2.rendering import describe, render
from benchmarks.random_bits import RandomBits
from evaluators.checkers import build_checker
from evaluators.error_functions import build_error_function
from evaluators.evaluate import compare, evaluate
from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Execution
from evaluators.executor import SandboxExecutor
from evaluators.program import Program
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

    given = [columns(row, "input") for row in rows]
    assert sorted(map(repr, problem.edge_inputs)) == sorted(map(repr, given))
    for row, inputs in zip(rows, given, strict=True):
        answer = problem.solve(*inputs)
        answers, wanted = answer if len(problem.outputs) > 1 else (answer,), columns(row, "output")
        if problem.tolerance:
            # single precision in the suite's reference is why this is no equality
            assert answers == pytest.approx(wanted, rel=0, abs=problem.tolerance)
        else:
            assert answers == wanted


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


@pytest.fixture(scope="module")
def executor():
    try:
        built = SandboxExecutor()
    except InfrastructureError as error:
        pytest.skip(f"needs the sandbox: {error}")
    yield built
    asyncio.run(built.close())


@every_problem
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs the compiler g++")
def test_the_cpp_reference_passes_the_visible_cases(name, executor):
    rendered = load_problem(name)
    assert len(rendered.cases) == 50
    source = (REFERENCES / f"{name.replace('-', '_')}.cpp").read_text()
    evaluation = asyncio.run(evaluate(executor, Program(source, "cpp"), rendered))
    assert evaluation.solved, [result for result in evaluation.execution.cases if not result.verdict.passed][:1]


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
    graded = build_error_function(problem.error_function)
    assert evaluation.errors.size == columns * len(visible)
    assert evaluation.errors.max() <= graded.penalty
    assert (evaluation.errors.max() < graded.penalty) == (problem.error_function.name != "mismatch")


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


def test_the_suite_is_whole():
    assert len(PROBLEMS) == 25
    assert all(psb2_problem(name).name == name for name in PROBLEMS)


PYTHON_TYPES = {
    "int": int,
    "float": float,
    "bool": bool,
    "char": str,
    "str": str,
    "list[int]": list,
    "list[float]": list,
}


@every_problem
def test_genetic_settings_fit_the_problem(name):
    problem = psb2_problem(name)
    settings = problem.genetic
    assert list(settings.types) == [kind for kind in TYPES if kind in settings.types]
    assert {str(field.type) for field in (*problem.inputs, *problem.outputs)} <= set(settings.types)
    drawn = [(kind.type, kind.draw(RandomBits(seed))) for kind in settings.random_constants for seed in range(200)]
    for kind, value in [*((constant.type, constant.value) for constant in settings.constants), *drawn]:
        assert kind in settings.types
        assert type(value) is PYTHON_TYPES[kind]
        assert kind != "char" or len(value) == 1


def test_random_constants_reach_their_ends():
    (kind,) = psb2_problem("gcd").genetic.random_constants
    bits = RandomBits(0)
    assert {kind.draw(bits) for _ in range(1000)} == set(range(-10, 11))


# What the suite's published text leaves open, or says otherwise.
@pytest.mark.parametrize(
    ("name", "inputs", "answer"),
    [
        ("luhn", ([9, 9] + [0] * 14,), 18),
        ("luhn", ([0, 9] + [0] * 14,), 9),
        ("snow-day", (1, 10.0, 4.0, 0.5), 9.0),
        ("cut-vector", ([7],), ([7], [])),
        ("cut-vector", ([0, 0, 0],), ([0], [0, 0])),
        ("cut-vector", ([1, 1, 1],), ([1, 1], [1])),
        ("solve-boolean", ("t|t&f",), False),
        ("find-pair", ([9, 1, 5], 6), (1, 5)),
        ("coin-sums", (41,), (1, 1, 1, 1)),
        ("mastermind", ("RRBB", "BRRR"), (2, 1)),
        ("camel-case", ("a-b c-d",), "aB cD"),
        ("bowling", ("0/5-----------------",), 20),
        ("bowling", ("------------------X89",), 27),
        ("twitter", ("x" * 140,), "Your tweet has 140 characters"),
    ],
)
def test_traps(name, inputs, answer):
    assert psb2_problem(name).solve(*inputs) == answer


def test_floats_are_right_within_their_tolerance():
    check = build_checker(psb2_problem("dice-game").checker("stdio"))
    assert check("0.5833333\n", "0.583\n", "")
    assert not check("0.5833333\n", "0.582\n", "")
    check = build_checker(psb2_problem("shopping-list").checker("function"))
    assert check(29.0, 29.0049, ())
    assert not check(29.0, 29.01, ())


def test_empty_lists_and_strings_are_empty_lines():
    assert visible_cases(psb2_problem("leaders"), 0, 1)[0].input == "0\n\n"
    assert visible_cases(psb2_problem("leaders"), 0, 1)[0].expected == "\n"
    assert visible_cases(psb2_problem("substitution-cipher"), 0, 1)[0].input == "\n\n\n"
    assert visible_cases(psb2_problem("cut-vector"), 0, 1)[0].expected == "0\n\n"
    assert visible_cases(psb2_problem("shopping-list"), 0, 3)[2].input == "2\n20.0 20.0\n2\n100.0 50.0\n"
