"""Precompiled headers: a header that most programs include, parsed once a machine instead of once a program.

The file is made by the same compiler inside the same sandbox as everything else, and kept in the user's cache under
the digest of toolchain and options, since a compiler takes it for exactly those alone. Beside it stands a header of
the same name that leads to the real one, for a second inclusion.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from evaluators.exceptions import InfrastructureError
from evaluators.languages import Language
from evaluators.sandbox import wire
from evaluators.sandbox.client import Isolation, Sandbox
from evaluators.sandbox.visible import Visible

_BOUNDS = {"cpu_seconds": 120.0, "idle_seconds": 60.0, "memory_bytes": 4 * 2**30, "file_bytes": 400 * 2**20}
_RESULT_NAME = "precompiled.gch"


def cache_directory() -> Path | None:
    """Where they are kept (about 100 MB a toolchain), or None without a home; may be deleted at any time."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - raises nothing
    return Path(root) / "evo" / "precompiled" if Path(root).is_absolute() else None


def directory(language: Language, toolchain: str) -> Path | None:
    """The directory to be put first on a compiler's path for headers; None if there is no place for one.

    Args:
        language: Of the programs.
        toolchain: Version and options of the compiler.
    """
    key = hashlib.sha256(f"{language.precompiled_header}\0{toolchain}".encode()).hexdigest()[:16]
    root = cache_directory()
    return None if root is None else root / key


async def find_or_make(
    language: Language, toolchain: str, command: list[str], isolation: Isolation, visible: Visible
) -> Path | None:
    """Find the file, or make it in a sandbox of its own.

    Args:
        language: Of the programs.
        toolchain: Version and options of the compiler.
        command: The compiler with the options that programs are compiled with.
        isolation: Of the sandbox.
        visible: What it shows.

    Returns:
        The directory, or None where the compiler or the disk does not play along: programs compile without it, too.

    Raises:
        InfrastructureError: If the sandbox does not start.
    """
    place = directory(language, toolchain)
    if place is None or _file(place, language).is_file():
        return place
    try:
        _file(place, language).parent.mkdir(parents=True, exist_ok=True)  # before a minute's work for nothing
    except OSError:
        return None
    source_name = "header.h"
    job = {
        "job": "compile",
        "command": [*command, "-x", "c++-header", "-o", _RESULT_NAME, source_name],
        "files": {},
        "source_name": source_name,
        "result_name": _RESULT_NAME,
        "bounds": _BOUNDS,
    }
    sandbox = await Sandbox.start(isolation, visible)
    try:
        await sandbox.send(job, [f"#include <{language.precompiled_header}>\n".encode()])
        outcome, blobs = await sandbox.receive()
    except wire.BrokenWireError as error:
        raise InfrastructureError(f"the sandbox ended while it precompiled a header: {error}") from error
    finally:
        sandbox.end()
    if outcome.get("status") != 0 or not blobs[1]:
        return None
    try:
        _store(place / str(language.precompiled_header), f"#include_next <{language.precompiled_header}>\n".encode())
        _store(_file(place, language), blobs[1])
    except OSError:
        return None
    return place


def _file(place: Path, language: Language) -> Path:
    return place / f"{language.precompiled_header}.gch"


def _store(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
