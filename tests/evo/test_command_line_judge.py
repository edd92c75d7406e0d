"""``evo judge`` as a user types it: exit codes, one object, resuming, other harnesses' files."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluators.exceptions import InfrastructureError
from evo.cli.app import main

HEAD = 'def double(x):\n    """Twice x."""\n'
SUITE = [
    {
        "task_id": f"HumanEval/{number}",
        "prompt": HEAD,
        "entry_point": "double",
        "canonical_solution": "    return 2 * x\n",
        "test": f"def check(candidate):\n    assert candidate({number}) == {2 * number}\n"
        "    assert candidate(7) == 14\n",
    }
    for number in range(3)
]
RIGHT, WRONG = "    return 2 * x\n", "    return 3 * x\n"


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def completions(*texts, count=3):
    return lines({"task_id": f"HumanEval/{n}", "completion": text} for n in range(count) for text in texts)


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    """Type ``evo judge`` in a folder that has a suite; gives exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    Path("suite.jsonl").write_text(lines(SUITE))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["evo", "judge", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return run


HUMAN_EVAL = ("--suite", "human-eval", "--data", "suite.jsonl")


def test_json_is_one_object_with_what_a_reader_needs(typed):
    Path("samples.jsonl").write_text(completions(RIGHT, WRONG))
    code, out, err = typed("samples.jsonl", *HUMAN_EVAL, "--json", "--k", "1,2,5")
    assert code == 0, err
    told = json.loads(out)
    assert out.count("\n") == 1
    assert (told["pass@1"], told["pass@2"], told["tasks"], told["samples"]) == (0.5, 1.0, 3, 6)
    assert "pass@5" not in told
    assert told["seconds"] > 0
    assert (told["executed"], told["reused"], told["extracted"], told["missing"]) == (6, 0, 0, [])
    assert told["verdicts"] == {"pass": 3, "wrong_answer": 3}
    assert re.fullmatch("[0-9a-f]{64}", told["dataset_digest"])
    assert told["layers"]
    assert told["toolchain"]
    assert "judged 6 of 6 samples, 3 passed" in err
    rows = [json.loads(line) for line in Path(told["results"]).read_text().splitlines()]
    verdicts = [row for row in rows if row["kind"] == "verdict"]
    assert {(row["task_id"], row["sample"], row["passed"], row["case"]) for row in verdicts} == {
        (f"HumanEval/{n}", sample, sample == 0, "" if sample == 0 else "call-2" if n == 0 else "call-1")
        for n in range(3)
        for sample in range(2)
    }
    assert [row["kind"] for row in rows].count("reference") == 3
    assert rows[0]["kind"] == "header"
    assert rows[-1]["kind"] == "summary"


def test_plain_text_tells_the_same(typed):
    Path("samples.jsonl.gz").write_bytes(gzip.compress(completions(RIGHT).encode()))
    code, out, _ = typed("samples.jsonl.gz", *HUMAN_EVAL)
    assert code == 0
    assert "HumanEval, python: 3 samples for 3 tasks" in out
    assert re.search(r"all +pass@1 +1\.0000", out)
    assert "pass@10 is left out: there is a task with only 1 sample" in out
    assert "samples.jsonl.gz.human-eval.verdicts.jsonl" in out


def test_a_second_time_nothing_is_run_and_a_torn_line_is_told(typed):
    Path("samples.jsonl").write_text(completions(RIGHT, WRONG))
    first = json.loads(typed("samples.jsonl", *HUMAN_EVAL, "--json", "--out", "out.jsonl")[1])
    kept = Path("out.jsonl").read_bytes()
    third = [m.start() for m in re.finditer(b'{"kind": "verdict"', kept)][2]
    Path("out.jsonl").write_bytes(kept[: third + 30])
    _, out, err = typed("samples.jsonl", *HUMAN_EVAL, "--json", "--out", "out.jsonl")
    again = json.loads(out)
    assert "out.jsonl: the last line was not whole (30 bytes) and was dropped" in err
    assert (again["reused"], again["executed"]) == (2, 4)
    drop = ("seconds", "executed", "reused")
    assert {k: v for k, v in again.items() if k not in drop} == {k: v for k, v in first.items() if k not in drop}


def test_replies_with_code_blocks_are_told(typed):
    reply = f"Here it is:\n```python\n{HEAD}    return 2 * x\n```\nIt doubles.\n"
    rows = [{"task_id": f"HumanEval/{n}", "solution": reply if n else HEAD + RIGHT} for n in range(3)]
    Path("samples.jsonl").write_text(lines(rows))
    told = json.loads(typed("samples.jsonl", *HUMAN_EVAL, "--json")[1])
    assert (told["format"], told["pass@1"], told["extracted"]) == ("evalplus", 1.0, 2)


def test_missing_tasks_are_refused_or_counted(typed):
    Path("samples.jsonl").write_text(completions(RIGHT, count=2))
    code, out, err = typed("samples.jsonl", *HUMAN_EVAL)
    assert (code, out) == (2, "")
    assert "1 of 3 tasks have no sample (HumanEval/2)" in err
    assert "--partial" in err
    code, out, _ = typed("samples.jsonl", *HUMAN_EVAL, "--partial", "--json")
    told = json.loads(out)
    assert (code, told["pass@1"], told["missing"]) == (0, pytest.approx(2 / 3), ["HumanEval/2"])


MISTAKES = {
    "an unknown suite": (["--suite", "human-evl"], "did you mean 'human-eval'"),
    "an unknown format": ([*HUMAN_EVAL, "--format", "human"], "allowed are bigcode"),
    "an unknown format of results": ([*HUMAN_EVAL, "--write", "evalpus", "out"], "did you mean 'evalplus'"),
    "no language": (["--suite", "human-eval-x", "--data", "suite.jsonl"], "choose one with --language"),
    "another language": ([*HUMAN_EVAL, "--language", "cpp"], "python"),
    "a bad k": ([*HUMAN_EVAL, "--k", "1,0"], "--k is '1,0'"),
    "a bad time": ([*HUMAN_EVAL, "--timeout", "0"], "--timeout is 0"),
    "no workers": ([*HUMAN_EVAL, "--workers", "0"], "give 1 to 256"),
    "no suite file": (["--suite", "human-eval", "--data", "none.jsonl"], "there is no file 'none.jsonl'"),
    "another suite's file": (["--suite", "mbpp", "--data", "suite.jsonl"], "is this the file of another suite"),
    "a file that is none of verdicts": ([*HUMAN_EVAL, "--out", "suite.jsonl"], "no line of a file of verdicts"),
}


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_a_mistake_is_one_line_and_exit_code_2(typed, mistake):
    arguments, words = MISTAKES[mistake]
    Path("samples.jsonl").write_text(completions(RIGHT))
    code, out, err = typed("samples.jsonl", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("evo: ")
    assert err.count("\n") == 1


def test_a_malformed_file_loses_no_finished_verdict(typed):
    Path("samples.jsonl").write_text(completions(RIGHT))
    typed("samples.jsonl", *HUMAN_EVAL, "--out", "out.jsonl")
    before = Path("out.jsonl").read_bytes()
    good = completions(RIGHT).encode()
    for name, content in (
        ("cut.jsonl.gz", gzip.compress(good * 300)[:-30]),
        ("keys.jsonl", b'{"id": 1}\n'),
        ("crlf.jsonl", good.replace(b"\n", b"\r\n")),
        ("bom.jsonl", b"\xef\xbb\xbf" + good),
        ("nan.jsonl", good + b'{"task_id": "HumanEval/0", "completion": "", "p": NaN}\n'),
        ("missing.jsonl", completions(RIGHT, count=1).encode()),
    ):
        Path(name).write_bytes(content)
        code, _, err = typed(name, *HUMAN_EVAL, "--out", "out.jsonl")
        assert (code, err.count("\n")) == (2, 1)
        assert name in err
        assert Path("out.jsonl").read_bytes() == before


def test_a_failing_sandbox_is_3_and_the_same_command_goes_on(typed, monkeypatch):
    from evaluators.executor import SandboxExecutor

    Path("samples.jsonl").write_text(completions(RIGHT))

    async def fail(self, *arguments, **options):
        raise InfrastructureError("the sandbox failed twice")

    with monkeypatch.context() as broken:
        broken.setattr(SandboxExecutor, "run", fail)
        code, out, err = typed("samples.jsonl", *HUMAN_EVAL)
    assert (code, out) == (3, "")
    assert "the same command goes on" in err
    assert typed("samples.jsonl", *HUMAN_EVAL)[0] == 0


def test_results_in_the_formats_of_other_harnesses(typed):
    Path("samples.jsonl").write_text(completions(RIGHT, WRONG))
    for form in ("human-eval", "evalplus", "bigcode"):
        assert typed("samples.jsonl", *HUMAN_EVAL, "--write", form, "written")[0] == 0
    rows = [json.loads(line) for line in Path("written/samples.jsonl_results.jsonl").read_text().splitlines()]
    assert [(row["task_id"], row["passed"], row["result"]) for row in rows[:2]] == [
        ("HumanEval/0", True, "passed"),
        ("HumanEval/0", False, "failed: wrong_answer"),
    ]
    assert rows[0]["completion"] == RIGHT
    plus = json.loads(Path("written/samples_eval_results.json").read_text())
    assert [row["base_status"] for row in plus["eval"]["HumanEval/1"]] == ["pass", "fail"]
    assert plus["pass_at_k"]["base"]["pass@1"] == 0.5
    assert json.loads(Path("written/samples.jsonl_metrics.json").read_text())["humaneval"] == {"pass@1": 0.5}


def test_a_folder_may_be_this_one(typed, monkeypatch):
    for number in range(3):
        Path(f"samples/HumanEval_{number}").mkdir(parents=True)
        Path(f"samples/HumanEval_{number}/0.py").write_text(HEAD + RIGHT)
    monkeypatch.chdir("samples")
    code, out, err = typed(".", "--suite", "human-eval", "--data", "../suite.jsonl", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert (told["format"], told["pass@1"]) == ("evalplus-folder", 1.0)
    assert Path(told["results"]).name == "samples.human-eval.verdicts.jsonl"


PROBLEM = """
name: {name}
description: Double a number.
signature: "double(x: int) -> int"
examples:
  - {{args: [2], returns: 4}}
"""


def test_runs_of_our_own_are_samples(typed, monkeypatch, tmp_path):
    Path("model.py").write_text(
        "def reply(request):\n    return '```python\\ndef double(x):\\n    return x + 2\\n```'\n"
    )
    for number in range(2):
        Path(f"{number}.yaml").write_text(PROBLEM.format(name=f"HumanEval-{number}"))
        command = ["evo", "solve", f"{number}.yaml", "--model", "scripted:model.py:reply", "--out", f"runs/{number}"]
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
    Path("suite.jsonl").write_text(lines(SUITE[:2]))
    code, out, err = typed("runs", *HUMAN_EVAL, "--json")
    assert code == 0, err
    told = json.loads(out.splitlines()[-1])
    assert (told["format"], told["tasks"], told["samples"], told["pass@1"]) == ("evo", 2, 2, 0.0)
    Path("suite.jsonl").write_text(lines(SUITE[1:2]))
    code, _, err = typed("runs", *HUMAN_EVAL, "--out", "other.jsonl")
    assert code == 2
    assert "runs/0 is a run for 'HumanEval-0', which is no task of this suite" in err


def test_after_kill_9_every_finished_verdict_is_kept(typed, tmp_path):
    # The last sample takes all of a long time limit, so that the process is killed while it runs.
    late = "    n = 0\n    while n < 10 ** 12:\n        n = n + len('a')\n    return n\n"
    rows = [{"task_id": f"HumanEval/{n}", "completion": text} for n, text in enumerate((RIGHT, WRONG, late))]
    Path("samples.jsonl").write_text(lines(rows))
    limit = ("--timeout", "900")
    command = [sys.executable, "-m", "evo.cli.app", "judge", "samples.jsonl", *HUMAN_EVAL, *limit]
    out = Path("samples.jsonl.human-eval.verdicts.jsonl")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not out.exists() or out.read_text().count('"kind": "verdict"') < 2:
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    rows[2]["completion"] = RIGHT
    Path("samples.jsonl").write_text(lines(rows))
    told = json.loads(typed("samples.jsonl", *HUMAN_EVAL, *limit, "--json")[1])
    assert (told["reused"], told["executed"], told["pass@1"]) == (2, 1, pytest.approx(2 / 3))
