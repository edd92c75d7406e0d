"""Text, JSON, JSON-lines and YAML files of a user, with every fault said in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from evaluators.exceptions import UserError, near_file
from evaluators.plain_data import PlainData


def read_text(path: Path, what: str) -> str:
    """A file's text: UTF-8, without a byte order mark, lines ended by newlines.

    Args:
        path: The file.
        what: What it is, for messages.

    Raises:
        UserError: If it cannot be read, or is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise UserError(f"{what}: there is no file {str(path)!r}{near_file(str(path))}") from error
    except IsADirectoryError as error:
        raise UserError(f"{what}: {str(path)!r} is a directory, not a file") from error
    except OSError as error:
        raise UserError(f"{what}: cannot read {str(path)!r} ({error.strerror})") from error
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{what}: {str(path)!r} is not UTF-8 (byte {error.start}): save it as UTF-8") from error


def read_json_lines(path: Path, what: str) -> Iterator[tuple[str, PlainData]]:
    """The values of a file with one JSON value a line, each with its place; empty lines are skipped.

    Raises:
        UserError: If the file cannot be read, or a line is not JSON.
    """
    for number, line in enumerate(read_text(path, what).split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, parse_json(line, where)


def parse_json(text: str, where: str) -> PlainData:
    """The value that a JSON text holds.

    Raises:
        UserError: If it is not JSON, or an object has a key twice.
    """

    def without_twins(pairs: list[tuple[str, PlainData]]) -> dict[str, PlainData]:
        seen: dict[str, PlainData] = {}
        for key, value in pairs:
            if key in seen:
                raise UserError(f"{where}: key {key!r} is there twice")
            seen[key] = value
        return seen

    try:
        return json.loads(text, object_pairs_hook=without_twins)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UserError(f"{where}: not JSON ({error.msg} at {place})") from error
    except RecursionError as error:
        raise UserError(f"{where}: nested too deeply") from error


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice, which YAML forbids and PyYAML lets pass."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, list):
                key = tuple(key)
            if isinstance(key, dict | set):
                raise yaml.constructor.ConstructorError(None, None, "a key cannot be a mapping", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is there twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def parse_yaml(text: str, where: str) -> PlainData:
    """The value that a YAML text holds; None if it is empty.

    Raises:
        UserError: If it is not YAML, or a mapping has a key twice.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - derived from the safe loader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UserError(f"{where}: not YAML ({error.problem or error.context}{place})") from error
    except yaml.YAMLError as error:
        raise UserError(f"{where}: not YAML ({' '.join(str(error).split())})") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: not YAML ({' '.join(str(error).split())[:200]})") from error
