"""Languages of a user's own: what is read, what is said of mistakes, and the examples that ship, run for real."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest
import yaml

from evaluators.evaluate import execution_key
from evaluators.exceptions import UserError
from evaluators.executor import SandboxExecutor
from evaluators.languages import CPP, language
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.sandbox.client import Isolation
from evaluators.sandbox.probe import SandboxReport
from evaluators.signature import Signature

EXAMPLES = Path(__file__).parents[2] / "examples" / "languages"
C = str(EXAMPLES / "c.yaml")
PERL = str(EXAMPLES / "perl.yaml")
LIMITS = Limits(cpu_seconds=0.6, wall_seconds=0.8, memory_bytes=2**27, output_bytes=2**16, total_cpu_seconds=3.0)
AWK = {"source_name": "solution.awk", "run": ["awk", "-f", "{program}"]}

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_perl = pytest.mark.skipif(
    shutil.which("perl") is None or not Path("/usr/share/perl").is_dir(),
    reason="perl is not installed as Debian has it",
)
needs_awk = pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not installed")


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def run(executor, source, name, *inputs, limits=LIMITS, signature=None):
    mode = "stdio" if signature is None else "function"
    cases = tuple(Case(given, None, f"case {number}") for number, given in enumerate(inputs))
    parsed = None if signature is None else Signature.parse(signature)
    return asyncio.run(executor.run(Program(source, name), Problem("p", "", mode, cases, parsed, limits=limits)))


def verdicts(execution):
    return [str(result.verdict) for result in execution.cases]


def outputs(execution):
    return [result.output for result in execution.cases]


def write(folder, content, name="mine.yaml"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return str(path)


# The examples


@needs_gcc
def test_c_reads_its_input_and_writes_its_output(executor):
    source = '#include <stdio.h>\nint main(void) { int n; while (scanf("%d", &n) == 1) printf("%d\\n", 2 * n); }'
    execution = run(executor, source, C, "3\n", "4 5\n", "")
    assert verdicts(execution) == ["completed"] * 3
    assert outputs(execution) == ["6\n", "8\n10\n", ""]
    assert execution.compile_cpu_seconds > 0
    assert run(executor, source, C, "1\n").compile_cpu_seconds == 0


C_HOSTILE = {
    "loop": ("int main(void) { for (volatile int i = 0;; i++); }", "timeout_cpu"),
    "sleep": ("#include <unistd.h>\nint main(void) { sleep(60); }", "timeout_wall"),
    "memory": ("#include <stdlib.h>\nint main(void) { volatile char *p = malloc(1u << 30); p[0] = 1; }", "crash"),
    "output": ('#include <stdio.h>\nint main(void) { for (;;) puts("flood"); }', "output_limit"),
    "network": (
        "#include <sys/socket.h>\n#include <errno.h>\nint main(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0; }",
        "violation",
    ),
    "fork": ("#include <unistd.h>\nint main(void) { return fork() < 0; }", "violation"),
    "execute": ('#include <unistd.h>\nint main(void) { execl("/bin/echo", "echo", NULL); return 1; }', "violation"),
    "compile error": ("int main(void) { return x; }", "compile_error"),
    "include what it must not see": ('#include "/etc/passwd"\nint main(void) {}', "compile_error"),
}


@needs_gcc
@pytest.mark.parametrize("name", C_HOSTILE)
def test_c_is_held_as_every_program_is(executor, name):
    source, expected = C_HOSTILE[name]
    execution = run(executor, source, C, "")
    assert verdicts(execution) == [expected]
    assert "root:" not in execution.compile_output


@needs_gcc
def test_c_sees_no_environment_and_no_file_of_ours(executor, monkeypatch, tmp_path):
    monkeypatch.setenv("A_SECRET", "in the environment")
    secret = write(tmp_path, "in a file", "secret")
    source = (
        "#include <stdio.h>\nextern char **environ;\nint main(void) { for (char **e = environ; *e; e++) puts(*e);\n"
        f'char line[99]; FILE *f = fopen("{secret}", "r"); if (f && fgets(line, 99, f)) puts(line); puts("end"); }}'
    )
    assert outputs(run(executor, source, C, "")) == ["end\n"]


@needs_perl
def test_perl_is_run_as_it_is_in_both_modes(executor):
    execution = run(executor, 'while (<STDIN>) { print 2 * $_, "\\n" }', PERL, "3\n4\n", "")
    assert (verdicts(execution), outputs(execution)) == (["completed"] * 2, ["6\n8\n", ""])
    head = "pairs(words: list[str], least: int) -> list[tuple[str, int]]"
    source = "sub pairs { my ($words, $least) = @_; [map { [$_, length $_] } grep { length $_ >= $least } @$words] }"
    execution = run(executor, source, PERL, (["a", "bcd", "é€"], 2), ([], 0), signature=head)
    assert outputs(execution) == [[("bcd", 3), ("é€", 2)], []]


PERL_HOSTILE = {
    "loop": ("while (1) {}", "timeout_cpu"),
    "system": ("system('true')", "violation"),
    "socket": ("use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0) or die", "violation"),
    "memory": ("my $x = 'x' x 1_000_000_000; print length $x", "runtime_error"),
    "die": ("die 'on purpose'", "runtime_error"),
    "rewrite its own source": (
        "if (open(my $f, '+<', $0)) { print {$f} 'x'; close $f } print((-w $0) ? 'writable' : 'kept')",
        "completed",
    ),
    "write a file": ("open(my $f, '>', '/tmp/x') or die $!", "runtime_error"),
}


@needs_perl
@pytest.mark.parametrize("name", PERL_HOSTILE)
def test_perl_is_held_as_every_program_is(executor, name):
    source, expected = PERL_HOSTILE[name]
    execution = run(executor, source, PERL, "", "")
    assert verdicts(execution) == [expected] * 2
    if expected == "completed":
        assert outputs(execution) == ["kept"] * 2


@needs_perl
def test_perl_sees_its_own_environment_alone(executor, monkeypatch):
    monkeypatch.setenv("A_SECRET", "in the environment")
    execution = run(executor, "print join ' ', map { \"$_=$ENV{$_}\" } sort keys %ENV", PERL, "")
    assert outputs(execution) == ["PERL_HASH_SEED=0"]


@needs_perl
def test_a_function_that_is_not_there_or_does_not_return(executor):
    head = "double(n: int) -> int"
    assert verdicts(run(executor, "sub other { 1 }", PERL, (1,), signature=head)) == ["runtime_error"]
    assert verdicts(run(executor, "sub double { exit 0 }", PERL, (1,), signature=head)) == ["early_exit"]


@needs_gcc
def test_python_and_cpp_run_beside_it(executor):
    assert outputs(run(executor, "print(1)", "python", "")) == ["1\n"]
    assert outputs(run(executor, "int main(void) { return 0; }", C, "")) == [""]
    assert outputs(run(executor, '#include <cstdio>\nint main() { puts("2"); }', "cpp", "")) == ["2\n"]
    assert len(executor._idle) <= executor.workers


@needs_gcc
@needs_perl
def test_they_run_behind_landlock_alone(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    isolation = Isolation("landlock")
    monkeypatch.setattr("evaluators.executor.probe", lambda: SandboxReport(isolation, isolation.layers, (), ()))
    made = SandboxExecutor()
    double = "sub double { return 2 * $_[0] }"
    assert outputs(run(made, double, PERL, (3,), (4,), signature="double(n: int) -> int")) == [6, 8]
    rewrite = "print((open(my $f, '+<', $0) || open($f, '<', '/etc/passwd')) ? 'opened' : 'kept')"
    assert outputs(run(made, rewrite, PERL, "", "")) == ["kept"] * 2
    assert outputs(run(made, '#include <stdio.h>\nint main(void) { puts("hi"); }', C, "")) == ["hi\n"]
    asyncio.run(made.close())
    assert list(tmp_path.iterdir()) == []


@needs_awk
def test_a_record_without_name_version_or_mounts(executor, tmp_path):
    mine = write(tmp_path, AWK)
    assert language(mine).name == "mine"
    assert outputs(run(executor, "{ print 2 * $1 }", mine, "3\n4\n")) == ["6\n8\n"]
    with pytest.raises(UserError, match="no function mode"):
        run(executor, "{ print }", mine, (1,), signature="f(n: int) -> int")


# Keys


@needs_perl
def test_record_and_driver_are_part_of_an_executions_key(executor, tmp_path):
    for name in ("perl.yaml", "perl-driver.pl"):
        shutil.copy(EXAMPLES / name, tmp_path)
    mine = str(tmp_path / "perl.yaml")
    program, problem = Program("1", mine), Problem("p", "", "stdio", (Case("", "", "one"),))
    keys = [execution_key(program, problem, executor.toolchain(mine))]
    assert keys[0] == execution_key(program, problem, executor.toolchain(mine))
    for name in ("perl.yaml", "perl-driver.pl"):
        with (tmp_path / name).open("a") as file:
            file.write("# changed\n")
        keys.append(execution_key(program, problem, executor.toolchain(mine)))
    assert len(set(keys)) == 3
    assert "v5" in executor.toolchain(mine)


# Records


def test_what_ships_is_found_by_name_and_a_record_by_its_path(tmp_path, monkeypatch):
    assert language("C++") is CPP
    write(tmp_path, AWK | {"name": "awk", "aliases": ["gawk"], "title": "AWK"})
    monkeypatch.chdir(tmp_path)
    found = language("mine.yaml")
    assert (found.name, found.title, found.reference) == ("awk", "AWK", str(tmp_path / "mine.yaml"))
    assert language(found.reference) == found


def test_a_compile_command_says_where_files_belong():
    assert CPP.compile_arguments(["-x"], "a.cpp", "out")[-4:] == ["-x", "-o", "out", "a.cpp"]
    assert language(C).compile_arguments([], "a.c", "out")[-4:] == ["-o", "out", "a.c", "-lm"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "holds no keys"),
        ("[1, 2]", "holds no keys"),
        ("source_name: [", "not YAML"),
        ({"run": ["awk", "{program}"]}, "source_name is missing"),
        ({"source_name": "solution.awk"}, "compile and run are both missing"),
        (AWK | {"sorce_name": "x"}, "unknown key 'sorce_name'.*did you mean 'source_name'"),
        (AWK | {"run": "awk -f {program}"}, "run is 'awk -f {program}', but must be a list of texts"),
        (AWK | {"run": ["awk", "-f", "solution.awk"]}, "run never says {program}"),
        (AWK | {"run": ["awk", 1]}, "run is .*, but must be a list of texts"),
        (AWK | {"compile": ["gcc", "{program}"]}, "compile never says {source}"),
        (AWK | {"source_name": "../x.awk"}, "must be a file's name"),
        (AWK | {"source_name": "driver.cpp"}, "must be a file's name"),
        (AWK | {"name": "a b"}, "name 'a b' must consist of"),
        (AWK | {"mounts": ["usr/share"]}, "mounts has 'usr/share', but must have absolute paths"),
        (AWK | {"mounts": ["/no/such/folder"]}, "mounts has '/no/such/folder'"),
        (AWK | {"mounts": ["/"]}, "mounts has '/', which a program must not see"),
        (AWK | {"mounts": ["/proc/self"]}, "must not see"),
        (AWK | {"mounts": [str(Path.home())]}, "must not see"),
        (AWK | {"environment": ["A=1"]}, "environment is .*, but must be names and texts"),
        (AWK | {"environment": {"A": 1}}, "environment.A is 1, but must be text"),
        (AWK | {"environment": {"A=B": "1"}}, "environment has 'A=B'"),
        (AWK | {"function_driver": "none.awk"}, "function_driver: there is no file"),
        (AWK | {"function_driver": "mine.yaml"}, "never says {function}"),
        (AWK | {"title": 3}, "title is 3, but must be text"),
    ],
)
def test_a_wrong_record_is_told_in_one_line(tmp_path, content, told):
    with pytest.raises(UserError, match=told) as caught:
        language(write(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_what_is_not_there_is_told_in_one_line(executor, tmp_path):
    with pytest.raises(UserError, match=r"there is no file 'none\.yaml'"):
        language("none.yaml")
    with pytest.raises(UserError, match=r"allowed are cpp, python; did you mean 'python'.*my-language\.yaml"):
        language("pyton")
    missing = write(tmp_path, AWK | {"run": ["no-such-interpreter", "{program}"], "install": "apt-get install it"})
    with pytest.raises(UserError, match="needs no-such-interpreter, which is not installed: type apt-get install it"):
        executor.toolchain(missing)
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    with pytest.raises(UserError, match="is a script: name the program that it starts"):
        executor.toolchain(write(tmp_path, AWK | {"run": [os.fspath(script), "{program}"]}))
