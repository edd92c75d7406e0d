"""Values of JSON or YAML, converted to the types that a signature asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import MappingProxyType

from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData, to_json
from evaluators.signature import DataType

_INT_BITS = 64


def convert(value: PlainData, kind: DataType, where: str) -> PlainData:
    """The value as the type asks for it.

    JSON has neither tuples nor sets, and only strings as keys: a list becomes the tuple or set that the type names, and
    a key that is a string becomes what the text says in JSON where the type names another. An integer becomes a
    float where one is asked for; nothing else changes its type.

    Args:
        value: What a JSON or YAML file held.
        kind: The type from the signature.
        where: File and key, for messages.

    Raises:
        UserError: If the value does not fit.
    """
    if kind.name == "Any":
        return _plain(value, where)
    if kind.name == "optional":
        return None if value is None else convert(value, kind.arguments[0], where)
    if kind.name in _SCALARS:
        return _SCALARS[kind.name](value, kind, where)
    return _CONTAINERS[kind.name](value, kind, where)


def _misfit(value: PlainData, kind: DataType, where: str, hint: str = "") -> UserError:
    text = repr(value)
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return UserError(f"{where} is {shown}, but the signature says {kind}{hint}")


def _plain(value: PlainData, where: str) -> PlainData:
    try:
        to_json(value)
    except ValueError as error:
        raise UserError(f"{where}: {error}; put it in quotes if it is meant as text") from error
    return value


def _int(value: PlainData, kind: DataType, where: str) -> int:
    if type(value) is not int:
        raise _misfit(value, kind, where)
    if not -(2 ** (_INT_BITS - 1)) <= value < 2 ** (_INT_BITS - 1):
        raise UserError(f"{where} is an integer beyond 64 bits: use str or Any for it in the signature")
    return value


def _float(value: PlainData, kind: DataType, where: str) -> float:
    if type(value) is int:
        try:
            return float(value)
        except OverflowError as error:
            raise UserError(f"{where} is an integer too large for a float") from error
    if type(value) is not float:
        hint = "; YAML writes these numbers as 1.0e+3, .inf, -.inf and .nan" if isinstance(value, str) else ""
        raise _misfit(value, kind, where, hint)
    return value


def _bool(value: PlainData, kind: DataType, where: str) -> bool:
    if type(value) is not bool:
        raise _misfit(value, kind, where)
    return value


def _str(value: PlainData, kind: DataType, where: str) -> str:
    if type(value) is not str:
        raise _misfit(value, kind, where, "; put it in quotes" if value is not None else "")
    return value


def _items(value: PlainData, kind: DataType, where: str) -> list[PlainData]:
    if not isinstance(value, list | tuple):
        raise _misfit(value, kind, where, f"; write a {kind.name} as [..]")
    return list(value)


def _list(value: PlainData, kind: DataType, where: str) -> list[PlainData]:
    return [
        convert(item, kind.arguments[0], f"{where}[{number}]") for number, item in enumerate(_items(value, kind, where))
    ]


def _tuple(value: PlainData, kind: DataType, where: str) -> tuple[PlainData, ...]:
    items = _items(value, kind, where)
    if len(items) != len(kind.arguments):
        raise _misfit(value, kind, where, f": {len(kind.arguments)} values, {len(items)} given")
    return tuple(
        convert(item, inner, f"{where}[{number}]")
        for number, (item, inner) in enumerate(zip(items, kind.arguments, strict=True))
    )


def _set(value: PlainData, kind: DataType, where: str) -> set[PlainData]:
    items = list(value) if isinstance(value, set) else _items(value, kind, where)
    converted = [_hashable(convert(item, kind.arguments[0], where), kind, where) for item in items]
    if len(set(converted)) < len(converted):
        raise UserError(f"{where} is a set, but holds a value twice")
    return set(converted)


def _dict(value: PlainData, kind: DataType, where: str) -> dict[PlainData, PlainData]:
    if not isinstance(value, dict):
        raise _misfit(value, kind, where, "; write a dict as {key: value}")
    key_kind, value_kind = kind.arguments
    converted = {}
    for key, item in value.items():
        new_key = _hashable(convert(_read_key(key, key_kind), key_kind, f"{where}: key {key!r}"), kind, where)
        if new_key in converted:
            raise UserError(f"{where}: key {key!r} is there twice")
        converted[new_key] = convert(item, value_kind, f"{where}[{key!r}]")
    return converted


def _read_key(key: PlainData, kind: DataType) -> PlainData:
    if not isinstance(key, str) or kind.name in ("str", "Any"):
        return key
    if kind.name == "optional" and kind.arguments[0].name == "str":
        return key
    try:
        return json.loads(key)
    except json.JSONDecodeError:
        return key  # which the conversion then refuses, showing it as it was given


def _hashable(value: PlainData, kind: DataType, where: str) -> PlainData:
    if isinstance(value, list | dict | set):
        raise UserError(f"{where}: {kind} cannot hold a {type(value).__name__} as a key or member: use a tuple")
    return value


_Convert = Callable[[PlainData, DataType, str], PlainData]
_SCALARS: MappingProxyType[str, _Convert] = MappingProxyType({"int": _int, "float": _float, "bool": _bool, "str": _str})
_CONTAINERS: MappingProxyType[str, _Convert] = MappingProxyType(
    {"list": _list, "tuple": _tuple, "set": _set, "dict": _dict}
)
