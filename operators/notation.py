"""Notation: how each language names itself, writes the head of a function, and writes a value."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from evaluators.exceptions import UserError
from evaluators.languages import language as find_language
from evaluators.problem import Problem
from evaluators.signature import DataType, Signature

_CPP_SCALARS = {"int": "long long", "float": "double", "bool": "bool", "str": "std::string"}
_CPP_CONTAINERS = {
    "list": "std::vector",
    "set": "std::set",
    "dict": "std::map",
    "tuple": "std::tuple",
    "optional": "std::optional",
}
# Below the least number of 64 bits a literal would be read as a positive one first, and overflow.
_CPP_LEAST = -(2**63)


def title(language: str) -> str:
    """The language's name in a sentence."""
    record = find_language(language)
    return record.title or record.name


def fence_tags(language: str) -> Sequence[str]:
    """What models write behind an opening fence for this language, the usual one first."""
    record = find_language(language)
    return (record.name, *record.aliases)


def libraries(problem: Problem, language: str) -> str:
    """What a program may use: the standard library, and in Python the problem's packages."""
    if not problem.packages or language != "python":
        return "the standard library"
    from evaluators.packages import distribution_name

    *others, last = ["the standard library", *map(distribution_name, problem.packages)]
    return f"{', '.join(others)} and {last}"


def function_head(signature: Signature, language: str) -> str:
    """Write the head of the function to be implemented.

    A language other than Python and C++ gets the signature in this project's own notation.

    Raises:
        UserError: If the language has no such type: C++ and ``Any``.
    """
    if language == "python":
        return f"def {signature}:"
    if language == "cpp":
        inside = ", ".join(f"{_cpp_parameter(kind)} {name}" for name, kind in signature.parameters)
        return f"{cpp_type(signature.returns)} {signature.name}({inside})"
    return str(signature)


def cpp_type(kind: DataType) -> str:
    """Write a type in C++17.

    Raises:
        UserError: For ``Any``.
    """
    if kind.name in _CPP_SCALARS:
        return _CPP_SCALARS[kind.name]
    if kind.name in _CPP_CONTAINERS:
        return f"{_CPP_CONTAINERS[kind.name]}<{', '.join(map(cpp_type, kind.arguments))}>"
    raise UserError(
        f"type {str(kind)!r} has no counterpart in C++: name a type of plain data, or use --language python"
    )


def literal(value: object, language: str) -> str:
    """Write a value of plain data as the language does; C++ containers are braced lists."""
    return _cpp_literal(value) if language == "cpp" else _python_literal(value)


def call(name: str, arguments: Sequence[Any], language: str) -> str:
    """Write a call of a function."""
    return f"{name}({', '.join(literal(argument, language) for argument in arguments)})"


def _cpp_parameter(kind: DataType) -> str:
    return cpp_type(kind) if kind.name in ("int", "float", "bool") else f"const {cpp_type(kind)}&"


def _python_literal(value: object) -> str:
    # A set's order differs from process to process, and a prompt must not.
    if isinstance(value, (set, frozenset)) and value:
        return f"{{{', '.join(sorted(map(_python_literal, value)))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_python_literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_python_literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_python_literal(key)}: {_python_literal(item)}' for key, item in value.items())}}}"
    return repr(value)


def _cpp_literal(value: object) -> str:
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_cpp_literal, value)))}}}"
    if isinstance(value, (list, tuple)):
        return f"{{{', '.join(map(_cpp_literal, value))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{{{_cpp_literal(key)}, {_cpp_literal(item)}}}' for key, item in value.items())}}}"
    return _cpp_scalar(value)


def _cpp_scalar(value: object) -> str:
    if value is None:
        return "std::nullopt"
    if isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
    return f"{value + 1} - 1" if isinstance(value, int) and value == _CPP_LEAST else repr(value)
