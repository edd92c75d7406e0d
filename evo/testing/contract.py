"""Contracts: what every plug-in of a kind must do, as rules that can be checked, and are told where they are broken."""

from __future__ import annotations

import contextlib
import random
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

_Subject = TypeVar("_Subject")


def check_rules(kind: str, rules: Sequence[Callable[[_Subject], None]], subject: _Subject) -> None:
    """Check all rules, and tell of all that are broken.

    Args:
        kind: What is checked, such as ``"selector"``.
        rules: Each raises an AssertionError if it is broken; the first line of its docstring states it.
        subject: What they are checked on.

    Raises:
        AssertionError: If any is; one line a broken rule.
    """
    broken: list[str] = []
    causes: list[Exception] = []
    for rule in rules:
        try:
            with _no_warnings(), _global_randomness_untouched():
                rule(subject)
        except Exception as error:  # noqa: BLE001 - whatever a plug-in raises breaks the rule that it was checked for
            stated = (rule.__doc__ or rule.__name__).splitlines()[0]
            broken.append(f"- {stated} {_told(error)}")
            causes.append(error)
    if broken:
        count = "a rule" if len(broken) == 1 else f"{len(broken)} rules"
        raise AssertionError("\n".join([f"this {kind} breaks {count} of its contract:", *broken])) from causes[0]


def require(holds: bool, otherwise: str) -> None:
    """Raise an AssertionError unless something holds, with optimization (``python -O``) too."""
    if not holds:
        raise AssertionError(otherwise)


@contextlib.contextmanager
def refusal(what: str) -> Iterator[None]:
    """See that code raises a ValueError.

    Args:
        what: What it is asked to do, for the message.

    Raises:
        AssertionError: If it does not.
    """
    try:
        yield
    except ValueError:
        return
    raise AssertionError(f"{what} must raise a ValueError, and did not.")


def _told(error: Exception) -> str:
    if isinstance(error, AssertionError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"It raised {type(error).__name__}: {error} ({frame.filename}, line {frame.lineno})."


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Warnings, such as numpy's of NaN and infinities, are errors: in a search there would be one a generation."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@contextlib.contextmanager
def _global_randomness_untouched() -> Iterator[None]:
    numpy_before, python_before = _numpy_state(), random.getstate()
    yield
    require(
        _numpy_state() == numpy_before and random.getstate() == python_before,
        "It drew from a global generator (random, numpy.random): take all randomness from the generator given.",
    )


def _numpy_state() -> tuple[bytes, int]:
    _, keys, position, *_ = np.random.get_state(legacy=True)  # noqa: NPY002 - the global state is the point
    return np.asarray(keys).tobytes(), int(position)
