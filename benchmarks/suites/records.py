"""The records of a suite's file, read strictly: every fault is one line that names the file and the place."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData

LONGEST_LINE_BYTES = 64 * 2**20
"""No task of a known suite comes near it; a longer line is refused before it is held in memory."""


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
            raise UserError(f"{self.where}: {key} is {_shown(value)}, but must be a string")
        return value.replace("\r\n", "\n")

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of strings under a key.

        Raises:
            UserError: If it is not there, or no list of strings.
        """
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UserError(f"{self.where}: {key} is {_shown(value)}, but must be a list of strings")
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
        value = _parse(text, where, allow_non_finite)
        entries = [(where, value)] if isinstance(value, dict) else value
        if not isinstance(entries, list):
            raise UserError(f"{where}: {_shown(value)} is no task: it must be a JSON object")
        for number, entry in enumerate(entries, 1):
            place, task = entry if isinstance(entry, tuple) else (f"{path}, entry {number}", entry)
            if not isinstance(task, dict):
                raise UserError(f"{place}: {_shown(task)} is no task: it must be a JSON object")
            missing = [key for key in keys if key not in task]
            if missing:
                raise UserError(
                    f"{place}: {', '.join(missing)} missing; there is {', '.join(sorted(task)) or 'nothing'}: is this "
                    "the file of another suite?"
                )
            found = True
            yield Record(place, task)
    if not found:
        raise UserError(f"{path} holds no tasks")


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """The lines of a file, or all of it if it begins with a bracket."""
    lines = _lines(path)
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise UserError(f"{path}, line {number}: not UTF-8 (byte {error.start})") from error
        if number == 1 and text.startswith("["):
            try:
                yield str(path), text + b"".join(lines).decode("utf-8")
            except UnicodeDecodeError as error:
                raise UserError(f"{path}: not UTF-8 (byte {error.start} after the first line)") from error
            return
        if text.strip():
            yield f"{path}, line {number}", text


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with _open(path) as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE_BYTES + 1):
                number += 1
                if len(line) > LONGEST_LINE_BYTES:
                    raise UserError(f"{path}, line {number}: longer than {LONGEST_LINE_BYTES} bytes: this is no suite")
                yield line
    except FileNotFoundError as error:
        raise UserError(f"there is no file {str(path)!r}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path}: not gzip, or cut off or damaged ({error}): fetch it again") from error
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r} ({error.strerror or error})") from error


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return io.BufferedReader(gzip.open(path, "rb"))
    return path.open("rb")


def _parse(text: str, where: str, allow_non_finite: bool) -> PlainData:
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
        raise UserError(f"{where}: not JSON ({error.msg} at column {error.colno})") from error
    except (RecursionError, ValueError) as error:
        raise UserError(f"{where}: not JSON that can be read ({str(error)[:120]})") from error


def _shown(value: PlainData) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
