"""Precompiled: what compiling a program needs, made once a machine instead of once a program.

It is made by the same compiler inside the same sandbox as everything else, and kept in the user's cache under the
digest of toolchain and options, since a compiler takes a precompiled header for exactly those alone::

    whole/bits/stdc++.h.gch     the header that programs include
    common/bits/stdc++.h.gch    a smaller one in its place, with what most programs use, and quicker to load
    fork_server.o               linked into each program
    link-namespaces.json        the options of the fastest linker that works there; written last, one a kind of walls

Beside each precompiled header stands one of the same name in text, for a second inclusion.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluators.exceptions import InfrastructureError
from evaluators.languages import Language
from evaluators.sandbox import wire
from evaluators.sandbox.client import Isolation, Sandbox
from evaluators.sandbox.visible import Visible

Headers = Literal["common", "whole"]

_BOUNDS = {"cpu_seconds": 120.0, "idle_seconds": 60.0, "memory_bytes": 4 * 2**30, "file_bytes": 400 * 2**20}
_DRIVERS = Path(__file__).parent / "drivers"
_FORK_SERVER = "fork_server"
_LINKERS = ("mold", "lld", "gold")  # the fastest first; without any, the compiler's own
_TRIAL = b"#include <iostream>\nint main() { std::cout << 1; }\n"
_FREESTANDING = ("-x", "c", "-c", "-fno-stack-protector", "-fcf-protection=none")


@dataclass(frozen=True)
class Precompiled:
    """What was made for a language.

    Attributes:
        directory: Where it lies on this machine.
        link: Options of the linker.
        served: Whether programs have a fork server.
        common: Whether there is the smaller header.
    """

    directory: Path
    link: tuple[str, ...]
    served: bool
    common: bool

    def options(self, inside: str, headers: Headers) -> list[str]:
        """Options of the compiler.

        Args:
            inside: Where the directory lies in the sandbox.
            headers: Which header to use.
        """
        # Before the program's own code, so that what begins before everything is the server.
        server = [f"{inside}/{_FORK_SERVER}.o"] if self.served else []
        return [f"-I{inside}/{headers if self.common else 'whole'}", *self.link, *server]


def cache_directory() -> Path | None:
    """Where they are kept (about 160 MB a toolchain), or None without a home; may be deleted at any time."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - raises nothing
    return Path(root) / "evo" / "precompiled" if Path(root).is_absolute() else None


def directory(language: Language, toolchain: str) -> Path | None:
    """The directory for a language; None if there is no place for one.

    Args:
        language: Of the programs.
        toolchain: Version and options of the compiler.
    """
    parts = [language.precompiled_header, toolchain, *filter(shutil.which, [f"ld.{name}" for name in _LINKERS])]
    sources = [(_DRIVERS / name).read_bytes() for name in (language.common_header, f"{_FORK_SERVER}.c") if name]
    key = hashlib.sha256(repr((parts, sources)).encode()).hexdigest()[:16]
    root = cache_directory()
    return None if root is None else root / key


async def find_or_make(
    language: Language, toolchain: str, command: list[str], isolation: Isolation, visible: Visible
) -> Precompiled | None:
    """Find what there is, or make it in a sandbox of its own.

    Args:
        language: Of the programs.
        toolchain: Version and options of the compiler.
        command: The compiler with the options that programs are compiled with.
        isolation: Of the sandbox.
        visible: What it shows.

    Returns:
        What was made, or None where the compiler or the disk does not play along: programs compile without it, too.

    Raises:
        InfrastructureError: If the sandbox does not start.
    """
    place = directory(language, toolchain)
    if place is None:
        return None
    facts = place / f"link-{isolation.walls}.json"
    found = _read(facts)
    if found is not None:
        return found
    try:
        place.mkdir(parents=True, exist_ok=True)  # before a minute's work for nothing
    except OSError:
        return None
    sandbox = await Sandbox.start(isolation, visible)
    try:
        return await _make(_Workshop(sandbox, command), language, facts)
    except wire.BrokenWireError as error:
        raise InfrastructureError(f"the sandbox ended while it precompiled a header: {error}") from error
    except OSError:
        return None
    finally:
        sandbox.end()


async def _make(workshop: _Workshop, language: Language, facts: Path) -> Precompiled | None:
    place, name = facts.parent, str(language.precompiled_header)
    texts = {"whole": (f"#include <{name}>\n".encode(), f"#include_next <{name}>\n".encode())}
    if language.common_header is not None:
        common = (_DRIVERS / language.common_header).read_bytes()
        texts["common"] = (common, common)
    made = {}
    for kind, (source, text) in texts.items():
        made[kind] = await workshop.make(place / kind / f"{name}.gch", source, ["-x", "c++-header"])
        if made[kind]:
            _store(place / kind / name, text)
    if not made["whole"]:
        return None
    server = _DRIVERS / f"{_FORK_SERVER}.c"
    served = language.fork_server and await workshop.make(
        place / f"{_FORK_SERVER}.o", server.read_bytes(), _FREESTANDING
    )
    link = await workshop.fastest_linker()
    _store(facts, json.dumps({"link": link, "served": served, "common": made.get("common", False)}).encode())
    return _read(facts)


class _Workshop:
    """A sandbox in which to compile things of our own."""

    def __init__(self, sandbox: Sandbox, command: list[str]) -> None:
        self._sandbox = sandbox
        self._command = command

    async def compile(self, source: bytes, options: Sequence[str]) -> bytes | None:
        """Compile a source; None if that fails."""
        job: Mapping[str, Any] = {
            "job": "compile",
            "command": [*self._command, *options, "-o", "made", "source.cpp"],
            "files": {},
            "source_name": "source.cpp",
            "result_name": "made",
            "bounds": _BOUNDS,
        }
        await self._sandbox.send(job, [source])
        outcome, blobs = await self._sandbox.receive()
        return blobs[1] if outcome.get("status") == 0 and blobs[1] else None

    async def make(self, path: Path, source: bytes, options: Sequence[str]) -> bool:
        """Compile a source into a file, unless it is there; False if that fails."""
        if not path.exists():  # noqa: ASYNC240 - of the local cache
            made = await self.compile(source, options)
            if made is None:
                return False
            _store(path, made)
        return True

    async def fastest_linker(self) -> list[str]:
        """Options of the fastest that works; static ones, if possible, since their programs fork in half the time."""
        chosen = [[f"-fuse-ld={name}"] for name in _LINKERS if shutil.which(f"ld.{name}")]
        for static in (["-static"], []):
            for linker in [*chosen, []]:
                options = [*static, "-s", "-Wl,--gc-sections", *linker]
                if await self.compile(_TRIAL, options) is not None:
                    return options
        return []


def _read(path: Path) -> Precompiled | None:
    try:
        facts = json.loads(path.read_bytes())
        return Precompiled(path.parent, tuple(facts["link"]), bool(facts["served"]), bool(facts["common"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
