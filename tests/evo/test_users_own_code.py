"""Code and files of the user's own: whatever is wrong with them is one line, and never a wrong conclusion."""

import json
import os
import sys
from pathlib import Path

import pytest

RIGHT = (
    "def reply(request):\n    return '```python\\nimport math\\nprint(math.gcd(int(input()), int(input())))\\n```'\n"
)
WRONG = "def reply(request):\n    return '```python\\nprint(0)  # %d\\n```' % request.seed\n"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("def reply(request):\n    raise ValueError('boom')\n", "raised ValueError: boom (m.py, line 2)"),
        ("def reply(request):\n    return None\n", "returned None, a NoneType"),
        ("def reply(request):\n    return 3\n", "returned 3, a int"),
        ("def reply():\n    return 'x'\n", "raised TypeError"),
        ("def reply(request):\n    raise SystemExit(7)\n", "raised SystemExit: 7"),
        ("def reply(request:\n", "raised SyntaxError"),
        ("input()\ndef reply(request):\n    return 'x'\n", "the import of m.py raised"),
    ],
)
def test_a_scripted_model_that_fails_is_one_line(typed, script, told):
    Path("m.py").write_text(script)
    code, _, err = typed("solve", "gcd", "--model", "scripted:m.py:reply", "--budget-programs", 2, "--out", "run")
    assert code == 2
    assert told in err.splitlines()[-1]
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("def select(self, errors, k): return [0] * k", "raised TypeError"),
        ("def select(self, errors, k, rng, context=None): raise RuntimeError('no')", "raised RuntimeError: no"),
        ("def select(self, errors, k, rng, context=None): return [0]", "it must return 4 row numbers"),
        ("def select(self, errors, k, rng, context=None): return [99] * k", "from 0 to 3"),
        ("def select(self, errors, k, rng, context=None): return [0.5] * k", "row numbers"),
    ],
)
def test_a_selector_that_fails_is_one_line(typed, body, told):
    Path("m.py").write_text(WRONG)
    Path("s.py").write_text(f"class Mine:\n    {body}\n")
    options = ["--selection", "s.py:Mine", "--budget-programs", 8, "--set", "problem.visible=3", "--out", "run"]
    code, _, err = typed("solve", "gcd", "--model", "scripted:m.py:reply", *options)
    assert code == 2
    assert told in err.splitlines()[-1]
    assert "Traceback" not in err


def test_the_docs_selector_runs(typed):
    text = (Path(__file__).parents[2] / "docs" / "selection.md").read_text()
    Path("s.py").write_text(text.split("```python\n")[1].split("```")[0])
    Path("m.py").write_text(WRONG)
    options = ["--selection", "s.py:Best:size=2", "--budget-programs", 8, "--set", "problem.visible=3"]
    code, _, err = typed("solve", "gcd", "--model", "scripted:m.py:reply", *options, "--set", "problem.hidden=2")
    assert code == 1, err


def test_a_hidden_failure_stays_a_failure_in_replay_and_in_lists(typed):
    problem = {
        "description": "Print the greatest common divisor of two integers, one a line.",
        "examples": [{"input": "4\n6\n", "output": "2\n"}],
        "hidden": [{"input": "9\n6\n", "output": "4\n"}],
    }
    Path("p.json").write_text(json.dumps(problem))
    Path("m.py").write_text(RIGHT)
    assert typed("solve", "p.json", "--model", "scripted:m.py:reply", "--out", "all/run")[0] == 1
    code, out, _ = typed("replay", "all/run")
    assert code == 1
    assert "NOT SOLVED" in out
    assert "solved visible cases alone" in typed("runs", "all")[1]
    Path("all/run/judge.json").write_text("{")
    for command in (("show", "all/run"), ("replay", "all/run")):
        code, _, err = typed(*command)
        assert code == 2
        assert "judge.json is damaged" in err
    assert "damaged" in typed("runs", "all")[1]


def test_a_folder_that_holds_runs_is_no_folder_for_one(typed):
    Path("m.py").write_text(RIGHT)
    options = ["--model", "scripted:m.py:reply", "--set", "problem.hidden=1"]
    assert typed("solve", "gcd", *options, "--out", "runs/one")[0] == 0
    for out in ("runs", "."):
        code, _, err = typed("solve", "gcd", *options, "--out", out)
        assert code == 2
        assert "name a new one" in err
    assert not Path("journal.sqlite").exists()


@pytest.mark.parametrize(
    ("start", "told"),
    [("/dev/zero", "is no file"), ("notes.txt", "known endings"), (".", "is no file"), ("big.py", "over")],
)
def test_a_start_that_is_no_program_is_told(typed, start, told):
    Path("notes.txt").write_text("hello")
    Path("big.py").write_text("#" * (2**20 + 1))
    Path("m.py").write_text(RIGHT)
    code, _, err = typed("solve", "gcd", "--model", "scripted:m.py:reply", "--start", start)
    assert code == 2
    assert told in err


def test_an_impossible_port_is_told(typed, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:99999")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    code, _, err = typed("solve", "gcd", "--model", "gpt-x")
    assert code == 2
    assert "99999" in err
    assert "Traceback" not in err


def test_an_output_that_cannot_be_written_is_infrastructure(tmp_path):
    import subprocess

    (tmp_path / "m.py").write_text(RIGHT)
    command = [sys.executable, "-m", "evo.cli.app", "solve", "gcd", "--model", "scripted:m.py:reply"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*command, "--set", "problem.hidden=1"], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            check=False, env={**os.environ},
        )  # fmt: skip
    assert ended.returncode == 3
    assert "standard output cannot be written" in ended.stderr
    assert "Traceback" not in ended.stderr
