"""Arguments as the driver of a language with static types reads them, and results in the types that were asked for."""

from __future__ import annotations

from typing import Any

from evaluators.exceptions import UserError
from evaluators.signature import DataType, Signature

_INTEGERS = range(-(2**63), 2**63)


def encode_arguments(arguments: tuple[Any, ...], signature: Signature) -> bytes:
    """Write a case's arguments.

    Raises:
        UserError: If they do not fit the signature.
    """
    if len(arguments) != len(signature.parameters):
        raise UserError(f"{signature} takes {len(signature.parameters)} arguments, a case has {len(arguments)}")
    pairs = zip(arguments, signature.parameters, strict=True)
    return b"".join(_encode(value, kind, f"argument {name!r} of {signature}") for value, (name, kind) in pairs)


def _encode(value: Any, kind: DataType, place: str) -> bytes:  # noqa: PLR0911 - one return a type
    name, inner = kind.name, kind.arguments
    if name == "Any":
        raise UserError(f"{place} is of type Any, which no language with static types has: name the type, as in 'int'")
    if name == "optional":
        return b"n" if value is None else _encode(value, inner[0], place)
    if name == "bool" and isinstance(value, bool):
        return b"b1;" if value else b"b0;"
    if name == "int" and isinstance(value, int) and value in _INTEGERS:
        return b"i%d;" % value
    if name == "float" and isinstance(value, int | float):
        return b"f" + float(value).hex().encode() + b";"
    if name == "str" and isinstance(value, str):
        text = value.encode("utf-8", "surrogatepass")
        return b"s%d:" % len(text) + text
    if name in ("list", "set") and isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return b"l%d:" % len(value) + b"".join(_encode(item, inner[0], place) for item in items)
    if name == "tuple" and isinstance(value, tuple | list) and len(value) == len(inner):
        return b"l%d:" % len(value) + b"".join(map(_encode, value, inner, [place] * len(inner)))
    if name == "dict" and isinstance(value, dict):
        pairs = (_encode(k, inner[0], place) + _encode(v, inner[1], place) for k, v in value.items())
        return b"d%d:" % len(value) + b"".join(pairs)
    raise UserError(f"{place} is {str(value)[:80]!r}, which is not of the type {kind} (an int has 64 bits)")


def fit(value: Any, kind: DataType) -> Any:  # noqa: PLR0911 - one return a type
    """Turn a value into what a type says, where only the language's way of saying it differs; else leave it alone."""
    name, inner = kind.name, kind.arguments
    if name == "optional":
        return None if value is None else fit(value, inner[0])
    if name == "float" and type(value) is int:
        return float(value)
    if name == "bool" and type(value) is int and value in (0, 1):
        return bool(value)
    if name == "int" and type(value) is bool:
        return int(value)
    if name == "list" and isinstance(value, list | tuple):
        return [fit(item, inner[0]) for item in value]
    if name == "set" and isinstance(value, list | tuple):
        return {fit(item, inner[0]) for item in value}
    if name == "tuple" and isinstance(value, list | tuple) and len(value) == len(inner):
        return tuple(map(fit, value, inner))
    if name == "dict" and isinstance(value, dict):
        return {fit(key, inner[0]): fit(item, inner[1]) for key, item in value.items()}
    return value
