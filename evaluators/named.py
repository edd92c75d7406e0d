"""What a name in a problem means: an entry of one of our tables, or a function in a file of the user's own."""

from __future__ import annotations

import importlib.util
import inspect
import reprlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from evaluators.exceptions import UserError, unknown_name
from evaluators.plain_data import PlainData
from evaluators.problem import Named

_Built = TypeVar("_Built")


def build_named(kind: str, named: Named, table: Mapping[str, Callable[..., _Built]]) -> _Built:
    """Look a name up in a table of factories and call the factory with the checked options.

    Args:
        kind: What the table holds, for messages.
        named: Name and options.
        table: Factories whose parameters are keywords with defaults.

    Raises:
        UserError: If the name or an option is not known, or an option's value has the wrong type.
    """
    factory = table.get(named.name)
    if factory is None:
        near = unknown_name(kind, named.name, table)
        raise UserError(f"{near}; or path/file.py:attribute for one of your own")
    allowed = inspect.signature(factory).parameters
    for option, value in named.options.items():
        if option not in allowed:
            raise unknown_name(f"option of {kind} {named.name!r}", option, allowed)
        default = allowed[option].default
        fits = type(value) is type(default) or (isinstance(default, float) and type(value) is int)
        if not fits:
            raise UserError(
                f"{kind} {named.name!r}: option {option} is {value!r}, but takes a {type(default).__name__}, "
                f"as {default!r}"
            )
    return factory(**named.options)


def is_own_code(name: str) -> bool:
    """Whether a name means a function of the user's own, ``path/file.py:attribute``."""
    return ".py:" in name


def own_code_digest(name: str) -> str:
    """SHA-256 (hexadecimal) of the file that a name ``path/file.py:attribute`` means, with the attribute.

    Raises:
        UserError: If the file cannot be read.
    """
    path, _, attribute = name.rpartition(":")
    return sha256(_own_source("own code", path) + b"\0" + attribute.encode()).hexdigest()


def load_own_code(kind: str, name: str) -> Callable[..., Any]:
    """The function that ``path/file.py:attribute`` means.

    Raises:
        UserError: If there is no such file or attribute, the file fails while it is imported, or the attribute
            cannot be called.
    """
    path, _, attribute = name.rpartition(":")
    members = _own_module(kind, str(Path(path).absolute()), sha256(_own_source(kind, path)).hexdigest())
    if attribute not in members:
        functions = [key for key, value in members.items() if callable(value) and not key.startswith("_")]
        raise unknown_name(f"{kind} in {path}", attribute, functions)
    function = members[attribute]
    if not callable(function):
        raise UserError(f"{kind} {name!r} is a {type(function).__name__}: it must be a function")
    return function  # type: ignore[no-any-return]


def call_own_code(kind: str, named: Named, function: Callable[..., Any], *values: PlainData) -> PlainData:
    """Call a function of the user's own; whatever it raises becomes an error that names it.

    Raises:
        UserError: If the function raises.
    """
    try:
        return partial(function, **named.options)(*values)
    except Exception as error:
        raise UserError(
            f"{kind} {named.name!r} raised {type(error).__name__}: {str(error)[:200]} (at {_place(error)}); "
            f"it was given {', '.join(map(reprlib.repr, values))}"
        ) from error


def _own_source(kind: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UserError(
            f"{kind}: cannot read {path!r} ({error.strerror}): write it as path/file.py:attribute"
        ) from error


@lru_cache(maxsize=64)
def _own_module(kind: str, path: str, digest: str) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location(f"evo_own_code_{digest[:16]}", path)
    if spec is None or spec.loader is None:
        raise UserError(f"{kind}: {path!r} is no Python file: write it as path/file.py:attribute")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(
            f"{kind}: importing {path!r} raised {type(error).__name__}: {str(error)[:200]} (at {_place(error)})"
        ) from error
    return vars(module)


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"line {trace.tb_lineno}" if trace is not None else "an unknown line"
