"""C++ programs that try to cheat, to break out, to eat the machine or the compiler, or that just fail."""

from __future__ import annotations

import asyncio

import pytest

from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.signature import Signature
from evaluators.verdict import Verdict

LIMITS = Limits(
    cpu_seconds=0.5,
    wall_seconds=0.8,
    memory_bytes=128 * 2**20,
    output_bytes=2**16,
    total_cpu_seconds=3.0,
    compile_cpu_seconds=4.0,
    compile_memory_bytes=2**30,
)
STDIO = Problem("double", "", "stdio", (Case("3\n", "6", "three"), Case("5\n", "10", "five")), limits=LIMITS)
FUNCTION = Problem(
    "double",
    "",
    "function",
    (Case((3,), 6, "three"), Case((5,), 10, "five")),
    signature=Signature.parse("twice(n: int) -> int"),
    limits=LIMITS,
)
GOOD = '#include <cstdio>\nint main() { int n; scanf("%d", &n); printf("%d\\n", 2 * n); }'
BODY = "#include <cstdio>\n#include <cstdlib>\n#include <csignal>\n#include <unistd.h>\nint main() { %s }"

PROGRAMS = {
    "_exit": (BODY % "_exit(0);", "completed"),
    "write to every descriptor": (
        BODY % "for (int i = 3; i < 1100; ++i) if (write(i, \"6\\n\", 2) == 2 && i > 3) abort();",
        "completed",
    ),
    "close every descriptor": (BODY % "for (int i = 0; i < 1100; ++i) close(i);", "completed"),
    "exit status": (BODY % "return 3;", "runtime_error"),
    "loop": (BODY % "for (volatile int i = 0;; ++i) {}", "timeout_cpu"),
    "loop that ignores signals": (
        BODY % "for (int i = 1; i < 65; ++i) signal(i, SIG_IGN); for (volatile int i = 0;; ++i) {}",
        "timeout_cpu",
    ),
    "loop in a constructor": (
        "struct A { A() { for (volatile int i = 0;; ++i) {} } } a; int main() {}",
        "timeout_cpu",
    ),
    "sleep": (BODY % "sleep(100);", "timeout_wall"),
    "stack overflow": ("int f(int n) { volatile int x[99]; x[0] = n; return f(n + 1) + x[0]; } int main() { f(0); }",
                       "crash"),
    "memory without end": (
        "#include <vector>\nint main() { std::vector<char*> v; for (;;) { v.push_back(new char[1 << 20]()); } }",
        "memory",
    ),
    "output without end": (BODY % "for (;;) puts(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\");", "output_limit"),
    "errors without end": (BODY % "for (;;) fputs(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", stderr);", "output_limit"),
    "fork bomb": (BODY % "for (;;) fork();", "violation"),
    "another program": (BODY % "execl(\"/bin/true\", \"true\", nullptr);", "violation"),
    "a second program by descriptor": (
        "#include <fcntl.h>\n#include <unistd.h>\n#include <sys/syscall.h>\nint main() {\n"
        "  int f = open(\"/bin/true\", O_RDONLY); const char* a[] = {\"true\", nullptr};\n"
        "  if (dup2(f, 1000) == 1000) return 0;\n"
        "  syscall(SYS_execveat, 1000, \"\", a, a + 1, 0x1000);\n"
        "  syscall(SYS_execveat, f, \"\", a, a + 1, 0x1000); }",
        "violation",
    ),
    "a socket": ("#include <sys/socket.h>\nint main() { socket(AF_INET, SOCK_DGRAM, 0); }", "violation"),
    "kill everything": (BODY % "kill(-1, SIGKILL);", "violation"),
    "the 32-bit calls": ("int main() { asm volatile(\"int $0x80\" :: \"a\"(20)); }", ("violation", "crash")),
    "a null pointer": (BODY % "volatile int* volatile p = nullptr; *p = 1;", "crash"),
    "abort": (BODY % "abort();", "crash"),
    "division by zero": (BODY % "volatile int a = 7, z = 0; volatile int q = a / z; return q;", "crash"),
    "an exception": ("#include <stdexcept>\nint main() { throw std::runtime_error(\"why\"); }", "crash"),
    "read a file of the machine": (
        BODY % "FILE* f = fopen(\"/etc/passwd\", \"r\"); if (!f) return 5; puts(\"OPEN\");",
        "runtime_error",
    ),
    "create a file": (BODY % "FILE* f = fopen(\"/work/x\", \"w\"); if (!f) return 5; puts(\"OPEN\");", "runtime_error"),
    # what does not compile, or should not
    "a syntax error": ("int main() { return 0", "compile_error"),
    "no main": ("int f() { return 0; }", "compile_error"),
    "two mains": ("int main() {} int main() {}", "compile_error"),
    "a missing symbol": ("int f(); int main() { return f(); }", "compile_error"),
    "include a file of the machine": ("#include \"/etc/passwd\"\nint main() {}", "compile_error"),
    "include an endless file": ("#include \"/dev/zero\"\nint main() {}", ("compile_error", "compile_limit")),
    "assemble a file of the machine": ("asm(\".incbin \\\"/etc/passwd\\\"\"); int main() {}", "compile_error"),
    "templates without end": (
        "template<int n> struct A { static const long v = A<n - 1>::v + A<n - 2>::v; };\n"
        "template<int n, int m> struct B { typedef typename B<n - 1, m>::t t; typedef typename B<n - 1, m + 1>::t u; "
        "};\n"
        "template<int m> struct B<0, m> { typedef int t; };\nint main() { B<800, 0>::u x; return A<5000>::v; }",
        ("compile_error", "compile_limit"),
    ),
    "macros without end": (
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\nint main() { B(B(1;)) }",
        "compile_limit",
    ),
    "computing in the compiler": (
        "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s ^= i; return s; }\n"
        "constexpr int x = f(1000000000);\nint main() { return x; }",
        ("compile_error", "compile_limit"),
    ),
    "a binary of 1 GiB": ("char x[1 << 30] = {1}; int main() { return x[5]; }", "compile_limit"),
}  # fmt: skip

FUNCTIONS = {
    "exit in the call": ("#include <cstdlib>\nint twice(int) { std::exit(0); }", "early_exit"),
    "no such function": ("int thrice(int n) { return 3 * n; }", "compile_error"),
    "another type": ("struct T {}; T twice(T t) { return t; }", "compile_error"),
}


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def run(executor, problem, source):
    return asyncio.run(executor.run(Program(source, "cpp"), problem))


def forged(execution, problem):
    return all(
        result.verdict is Verdict.COMPLETED and str(result.output).strip() == str(case.expected)
        for result, case in zip(execution.cases, problem.cases, strict=True)
    )


def check(executor, problem, source, expected):
    execution = run(executor, problem, source)
    allowed = (expected,) if isinstance(expected, str) else expected
    assert {str(result.verdict) for result in execution.cases} <= set(allowed), execution
    assert not forged(execution, problem)
    assert not any("OPEN" in str(result.output) for result in execution.cases)
    assert "root:" not in execution.compile_output
    assert "/work" not in execution.compile_output
    assert len(execution.compile_output) <= 4000
    assert forged(run(executor, STDIO, GOOD), STDIO), "a good program no longer passes"


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(executor, name):
    check(executor, STDIO, *PROGRAMS[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(executor, name):
    check(executor, FUNCTION, *FUNCTIONS[name])
