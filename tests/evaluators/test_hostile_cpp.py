"""C++ programs that try to cheat, to break out, to eat the machine or the compiler, or that just fail."""

from __future__ import annotations

import asyncio
import os

import pytest

from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.signature import Signature
from evaluators.verdict import Verdict

LIMITS = Limits(
    cpu_seconds=0.5,
    wall_seconds=0.8,
    memory_bytes=64 * 2**20,
    output_bytes=2**16,
    total_cpu_seconds=3.0,
    compile_cpu_seconds=3.0,
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
CONSTRUCTOR = (
    "#include <cstdio>\n#include <cstdlib>\n#include <csignal>\n#include <unistd.h>\n#include <fcntl.h>\n"
    "#include <sys/resource.h>\n#include <sys/syscall.h>\nstruct Early { Early() { %s } } early;\nint main() {}"
)
RESOLVER = """
static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
extern "C" {
  static int real(int n) { return n; }
  static int (*resolve())(int) { %s return real; }
  int chosen(int) __attribute__((ifunc("resolve")));
}
int main() { return chosen(0); }
"""  # a resolver runs while the program is loaded, before anything else can
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
    # against the fork server, by code that runs before main, or in the place where the server is
    "a constructor that forks": (CONSTRUCTOR % "if (fork() == 0) for (;;) pause();", "violation"),
    "a constructor that closes every descriptor": (
        CONSTRUCTOR % "for (int i = 0; i < 1100; ++i) close(i);",
        "completed",
    ),
    "a constructor that writes to every descriptor": (
        CONSTRUCTOR % 'for (int i = 3; i < 1100; ++i) if (write(i, "6666666666666666", 16) > 0 && i > 3) abort();',
        "completed",
    ),
    "a constructor that kills its parent": (CONSTRUCTOR % "kill(getppid(), SIGKILL);", "violation"),
    "a constructor that kills its group": (CONSTRUCTOR % "kill(0, SIGKILL);", "violation"),
    "a constructor that signals every other process": (
        CONSTRUCTOR % "for (int i = 2; i < 40000; ++i) if (i != getpid()) kill(i, 0);",
        "violation",
    ),
    "a constructor that exits": (CONSTRUCTOR % "_exit(0);", "completed"),
    "a constructor that aborts": (CONSTRUCTOR % "abort();", "crash"),
    "a constructor that sleeps": (CONSTRUCTOR % "sleep(100);", "timeout_wall"),
    "a constructor that stops every process it may": (CONSTRUCTOR % "raise(SIGSTOP);", "timeout_wall"),
    "a constructor that clones as the server does": (
        CONSTRUCTOR % "syscall(SYS_clone, 0x8000 | 17, 0, 0, 0, 0, 0);",
        "violation",
    ),
    "limits of other processes": (
        CONSTRUCTOR % "rlimit no{}; for (int i = 1; i < 40000; ++i) prlimit(i, RLIMIT_CPU, &no, nullptr);",
        "violation",
    ),
    "memory and descriptors of other processes": (
        CONSTRUCTOR % "char p[64]; for (int k = 0; k < 400; ++k) { int i = k ? getpid() - k : 1;"
        'const char* names[] = {"mem", "fd/999", "fd/1", "environ", "maps", "root/x"}; for (auto n : names) {'
        'snprintf(p, 64, "/proc/%d/%s", i, n); if (open(p, O_RDONLY) >= 0) printf("OPEN %s\\n", p); } }',
        "completed",
    ),
    "seals and flags on what it shares with other cases": (
        CONSTRUCTOR % "for (int i = 0; i < 4; ++i) { fcntl(i, F_ADD_SEALS, 15); fcntl(i, F_SETFL, O_APPEND); "
        "lseek(i, 1000, SEEK_SET); }",
        "completed",
    ),
    "a resolver that forks in the server": (RESOLVER % "call(57, 0, 0, 0);", "violation"),
    "a resolver that closes the server's descriptor": (RESOLVER % "call(3, 999, 0, 0);", "completed"),
    "a resolver that writes to the server's descriptor": (RESOLVER % 'call(1, 999, (long)"!", 1);', "completed"),
    "a resolver that kills process 1": (RESOLVER % "call(62, 1, 9, 0);", "violation"),
    "a resolver that exits": (RESOLVER % "call(231, 0, 0, 0);", "completed"),
    "a resolver that loops": (RESOLVER % "for (;;) {}", "timeout_cpu"),
    "a resolver that forks as the server does": (
        RESOLVER % "call(56, 0x8011, 0, 0); call(56, 0x8011, 0, 0);",
        "violation",
    ),
    "code before everything": (
        "#include <unistd.h>\nstatic void early() { _exit(0); }\n"
        '__attribute__((section(".preinit_array"), used)) static void (*const entry)() = early; int main() {}',
        "completed",
    ),
    "its own fork server": ("extern \"C\" int fork() { return 5; } int main() { return fork(); }", "runtime_error"),
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
    if "resolver" in name and os.uname().machine != "x86_64":
        pytest.skip("needs x86_64, whose system calls the program makes")
    check(executor, STDIO, *PROGRAMS[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(executor, name):
    check(executor, FUNCTION, *FUNCTIONS[name])
