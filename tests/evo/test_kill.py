"""kill -9 at random moments, then resume: the same search as without, no finished call made again, nothing left.

``EVO_KILLS`` sets how many kills each language gets (3 if it is not set).
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from evaluators.sandbox.scratch import sweep
from evo.journal_reader import JournalReader

KILLS = int(os.environ.get("EVO_KILLS", "3"))

# Programs that do not compile and programs that are wrong, by a function of the request. Each call leaves a line, so
# that one which is made twice is seen.
MODEL = """
import pathlib
ASKED = pathlib.Path(__file__).with_name("asked.txt")
PROGRAMS = {
    "python": ["print(%d)", "print(", "import sys; print(sum(map(int, sys.stdin.read().split())) + %d)"],
    "cpp": [
        "#include <iostream>\\nint main() { std::cout << %d; }",
        "int main( { }",
        "#include <iostream>\\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b + %d; }",
    ],
}
def reply(request):
    with ASKED.open("a") as file:
        file.write(repr(request.path) + "\\n")
    language = "cpp" if "C++" in request.messages[0].content else "python"
    program = PROGRAMS[language][request.seed % 3]
    number = 1 + request.seed % 5
    return f"```{language}\\n" + (program % number if "%d" in program else program + " " * number) + "\\n```"
"""
PROBLEM = {
    "name": "add",
    "description": "Print the sum of two integers.",
    "examples": [{"input": f"{a} {a + 1}\n", "output": f"{2 * a + 1}\n"} for a in range(3)],
}


def command(folder, language, place):
    options = ["--budget-programs", "24" if language == "python" else "10", "--seed", "5", "--arity", "2"]
    start = ["solve", str(place / "add.json"), "--model", f"scripted:{place / 'model.py'}:reply", *options]
    start += ["--language", language, "--out", str(folder)]
    return [
        sys.executable,
        "-m",
        "evo.cli.app",
        *(start if not (folder / "journal.sqlite").exists() else ["resume", str(folder)]),
    ]


def kept(folder):
    reader = JournalReader(folder)
    individuals = reader.individuals()
    reader.close()
    return individuals, json.loads((folder / "result.json").read_text())


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("language", ["python", "cpp"])
def test_a_killed_run_goes_on_as_if_nothing_had_been(tmp_path, language):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "add.json").write_text(json.dumps(PROBLEM))
    asked = tmp_path / "asked.txt"
    whole = tmp_path / "whole"
    begun = time.monotonic()
    subprocess.run(command(whole, language, tmp_path), capture_output=True, check=False)
    duration = time.monotonic() - begun
    calls = asked.read_text().splitlines()
    assert len(calls) == len(set(calls))
    rng = np.random.default_rng(7)
    killed = rounds = 0
    while killed < KILLS:
        folder = tmp_path / f"run{rounds}"
        rounds += 1
        asked.write_text("")
        while True:
            process = subprocess.Popen(
                command(folder, language, tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            try:
                _, told = process.communicate(timeout=float(rng.uniform(0.05, duration)))
            except subprocess.TimeoutExpired:
                tree = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                process.communicate()
                killed += 1
                _, alive = psutil.wait_procs(tree, timeout=20)
                assert not alive, f"left behind: {alive}"
                continue
            assert process.returncode == 1, told.decode()
            break
        assert kept(folder) == kept(whole)
        again = asked.read_text().splitlines()
        # A call that had no answer yet when the run was killed is asked again; one whose answer was kept never is.
        assert set(again) == set(calls)
        assert len(again) - len(set(again)) <= killed
    # Each start sweeps what killed processes have left.
    sweep()
    owners = {path.name.split("-")[2] for path in Path(tempfile.gettempdir()).glob("evo-scratch-*")}
    assert all(psutil.pid_exists(int(owner)) for owner in owners)
