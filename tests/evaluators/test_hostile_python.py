"""Python programs that try to cheat, to break out, to eat the machine, or that just fail in every way there is."""

from __future__ import annotations

import asyncio

import pytest

from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.signature import Signature
from evaluators.verdict import Verdict

LIMITS = Limits(
    cpu_seconds=0.6,
    wall_seconds=0.8,
    memory_bytes=192 * 2**20,
    output_bytes=2**16,
    total_cpu_seconds=3.0,
    compile_cpu_seconds=1.5,
    compile_memory_bytes=2**29,
)
STDIO = Problem("double", "", "stdio", (Case("3\n", "6", "three"), Case("5\n", "10", "five")), limits=LIMITS)
FUNCTION = Problem(
    "double",
    "",
    "function",
    (Case((3,), 6, "three"), Case((5,), 10, "five")),
    signature=Signature.parse("double(n: int) -> int"),
    limits=LIMITS,
)
GOOD = "print(2 * int(input()))"
GOOD_FUNCTION = "def double(n):\n    return 2 * n"

# Name, source, and the verdict of both cases.
SCRIPTS = {
    # to end early, and to forge
    "exit 0 before any work": ("import sys; sys.exit(0)", "completed"),
    "exit by the operating system": ("import os; os._exit(0)", "completed"),
    "print a passing marker": ("print('passed')", "completed"),
    "write records to every descriptor": (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{\"result\": 6}')\n    except OSError: pass",
        "completed",
    ),
    "close every descriptor": ("import os\nos.closerange(0, 2000)", ("completed", "runtime_error")),
    "no standard output": ("import sys; sys.stdout = None; print(1)", "completed"),
    "a closed standard output": ("import sys; sys.stdout.close(); print(1)", "runtime_error"),
    "print at exit, then fail": (
        "import atexit, os\natexit.register(lambda: (print(6, flush=True), os._exit(9)))",
        "runtime_error",
    ),
    "patched builtins": (
        "import builtins\nfor n in ('len', 'print', 'exec', 'isinstance', 'open', '__import__'):\n"
        "    setattr(builtins, n, None)\nraise ValueError('x')",
        "runtime_error",
    ),
    "the supervisor's frames and objects": (
        "import gc, sys\nf = sys._getframe()\nwhile f.f_back: f = f.f_back\n"
        "print([s for s in gc.get_objects() if isinstance(s, str) and 'expected' in s][:1], f.f_locals.get('x'))",
        "completed",
    ),
    "memory and environment of process 1": (
        "for n in ('mem', 'environ', 'maps', 'fd/0', 'root'):\n"
        "    try: open('/proc/1/' + n, 'rb').read(1); print('OPEN')\n    except OSError: pass\nraise SystemExit(4)",
        "runtime_error",
    ),
    "exit by an exception's text that fails": (
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        "runtime_error",
    ),
    "an exit code that is no number": ("import sys; sys.exit('bad')", "runtime_error"),
    "exit 256": ("import os; os._exit(255)", "runtime_error"),
    # time
    "loop": ("while True: pass", "timeout_cpu"),
    "loop that swallows everything": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "timeout_cpu",
    ),
    "loop that ignores signals": (
        "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass",
        "timeout_cpu",
    ),
    "a number without end": ("9**9**9", "timeout_cpu"),
    "a regular expression that explodes": ("import re; re.match('(a+)+$', 'a' * 64 + 'b')", "timeout_cpu"),
    "sleep": ("import time; time.sleep(100)", "timeout_wall"),
    "sleep that swallows": (
        "import time\nwhile True:\n    try: time.sleep(100)\n    except BaseException: pass",
        "timeout_wall",
    ),
    "stop itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "timeout_wall"),
    "loop in a finally": ("try: 1/0\nfinally:\n    while True: pass", "timeout_cpu"),
    "a thread that goes on": ("import threading\ndef f():\n    while True: pass\nthreading.Thread(target=f).start()",
                              "timeout_cpu"),
    "a deadlock": ("import threading\nl = threading.Lock(); l.acquire(); l.acquire()", "timeout_wall"),
    "read beyond the input": ("input(); input()", "runtime_error"),
    # memory and output
    "a list without end": ("x = []\nwhile True: x.append(' ' * 10**6)", "memory"),
    "a huge list": ("[0] * 10**10", "memory"),
    "recursion": ("def f(): return f()\nf()", "runtime_error"),
    "output without end": ("while True: print('x' * 1000)", "output_limit"),
    "output without end, the signal ignored": (
        "import signal, sys\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try:\n    while True: sys.stdout.write('x' * 1000)\nexcept OSError: pass",
        "output_limit",
    ),
    "one long line": ("print('x' * 10**7)", "output_limit"),
    "a flood of errors": ("import sys\nwhile True: sys.stderr.write('x' * 1000)", "output_limit"),
    "a flood of descriptors": ("import os\nwhile True: os.dup(1)", "runtime_error"),
    "output that is no text": ("import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\0\\n')", "completed"),
    "a surrogate": ("print('\\ud800')", "runtime_error"),
    "a number too long to print": ("print(10**5000)", "runtime_error"),
    # processes and the kernel
    "fork": ("import os; os.fork()", "violation"),
    "fork bomb": ("import os\nwhile True: os.fork()", "violation"),
    "another program": ("import os; os.execv('/bin/true', ['true'])", "violation"),
    "a shell": ("import os; os.system('true')", "violation"),
    "subprocess": ("import subprocess; subprocess.run(['true'])", "violation"),
    "multiprocessing": ("import multiprocessing as m; m.Process(target=print).start()", "violation"),
    "kill everything": ("import os; os.kill(-1, 9)", "violation"),
    "kill the parent": ("import os; os.kill(os.getppid(), 9)", "violation"),
    "kill its group": ("import os; os.killpg(0, 9)", "violation"),
    "a new session": ("import os; os.setsid()", "violation"),
    "limits of the parent": (
        "import resource, os; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))",
        "violation",
    ),
    "ptrace": ("import ctypes; ctypes.CDLL(None).ptrace(16, 1, 0, 0)", "violation"),
    "read another process": (
        "import ctypes; ctypes.CDLL(None).process_vm_readv(1, None, 0, None, 0, 0)",
        "violation",
    ),
    "a user namespace": ("import ctypes; ctypes.CDLL(None).unshare(0x10000000)", "violation"),
    "a mount": ("import ctypes; ctypes.CDLL(None).mount(b'a', b'/tmp', b'tmpfs', 0, 0)", "violation"),
    "a keyring": ("import ctypes; ctypes.CDLL(None).syscall(250, 0, 0, 0, 0)", "violation"),
    "a socket": ("import socket; socket.socket()", "violation"),
    "a datagram socket": ("import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "violation"),
    "a local socket": ("import socket; socket.socket(socket.AF_UNIX)", "violation"),
    "a signal by a file's owner": (
        "import fcntl, os\nfcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
        "runtime_error",
    ),
    "higher limits": (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "runtime_error",
    ),
    "shared memory": (
        "import ctypes\nl = ctypes.CDLL(None)\nraise SystemExit(3 if l.shmget(0, 4096, 0o1600) < 0 else 0)",
        "runtime_error",
    ),
    "a memory file to be executed": ("import os; os.memfd_create('x')", "runtime_error"),
    "a thread bomb": (
        "import threading, time\nfor _ in range(100000): threading.Thread(target=time.sleep, args=(9,)).start()",
        ("runtime_error", "memory", "timeout_cpu", "timeout_wall"),
    ),
    # files
    "read a file of the machine": ("print(open('/etc/passwd').read())", "runtime_error"),
    "write to the working directory": ("open('x', 'w')", "runtime_error"),
    "write to the temporary directory": ("import tempfile; tempfile.NamedTemporaryFile()", "runtime_error"),
    "write to shared memory": ("open('/dev/shm/x', 'w')", "runtime_error"),
    "remove everything": (
        "import shutil, os\nshutil.rmtree('/', ignore_errors=True)\nprint(os.path.exists('/usr/bin'))",
        ("completed", "timeout_cpu"),
    ),
    "many directories": ("import os\nwhile True: os.mkdir(str(os.urandom(4)))", "runtime_error"),
    "a link to the outside": ("import os; os.symlink('/etc/passwd', 'x')", "runtime_error"),
    "no rights for its own directory": ("import os; os.chmod('/', 0)", "runtime_error"),
    # crashes, and what does not compile
    "read address 0": ("import ctypes; ctypes.string_at(0)", "crash"),
    "abort": ("import os; os.abort()", "crash"),
    "illegal instruction": ("import os; os.kill(os.getpid(), 4)", "crash"),
    "recursion until the stack ends": (
        "import sys\nsys.setrecursionlimit(10**9)\n"
        "class A:\n    def __getattr__(self, n): return getattr(self, n)\nA().x",
        ("crash", "memory", "runtime_error", "timeout_cpu"),
    ),
    "a NUL byte": ("print(1)\0", "compile_error"),
    "a syntax error": ("def f(:\n    pass", "compile_error"),
    "a surrogate in the source": ("x = '\ud800'", "compile_error"),
    "nested parentheses": ("(" * 5000 + ")" * 5000, "compile_error"),
    "nested operations": ("-" * 100_000 + "1", ("compile_error", "compile_limit")),
    "a source of 10 MB": ("x = 1\n" * (10 * 2**20 // 6), ("completed", "compile_limit")),
}  # fmt: skip

FUNCTIONS = {
    "exit before the call": ("import os; os._exit(0)", "early_exit"),
    "exit in the call": ("import sys\ndef double(n): sys.exit(0)", "early_exit"),
    "forge the result and exit": (
        "import os\ndef double(n):\n    os.write(3, b'nonsense'); os._exit(0)",
        "early_exit",
    ),
    "no such function": ("def triple(n): return 3 * n", "runtime_error"),
    "the wrong number of parameters": ("def double(): return 6", "runtime_error"),
    "an object that equals everything": (
        "class E:\n    def __eq__(self, o): return True\ndef double(n): return E()",
        "runtime_error",
    ),
    "a generator": ("def double(n): yield n", "runtime_error"),
    "a cycle": ("def double(n):\n    x = []; x.append(x); return x", "runtime_error"),
    "a result that is too large": ("def double(n): return 'x' * 10**6", "output_limit"),
    "a patched json": (
        "import json\njson.dumps = lambda *a, **k: 'null'\njson.JSONEncoder.encode = None\n"
        "def double(n): return 2 * n + 1",
        ("completed", "runtime_error"),
    ),
    "a loop in one call": ("def double(n):\n    while n == 5: pass\n    return 2 * n", ("completed", "timeout_cpu")),
}


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def run(executor, problem, source, fresh=True):
    return asyncio.run(executor.run(Program(source, "python"), problem, fresh=fresh))


def forged(execution, problem):
    return all(
        result.verdict is Verdict.COMPLETED and str(result.output).strip() == str(case.expected)
        for result, case in zip(execution.cases, problem.cases, strict=True)
    )


@pytest.mark.parametrize("fresh", [True, False], ids=["own process", "shared process"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_script(executor, name, fresh):
    source, expected = SCRIPTS[name]
    execution = run(executor, STDIO, source, fresh)
    allowed = (expected,) if isinstance(expected, str) else expected
    assert {str(result.verdict) for result in execution.cases} <= set(allowed), execution
    assert not forged(execution, STDIO)
    assert not any("OPEN" in str(result.output) for result in execution.cases)
    assert forged(run(executor, STDIO, GOOD), STDIO), "a good program no longer passes"


@pytest.mark.parametrize("fresh", [True, False], ids=["own process", "shared process"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(executor, name, fresh):
    source, expected = FUNCTIONS[name]
    execution = run(executor, FUNCTION, source, fresh)
    allowed = (expected,) if isinstance(expected, str) else expected
    assert {str(result.verdict) for result in execution.cases} <= set(allowed), execution
    assert not forged(execution, FUNCTION)
    assert forged(run(executor, FUNCTION, GOOD_FUNCTION), FUNCTION), "a good program no longer passes"
