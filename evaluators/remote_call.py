"""One call of a candidate's function for a check, inside the candidate's process.

The sandbox gets the text of this file, behind the candidate's own, so it needs the standard library alone. Whatever it
returns, the candidate could have made up: it stands for an answer to a call, and for nothing else.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any


def containers(values: Sequence[Any]) -> list[Any]:
    """Every list, dictionary and set inside of values, in an order that depends on their structure alone."""
    found = []
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, list | dict | set):
            found.append(value)
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
    return found


def answer(
    function: Callable[..., Any] | None, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], file: str
) -> dict[str, Any]:
    """Call a function, and say what came of it.

    Args:
        function: What the program has under the name; None for nothing.
        name: Of the function.
        arguments: Plain data.
        keywords: Plain data.
        file: Name of the program's file, for the line of an exception.

    Returns:
        ``result`` or ``raised`` (type, arguments, line), and ``changed``: number and new members of each of the
        arguments' containers that the function changed in place. A result or member is a list: the number of the
        container that it is, or None and the value.

    Raises:
        NameError: If there is no such function.
        MemoryError: If the function does.
    """
    if function is None:
        raise NameError(f"the program defines no function {name!r}")
    given = containers([*arguments, *keywords.values()])
    before = [_members(container) for container in given]
    numbers = {id(container): number for number, container in enumerate(given)}

    def told(value: Any) -> list[Any]:
        return [numbers[id(value)], None] if id(value) in numbers else [None, value]

    said: dict[str, Any] = {}
    try:
        said["result"] = told(function(*arguments, **keywords))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the check may expect any
        said["raised"] = [_builtin_type(error), _plain_arguments(error), _line(error.__traceback__, file)]
    said["changed"] = [
        [number, [told(member) for member in _members(container)]]
        for number, container in enumerate(given)
        if not _same(_members(container), before[number])
    ]
    return said


def _members(container: Any) -> list[Any]:
    """Keys and values of a dictionary, by turns; else the members."""
    if isinstance(container, dict):
        return [part for pair in container.items() for part in pair]
    return list(container)


def _same(members: list[Any], before: list[Any]) -> bool:
    """Whether they are the same objects: equality is for the candidate's objects to define."""
    return len(members) == len(before) and all(one is other for one, other in zip(members, before, strict=True))


def _builtin_type(error: Exception) -> str:
    names = (kind.__name__ for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
    return str(next(names))


def _plain_arguments(error: Exception) -> list[Any]:
    simple = (str, int, float, bool, type(None))
    return list(error.args) if all(type(argument) in simple for argument in error.args) else [str(error)]


def _line(trace: TracebackType | None, file: str) -> int:
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
