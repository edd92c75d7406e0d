"""What a name in a problem means: an entry of one of our tables, or a function in a file of the user's own."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from evaluators.exceptions import UserError, unknown_name, users_code
from evaluators.plain_data import PlainData
from evaluators.problem import Named
from evaluators.users_file import load_from_file, read_users_file

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
    return sha256(read_users_file("own code", path) + b"\0" + attribute.encode()).hexdigest()


def load_own_code(kind: str, name: str) -> Callable[..., Any]:
    """The function that ``path/file.py:attribute`` means; a file that has not changed is imported once.

    Raises:
        UserError: If there is no such file or attribute, the file fails while it is imported, or the attribute
            cannot be called.
    """
    path, _, attribute = name.rpartition(":")
    digest = sha256(read_users_file(kind, path)).hexdigest()
    function = _own_function(kind, str(Path(path).absolute()), attribute, digest)
    if not callable(function):
        raise UserError(f"{kind} {name!r} is a {type(function).__name__}: it must be a function")
    return function  # type: ignore[no-any-return]


def call_own_code(kind: str, named: Named, function: Callable[..., Any], *values: PlainData) -> PlainData:
    """Call a function of the user's own; whatever it raises becomes an error that names it.

    Raises:
        UserError: If the function raises.
    """
    try:
        with users_code(f"{kind} {named.name!r}"):
            return partial(function, **named.options)(*values)
    except UserError as error:
        raise UserError(f"{error}; it was given {', '.join(map(reprlib.repr, values))}") from error


@lru_cache(maxsize=64)  # by the digest too, so that a file which has changed is imported again
def _own_function(kind: str, path: str, attribute: str, digest: str) -> Any:
    return load_from_file(kind, path, attribute)
