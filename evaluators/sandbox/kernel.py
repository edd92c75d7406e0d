"""The few Linux system calls that Python's standard library lacks."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import signal
import struct
from collections.abc import Sequence
from typing import Any, NoReturn

_EXECVEAT = {"x86_64": 322, "aarch64": 281}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same on every processor

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 36, 38
_SECCOMP_MODE_FILTER = 2
_FILTER_ASKS, _GO_ON = 8, 1  # SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_USER_NOTIF_FLAG_CONTINUE
_REQUEST, _REQUEST_BYTES, _ANSWER = struct.Struct("=QI"), 80, struct.Struct("=QqiI")
_TAKE_REQUEST, _ANSWER_REQUEST = 0xC0502100, 0xC0182101
_CAPABILITY_VERSION_3 = 0x20080522
_AT_EMPTY_PATH = 0x1000
_O_PATH = 0o10000000

_LANDLOCK_VERSION_FLAG = 1
_LANDLOCK_PATH_BENEATH = 1
_READ_FILE, _READ_DIRECTORY, _EXECUTE = 1 << 2, 1 << 3, 1 << 0
_ALL_FILE_ACTIONS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FILE_ACTIONS_NOW = (1 << 16) - 1
_FILE_ONLY = _EXECUTE | (1 << 1) | _READ_FILE | (1 << 14) | (1 << 15)  # what a rule on a single file may name
_NETWORK_VERSION, _SCOPE_VERSION = 4, 6


class _SeccompProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _LandlockRuleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _LandlockPath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def _prctl(option: int, value: int, pointer: Any = None) -> None:
    zero = ctypes.c_ulong(0)
    result = _libc().prctl(
        ctypes.c_int(option), ctypes.c_ulong(value), zero if pointer is None else pointer, zero, zero
    )
    _checked(result, f"prctl({option})")


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Ask for a signal when the parent's thread ends."""
    _prctl(_PR_SET_PDEATHSIG, number)


def forbid_inspection() -> None:
    """Close ``/proc/<this process>`` and ptrace to other processes of the same user."""
    _prctl(_PR_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def renounce_privileges() -> None:
    """No execution may ever gain privileges again."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up what makes root more than an ordinary user; after :func:`renounce_privileges`, for good."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _checked(_libc().capset(ctypes.byref(header), ctypes.byref(nothing)), "capset")


def install_filter(program: bytes, length: int) -> None:
    """Install a seccomp filter in this thread for good; needs :func:`renounce_privileges` first.

    Args:
        program: The instructions.
        length: Their number.
    """
    buffer = ctypes.create_string_buffer(program, len(program))
    description = _SeccompProgram(length, ctypes.cast(buffer, ctypes.c_void_p))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(description))


def install_asking_filter(program: bytes, length: int) -> int:
    """Install a filter that asks about some calls; see :func:`install_filter`.

    Returns:
        A descriptor for :func:`next_request` and :func:`let_through`, in another process.
    """
    buffer = ctypes.create_string_buffer(program, len(program))
    description = _SeccompProgram(length, ctypes.cast(buffer, ctypes.c_void_p))
    number = ctypes.c_long(_SECCOMP[os.uname().machine])
    flags = ctypes.c_ulong(_FILTER_ASKS)
    return _checked(_libc().syscall(number, ctypes.c_ulong(1), flags, ctypes.byref(description)), "seccomp")


def next_request(descriptor: int) -> tuple[int, int]:
    """Take the oldest call that waits for an answer, or wait for one.

    Returns:
        Its name for :func:`let_through`, and the number of the process.

    Raises:
        FileNotFoundError: If that process has just been killed.
    """
    buffer = bytearray(_REQUEST_BYTES)
    fcntl.ioctl(descriptor, _TAKE_REQUEST, buffer)
    name, process = _REQUEST.unpack_from(buffer)
    return int(name), int(process)


def let_through(descriptor: int, name: int) -> None:
    """Let a call go on.

    Raises:
        FileNotFoundError: If that process has just been killed.
    """
    fcntl.ioctl(descriptor, _ANSWER_REQUEST, _ANSWER.pack(name, 0, 0, _GO_ON))


def execute_descriptor(descriptor: int, arguments: Sequence[bytes], environment: Sequence[bytes] = ()) -> NoReturn:
    """Replace this process by the program that an open file holds; returns by an exception only.

    Raises:
        OSError: If the file cannot be executed.
    """
    call = _EXECVEAT[os.uname().machine]
    argv = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)
    envp = (ctypes.c_char_p * (len(environment) + 1))(*environment, None)
    number = ctypes.c_long(call)
    flags = ctypes.c_int(_AT_EMPTY_PATH)
    _checked(_libc().syscall(number, ctypes.c_int(descriptor), ctypes.c_char_p(b""), argv, envp, flags), "execveat")
    raise AssertionError("an execution does not return")


def landlock_version() -> int:
    """Version of the kernel's Landlock, 0 where there is none."""
    flag = ctypes.c_uint32(_LANDLOCK_VERSION_FLAG)
    version = _libc().syscall(ctypes.c_long(_LANDLOCK_CREATE), None, ctypes.c_size_t(0), flag)
    return max(0, int(version))


def landlock(readable: Sequence[str], writable: Sequence[str] = ()) -> None:
    """Close the file system but for some directories and files, TCP, and signals to processes outside; for good.

    Args:
        readable: May be read and executed, with everything beneath.
        writable: May be changed as well.

    Raises:
        OSError: If the kernel has no Landlock.
    """
    version = landlock_version()
    every = _ALL_FILE_ACTIONS.get(version, _ALL_FILE_ACTIONS_NOW)
    network = 3 if version >= _NETWORK_VERSION else 0
    scoped = 3 if version >= _SCOPE_VERSION else 0
    known = ctypes.sizeof(_LandlockRuleset) if scoped else 16 if network else 8
    rules = _LandlockRuleset(every, network, scoped)
    ruleset = _checked(
        _libc().syscall(
            ctypes.c_long(_LANDLOCK_CREATE), ctypes.byref(rules), ctypes.c_size_t(known), ctypes.c_uint32(0)
        ),
        "landlock_create_ruleset",
    )
    try:
        for path in readable:
            _landlock_allow(ruleset, path, _READ_FILE | _READ_DIRECTORY | _EXECUTE)
        for path in writable:
            _landlock_allow(ruleset, path, every)
        _checked(
            _libc().syscall(ctypes.c_long(_LANDLOCK_RESTRICT), ctypes.c_int(ruleset), ctypes.c_uint32(0)),
            "landlock_restrict_self",
        )
    finally:
        os.close(ruleset)


def _landlock_allow(ruleset: int, path: str, allowed: int) -> None:
    try:
        parent = os.open(path, _O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - pathlib is too slow for every child
            allowed &= _FILE_ONLY
        rule = _LandlockPath(allowed, parent)
        kind = ctypes.c_int(_LANDLOCK_PATH_BENEATH)
        pointer = ctypes.byref(rule)
        number = ctypes.c_long(_LANDLOCK_ADD)
        _checked(_libc().syscall(number, ctypes.c_int(ruleset), kind, pointer, ctypes.c_uint32(0)), "landlock_add_rule")
    finally:
        os.close(parent)
