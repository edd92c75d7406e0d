"""Problem files of a user's own: what is read, and what is said of mistakes."""

from __future__ import annotations

import json
import math

import pytest
import yaml

from benchmarks.problem_file import load_problem_file, load_problem_file_hidden_cases
from evaluators.exceptions import UserError
from evaluators.problem import Case, Limits, Named

STDIO = {"description": "Double it.", "examples": [{"input": "1\n", "output": "2\n"}]}
FUNCTION = {
    "description": "Double it.",
    "signature": "double(a: int) -> int",
    "examples": [{"args": [1], "returns": 2}],
}


def write(tmp_path, content, name="double.yaml"):
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="")
    else:
        path.write_text(json.dumps(content) if name.endswith(".json") else yaml.safe_dump(content))
    return path


def message(path):
    with pytest.raises(UserError) as caught:
        load_problem_file(path)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_stdio_problem(tmp_path):
    content = STDIO | {
        "name": "twice",
        "examples": [{"input": "1\n", "output": "2\n"}, {"name": "big", "input": "50\n", "output": "100\n"}],
        "hidden": [{"input": "3\n", "output": "6\n"}],
        "checker": {"name": "numbers", "options": {"absolute": 0.5}},
        "error_function": "levenshtein",
        "limits": {
            "cpu_seconds": 1,
            "wall_seconds": 2.5,
            "memory": "256 MB",
            "output": "64 kB",
            "compile_memory": "1GiB",
        },
        "languages": ["python"],
    }
    for name in ("p.yaml", "p.json"):
        problem = load_problem_file(write(tmp_path, content, name))
        assert problem.name == "twice"
        assert problem.mode == "stdio"
        assert problem.signature is None
        assert problem.cases == (Case("1\n", "2\n", "example-1"), Case("50\n", "100\n", "big"))
        assert problem.checker == Named("numbers", {"absolute": 0.5})
        assert problem.error_function == Named("levenshtein")
        assert problem.languages == ("python",)
        assert problem.limits == Limits(
            cpu_seconds=1, wall_seconds=2.5, memory_bytes=256 * 2**20, output_bytes=65_536, compile_memory_bytes=2**30
        )
        assert load_problem_file_hidden_cases(tmp_path / name) == (Case("3\n", "6\n", "hidden-1"),)


def test_what_is_left_out_has_defaults(tmp_path):
    problem = load_problem_file(write(tmp_path, STDIO))
    assert (problem.name, problem.limits, problem.checker, problem.languages) == (
        "double",
        Limits(),
        Named("exact"),
        (),
    )
    assert load_problem_file_hidden_cases(tmp_path / "double.yaml") == ()


def test_a_function_problem_converts_by_its_signature(tmp_path):
    content = {
        "description": "d",
        "signature": "f(a: list[tuple[int, str]], b: dict[int, float], c: set[int], d: int | None, e: Any) -> "
        "tuple[bool, dict[tuple[int, int], str]]",
        "examples": [
            {"args": [[[1, "x"]], {"3": 4}, [5, 6], None, [[7]]], "returns": [True, {"[1, 2]": "y"}]},
            {"args": [[], {}, [], 8, "z"], "returns": [False, {}]},
        ],
    }
    case = load_problem_file(write(tmp_path, content, "f.json")).cases[0]
    assert case.input == ([(1, "x")], {3: 4.0}, {5, 6}, None, [[7]])
    assert type(case.input[1][3]) is float
    assert case.expected == (True, {(1, 2): "y"})


def test_yaml_keys_and_floats_keep_their_types(tmp_path):
    text = (
        "description: d\nsignature: 'f(a: dict[int, float]) -> float'\n"
        "examples:\n- {args: [{1: .nan}], returns: .inf}\n"
    )
    case = load_problem_file(write(tmp_path, text)).cases[0]
    assert math.isnan(case.input[0][1])
    assert case.expected == math.inf


def test_cases_may_stand_in_json_lines_files_beside_it(tmp_path):
    (tmp_path / "data").mkdir()
    write(
        tmp_path,
        '\ufeff{"input": "1\\n", "output": "2\\n"}\r\n\r\n{"input": "2", "output": "4"}\r\n',
        "data/seen.jsonl",
    )
    write(tmp_path, '{"input": "3\\r\\n", "output": "6", "name": "h"}', "hidden.jsonl")
    path = write(tmp_path, {"description": "d", "examples": "data/seen.jsonl", "hidden": "hidden.jsonl"})
    assert [case.input for case in load_problem_file(path).cases] == ["1\n", "2"]
    assert load_problem_file_hidden_cases(path) == (Case("3\r\n", "6", "h"),)


@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_byte_order_marks_and_crlf_do_not_matter(tmp_path, name):
    text = json.dumps(STDIO, indent=1).replace("\n", "\r\n")
    problem = load_problem_file(write(tmp_path, b"\xef\xbb\xbf" + text.encode(), name))
    assert problem.cases == (Case("1\n", "2\n", "example-1"),)


def test_a_checker_of_the_users_own_stands_beside_the_file(tmp_path):
    write(tmp_path, "def check(expected, actual, given):\n    return True\n", "mine.py")
    problem = load_problem_file(write(tmp_path, STDIO | {"checker": "mine.py:check"}))
    assert problem.checker.name == f"{tmp_path}/mine.py:check"


def test_no_hidden_case_is_within_reach_of_the_problem(tmp_path):
    canary = "canary-4711"
    problem = load_problem_file(write(tmp_path, STDIO | {"hidden": [{"input": canary, "output": canary}]}))
    assert canary not in repr(problem)
    assert not any("hidden" in key for key in vars(problem))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"desciption": "x"}, ["desciption", "did you mean 'description'"]),
        ({"description": " "}, ["description is empty"]),
        ({"description": 3}, ["description is the number 3", '"3"']),
        ({"name": "a/b"}, ["name 'a/b'"]),
        ({"name": ""}, ["name ''"]),
        ({"mode": "stdin"}, ["mode is 'stdin'", "'stdio' or 'function'"]),
        ({"mode": "function"}, ["mode 'function' needs a signature"]),
        ({"mode": "stdio", "signature": "f(a: int) -> int"}, ["mode 'stdio' takes no signature"]),
        ({"signature": "f(a) -> int"}, ["double.yaml", "parameter 'a' has no type"]),
        ({"signature": "f(a: int) -> int"}, ["examples[1]", "write args and returns"]),
        ({"examples": []}, ["examples is empty"]),
        ({"examples": {}}, ["examples is {}"]),
        ({"examples": ["x"]}, ["examples[1]", "'x'"]),
        ({"examples": [{"input": "1"}]}, ["examples[1]", "output is missing"]),
        ({"examples": [{"input": 1, "output": "2"}]}, ["examples[1]", "input is the number 1", 'quotes, as "1"']),
        ({"examples": [{"input": "1", "ouput": "2", "output": "2"}]}, ["did you mean 'output'"]),
        ({"examples": [{"args": [1], "returns": 2}]}, ["examples[1]", "no signature"]),
        ({"examples": [{"input": "1", "output": "2", "name": "a"}] * 2}, ["examples[2]", "'a' is used twice"]),
        (
            {"examples": [{"input": "1", "output": "2", "name": "example-2"}, {"input": "2", "output": "4"}]},
            ["examples[2]", "'example-2' is used twice"],
        ),
        ({"hidden": STDIO["examples"]}, ["hidden case 'hidden-1'", "'example-1'"]),
        ({"hidden": "no-such.jsonl"}, ["hidden", "there is no file", "no-such.jsonl"]),
        ({"hidden": "."}, ["hidden", "is a directory"]),
        ({"examples": "double.yaml"}, ["double.yaml, line 1", "not JSON"]),
        ({"checker": "exat"}, ["checker", "did you mean 'exact'"]),
        ({"checker": {"name": "numbers", "options": {"abs": 1}}}, ["abs", "'absolute'"]),
        ({"checker": {"nam": "exact"}}, ["nam", "did you mean 'name'"]),
        ({"checker": 3}, ["checker is the number 3"]),
        ({"checker": "no-file.py:check"}, ["checker", "no-file.py"]),
        ({"error_function": "levenstein"}, ["error_function", "did you mean 'levenshtein'"]),
        ({"limits": {"cpu_second": 1}}, ["limits: unknown key 'cpu_second'", "did you mean 'cpu_seconds'"]),
        ({"limits": {"cpu_seconds": 0}}, ["limits.cpu_seconds is 0", "greater than 0"]),
        ({"limits": {"cpu_seconds": -1}}, ["limits.cpu_seconds is -1"]),
        ({"limits": {"cpu_seconds": math.nan}}, ["limits.cpu_seconds is NaN"]),
        ({"limits": {"cpu_seconds": math.inf}}, ["limits.cpu_seconds is inf"]),
        ({"limits": {"cpu_seconds": "1"}}, ["limits.cpu_seconds is '1'", "number"]),
        ({"limits": {"cpu_seconds": True}}, ["limits.cpu_seconds is True"]),
        ({"limits": {"memory": "512 MG"}}, ["limits.memory is '512 MG'", "a size, as '512 MB'"]),
        ({"limits": {"memory": 0}}, ["limits.memory is 0"]),
        ({"limits": {"memory": True}}, ["limits.memory is True"]),
        ({"limits": 3}, ["limits is 3"]),
        ({"languages": "python"}, ["languages is 'python'", "list"]),
        ({"languages": ["pyton"]}, ["languages", "did you mean 'python'"]),
        ({"languages": [3]}, ["languages[1]", "the number 3"]),
    ],
)
def test_a_mistake_is_one_line_with_file_key_and_what_is_allowed(tmp_path, change, words):
    text = message(write(tmp_path, STDIO | change))
    assert all(word in text for word in ["double.yaml", *words]), text


@pytest.mark.parametrize(
    ("signature", "args", "returns", "words"),
    [
        ("f(a: int) -> int", [1, 2], 3, ["examples[1]", "args has 2", "takes 1"]),
        ("f(a: int) -> int", [], 3, ["args has 0"]),
        ("f(a: int) -> int", 1, 3, ["args is 1"]),
        ("f(a: int) -> int", ["1"], 3, ["argument 'a' is '1'", "int"]),
        ("f(a: int) -> int", [True], 3, ["argument 'a' is True"]),
        ("f(a: int) -> int", [1.0], 3, ["argument 'a' is 1.0"]),
        ("f(a: int) -> int", [2**63], 3, ["argument 'a'", "64 bits"]),
        ("f(a: int) -> int", [1], None, ["returns is None"]),
        ("f(a: str) -> int", [1], 1, ["argument 'a' is 1", "quotes"]),
        ("f(a: bool) -> int", [0], 1, ["argument 'a' is 0", "bool"]),
        ("f(a: float) -> int", ["NaN"], 1, ["argument 'a' is 'NaN'", ".nan"]),
        ("f(a: list[int]) -> int", [[1, "x"]], 1, ["argument 'a'[1] is 'x'"]),
        ("f(a: list[int]) -> int", [1], 1, ["argument 'a' is 1", "[..]"]),
        ("f(a: tuple[int, int]) -> int", [[1]], 1, ["2 values, 1 given"]),
        ("f(a: set[int]) -> int", [[1, 1]], 1, ["twice"]),
        ("f(a: set[list[int]]) -> int", [[[1]]], 1, ["use a tuple"]),
        ("f(a: dict[int, int]) -> int", [{"x": 1}], 1, ["key 'x'"]),
        ("f(a: dict[int, int]) -> int", [[1]], 1, ["{key: value}"]),
        ("f(a: dict[str, int]) -> int", [{"x": "y"}], 1, ["['x'] is 'y'"]),
        ("f(a: int | None) -> int", ["x"], 1, ["argument 'a' is 'x'"]),
    ],
)
def test_arguments_that_do_not_fit_the_signature_are_named(tmp_path, signature, args, returns, words):
    content = {"description": "d", "signature": signature, "examples": [{"args": args, "returns": returns}]}
    text = message(write(tmp_path, content))
    assert all(word in text for word in ["double.yaml", *words]), text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.yaml", "", ["p.yaml is empty"]),
        ("p.yaml", "# only a comment\n", ["is empty"]),
        ("p.json", " \n", ["is empty"]),
        ("p.yaml", "- 1\n- 2\n", ["holds a list"]),
        ("p.yaml", "just words", ["holds a str"]),
        ("p.yaml", "description: [", ["not YAML", "line"]),
        ("p.yaml", "description: a\n\tname: b\n", ["not YAML", "line 2"]),
        ("p.yaml", "description: a\ndescription: b\n", ["'description' is there twice", "line 2"]),
        ("p.yaml", "description: !!python/object:os.system {}\n", ["not YAML"]),
        ("p.yaml", "description: 'a\x00b'\n", ["not YAML"]),
        (
            "p.yaml",
            "description: d\nsignature: 'f(a: Any) -> int'\nexamples: [{args: [2024-01-01], returns: 1}]",
            ["date"],
        ),
        ("p.yaml", "[" * 3000, ["not YAML"]),
        ("p.yaml", "? {a: 1}\n: 2\n", ["not YAML"]),
        ("p.json", "{", ["not JSON", "line 1, column 2"]),
        ("p.json", '{"name": "a", "name": "b"}', ["'name' is there twice"]),
        ("p.json", "[" * 100_000, ["p.json"]),
        ("p.yaml", b"description: \xff\n", ["not UTF-8", "byte 13"]),
        ("p.yaml", "description: d\n".encode("utf-16"), ["not UTF-8"]),
        ("p.txt", "description: d\n", ["must end in .yaml, .yml, .json"]),
        ("p.yaml", "examples: []\n", ["description is missing"]),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, name, content, words):
    text = message(write(tmp_path, content, name))
    assert all(word in text for word in words), text


def test_missing_files_and_directories(tmp_path):
    assert "there is no file" in message(tmp_path / "no.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert "is a directory" in message(tmp_path / "folder.yaml")


def test_a_faulty_line_of_a_hidden_file_is_found_before_the_search(tmp_path):
    write(tmp_path, '{"input": "1", "output": "2"}\n{"input": "2"}\n', "h.jsonl")
    text = message(write(tmp_path, STDIO | {"hidden": "h.jsonl"}))
    assert "h.jsonl, line 2: output is missing" in text


# Languages of a user's own, and packages


def test_a_language_of_the_users_own_is_named_by_its_path_from_the_problem_file(tmp_path, monkeypatch):
    (tmp_path / "awk.yaml").write_text('source_name: solution.awk\nrun: [awk, -f, "{program}"]\n')
    path = write(tmp_path, STDIO | {"languages": ["awk.yaml", "c++"]})
    monkeypatch.chdir(tmp_path.parent)
    assert load_problem_file(path).languages == (str(tmp_path / "awk.yaml"), "cpp")
    assert "languages: language record: there is no file" in message(
        write(tmp_path, STDIO | {"languages": ["no.yaml"]})
    )


def test_packages_are_prepared_when_the_file_is_read(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("benchmarks.problem_file.prepare", asked.append)
    wheel = "wheels/mine-1.0-py3-none-any.whl"
    problem = load_problem_file(write(tmp_path, STDIO | {"packages": ["numpy==2.1.0", wheel]}))
    assert problem.packages == ("numpy==2.1.0", str(tmp_path / wheel))
    assert asked == [problem.packages]
    assert load_problem_file(write(tmp_path, STDIO)).packages == ()
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ({"packages": ["-e ."]}, "packages: package '-e .' is no requirement: write 'numpy'"),
        ({"packages": ["gone-1.0-py3-none-any.whl"]}, "gone-1.0-py3-none-any.whl': No such file"),
        ({"packages": "numpy"}, "packages is 'numpy', but must be a valid list"),
        ({"packages": ["numpy"], "languages": ["cpp"]}, "packages are for programs in python, and languages is cpp"),
    ],
)
def test_packages_that_cannot_be_had(tmp_path, entries, told):
    assert told in message(write(tmp_path, STDIO | entries))
