"""Toolchains: where a language's programs lie on this machine, and which versions they are."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from evaluators.exceptions import UserError
from evaluators.languages import Language


def find(name: str, record: Language) -> str:
    """Absolute path of a program that a language needs.

    Raises:
        UserError: If it is not installed; the message says what to type.
    """
    found = shutil.which(name)
    if found is None:
        hint = f": type {record.install}" if record.install else ""
        raise UserError(f"language {record.name!r} needs {name}, which is not installed{hint}")
    return os.path.realpath(found)


def compiler(record: Language) -> list[str]:
    """The compile command up to the names of files.

    Raises:
        UserError: If the compiler is not installed.
    """
    name, *options = record.compile_command or ("",)
    return [find(name, record), *options]


def installed(records: Iterable[Language]) -> list[str]:
    """Paths of those programs that are there."""
    found = (shutil.which(command[0]) for record in records for command in _commands(record))
    return [path for path in found if path is not None]


def version(record: Language, executor_version: int) -> str:
    """Versions and options of everything that a verdict may depend on.

    Raises:
        UserError: If the toolchain is not installed.
    """
    if record.path:
        shown = _own_version(record)
    elif record.version_command is None:
        shown = f"{platform.python_implementation()} {platform.python_version()} {platform.machine()}"
    else:
        command = [find(record.version_command[0], record), *record.version_command[1:]]
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        shown = " ".join([*(told.stdout or told.stderr).splitlines()[:1], *(record.compile_command or ())[1:]])
    return f"{shown}; executor {executor_version}"


def runner(record: Language) -> str:
    """Absolute path of what runs a language's programs, which the sandbox starts without a shell's help.

    Raises:
        UserError: If it is not installed, or a script.
    """
    name = (record.run_command or ("",))[0]
    found = find(name, record)
    with Path(found).open("rb") as file:
        if file.read(4) != b"\x7fELF":
            raise UserError(f"language {record.name!r}: {name} ({found}) is a script: name the program that it starts")
    return found


def _commands(record: Language) -> list[tuple[str, ...]]:
    return [command for command in (record.compile_command, record.run_command, record.version_command) if command]


def _own_version(record: Language) -> str:
    """What a user's own language rests on: the record, its programs' contents, and what they say of themselves."""
    if record.run_command is not None:
        runner(record)
    programs = dict.fromkeys(find(command[0], record) for command in _commands(record))
    contents = [hashlib.sha256(Path(program).read_bytes()).hexdigest()[:16] for program in programs]
    first: list[str] = []
    if record.version_command is not None:
        command = [find(record.version_command[0], record), *record.version_command[1:]]
        try:
            told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"language {record.name!r}: version {' '.join(command)} failed: {error}") from error
        first = [line for line in (told.stdout + told.stderr).splitlines() if line.strip()][:1]
    return " ".join([*first, *contents, record.digest])
