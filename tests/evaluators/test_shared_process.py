"""Cases of a Python program that share one process: the same answers as a process each, many times faster."""

from __future__ import annotations

import asyncio

import pytest

from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.signature import Signature


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def run(executor, source, inputs, fresh=False, signature=None, **limits):
    cases = tuple(Case(given, None, f"case {index}") for index, given in enumerate(inputs))
    parsed = signature and Signature.parse(signature)
    mode = "function" if parsed else "stdio"
    problem = Problem("some", "", mode, cases, signature=parsed, limits=Limits(**limits))
    return asyncio.run(executor.run(Program(source, "python"), problem, fresh=fresh)).cases


def facts(results):
    return [(str(result.verdict), result.output, result.stderr, result.detail) for result in results]


PROGRAMS = [
    "print(2 * int(input()))",
    "import sys\nfor line in sys.stdin: sys.stdout.write(line * 3)",
    "n = int(input())\nif n % 3 == 0: raise ValueError(n)\nprint(n)",
    "import sys\nn = int(input())\nprint('log', n, file=sys.stderr)\nsys.exit(n % 2)",
    "import os\nn = int(input())\nprint(n, flush=True)\nif n == 2: os._exit(0)",
    "import os, signal\nn = int(input())\nif n == 2: os.kill(os.getpid(), signal.SIGKILL)\nprint(n)",
    "import threading\nn = int(input())\nt = threading.Thread(target=print, args=(n,)); t.start()",
    "import sys\nsys.stdin.close(); sys.stdout.close()",
    "import sys\nprint(sys.stdin.detach().read()); sys.stdout.detach()",
    "import sys\nsys.stdout.reconfigure(encoding='utf-16')\nprint(input())",
    "import sys\nprint(sys.stdin.buffer.readline())",
    "print(open(0).readline())",
    "import sys\nsys.stdout = open(1, 'w')\nprint(input())",
    "import os\nprint(os.read(0, 1))\nos.close(0); os.close(2)",
    "import os\nos.dup2(1, 2)\nos.write(2, input().encode())",
    "import os\nos.write(0, b'more'); print(input())",
    "import os\nprint(input(), flush=True)\nos.closerange(0, 100)",
    "import atexit\natexit.register(print, 'end', input())",
    "import builtins\nn = input()\nbuiltins.print = lambda *a: None",
    "import random\nprint(random.random(), input())",
    "x = ' ' * (10**7 * int(input()))\nprint(len(x))",
    "print('y' * 300_000 * int(input()))",
]


@pytest.mark.parametrize("source", PROGRAMS)
def test_both_ways_give_the_same(executor, source):
    inputs = [f"{n}\nmore\n" for n in range(5)]
    assert facts(run(executor, source, inputs)) == facts(run(executor, source, inputs, fresh=True))


def test_functions_give_the_same(executor):
    source = "seen = []\ndef f(n):\n    seen.append(n)\n    return (len(seen), 10 // n)"
    arguments = [(1,), (0,), (2,)]
    shared = run(executor, source, arguments, signature="f(n: int) -> tuple[int, int]")
    assert [result.output for result in shared] == [(1, 10), None, (1, 5)]
    assert facts(shared) == facts(run(executor, source, arguments, fresh=True, signature="f(n: int) -> int"))


def test_a_hanging_case_is_cut_out_and_the_others_run(executor):
    source = "n = int(input())\nwhile n == 1: pass\nprint(n)"
    results = run(executor, source, ["0", "1", "2", "1", "3"], cpu_seconds=0.4)
    assert [str(result.verdict) for result in results] == [
        "completed",
        "timeout_cpu",
        "completed",
        "timeout_cpu",
        "completed",
    ]
    assert [result.output for result in results][::2] == ["0\n", "2\n", "3\n"]


def test_each_case_has_its_own_time(executor):
    source = "import time\nend = time.process_time() + 0.15\nwhile time.process_time() < end: pass"
    results = run(executor, source, [""] * 6, cpu_seconds=0.5)
    assert {str(result.verdict) for result in results} == {"completed"}
    assert all(0.1 < result.cpu_seconds < 0.5 for result in results)


def test_the_whole_budget_ends_it(executor):
    source = "while True: pass"
    results = run(executor, source, [""] * 9, cpu_seconds=0.3, total_cpu_seconds=0.8)
    told = [str(result.verdict) for result in results]
    assert told == ["timeout_cpu"] * 3 + ["skipped"] * 6


def test_more_output_than_the_ledger_holds_goes_on_in_another_process(executor):
    results = run(executor, "print('x' * 1_000_000)", [""] * 40)
    assert {(str(result.verdict), len(result.output)) for result in results} == {("completed", 1_000_001)}


def test_a_forged_ledger_is_no_verdict(executor):
    source = (
        "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Ledger':\n        o.append(o, (1, 2, 3))"
    )
    results = run(executor, source, ["", ""])
    assert len(results) == 2
    assert all(not result.output for result in results)


@pytest.mark.parametrize(
    "tampering",
    [
        "os.ftruncate(number, 0)",
        "os.ftruncate(number, 60 * 2**20)",
        "os.lseek(number, 0, 2), os.write(number, b'x')",
        "os.pwrite(number, b'\\xff' * 4000, 0), os._exit(0)",
        "os.pwrite(number, struct.pack('=QQ', 50, 1) + struct.pack('=iIIIII', 0, 1, 0, 0, 0, 0) * 50, 0), os._exit(0)",
        "fcntl.fcntl(number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)",
        "fcntl.fcntl(number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)",
        "os.close(number)",
    ],
)
def test_a_program_that_tampers_with_its_files_fails_alone(executor, tampering):
    source = (
        "import fcntl, os, struct\nfor number in range(64):\n"
        f"    try:\n        {tampering}\n    except OSError:\n        pass\nprint('tampered')\n"
    )
    for fresh in (False, True):
        results = run(executor, source, ["1", "2", "3"], fresh=fresh)
        assert len(results) == 3
    after = run(executor, "print(int(input()) + 1)", ["1", "2"])
    assert [result.output for result in after] == ["2\n", "3\n"]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("seconds", [1e-6, 1e-3])
def test_a_limit_shorter_than_any_start_is_a_timeout_and_no_trouble_of_the_sandbox(executor, fresh, seconds):
    results = run(executor, "while True: pass", ["", ""], fresh, cpu_seconds=seconds, total_cpu_seconds=seconds)
    assert {str(result.verdict) for result in results} <= {"timeout_cpu", "skipped", "compile_limit"}
