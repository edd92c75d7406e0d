"""Which files of the machine a sandbox shows: system libraries, the interpreter, the compilers, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_TOP = ("/bin", "/lib", "/lib32", "/lib64")
_STORES = ("/nix/store", "/gnu/store")


@dataclass(frozen=True)
class Visible:
    """What a sandbox shows of the machine, read-only.

    Attributes:
        links: Pairs of a symbolic link at the top and what it says.
        shown: Directories and files.
        hidden: Directories inside them that stay empty: installed packages, which may hold a benchmark's answers.
        headers: A directory of precompiled headers, or None.
        packages: A directory of Python packages, or None.
    """

    links: tuple[tuple[str, str], ...]
    shown: tuple[str, ...]
    hidden: tuple[str, ...]
    headers: str | None = None
    packages: str | None = None

    def allowed(self) -> list[str]:
        """The same as a list of allowed paths alone, for a layer that cannot hide a part of what it shows."""
        targets = [os.path.realpath(link) for link, _ in self.links]
        allowed: list[str] = []
        for path in dict.fromkeys([*self.shown, *targets, *_DEVICES, *filter(None, [self.headers, self.packages])]):
            allowed += _without(path, self.hidden)
        return allowed


def visible(executables: Iterable[str], mounts: Iterable[str] = ()) -> Visible:
    """What the interpreter and some other programs need.

    Args:
        executables: Absolute paths of compilers and interpreters.
        mounts: Further directories and files.
    """
    shown = [path for path in (*_SYSTEM, *_SYSTEM_FILES) if Path(path).exists()]
    links = [(path, str(Path(path).readlink())) for path in _TOP if Path(path).is_symlink()]
    shown += [path for path in _TOP if Path(path).is_dir() and not Path(path).is_symlink()]
    for executable in (interpreter(), *executables):
        real = os.path.realpath(executable)
        shown += [store for store in _STORES if real.startswith(store + "/")]
        if not _inside(real, shown):
            prefix = Path(real).parent.parent
            shown += [real]
            shown += [str(prefix / name) for name in ("lib", "lib64", "libexec", "include") if (prefix / name).is_dir()]
    shown += [path for path in mounts if not _inside(path, shown)]
    hidden = []
    for root in shown:
        if not root.startswith("/etc/"):
            for pattern in ("python*/site-packages", "python*/dist-packages", "pypy*/site-packages"):
                hidden += [str(path) for path in sorted(Path(root).glob(pattern))]
    return Visible(tuple(links), tuple(shown), tuple(path for path in hidden if not Path(path).is_symlink()))


def interpreter() -> str:
    """Path of the real interpreter, behind virtual environments and shims."""
    return os.path.realpath(sys.executable)


def _inside(path: str, directories: Iterable[str]) -> bool:
    return any(path == directory or path.startswith(directory + "/") for directory in directories)


def _without(path: str, hidden: tuple[str, ...]) -> list[str]:
    if path in hidden:
        return []
    if not any(place.startswith(path + "/") for place in hidden):
        return [path]
    return [part for entry in sorted(Path(path).iterdir()) for part in _without(str(entry), hidden)]
