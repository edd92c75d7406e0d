"""The records of a suite's file, read strictly: every fault is one line that names the file and the place."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData

LONGEST_LINE_BYTES = 64 * 2**20
"""No task of a known suite comes near it; a longer line is refused before it is held in memory."""

LARGEST_LIST_BYTES = 256 * 2**20
"""A list has to be held in memory as a whole; JSON lines have no such limit."""


@dataclass(frozen=True)
class Record:
    """One JSON object of a file.

    Attributes:
        where: File and place, for messages.
        values: The object.
    """

    where: str
    values: Mapping[str, PlainData]

    def text(self, key: str) -> str:
        """The string under a key, with newlines for carriage returns.

        Raises:
            UserError: If it is not there, or no string.
        """
        value = self.values.get(key)
        if not isinstance(value, str):
            raise UserError(f"{self.where}: {key} is {shown(value)}, but must be a string")
        return value.replace("\r\n", "\n")

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of strings under a key.

        Raises:
            UserError: If it is not there, or no list of strings.
        """
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UserError(f"{self.where}: {key} is {shown(value)}, but must be a list of strings")
        return tuple(item.replace("\r\n", "\n") for item in value)


def read_records(path: Path, keys: Sequence[str], *, allow_non_finite: bool = False) -> Iterator[Record]:
    """The objects of a file of JSON lines, or of one JSON list; gzip-compressed if its name ends in ``.gz``.

    A byte order mark and carriage returns at line ends are ignored, and so are empty lines.

    Args:
        path: The file.
        keys: What every object must have; it may have more.
        allow_non_finite: Accept ``NaN`` and ``Infinity``, which are no JSON.

    Raises:
        UserError: If the file cannot be read, is cut off or damaged, or holds anything else.
    """
    found = False
    for where, text in _texts(path):
        value = parse_json_text(text, where, allow_non_finite=allow_non_finite)
        entries = value if where == str(path) else None
        for number, entry in enumerate([value] if entries is None else _list(entries, where), 1):
            found = True
            yield _record(entry, where if entries is None else f"{path}, entry {number}", keys)
    if not found:
        raise UserError(f"{path} holds no tasks")


def read_listed_records(path: Path, key: str, keys: Sequence[str]) -> Iterator[Record]:
    """The objects of a list that stands under a key of the file's one JSON object.

    Args:
        path: The file, gzip-compressed if its name ends in ``.gz``.
        key: Of the list.
        keys: What every object must have; it may have more.

    Raises:
        UserError: As :func:`read_records`.
    """
    whole = parse_json_text(_whole(read_lines(path), path), str(path))
    if not isinstance(whole, dict) or key not in whole:
        raise UserError(f"{path}: there is no {key!r}: is this the file of another suite?")
    entries = _list(whole[key], f"{path}: {key}")
    if not entries:
        raise UserError(f"{path} holds no tasks")
    for number, entry in enumerate(entries, 1):
        yield _record(entry, f"{path}, entry {number}", keys)


def _list(value: PlainData, where: str) -> list[PlainData]:
    if not isinstance(value, list):
        raise UserError(f"{where}: {shown(value)} is no list of tasks")
    return value


def _record(value: PlainData, where: str, keys: Sequence[str]) -> Record:
    if not isinstance(value, dict):
        raise UserError(f"{where}: {shown(value)} is no task: it must be a JSON object")
    missing = [key for key in keys if key not in value]
    if missing:
        raise UserError(
            f"{where}: {', '.join(missing)} missing; there is {', '.join(sorted(value)) or 'nothing'}: is this the "
            "file of another suite?"
        )
    return Record(where, value)


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """The lines of a file, or all of it, under the file's own name, if it begins with a bracket."""
    lines = read_lines(path)
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number}"
        text = _decoded(line, where, first=number == 1)
        if number == 1 and text.startswith("["):
            yield str(path), _whole(itertools.chain([line], lines), path)
            return
        if text.strip():
            yield where, text.rstrip("\r\n")


def _whole(lines: Iterable[bytes], path: Path) -> str:
    texts, size = [], 0
    for number, line in enumerate(lines, 1):
        size += len(line)
        if size > LARGEST_LIST_BYTES:
            raise UserError(f"{path}, line {number}: a list of over {LARGEST_LIST_BYTES} bytes: write it as JSON lines")
        texts.append(_decoded(line, f"{path}, line {number}", first=number == 1))
    return "".join(texts)


def _decoded(line: bytes, where: str, *, first: bool) -> str:
    try:
        return line.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: not UTF-8 (byte {error.start})") from error


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, decompressed if its name ends in ``.gz``, each held in memory alone.

    Raises:
        UserError: If it cannot be read, is cut off or damaged, or a line is longer than :data:`LONGEST_LINE_BYTES`.
    """
    number = 0
    try:
        with _open(path) as stream:
            while line := stream.readline(LONGEST_LINE_BYTES + 1):
                number += 1
                if len(line) > LONGEST_LINE_BYTES:
                    raise UserError(f"{path}, line {number}: longer than {LONGEST_LINE_BYTES} bytes")
                yield line
    except FileNotFoundError as error:
        raise UserError(f"there is no file {str(path)!r}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}, after line {number}: not gzip, or cut off or damaged ({error})") from error
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r} ({error.strerror or error})") from error


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return io.BufferedReader(gzip.open(path, "rb"))
    return path.open("rb")


def parse_json_text(text: str, where: str, *, allow_non_finite: bool = False) -> PlainData:
    """The value of a JSON text.

    Raises:
        UserError: If it is not JSON, or an object has a key twice.
    """

    def without_twins(pairs: list[tuple[str, PlainData]]) -> dict[str, PlainData]:
        merged = dict(pairs)
        if len(merged) < len(pairs):
            names = [name for name, _ in pairs]
            twin = next(name for name in names if names.count(name) > 1)
            raise UserError(f"{where}: key {twin!r} is there twice")
        return merged

    def refuse(constant: str) -> NoReturn:
        raise UserError(f"{where}: {constant} is no JSON")

    try:
        return json.loads(text, object_pairs_hook=without_twins, parse_constant=None if allow_non_finite else refuse)
    except json.JSONDecodeError as error:
        raise UserError(f"{where}: not JSON ({error.msg} at {_place(error)})") from error
    except (RecursionError, ValueError) as error:
        raise UserError(f"{where}: not JSON that can be read ({str(error)[:120]})") from error


def _place(error: json.JSONDecodeError) -> str:
    line = f"line {error.lineno}, " if error.lineno > 1 else ""
    return f"{line}column {error.colno}"


def shown(value: PlainData) -> str:
    """A value as a message shows it, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
