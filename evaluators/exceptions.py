"""Exceptions of the whole project.

::

    EvoError
    ├── UserError              the user's input is wrong: one line says what to type instead (exit code 2)
    └── InfrastructureError    a model, a sandbox or a disk failed: never a score (exit code 3)

A failing candidate program is no exception: it is a value, a :class:`~evaluators.verdict.Verdict`.
"""

from __future__ import annotations

import contextlib
import difflib
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path


class EvoError(Exception):
    """Root of every exception that this project raises on purpose."""


class UserError(EvoError):
    """The user's input cannot be used; the message says what was given, what is allowed, what to type."""


class InfrastructureError(EvoError):
    """Something outside the search failed (network, model server, sandbox, disk); it is never a score."""


def unknown_name(kind: str, given: str, allowed: Iterable[str]) -> UserError:
    """Build the error for a name that is not known, with the nearest right one.

    Args:
        kind: What the name names, such as ``"selection"``.
        given: What the user typed.
        allowed: The names that exist.

    Returns:
        The error, to be raised by the caller.
    """
    names = sorted(allowed)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return UserError(f"unknown {kind} {given!r}: allowed are {', '.join(names) or 'none'}{hint}")


def near_file(path: str) -> str:
    """A hint for a path that is not there: the file of its folder with the most similar name, or nothing.

    Args:
        path: What the user typed.

    Returns:
        Such as ``"; did you mean 'problems/gcd.yaml'?"``, to be put behind a message.
    """
    folder = Path(path).parent
    try:
        names = [each.name for each in folder.iterdir()]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(Path(path).name, names, n=1, cutoff=0.7)
    return f"; did you mean {str(folder / near[0])!r}?" if near else ""


@contextlib.contextmanager
def users_code(what: str) -> Iterator[None]:
    """Run code of the user's own: whatever it raises becomes one line that names it.

    Args:
        what: The code, such as ``"selection 'mine.py:Mine'"``.

    Raises:
        UserError: Instead of what the code raises; errors of ours pass through.
    """
    try:
        yield
    except EvoError:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split()) or "no message"
        raise UserError(f"{what} raised {type(error).__name__}: {reason} ({_place(error)})") from error


_ROOT = Path(__file__).parent.parent
_OURS = tuple(f"{_ROOT / package}/" for package in ("evo", "operators", "selection", "evaluators", "benchmarks"))


def _place(error: BaseException) -> str:
    """The last line of the user's own that was run; one of a library if there is none, and never one of ours."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((*_OURS, "<frozen"))
    ]
    import sysconfig  # only where something has failed: it takes milliseconds

    libraries = tuple(f"{sysconfig.get_path(name)}/" for name in ("stdlib", "purelib", "platlib"))
    frames = [frame for frame in frames if not frame.filename.startswith(libraries)] or frames
    if not frames:
        return "before any line of it was run"
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}"
