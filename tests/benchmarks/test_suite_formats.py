"""Suites whose real files are not at hand: small files in their formats, read, run and damaged."""

from __future__ import annotations

import asyncio
import json

import pytest

from benchmarks.suites.apps import load_apps
from benchmarks.suites.code_contests import load_code_contests
from benchmarks.suites.coder_eval import load_coder_eval
from benchmarks.suites.dev_eval import load_dev_eval
from benchmarks.suites.gate import reference_gate
from benchmarks.suites.human_eval import load_human_eval_et
from benchmarks.suites.mbpp import load_mbpp_et
from benchmarks.suites.task import calls_problem, calls_program, search_problem
from evaluators.evaluate import compare
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import SandboxExecutor

HUMAN_EVAL_ET = {
    "task_id": "HumanEval/0",
    "prompt": 'def half(x):\n    """Half of x."""\n',
    "entry_point": "half",
    "canonical_solution": "    return x / 2\n",
    "test": "def check(candidate):\n    assert candidate(4) == 2\n",
    "test_case_list": [
        "assert half(4) == 2",
        "assert abs(half(5) - 2.5) < 1e-9",
        "assert half(\n    6) == 3",
        "assert half(8) == 5",
        "assert half(8) == undefined",
        "assert half(3) == (",
    ],
}
MBPP_ET = {
    "task_id": 7,
    "text": "Double a number.",
    "code": "def double(x):\n    return 2 * x",
    "test_setup_code": "",
    "test_list": ["assert double(21) == 42", "assert sorted(double([3])) == [3, 3]"],
    "challenge_test_list": [],
}
CONTEST = {
    "name": "1_A. Doubling",
    "description": "Read a number. Write twice the number.",
    "public_tests": {"input": ["1\n"], "output": ["2\n"]},
    "private_tests": {"input": ["2.5\n", "3\n"], "output": ["5\n", "6\n"]},
    "generated_tests": {"input": [], "output": []},
    "solutions": {"language": [1, 3, 2], "solution": ["print 2", "print(2 * float(input()))\n", "int main() {}"]},
}
MAP_CODER_CONTEST = {
    "name": "1_A. Doubling",
    "description": "Read a number. Write twice the number.",
    "sample_io": [{"input": "1\n", "output": ["2\n"]}],
    "test_list": [{"input": "2.5\n", "output": ["5\n"]}, {"input": "3\n", "output": "6\n"}],
}
APPS = {
    "problem_id": 12,
    "question": "Read a number. Write twice the number.",
    "solutions": json.dumps(["print(2 * int(input()))\r\n"]),
    "input_output": json.dumps({"inputs": ["1\n", ["2", ""]], "outputs": ["2\n", ["4", ""]]}),
    "starter_code": "",
    "difficulty": "introductory",
}
APPS_FUNCTION = {
    **APPS,
    "solutions": json.dumps(["class Solution:\n    def twice(self, x):\n        return x, x\n"]),
    "input_output": json.dumps({"fn_name": "twice", "inputs": [[1], ["a"]], "outputs": [[1, 1], ["a", "a"]]}),
    "starter_code": "class Solution:\n    def twice(self, x):\n",
}
CODER_EVAL = {
    "_id": "62e60f43d76274f8a4026e28",
    "name": "root",
    "code": "    def root(x):\n        # of x\n        return math.sqrt(x)\n",
    "docstring": "The square root.",
    "human_label": "Take a root.",
    "level": "slib_runnable",
    "file_content": "import math\nimport numpy\nfrom . import things\n",
}
DEV_EVAL = {
    "namespace": "pack.shapes.area",
    "type": "function",
    "project_path": "Maths/pack",
    "completion_path": "Maths/pack/shapes.py",
    "signature_position": [3, 3],
    "body_position": [4, 5],
    "dependency": {},
    "requirement": {"Functionality": "The area.", "Arguments": ":param a: float."},
    "tests": ["tests/test_shapes.py::test_area"],
    "indent": 4,
}
SHAPES = "import math\n\ndef area(a):\n    b = a\n    return a * b\n\nTWO = 2\n"

LOADERS = {
    "human-eval-et": (load_human_eval_et, HUMAN_EVAL_ET),
    "mbpp-et": (load_mbpp_et, MBPP_ET),
    "code-contests": (load_code_contests, CONTEST),
    "code-contests of MapCoder": (load_code_contests, MAP_CODER_CONTEST),
    "apps": (load_apps, APPS),
    "apps functions": (load_apps, APPS_FUNCTION),
    "coder-eval": (load_coder_eval, CODER_EVAL),
    "dev-eval": (load_dev_eval, DEV_EVAL),
}
every_loader = pytest.mark.parametrize("suite", sorted(LOADERS))


@pytest.fixture(scope="module")
def executor():
    try:
        built = SandboxExecutor()
    except InfrastructureError as error:
        pytest.skip(f"needs the sandbox: {error}")
    yield built
    asyncio.run(built.close())


def write(folder, suite, *rows):
    path = folder / "suite.jsonl"
    path.write_text(
        json.dumps({"RECORDS": rows}) if suite == "coder-eval" else "".join(f"{json.dumps(row)}\n" for row in rows)
    )
    return path


def one(folder, suite, **changes):
    load, row = LOADERS[suite]
    (task,) = load(write(folder, suite, {**row, **changes}))
    return task


def gate(executor, task):
    (result,) = asyncio.run(reference_gate(executor, [task]))
    return result


def passes(executor, task, source):
    problem = calls_problem(task, task.calls)
    evaluation = compare(asyncio.run(executor.run(calls_program(task, source), problem)), problem)
    return [verdict.passed for verdict in evaluation.verdicts]


def test_assertions_of_human_eval_et_are_tests_of_their_own(tmp_path, executor):
    task = one(tmp_path, "human-eval-et")
    assert [(case.name, case.input, case.expected) for case in task.calls] == [
        ("call-1", (4,), 2),
        ("call-3", (6,), 3),
        ("call-4", (8,), 5),
    ]
    assert [check.name for check in task.checks] == ["assertion-2", "assertion-5", "assertion-6"]
    result = gate(executor, task)
    assert [name for name, _ in result.failures] == ["call-4", "assertion-5", "assertion-6"]
    assert "undefined" in dict(result.failures)["assertion-5"]
    assert [case.name for case in result.cases] == ["call-1", "call-3"]
    assert gate(executor, one(tmp_path, "human-eval-et", test_case_list=HUMAN_EVAL_ET["test_case_list"][:3])).passed


def test_mbpp_et_shows_no_assertion(tmp_path, executor):
    task = one(tmp_path, "mbpp-et")
    assert "42" not in task.prompt
    assert "double" in task.prompt
    assert ([case.name for case in task.calls], [check.name for check in task.checks]) == (["call-1"], ["assertion-2"])
    assert gate(executor, task).passed
    assert [name for name, _ in gate(executor, one(tmp_path, "mbpp-et", code="def double(x): return 42")).failures] == [
        "assertion-2"
    ]


def test_mbpp_et_in_the_form_of_the_sanitized_tasks(tmp_path, executor):
    path = tmp_path / "suite.jsonl"
    row = {"task_id": 7, "prompt": "Double.", "code": MBPP_ET["code"], "test_imports": ["import math"]}
    path.write_text(json.dumps({**row, "test_list": ["assert math.isclose(double(2), 4)", "assert double(1) == 2"]}))
    (task,) = load_mbpp_et(path)
    assert ([case.name for case in task.calls], [check.name for check in task.checks]) == (["call-2"], ["assertion-1"])
    assert gate(executor, task).passed


@pytest.mark.parametrize("suite", ["code-contests", "code-contests of MapCoder"])
def test_code_contests(tmp_path, executor, suite):
    task = one(tmp_path, suite)
    assert (task.task_id, task.mode) == ("1_A. Doubling", "stdio")
    assert [(case.input, case.expected) for case in task.calls] == [("1\n", "2\n"), ("2.5\n", "5\n"), ("3\n", "6\n")]
    problem = search_problem(task)
    assert [case.input for case in problem.cases] == ["1\n"]
    assert (problem.mode, problem.signature) == ("stdio", None)
    assert "2.5" not in repr(problem)
    assert passes(executor, task, "print(float(input()) * 2)") == [True, True, True]
    assert passes(executor, task, "print(int(float(input()) * 2) + 1)") == [False, False, False]
    result = gate(executor, task)
    if suite == "code-contests":
        assert (task.reference, result.passed) == ("print(2 * float(input()))\n", True)
    else:
        assert (result.passed, result.not_run, result.failures) == (False, "the file holds no solution", ())


def test_code_contests_in_cpp(tmp_path):
    (task,) = load_code_contests(write(tmp_path, "code-contests", CONTEST), "cpp")
    assert (task.language, task.reference) == ("cpp", "int main() {}")
    assert "C++" in task.prompt


def test_apps_with_standard_input(tmp_path, executor):
    task = one(tmp_path, "apps")
    assert (task.task_id, task.mode, task.reference) == ("APPS/12", "stdio", "print(2 * int(input()))\n")
    assert [(case.input, case.expected) for case in task.calls] == [("1\n", "2\n"), ("2\n", "4\n")]
    assert gate(executor, task).passed


def test_apps_with_functions(tmp_path, executor):
    task = one(tmp_path, "apps functions")
    assert (task.entry_point, task.mode, str(search_problem(task).signature)) == (
        "twice",
        "function",
        "twice(argument_1: Any) -> Any",
    )
    assert gate(executor, task).passed
    assert passes(executor, task, "def twice(x):\n    return [x, x]\n") == [True, True]
    assert passes(executor, task, "def twice(x):\n    return [x, 1]\n") == [True, False]
    assert passes(executor, task, "def once(x):\n    return [x, x]\n") == [False, False]


@pytest.mark.parametrize(
    ("outputs", "starter", "expected"),
    [
        ([[3], [4]], "def f(x):", [3, 4]),
        ([[3], [4]], "def f(x) -> List[int]:", [[3], [4]]),
        ([[3], [4, 5]], "def f(x):", [[3], [4, 5]]),
        ([3, 4], "def f(x):", [3, 4]),
    ],
)
def test_apps_takes_a_wrapping_list_off(tmp_path, outputs, starter, expected):
    tests = json.dumps({"fn_name": "f", "inputs": [[1], [2]], "outputs": outputs})
    task = one(tmp_path, "apps functions", input_output=tests, starter_code=starter)
    assert [case.expected for case in task.calls] == expected


def test_apps_without_tests_or_solutions(tmp_path, executor):
    task = one(tmp_path, "apps", input_output="", solutions="")
    assert not task.has_tests
    assert gate(executor, task).not_run == "the file holds no solution"
    assert gate(executor, one(tmp_path, "apps", input_output="")).not_run == "the file holds no tests"


def test_coder_eval_keeps_what_stands_alone(tmp_path, executor):
    rows = [CODER_EVAL, {**CODER_EVAL, "_id": "other", "level": "project_runnable"}]
    path = write(tmp_path, "coder-eval", *rows)
    path.rename(tmp_path / "CoderEval4Python.json")
    (task,) = load_coder_eval(tmp_path)
    assert task.head == "import math\n\n\ndef root(x):\n    # of x\n"
    assert task.prompt.endswith('"""Take a root."""\n')
    assert gate(executor, task).not_run == "the file holds no tests"
    (tmp_path / "tests").mkdir()
    test = tmp_path / "tests" / f"{CODER_EVAL['_id']}.py"
    test.write_text("for number in (1, 4):\n    assert root(number) ** 2 == number\n")
    (task,) = load_coder_eval(tmp_path / "CoderEval4Python.json")
    assert gate(executor, task).passed
    test.write_text("assert root(4) == 3\n")
    assert not gate(executor, load_coder_eval(tmp_path)[0]).passed


def test_dev_eval_has_no_tests_here(tmp_path, executor):
    task = one(tmp_path, "dev-eval")
    assert (task.task_id, task.entry_point, task.head, task.has_tests) == ("pack.shapes.area", "area", "", False)
    assert "The area." in task.prompt
    file = tmp_path / "Source_Code" / "Maths" / "pack" / "shapes.py"
    file.parent.mkdir(parents=True)
    file.write_text(SHAPES)
    task = one(tmp_path, "dev-eval")
    assert task.head == "import math\n\ndef area(a):\n"
    assert task.reference == SHAPES
    assert gate(executor, task).not_run == "the file holds no tests"


def refused(load, path, *words):
    with pytest.raises(UserError) as caught:
        load(path)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in (*words, path.name))


@every_loader
def test_damaged_files_are_refused(tmp_path, suite):
    load, row = LOADERS[suite]
    path = write(tmp_path, suite, row, row)
    refused(load, path, "is there twice; the first is at", "entry 2" if suite == "coder-eval" else "line 2")
    for key in {"task_id", "name", "description", "question", "input_output", "code", "tests", "level"} & set(row):
        write(tmp_path, suite, {name: value for name, value in row.items() if name != key})
        refused(load, path, f"{key} missing")
    write(tmp_path, suite, {**row, "extra": float("nan")})
    refused(load, path, "NaN is no JSON")
    text = write(tmp_path, suite, row).read_text()
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert len(load(path)) == 1
    path.write_text(text[:40])
    refused(load, path, "not JSON")
    path.write_text("[1]" if suite != "coder-eval" else '{"RECORDS": [1]}')
    refused(load, path, "entry 1: 1 is no task")
    path.write_text("{}")
    refused(load, path, "missing" if suite != "coder-eval" else "there is no 'RECORDS'")
    path.write_bytes(b"\xff{}")
    refused(load, path, "line 1: not UTF-8")


@pytest.mark.parametrize(
    ("suite", "change", "words"),
    [
        ("human-eval-et", {"test_case_list": []}, "needs tests"),
        ("human-eval-et", {"test_case_list": [1]}, "list of strings"),
        ("mbpp-et", {"test_list": []}, "needs tests"),
        ("mbpp-et", {"test_setup_code": None}, "must be a string"),
        ("code-contests", {"public_tests": []}, "the lists input and output"),
        ("code-contests", {"public_tests": {"input": ["1"], "output": []}}, "1 inputs and 0 outputs"),
        ("code-contests", {"private_tests": {"input": [1], "output": ["1"]}}, "list of strings"),
        ("code-contests", {"solutions": {"language": 3}}, "language and solution"),
        ("code-contests of MapCoder", {"sample_io": [], "test_list": []}, "there are no tests"),
        ("code-contests of MapCoder", {"test_list": 3}, "must be a list"),
        ("code-contests of MapCoder", {"test_list": [{"input": "1"}]}, "test_list[0]"),
        ("code-contests of MapCoder", {"test_list": [{"input": "1", "output": ["1", "2"]}]}, "2 right outputs"),
        ("code-contests of MapCoder", {"test_list": [{"input": 1, "output": "1"}]}, "must be strings"),
        ("apps", {"problem_id": None}, "problem_id is missing"),
        ("apps", {"input_output": "{"}, "input_output: not JSON"),
        ("apps", {"input_output": "[]"}, "inputs and outputs"),
        ("apps", {"input_output": '{"inputs": ["1"], "outputs": []}'}, "1 inputs and 0 outputs"),
        ("apps", {"input_output": '{"inputs": [1], "outputs": ["1"]}'}, "inputs[0] is 1"),
        ("apps", {"solutions": "3"}, "list of programs"),
        ("apps functions", {"input_output": '{"fn_name": "a b", "inputs": [], "outputs": []}'}, "fn_name is 'a b'"),
        ("apps functions", {"input_output": '{"fn_name": "f", "inputs": [1], "outputs": [1]}'}, "list of arguments"),
        ("coder-eval", {"code": "def other(): pass"}, "defines no function 'root'"),
        ("coder-eval", {"code": "def root("}, "no Python program"),
        ("coder-eval", {"code": "def root(x): return 1"}, "on the line of its signature"),
        ("coder-eval", {"_id": "../../x"}, "letters and digits"),
        ("coder-eval", {"level": "class_runnable"}, "no task of level"),
        ("dev-eval", {"body_position": [5, 4]}, "numbers of two lines"),
        ("dev-eval", {"completion_path": "../x.py"}, "a path inside Source_Code"),
        ("dev-eval", {"requirement": "none"}, "must be an object"),
        ("dev-eval", {"requirement": {}}, "Functionality is None"),
    ],
)
def test_wrong_values_are_refused(tmp_path, suite, change, words):
    load, row = LOADERS[suite]
    refused(load, write(tmp_path, suite, {**row, **change}), words)


def test_a_body_beyond_its_file_is_refused(tmp_path):
    file = tmp_path / "Source_Code" / "Maths" / "pack" / "shapes.py"
    file.parent.mkdir(parents=True)
    file.write_text("import math\n")
    refused(load_dev_eval, write(tmp_path, "dev-eval", DEV_EVAL), "has 1 lines")


def test_a_list_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.suites.records.LARGEST_LIST_BYTES", 1000)
    path = tmp_path / "suite.jsonl"
    path.write_text("[\n" + f"{json.dumps(APPS)},\n" * 10)
    refused(load_apps, path, "a list of over 1000 bytes")
