"""Seccomp: the filter on system calls, as a program for the kernel's classic BPF machine.

Three filters: for a program under test, for one that a fork server is linked into, and for the compile step. All are
lists of what is allowed. The program is a binary search over call numbers, with a few instructions where an argument
decides.
"""

from __future__ import annotations

import errno
import struct
from typing import Literal, TypeAlias

from evaluators.sandbox import syscalls

EXECUTABLE_DESCRIPTOR = 1000
"""The one descriptor that may be executed.

It lies beyond the limit of open files that a candidate runs under, is closed by the execution, and so cannot be made
again: a candidate starts once and can start nothing else.
"""

CONTROL_DESCRIPTOR = EXECUTABLE_DESCRIPTOR - 1
"""A socket, by which the supervisor gets hold of a fork server's requests, and which tells it to serve.

The server closes it first, and it cannot be made again, either. drivers/fork_server.c has the same number.
"""

FilterName = Literal["candidate", "fork server", "compiler"]
Instruction: TypeAlias = tuple[int, int, int, int]  # code, jump if true, jump if false, operand

_LOAD = 0x20
_JUMP = 0x05
_EQUAL = 0x15
_NOT_LESS = 0x35
_ANY_BIT = 0x45
_AND = 0x54
_RETURN = 0x06

_KILL = 0x80000000
_ALLOW = 0x7FFF0000
_ERROR = 0x00050000
_ASK = 0x7FC00000

_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGUMENT_OFFSET = 0, 4, 16

_CREATES = 0x40 | 0x400000  # O_CREAT, O_TMPFILE
_THREAD = 0x10000
_PARENTS_CHILD = 0x8000 | 17  # CLONE_PARENT, SIGCHLD
_NEW_NAMESPACES = 0x7E020000
_UNIX, _STREAM = 1, 1
_OWNERS_AND_LEASES = (8, 10, 15, 1024, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
_HARMLESS_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, window size, FIONREAD, FIONBIO, cloexec
_OWN_NAME = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
_SET_DUMPABLE = 4

_OWN_PROCESS = 0x7FFFFFFF  # stands for the candidate's own number until it is known
_OWN_PROCESS_OPERAND = struct.pack("=I", _OWN_PROCESS)


def _answer(action: int) -> list[Instruction]:
    return [(_RETURN, 0, 0, action)]


def _error(number: int) -> list[Instruction]:
    return _answer(_ERROR | number)


def _argument(index: int, high: bool = False) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENT_OFFSET + 8 * index + (4 if high else 0))


def _if_one_of(index: int, values: tuple[int, ...], then: int, otherwise: int) -> list[Instruction]:
    block = [_argument(index)]
    block += [(_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [*block, (_RETURN, 0, 0, otherwise), (_RETURN, 0, 0, then)]


def _if_any_bit(index: int, bits: int, then: int, otherwise: int) -> list[Instruction]:
    return [_argument(index), (_ANY_BIT, 1, 0, bits), (_RETURN, 0, 0, otherwise), (_RETURN, 0, 0, then)]


def _socketpair() -> list[Instruction]:
    """Only pairs of local streams, which reach nobody else (an event loop wakes itself by one)."""
    return [
        _argument(0),
        (_EQUAL, 0, 3, _UNIX),
        _argument(1),
        (_AND, 0, 0, 0xF),
        (_EQUAL, 1, 0, _STREAM),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _sendto() -> list[Instruction]:
    """Only without an address."""
    return [
        _argument(4),
        (_EQUAL, 0, 2, 0),
        _argument(4, high=True),
        (_EQUAL, 1, 0, 0),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _served_clone() -> list[Instruction]:
    """Threads; and whoever wants a process that is not its own child but its parent's must wait for permission."""
    return [
        _argument(0),
        (_ANY_BIT, 3, 0, _THREAD),
        (_EQUAL, 1, 0, _PARENTS_CHILD),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ASK),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _signal_to_a_case() -> list[Instruction]:
    """To any process but the supervisor, which is number 1 here, the fork server, and groups: only the case is left."""
    return [
        _argument(0),
        (_NOT_LESS, 3, 0, 0x80000000),
        (_EQUAL, 2, 0, _OWN_PROCESS),
        (_NOT_LESS, 0, 1, 2),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _KILL),
    ]


def _rules(name: FilterName) -> dict[str, list[Instruction]]:
    rules = dict.fromkeys(syscalls.ALLOWED, _answer(_ALLOW))
    rules |= dict.fromkeys(syscalls.REFUSED, _error(errno.EPERM))
    rules |= dict.fromkeys(syscalls.VIOLATIONS, _answer(_KILL))
    creates = _ERROR | errno.EROFS
    rules |= {
        "open": _if_any_bit(1, _CREATES, creates, _ALLOW),
        "openat": _if_any_bit(2, _CREATES, creates, _ALLOW),
        "clone": _if_any_bit(0, _THREAD, _ALLOW, _KILL),
        "kill": _if_one_of(0, (_OWN_PROCESS,), _ALLOW, _KILL),
        "tgkill": _if_one_of(0, (_OWN_PROCESS,), _ALLOW, _KILL),
        "prlimit64": _if_one_of(0, (0, _OWN_PROCESS), _ALLOW, _KILL),
        "prctl": _if_one_of(0, _OWN_NAME, _ALLOW, _ERROR | errno.EPERM),
        "fcntl": _if_one_of(1, _OWNERS_AND_LEASES, _ERROR | errno.EPERM, _ALLOW),
        "ioctl": _if_one_of(1, _HARMLESS_IOCTLS, _ALLOW, _ERROR | errno.ENOTTY),
        "execveat": _if_one_of(0, (EXECUTABLE_DESCRIPTOR,), _ALLOW, _KILL),
        "socketpair": _socketpair(),
        "sendto": _sendto(),
    }
    if name == "fork server":
        # The number of a case's process is not known when the filter is installed.
        signals = _signal_to_a_case()
        rules |= {"clone": _served_clone(), "kill": signals, "tgkill": signals}
        rules["prlimit64"] = _if_one_of(0, (0,), _ALLOW, _KILL)
        rules["sendmsg"] = _if_one_of(0, (CONTROL_DESCRIPTOR,), _ALLOW, _ERROR | errno.EPERM)
        rules["prctl"] = _if_one_of(0, (*_OWN_NAME, _SET_DUMPABLE), _ALLOW, _ERROR | errno.EPERM)
    if name != "compiler":
        rules |= dict.fromkeys(syscalls.CHANGES_FILES, _error(errno.EROFS))
        return rules | dict.fromkeys(syscalls.STARTS_PROCESSES, _answer(_KILL))
    allowed = [*syscalls.CHANGES_FILES, *syscalls.STARTS_PROCESSES, "open", "openat", "kill", "tgkill", "memfd_create"]
    rules |= dict.fromkeys(allowed, _answer(_ALLOW))
    return rules | {"clone": _if_any_bit(0, _NEW_NAMESPACES, _KILL, _ALLOW)}


def _search(ranges: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Binary search over ranges of numbers, each from its first number to the next range's."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    low, high = _search(ranges[:middle]), _search(ranges[middle:])
    return [(_NOT_LESS, 0, 1, ranges[middle][0]), (_JUMP, 0, 0, len(low)), *low, *high]


class Filter:
    """A filter for one processor, ready to be installed in many processes.

    Args:
        name: Whom it is for.
        machine: As ``os.uname().machine``.

    Raises:
        KeyError: If the processor is unknown.
    """

    def __init__(self, name: FilterName, machine: str) -> None:
        numbers = syscalls.numbers(machine)
        rules = {numbers[call]: rule for call, rule in _rules(name).items() if call in numbers}
        unknown = _error(errno.ENOSYS)
        ranges: list[tuple[int, list[Instruction]]] = [(0, rules.get(0, unknown))]
        for number in range(1, max(rules) + 2):
            rule = rules.get(number, unknown)
            if rule != ranges[-1][1]:
                ranges.append((number, rule))
        head = [
            (_LOAD, 0, 0, _MACHINE_OFFSET),
            (_EQUAL, 1, 0, syscalls.MACHINES[machine]),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, _NUMBER_OFFSET),
            (_NOT_LESS, 0, 1, 0x40000000),  # the x32 numbers of x86_64
            (_RETURN, 0, 0, _KILL),
        ]
        program = head + _search(ranges)
        self.length = len(program)
        self._template = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)

    def program(self, process: int) -> bytes:
        """The filter's instructions for one process, which may signal itself alone."""
        return self._template.replace(_OWN_PROCESS_OPERAND, struct.pack("=I", process))
