"""Function mode: what a language needs so that its function can be called, the arguments, and the result."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Literal

from evaluators import plain_data
from evaluators.exceptions import UserError
from evaluators.languages import Language
from evaluators.sandbox import typed_text
from evaluators.signature import DataType, Signature

DRIVER_NAME = "driver.cpp"

DriverStyle = Literal["usual", "narrow", "by signature"]
"""How a driver is written.

``usual`` begins with the precompiled header, which is fast. ``narrow`` includes little, for a program whose names
clash with the standard library's. ``by signature`` chooses the parameters' types by the problem's signature, for a
function whose own are not unique, being overloaded or a template.
"""


_KEYWORDS = "main int long auto double char bool void return const template decltype sizeof noexcept"
_CPP_TYPES = {"int": "int", "float": "double", "bool": "bool", "str": "std::string"}
_CPP_CONTAINERS = {
    "list": "std::vector",
    "set": "std::set",
    "dict": "std::map",
    "tuple": "std::tuple",
    "optional": "std::optional",
}


def driver_files(language: Language, signature: Signature, style: DriverStyle) -> dict[str, str]:
    """Files to be compiled together with the candidate's source; none where the language is interpreted.

    Args:
        language: Of the candidate.
        signature: Of the function.
        style: See :data:`DriverStyle`.

    Raises:
        UserError: If the language has static types and the signature says ``Any``.
    """
    if language.function_driver != "cpp":
        return {}
    types = [_cpp_type(kind, signature) for _, kind in signature.parameters]
    _cpp_type(signature.returns, signature)
    name = f"::{signature.name}"  # past what the standard library calls the same
    if style == "by signature":
        call = f"evo_driver::run_as<{', '.join(types)}>([](auto&... value) {{ return {name}(value...); }})"
    else:
        forward = f"[](auto&&... value) -> decltype(auto) {{ return {name}(std::forward<decltype(value)>(value)...); }}"
        call = f"evo_driver::run<{len(types)}>({forward}, &{name})"
    undefined = "".join(f"#undef {keyword}\n" for keyword in _KEYWORDS.split())
    first = f"#include <{language.precompiled_header}>\n" if style != "narrow" and language.precompiled_header else ""
    text = (
        f'{first}#include "driver.h"\n#define main evo_candidate_main\n'
        f'#include "{language.source_name}"\n{undefined}int main() {{ return {call}; }}\n'
    )
    return {"driver.h": _driver_header(), DRIVER_NAME: text}


def explain(diagnostics: str, signature: Signature) -> str:
    """Say in the problem's words what a compiler says of the driver's line: that there is no such function."""
    missing = re.search(rf"^driver\.cpp:.*::{signature.name}\b.* has not been declared", diagnostics, re.MULTILINE)
    return f"error: the program defines no function {signature}" if missing else diagnostics


def encode_call(language: Language, signature: Signature, arguments: tuple[Any, ...]) -> bytes:
    """Write a case's arguments for the language's driver.

    Raises:
        UserError: If they are not plain data, or do not fit the signature of a language with static types; if the
            language has no function mode.
    """
    if language.function_driver is None:
        raise UserError(f"language {language.name!r} has no function mode: use a problem of mode 'stdio'")
    if language.function_driver in ("python", "appended"):
        as_container = tuple if language.function_driver == "python" else list
        try:
            return plain_data.dumps(as_container(arguments)).encode("ascii")
        except ValueError as error:
            raise UserError(f"the arguments of a case of {signature} cannot be used: {error}") from error
    return typed_text.encode_arguments(arguments, signature)


def decode_call(language: Language, signature: Signature, result: Any) -> Any:
    """Read a function's result.

    Args:
        language: Of the candidate.
        signature: Of the function.
        result: Parsed JSON with the tags of plain data, from the candidate's process: anything at all.

    Raises:
        ValueError: If it is not plain data.
    """
    value = plain_data.from_json(result)
    return value if language.function_driver == "python" else typed_text.fit(value, signature.returns)


@cache
def _driver_header() -> str:
    return (Path(__file__).parent / "drivers" / "driver.h").read_text(encoding="utf-8")


def _cpp_type(kind: DataType, signature: Signature) -> str:
    if kind.name in _CPP_TYPES:
        return _CPP_TYPES[kind.name]
    if kind.name in _CPP_CONTAINERS:
        inside = ", ".join(_cpp_type(inner, signature) for inner in kind.arguments)
        return f"{_CPP_CONTAINERS[kind.name]}<{inside}>"
    raise UserError(f"signature '{signature}' says {kind.name}, which C++ has no type for: name the type, as in 'int'")
