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


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else "no place is known"
