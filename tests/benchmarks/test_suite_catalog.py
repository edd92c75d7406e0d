"""Suites by name, and the command that runs a gate."""

from __future__ import annotations

import json

import pytest

from benchmarks.suites.catalog import SUITES, load_suite, suite_file, suite_language
from benchmarks.suites.download import file_digest, sources, suites_folder
from benchmarks.suites.gate_file import known_failures, main, read_gate, suite_digest
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import SandboxExecutor

TASK = {
    "task_id": "HumanEval/0",
    "prompt": "def double(x):\n",
    "entry_point": "double",
    "canonical_solution": "    return 2 * x\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n",
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "evo" / "suites"


@pytest.fixture
def needs_sandbox():
    try:
        SandboxExecutor()
    except InfrastructureError as error:
        pytest.skip(f"needs the sandbox: {error}")


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_every_suite_has_a_source_or_says_what_to_fetch(cache):
    assert suites_folder() == cache
    for suite in SUITES.values():
        for language in suite.languages:
            name = suite.file_name.format(language=language)
            if name:
                assert name in sources()
            else:
                with pytest.raises(UserError) as caught:
                    suite_file(suite.name, None, language)
                assert all(words in str(caught.value) for words in (suite.data, str(cache), "give its path"))


def test_a_file_in_the_cache_is_used(cache):
    file = write(
        cache / "code-contests", {"name": "a", "description": "", "test_list": [{"input": "1", "output": "2"}]}
    )
    assert suite_file("code-contests", None, "cpp") == file
    assert [task.task_id for task in load_suite("code-contests", None, "cpp")] == ["a"]


def test_a_file_that_lacks_tasks_is_refused(tmp_path):
    rows = [{**TASK, "task_id": f"HumanEval/{number}"} for number in range(165)]
    file = write(tmp_path / "a.jsonl", *rows[:80], *rows[81:164])
    with pytest.raises(UserError, match=r"a.jsonl holds 163 tasks, but HumanEval has 164; HumanEval/80 is missing"):
        load_suite("human-eval", file)
    assert len(load_suite("human-eval", file, allow_subset=True)) == 163
    assert len(load_suite("human-eval", write(file, *rows[:164]))) == 164
    with pytest.raises(UserError, match="holds 165 tasks"):
        load_suite("human-eval", write(file, *rows), allow_subset=True)


def test_names_and_languages_are_checked():
    with pytest.raises(UserError, match="did you mean 'human-eval'"):
        suite_file("humaneval")
    with pytest.raises(UserError, match="choose one with --language"):
        suite_language("human-eval-x")
    with pytest.raises(UserError, match="allowed are python"):
        suite_language("mbpp", "cpp")
    assert suite_language("human-eval-x", "c++") == "cpp"


def test_the_gate_prints_and_stores_both_figures(tmp_path, cache, capsys, needs_sandbox):
    bad = {**TASK, "task_id": "HumanEval/1", "canonical_solution": "    return x\n"}
    file = write(tmp_path / "a.jsonl", TASK, bad)
    assert main(["human-eval", "--data", str(file)]) == 2
    assert "holds 2 tasks" in capsys.readouterr().err
    assert main(["human-eval", "--data", str(file), "--subset", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["tasks"], printed["passed"]) == (2, 1)
    assert list(printed["failures"]) == ["HumanEval/1"]
    report = read_gate("human-eval", "python", file_digest(file), printed["toolchain"])
    assert (report.passed, dict(report.failures)) == (1, printed["failures"])
    assert read_gate("human-eval", "python", "another file", printed["toolchain"]) is None
    assert read_gate("human-eval", "python", file_digest(file), "another toolchain") is None
    assert main(["human-eval", "--data", str(file), "--subset"]) == 0
    told = capsys.readouterr().out
    assert "1/2 canonical solutions" in told
    assert "validated: 1 tests of 1 tasks are left out" in told
    (cache / "human-eval.python.gate.json").write_text("{}")
    with pytest.raises(UserError, match="is no report of a gate"):
        read_gate("human-eval", "python", file_digest(file), printed["toolchain"])


def test_the_gate_command_ends_with_2_if_the_input_is_wrong(tmp_path, capsys):
    assert main(["human-eval", "--data", str(tmp_path / "none.jsonl")]) == 2
    assert main(["dev-eval", "--data", str(write(tmp_path / "a.jsonl", TASK))]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "none.jsonl" in lines[0]
    assert "has no tests that could be run here" in lines[1]


def test_the_digest_of_a_folder_is_that_of_its_files(tmp_path):
    write(tmp_path / "a" / "tests" / "one.py", TASK)
    first = suite_digest(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    assert suite_digest(tmp_path / "b") == first
    write(tmp_path / "b" / "tests" / "one.py", TASK, TASK)
    assert suite_digest(tmp_path / "b") != first


def test_known_failures_name_their_reason():
    assert set(known_failures("human-eval-x", "cpp")) == {"CPP/22", "CPP/137", "CPP/162"}
    assert len(known_failures("human-eval-et", "python")) == 9
    assert known_failures("mbpp", "python") == {}
