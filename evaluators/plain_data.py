"""Plain data: the values that may cross the wall of a sandbox, written as JSON with tags.

``None``, ``bool``, ``int``, ``float``, ``str``, ``bytes``, ``list``, ``tuple``, ``dict``, ``set`` and ``frozenset``,
nested. Types survive exactly: a tuple stays a tuple, ``True`` is not ``1`` and ``1.0`` is not ``1``. What JSON cannot
say is an object with one tag: ``{"tuple": [...]}``, ``{"dict": [[key, value], ...]}``, ``{"int": "0x..."}``.

The sandbox's runner imports this file by itself, so it needs the standard library alone.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable
from typing import Any, TypeAlias

PlainData: TypeAlias = Any
"""Plain data as Python values."""

Json: TypeAlias = Any
"""What ``json.dumps`` can write: plain data with tags."""

MAX_DEPTH = 100
"""Containers inside containers: deeper data (or a cycle) is refused."""

MAX_ITEMS = 4_000_000
"""Values inside of one piece of data, containers included.

HumanEval+ has results of a million values (tasks 100 and 130). Five results of Mbpp/255 in MBPP+ are beyond this bound:
four of 6 million values, with which a process grows to 1.3 GB, and one of 130 million.
"""

_SMALL = 2**53  # integers beyond it are written in hexadecimal: exact in every JSON reader, and no limit on digits


def to_json(value: PlainData, accept_subclasses: bool = False) -> Json:
    """Turn plain data into what ``json.dumps`` can write.

    Args:
        value: The data.
        accept_subclasses: Write an instance of a subclass (``Counter``, ``IntEnum``, a named tuple) as its plain
            base type, instead of refusing it.

    Returns:
        None, booleans, numbers, strings, lists, and dictionaries with one tag.

    Raises:
        ValueError: If a value is of another type (the message names it), or if the data is too deep or too large.
    """
    return _Writer(accept_subclasses).write(value, 0)


def from_json(data: Json) -> PlainData:
    """Rebuild plain data from what :func:`to_json` returned.

    Args:
        data: Parsed JSON, from any source: it is checked. Its lists may become part of what is returned.

    Raises:
        ValueError: If it is not tagged plain data, or too deep or too large.
    """
    return _Reader().read(data, 0)


def dumps(value: PlainData, accept_subclasses: bool = False) -> str:
    """Write plain data as one line of ASCII; equal data of equal insertion order gives equal text.

    Raises:
        ValueError: As :func:`to_json`.
    """
    return json.dumps(to_json(value, accept_subclasses), separators=(",", ":"), allow_nan=False)


def loads(text: str | bytes) -> PlainData:
    """Read what :func:`dumps` wrote, from a source that is not trusted.

    Raises:
        ValueError: If it is not JSON, or not tagged plain data.
    """
    try:
        data = json.loads(text)
    except RecursionError as error:
        raise ValueError(f"plain data is nested deeper than {MAX_DEPTH} levels") from error
    return from_json(data)


class _Counted:
    def __init__(self) -> None:
        self.items = 0

    def enter(self, items: int, depth: int) -> None:
        """Count the members of a container."""
        self.items += items
        if depth > MAX_DEPTH:
            raise ValueError(f"plain data is nested deeper than {MAX_DEPTH} levels")
        if self.items > MAX_ITEMS:
            raise ValueError(f"plain data has more than {MAX_ITEMS} values")


class _Writer(_Counted):
    def __init__(self, accept_subclasses: bool) -> None:
        super().__init__()
        self.accept_subclasses = accept_subclasses

    def write(self, value: PlainData, depth: int) -> Json:  # noqa: PLR0911 - one return a type
        kind = type(value)
        if kind not in _PLAIN:
            kind = self._plain_base(kind)
        if kind is str:
            return _write_text(value)
        if kind is int:
            plain = int.__int__(value)
            return plain if -_SMALL <= plain <= _SMALL else {"int": hex(plain)}
        if kind is float:
            plain_float = float.__float__(value)
            return plain_float if math.isfinite(plain_float) else {"float": str(plain_float)}
        if kind is list:
            return self._members(list(list.__iter__(value)), depth)
        if kind is tuple:
            return {"tuple": self._members(list(tuple.__iter__(value)), depth)}
        if kind is dict:
            self.enter(2 * dict.__len__(value), depth)
            pairs = dict.items(value)
            return {"dict": [[self.write(key, depth + 1), self.write(item, depth + 1)] for key, item in pairs]}
        if kind is set or kind is frozenset:
            members = self._members(list(kind.__iter__(value)), depth)
            return {kind.__name__: sorted(members, key=json.dumps)}
        if kind is bytes:
            return {"bytes": base64.b64encode(value).decode("ascii")}
        return value  # None, True, False

    def _members(self, members: list[PlainData], depth: int) -> list[Json]:
        self.enter(len(members), depth)
        if len(members) >= _MANY and _stand_as_they_are(members):
            return members
        return [self.write(member, depth + 1) for member in members]

    def _plain_base(self, kind: type[Any]) -> type[Any]:
        if self.accept_subclasses:
            for base in _PLAIN:
                if issubclass(kind, base):
                    return base
        raise ValueError(f"a value of type {kind.__name__!r} is not plain data")


_MANY = 8  # members that are looked at together: for fewer it takes longer than one by one
_SCALARS = frozenset((str, bool, int, float, type(None)))
_PLAIN: tuple[type[Any], ...] = (str, bool, int, float, list, tuple, dict, set, frozenset, bytes, type(None))


def _write_text(value: str) -> Json:
    plain = str.__str__(value)
    try:
        plain.encode("utf-8")
    except UnicodeEncodeError:
        # JSON would join two surrogates into one character.
        return {"str": base64.b64encode(plain.encode("utf-8", "surrogatepass")).decode("ascii")}
    return plain


def _stand_as_they_are(members: list[PlainData]) -> bool:
    """Whether JSON says all of them without a tag; a quick answer for lists of one kind, which most long ones are."""
    kinds = set(map(type, members))
    if kinds == {int}:
        return bool(-_SMALL <= min(members) <= max(members) <= _SMALL)
    if kinds == {str}:
        return all(map(str.isascii, members))
    return kinds == {float} and all(map(math.isfinite, members))


class _Reader(_Counted):
    def read(self, data: Json, depth: int) -> PlainData:
        if data is None or isinstance(data, bool | int | float | str):
            return data
        if isinstance(data, list):
            return self._members(data, depth)
        if not isinstance(data, dict) or len(data) != 1:
            raise ValueError("plain data in JSON has exactly one tag an object")
        ((tag, content),) = data.items()
        if tag in _TEXT_TAGS:
            if not isinstance(content, str):
                raise ValueError(f"the tag {tag!r} holds a string")
            return _TEXT_TAGS[tag](content)
        if not isinstance(content, list):
            raise ValueError(f"the tag {tag!r} is unknown, or does not hold a list")  # noqa: TRY004 - of a text
        try:
            return self._container(tag, content, depth)
        except TypeError as error:
            raise ValueError(f"a {tag} holds a key that cannot be hashed") from error

    def _members(self, content: list[Json], depth: int) -> list[PlainData]:
        self.enter(len(content), depth)
        if _SCALARS.issuperset(map(type, content)):
            return content
        return [member if type(member) in _SCALARS else self.read(member, depth + 1) for member in content]

    def _container(self, tag: str, content: list[Json], depth: int) -> PlainData:
        if tag == "dict":
            if not all(isinstance(pair, list) and len(pair) == 2 for pair in content):
                raise ValueError("the tag 'dict' holds pairs")
            self.enter(2 * len(content), depth)
            return {
                key if type(key) is str else self.read(key, depth + 1): (
                    item if type(item) in _SCALARS else self.read(item, depth + 1)
                )
                for key, item in content
            }
        if tag == "tuple":
            return tuple(self._members(content, depth))
        if tag == "set":
            return set(self._members(content, depth))
        if tag == "frozenset":
            return frozenset(self._members(content, depth))
        raise ValueError(f"the tag {tag!r} is unknown")


def _read_int(text: str) -> int:
    return int(text, 16)


def _read_float(text: str) -> float:
    if text not in ("inf", "-inf", "nan"):
        raise ValueError(f"the tag 'float' holds inf, -inf or nan, not {text[:40]!r}")
    return float(text)


def _read_bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as error:
        raise ValueError("bytes in plain data are written in base64") from error


def _read_text(text: str) -> str:
    return _read_bytes(text).decode("utf-8", "surrogatepass")


_TEXT_TAGS: dict[str, Callable[[str], Any]] = {
    "int": _read_int,
    "float": _read_float,
    "bytes": _read_bytes,
    "str": _read_text,
}
