"""Toolchains: where a language's programs lie on this machine, and which versions they are."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterable

from evaluators.exceptions import UserError
from evaluators.languages import Language


def find(name: str, record: Language) -> str:
    """Absolute path of a program that a language needs.

    Raises:
        UserError: If it is not installed; the message says what to type.
    """
    found = shutil.which(name)
    if found is None:
        raise UserError(f"language {record.name!r} needs {name}, which is not installed: type {record.install}")
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
    commands = [
        command for record in records for command in (record.compile_command, record.version_command) if command
    ]
    found = (shutil.which(command[0]) for command in commands)
    return [path for path in found if path is not None]


def version(record: Language, executor_version: int) -> str:
    """Versions and options of everything that a verdict may depend on.

    Raises:
        UserError: If the toolchain is not installed.
    """
    if record.version_command is None:
        shown = f"{platform.python_implementation()} {platform.python_version()} {platform.machine()}"
    else:
        command = [find(record.version_command[0], record), *record.version_command[1:]]
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        shown = " ".join([*(told.stdout or told.stderr).splitlines()[:1], *(record.compile_command or ())[1:]])
    return f"{shown}; executor {executor_version}"
