"""The commands as a user types them: one line for a mistake, the right exit code, no call before a mistake is told."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from evo.cli.app import main

SOLVER = """
def reply(request):
    return "```python\\nimport math\\nprint(math.gcd(int(input()), int(input())))\\n```"
"""
NEVER = """
from operators.models.chat import Completion
def reply(request):
    return "```python\\nprint(0)  # " + str(request.seed) + "\\n```"
"""
FORBIDDEN = """
def reply(request):
    raise SystemExit("a model was asked")
"""


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    """Type a command in an empty folder; gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["evo", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return run


@pytest.fixture
def script(tmp_path):
    def write(text, name="model.py"):
        (tmp_path / name).write_text(text)
        return f"scripted:{name}:reply"

    return write


def test_solved_on_the_hidden_cases_is_0(typed, script):
    code, out, err = typed("solve", "gcd", "--model", script(SOLVER), "--out", "run", "--set", "problem.hidden=30")
    assert code == 0, err
    assert "hidden cases   30/30 passed" in out
    assert "SOLVED" in out
    assert Path("run/best.py").read_text().startswith("import math")
    assert json.loads(Path("run/judge.json").read_text())["solved"] is True
    assert "drafts" in err


def test_not_solved_is_1_and_json_is_one_object(typed, script):
    code, out, _ = typed(
        "solve", "gcd", "--model", script(NEVER), "--budget-programs", 3, "--json", "--set", "problem.hidden=5"
    )
    assert code == 1
    result = json.loads(out)
    assert (result["solved"], result["programs"], result["stop_reason"]) == (False, 3, "programs")
    assert result["judgement"]["cases"] == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["solve", "fizz-bus"], "did you mean 'fizz-buzz'"),
        (["solve", "nothing.yaml"], "nothing.yaml"),
        (["solve", "gcd", "--selection", "lexicas"], "did you mean 'lexicase'"),
        (["solve", "gcd", "--system", "sider"], "did you mean 'seidr'"),
        (["solve", "gcd", "--language", "pyton"], "did you mean 'python'"),
        (["solve", "gcd", "--set", "seidr.repair=1"], "did you mean 'seidr.repairs'"),
        (["solve", "gcd", "--config", "none.yaml"], "No such file"),
        (["solve", "gcd", "--start", "none.py"], "No such file"),
        (["solve", "gcd", "--budget-programs", "0"], "is 0, but must be at least 1"),
        (["solve", "gcd", "--preset", "released"], "released-telo"),
        (["solve", "gcd", "--mode", "function-ish"], "allowed are stdio, function; did you mean 'function'"),
        (["solve", "gcd", "--selection", "tournament:size=abc"], "size is 'abc', but must be a whole number"),
        (["solve", "gcd", "--set", "sampling.temperature=.nan"], "is nan, but must be a finite number"),
        (["solve", "gcd", "--budget-tokens", "100"], "lower sampling.max_tokens"),
        (["solve", "gcd", "--system", "best-of-n", "--start", "mine.py"], "use --system seidr"),
        (["solve", "gcd", "--dry-run", "--reuse", "nowhere"], "nowhere holds no run"),
        (["solve", "gcd", "--dry-run", "--record", "nowhere/a.jsonl"], "cannot be written"),
        (["solve", "gcd", "--dry-run", "--record", "model.py"], "model.py is no cassette"),
        (["solve", "gcd", "--dry-run", "--budget-usd", "1"], "needs a price"),
        (["solve", "gcd", "--model", "embeded"], "did you mean 'embedded'"),
        (["solve", "gcd", "--model", "scripted:modle.py:reply"], "did you mean 'model.py'"),
        (["solve", "problm.yaml"], "did you mean 'problem.yaml'"),
        (["solve", "gcd", "--config", "model.pyy"], "did you mean 'model.py'"),
        (["solve", "gcd", "--start", "modl.py"], "did you mean 'model.py'"),
        (["solve"], "PROBLEM is missing: 'evo solve --help' lists what is allowed"),
        (["solve", "gcd", "--seed", "x"], "--seed is 'x', but must be a whole number"),
        (["solve", "gcd", "--budget-usd=x"], "--budget-usd is 'x', but must be a number"),
        (["solve", "gcd", "--model"], "'--model' requires an argument"),
        (["solve", "gcd", "more"], "unexpected 'more': 'evo solve --help'"),
        (["solv", "gcd"], "unknown command 'solv': allowed are"),
        (["resum", "run"], "did you mean 'resume'"),
        (["solve", "gcd", "--sed", "1"], "unknown option '--sed' of 'evo solve'; did you mean '--seed'"),
        (["solve", "gcd", "--model", "scripted:none.py:reply"], "none.py"),
        (["solve", "gcd", "--model", "none.gguf"], "none.gguf"),
        (["solve", "gcd", "--model", "recorded:none.jsonl"], "none.jsonl"),
        (["solve", "gcd", "--model", "gpt-unknown"], "OPENAI_API_KEY"),
        (["resume", "nowhere"], "holds no run"),
        (["show", "nowhere"], "holds no run"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(typed, script, arguments, told):
    Path("problem.yaml").write_text("")
    script(FORBIDDEN)
    if arguments[0] == "solve" and arguments[1:] and "--model" not in arguments:
        arguments = [*arguments, "--model", script(FORBIDDEN)]
    code, out, err = typed(*arguments)
    assert code == 2
    assert out == ""
    assert told in err
    assert err.startswith("evo: ")
    assert err.count("\n") == 1
    assert not Path("runs").exists() or not list(Path("runs").iterdir())


def test_nothing_typed_is_the_help(typed):
    code, _, err = typed()
    assert code == 2
    assert err.startswith("Usage: evo ")


def test_a_dry_run_wants_no_key_and_writes_nothing(typed):
    code, out, err = typed("solve", "gcd", "--model", "gpt-4o-mini", "--dry-run", "--record", "answers.jsonl")
    assert code == 0, err
    assert "gpt-4o-mini at https://api.openai.com/v1" in out
    assert list(Path().iterdir()) == []


def test_an_endpoint_that_is_not_there_is_told_at_each_wait_with_how_to_go_on(typed, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can take it, and nobody answers
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        code, _, err = typed(
            "solve", "gcd", "--model", "m", "--out", "run", "--concurrency", 1, "--set", "endpoint.max_retries=2"
        )
    assert code == 3
    lines = err.splitlines()
    waits = [line for line in lines if re.match(r"  synthesize waits \d\.\d s for the next attempt: cannot be", line)]
    assert len(waits) == 2
    assert lines[-1].startswith("evo: model 'm' at http://127.0.0.1:")
    assert lines[-1].endswith("what was answered is kept: go on with 'evo resume run'")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"hidden": []}, "hidden is empty: leave it out"),
        ({"hidden": "none.jsonl"}, "hidden is empty: leave it out"),
        ({"languages": []}, "languages is empty: leave it out"),
        ({"limits": {"memory": "10 KB"}}, "memory is '10 KB', but must be at least '8 MB'"),
        ({"languages": ["cpp"]}, "is to be solved in cpp, and the search writes python: type --language cpp"),
    ],
)
def test_a_problem_file_with_nothing_where_something_is_meant_is_told(typed, script, more, told):
    Path("none.jsonl").write_text("")
    problem = {"description": "Print it.", "examples": [{"input": "1\n", "output": "1\n"}]}
    Path("p.json").write_text(json.dumps(problem | more))
    code, _, err = typed("solve", "p.json", "--model", script(FORBIDDEN))
    assert (code, err.count("\n")) == (2, 1)
    assert told in err


def test_programs_are_counted_alike_by_solve_and_by_runs_after_an_interruption(typed):
    """A repair that equals a known program is drawn again, and so costs two programs; the second is broken off."""
    Path("m.py").write_text(
        "import os, signal\n"
        "def reply(request):\n"
        "    if request.path[-2:] == ('attempt', 1):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return '```python\\nprint(0)\\n```'\n"
    )
    code, out, _ = typed(
        "solve", "gcd", "--model", "scripted:m.py:reply", "--out", "all/run", "--json", "--arity", 1,
        "--set", "seidr.redraws=30", "--set", "problem.visible=3", "--set", "problem.hidden=3",
    )  # fmt: skip
    assert code == 3
    solved = json.loads(out)
    assert solved["stop_reason"] == "interrupted"
    listed = json.loads(typed("runs", "all", "--json")[1])
    assert listed["programs"] == solved["programs"] == 1
    assert solved["accounting"]["speculative_programs"] > 0


def test_a_start_of_the_wrong_language_is_told(typed, script):
    Path("mine.cpp").write_text("int main() {}\n")
    code, _, err = typed("solve", "gcd", "--start", "mine.cpp", "--model", script(FORBIDDEN))
    assert code == 2
    assert "--language cpp" in err


def test_money_without_a_price_is_told_before_a_call(typed, script):
    code, _, err = typed("solve", "gcd", "--budget-usd", 1, "--model", script(FORBIDDEN))
    assert code == 2
    assert "price" in err


def test_out_that_holds_a_run_is_refused(typed, script):
    model = script(SOLVER)
    options = ["--out", "run", "--set", "problem.hidden=1"]
    assert typed("solve", "gcd", "--model", model, *options)[0] == 0
    code, _, err = typed("solve", "gcd", "--model", model, *options)
    assert code == 2
    assert "evo resume run" in err


def test_dry_run_asks_no_model_and_shows_plan_and_prompt(typed, script):
    code, out, _ = typed("solve", "coin-sums", "--model", script(FORBIDDEN), "--dry-run", "--arity", 2)
    assert code == 0
    assert "synthesize at most 2 calls" in re.sub(" +", " ", out)
    assert "debug at most 98 calls" in re.sub(" +", " ", out)
    assert "price unknown" in out
    assert "pennies" in out.lower()
    assert not Path("runs").exists()


def test_show_tells_lineage_verdicts_calls_and_cost(typed, script):
    typed(
        "solve",
        "gcd",
        "--model",
        script(NEVER),
        "--budget-programs",
        4,
        "--arity",
        1,
        "--out",
        "run",
        "--set",
        "problem.hidden=5",
    )
    code, out, _ = typed("show", "run", "--programs")
    assert code == 0
    assert "lineage of the best program" in out
    assert out.count("wrong_answer") >= 4
    assert "tokens" in out
    code, out, _ = typed("show", "run", "--json")
    shown = json.loads(out)
    assert len(shown["individuals"]) == 4
    assert all(each["calls"] for each in shown["individuals"])
    assert shown["stop"]["reason"] == "programs"
    assert "namespaces" in str(shown["versions"]["layers"]) or shown["versions"]["layers"]


def test_resume_of_a_finished_run_tells_it_again(typed, script):
    model = script(NEVER)
    first = typed(
        "solve", "gcd", "--model", model, "--budget-programs", 4, "--out", "run", "--json", "--set", "problem.hidden=5"
    )
    script(FORBIDDEN)
    again = typed("resume", "run", "--json")
    assert (first[0], again[0]) == (1, 1)
    drop = ("accounting", "judgement")
    one, two = ({k: v for k, v in json.loads(out).items() if k not in drop} for _, out, _ in (first, again))
    assert one == two


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_run_so_that_it_can_go_on(script, tmp_path, sent):
    stalling = tmp_path / "stalling.py"
    stalling.write_text(
        "import os, signal, threading\n"
        "def reply(request):\n"
        "    if request.path[:2] == ('draft', 2):\n"
        f"        os.kill(os.getpid(), {int(sent)})\n"
        "    return '```python\\nprint(0)  # ' + str(request.seed) + '\\n```'\n"
    )
    command = [sys.executable, "-m", "evo.cli.app", "solve", "gcd", "--model", f"scripted:{stalling}:reply"]
    command += [
        "--out",
        str(tmp_path / "run"),
        "--budget-programs",
        "30",
        "--set",
        "seidr.drafts=6",
        "--set",
        "problem.hidden=5",
        "--set",
        "problem.visible=5",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env={**os.environ})
    assert ended.returncode == 3, ended.stderr
    assert "evo resume" in ended.stderr + ended.stdout
    stalling.write_text("def reply(request):\n    return '```python\\nprint(0)  # ' + str(request.seed) + '\\n```'\n")
    again = subprocess.run(
        [sys.executable, "-m", "evo.cli.app", "resume", str(tmp_path / "run"), "--json"],
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert again.returncode == 1, again.stderr
    assert json.loads(again.stdout)["programs"] == 30


def test_version_and_help(typed):
    assert typed("--version")[1].startswith("evo ")
    code, out, _ = typed("--help")
    assert code == 0
    assert all(command in out for command in ("solve", "resume", "show", "doctor"))


def test_doctor_names_every_part(typed):
    code, out, _ = typed("doctor", "--json", "--model", "embedded")
    subjects = {finding["subject"]: finding for finding in json.loads(out)["findings"]}
    assert {"python", "cpp", "sandbox", "model", "disk"} <= set(subjects)
    assert code in (0, 3)
    assert subjects["sandbox"]["fine"]
