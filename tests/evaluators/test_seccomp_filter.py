from __future__ import annotations

import errno
import os
import struct

import pytest

from evaluators.sandbox import syscalls
from evaluators.sandbox.seccomp import EXECUTABLE_DESCRIPTOR, Filter

OWN = 4321
KILL, ALLOW, ASK = "kill", "allow", "ask"
X86, ARM = "x86_64", "aarch64"


def decide(machine, call, *arguments, name="candidate", claimed=None):
    """Interpret a filter as the kernel's BPF machine does."""
    numbers = syscalls.numbers(machine)
    number = call if isinstance(call, int) else numbers[call]
    made = Filter(name, machine)
    program = list(struct.iter_unpack("=HBBI", made.program(OWN)))
    assert len(program) == made.length <= 4096
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number, claimed or syscalls.MACHINES[machine], 0, *(value % 2**64 for value in padded))
    accumulator = place = 0
    while True:
        code, if_true, if_false, operand = program[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x05:
            place += operand
        elif code in (0x15, 0x35, 0x45):
            tests = {0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)}
            place += if_true if tests[code] else if_false
        elif code == 0x06:
            known = {0x80000000: KILL, 0x7FFF0000: ALLOW, 0x7FC00000: ASK}
            return known.get(operand) or errno.errorcode[operand & 0xFFFF]
        else:
            pytest.fail(f"an instruction that filters do not use: {code:#x}")


@pytest.mark.parametrize("machine", [X86, ARM])
def test_a_candidate_may_compute_and_read(machine):
    for call in ("read", "write", "mmap", "brk", "futex", "exit_group", "clock_gettime", "getrandom", "rt_sigaction"):
        assert decide(machine, call) == ALLOW


@pytest.mark.parametrize("machine", [X86, ARM])
@pytest.mark.parametrize(
    "call",
    [
        "socket",
        "connect",
        "bind",
        "ptrace",
        "process_vm_readv",
        "unshare",
        "setns",
        "mount",
        "setsid",
        "setpgid",
        "bpf",
        "keyctl",
        "pidfd_getfd",
        "execve",
    ],
)
def test_what_no_solution_needs_ends_the_process(machine, call):
    assert decide(machine, call) == KILL


@pytest.mark.parametrize("machine", [X86, ARM])
@pytest.mark.parametrize(
    ("call", "arguments", "decision"),
    [
        ("openat", (0, 0, os.O_RDONLY), ALLOW),
        ("openat", (0, 0, os.O_WRONLY | os.O_CREAT), "EROFS"),
        ("openat", (0, 0, os.O_RDWR | os.O_TMPFILE), "EROFS"),
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x11,), KILL),  # a process
        ("clone3", (), "ENOSYS"),
        ("kill", (OWN, 9), ALLOW),
        ("kill", (1, 9), KILL),
        ("kill", (0, 9), KILL),
        ("kill", (-1, 9), KILL),
        ("tgkill", (OWN, OWN + 1, 6), ALLOW),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (1,), KILL),
        ("prctl", (15,), ALLOW),
        ("prctl", (4, 1), "EPERM"),
        ("fcntl", (0, 3), ALLOW),
        ("fcntl", (0, 8, 1), "EPERM"),
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x8901), "ENOTTY"),
        ("execveat", (EXECUTABLE_DESCRIPTOR,), ALLOW),
        ("execveat", (5,), KILL),
        ("socketpair", (1, 1 | 0x80000), ALLOW),
        ("socketpair", (1, 2), KILL),
        ("socketpair", (2, 1), KILL),
        ("sendto", (3, 0, 0, 0, 0), ALLOW),
        ("sendto", (3, 0, 0, 0, 1), KILL),
        ("sendto", (3, 0, 0, 0, 2**40), KILL),
        ("unlinkat", (), "EROFS"),
        ("memfd_create", (), "EPERM"),
    ],
)
def test_arguments_decide(machine, call, arguments, decision):
    assert decide(machine, call, *arguments) == decision


def test_a_call_that_is_not_listed_does_not_exist():
    assert decide(X86, 500) == "ENOSYS"
    assert decide(X86, 153) == "ENOSYS"  # vhangup
    assert decide(ARM, 9999) == "ENOSYS"


def test_the_numbers_of_other_processors_end_the_process():
    assert decide(X86, "read", claimed=0x40000003) == KILL  # i386
    assert decide(X86, 0x40000000) == KILL  # x32


@pytest.mark.parametrize("machine", [X86, ARM])
def test_a_compiler_may_start_processes_and_create_files_and_no_more(machine):
    for call in ("execve", "clone", "unlinkat", "memfd_create"):
        assert decide(machine, call, name="compiler") == ALLOW
    assert decide(machine, "openat", 0, 0, os.O_CREAT, name="compiler") == ALLOW
    assert decide(machine, "clone", 0x10000000, name="compiler") == KILL  # a user namespace
    for call in ("socket", "ptrace", "setsid", "mount"):
        assert decide(machine, call, name="compiler") == KILL


def test_every_call_has_one_group_and_a_number():
    groups = [
        *syscalls.ALLOWED,
        *syscalls.BY_ARGUMENT,
        *syscalls.CHANGES_FILES,
        *syscalls.REFUSED,
        *syscalls.STARTS_PROCESSES,
        *syscalls.VIOLATIONS,
    ]
    assert len(groups) == len(set(groups))
    assert set(groups) <= set(syscalls.numbers(X86))


@pytest.mark.parametrize("machine", [X86, ARM])
@pytest.mark.parametrize(
    ("call", "arguments", "decision"),
    [
        ("clone", (0x8000 | 17,), ASK),
        ("clone", (17,), KILL),
        ("clone", (0x8000,), KILL),
        ("clone", (0x1200011,), KILL),
        ("clone", (0x10000000 | 0x8000 | 17,), KILL),
        ("clone", (0x3D0F00,), ALLOW),
        ("kill", (0, 9), KILL),
        ("kill", (1, 9), KILL),
        ("kill", (-1, 9), KILL),
        ("kill", (OWN, 9), KILL),
        ("kill", (OWN + 1, 9), ALLOW),
        ("tgkill", (OWN + 1, OWN + 1, 6), ALLOW),
        ("tgkill", (1, 1, 6), KILL),
        ("prlimit64", (0,), ALLOW),
        ("prlimit64", (OWN,), KILL),
        ("prctl", (4, 0), ALLOW),
        ("prctl", (22, 2), "EPERM"),
        ("sendmsg", (999,), ALLOW),
        ("sendmsg", (5,), "EPERM"),
        ("socket", (1, 1, 0), KILL),
        ("execveat", (5,), KILL),
        ("process_vm_readv", (OWN,), KILL),
    ],
)
def test_a_fork_server_asks_for_each_process_and_may_do_little_else(machine, call, arguments, decision):
    assert decide(machine, call, *arguments, name="fork server") == decision
