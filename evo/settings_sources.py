"""Where settings come from: layers of plain data, merged and checked, each mistake told in one line."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from evaluators.exceptions import UserError, near_file, unknown_name
from evo.settings import PRESETS, Settings


def settings_from(
    *, preset: str | None = None, config: Path | None = None, options: Mapping[str, Any] | None = None,
    assignments: Sequence[str] = (),
) -> Settings:  # fmt: skip
    """Merge all sources, and check the whole.

    Args:
        preset: Name of a preset.
        config: A YAML file.
        options: Settings by dotted key, such as ``{"budget.programs": 50}``.
        assignments: Texts ``a.b=c``; the right side is read as YAML.

    Returns:
        The settings.

    Raises:
        UserError: For a wrong key, name, type or file.
    """
    data: dict[str, Any] = {}
    if preset is not None:
        if preset not in PRESETS:
            raise unknown_name("preset", preset, PRESETS)
        _merge(data, PRESETS[preset])
    if config is not None:
        _merge(data, config_file(config))
    for key, value in (options or {}).items():
        _assign(data, key, value)
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UserError(f"--set {text!r}: write it as --set seidr.repairs=2")
        try:
            _assign(data, key.strip(), yaml.safe_load(value))
        except yaml.YAMLError as error:
            raise UserError(f"--set {text!r}: the value is no YAML: {' '.join(str(error).split())}") from error
    return validated(data)


def validated(data: Mapping[str, Any]) -> Settings:
    """Check plain data.

    Raises:
        UserError: For the first mistake, in one line.
    """
    arity = None
    data = dict(data)
    if isinstance(data.get("seidr"), Mapping) and "arity" in data["seidr"]:
        data["seidr"] = dict(data["seidr"])
        arity = data["seidr"].pop("arity")
        if isinstance(arity, bool) or not isinstance(arity, int) or arity < 1:
            raise UserError(f"seidr.arity is {arity!r}: it must be a whole number of at least 1")
        data["seidr"] = {"drafts": arity, "beam_width": arity, "repairs": arity} | data["seidr"]
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise UserError(_told(error)) from error


def config_file(path: Path) -> dict[str, Any]:
    """Read a YAML file of settings.

    Raises:
        UserError: If it cannot be read, or holds no mapping.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"--config {path}: {error.strerror}{near_file(str(path))}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"--config {path} is no YAML file: {' '.join(str(error).split())}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise UserError(f"--config {path} holds a {type(data).__name__}: write settings as 'key: value' lines")
    return data


def known_keys() -> tuple[str, ...]:
    """Every dotted key that a settings file may hold."""
    return (*_keys(Settings, ""), "seidr.arity")


def _keys(model: type, prefix: str) -> Iterator[str]:
    for name, kind in _fields(model).items():
        yield prefix + name
        for inner in (kind, *get_args(kind)):
            if isinstance(inner, type) and (issubclass(inner, BaseModel) or dataclasses.is_dataclass(inner)):
                yield from _keys(inner, f"{prefix}{name}.")


def _fields(model: type) -> dict[str, Any]:
    if issubclass(model, BaseModel):
        return {name: field.annotation for name, field in model.model_fields.items()}
    assert dataclasses.is_dataclass(model)
    return {field.name: None for field in dataclasses.fields(model)}


def _merge(target: dict[str, Any], source: Mapping[str, Any]) -> None:
    for key, value in source.items():
        if isinstance(value, Mapping) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = _copied(value)


def _copied(value: Any) -> Any:
    return {key: _copied(inner) for key, inner in value.items()} if isinstance(value, Mapping) else value


def _assign(data: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    here = data
    for part in path:
        inner = here.setdefault(part, {})
        if not isinstance(inner, dict):
            raise UserError(f"{key}: {part} is already set to {inner!r}, which holds no {last}")
        here = inner
    here[last] = value


def _told(error: ValidationError) -> str:
    mistakes = error.errors()
    # A misspelt key also makes another one missing: its spelling is the better news.
    first = next((mistake for mistake in mistakes if mistake["type"] in _UNKNOWN_KEY), mistakes[0])
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] in _UNKNOWN_KEY:
        prefix, dot, last = key.rpartition(".")
        allowed = [name for name in known_keys() if name.rpartition(".")[0] == prefix]
        here = difflib.get_close_matches(last, [name.rpartition(".")[2] for name in allowed], n=1, cutoff=0.5)
        near = [f"{prefix}{dot}{name}" for name in here] or difflib.get_close_matches(
            key, known_keys(), n=1, cutoff=0.5
        )
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"unknown setting {key!r}: allowed here are {', '.join(allowed)}{hint}"
    if first["type"] == "missing":
        return f"setting {key} is missing"
    given = first["input"]
    shown = "" if isinstance(given, (Mapping, BaseModel)) and first["type"] == "value_error" else f" is {given!r:.80}"
    message = requirement(first)
    return f"setting {key}{shown}{message}" if key else message.removeprefix(": ")


def requirement(error: ErrorDetails) -> str:
    """What a value must be, to be put behind ``"NAME is VALUE"``; from an error of pydantic's, in our own words."""
    context = error.get("ctx", {})
    kind = error["type"]
    if kind == "value_error":
        return ": " + error["msg"].removeprefix("Value error, ")
    if kind == "literal_error":
        return _literal(str(error["input"]), re.findall(r"'([^']*)'", context["expected"]))
    bounds = {
        "greater_than_equal": ("ge", "at least"),
        "greater_than": ("gt", "above"),
        "less_than_equal": ("le", "at most"),
        "less_than": ("lt", "below"),
    }
    if kind in bounds:
        name, words = bounds[kind]
        bound = context[name]
        return f", but must be {words} {int(bound) if bound == int(bound) else bound}"
    whole = kind.partition("_")[0] if kind != "finite_number" else "finite"
    return f", but must be {_KINDS.get(whole, error['msg'])}"


def _literal(given: str, allowed: Sequence[str]) -> str:
    near = difflib.get_close_matches(given, allowed, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f": allowed are {', '.join(allowed)}{hint}"


_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "text",
    "bool": "true or false",
    "dict": "keys and values, as {a: b}",
    "model": "keys and values, as {a: b}",
    "dataclass": "keys and values, as {a: b}",
    "mapping": "keys and values, as {a: b}",
    "list": "a list, as [a, b]",
    "tuple": "a list, as [a, b]",
}
"""By the first word of a pydantic error's type."""
