"""PSB2's own data sets in place of the generators: a folder that a user has downloaded.

A folder holds, for each problem, the files ``<problem>-edge.json`` and ``<problem>-random.json`` of one JSON object a
line, ``{"input1": ..., "output1": ...}``; either in the layout of the download, ``PSB2/datasets/<problem>/``, or all
side by side. (Data sets version 1.0.1, doi:10.5281/zenodo.5084812: a million random cases a problem.)

Every case that is used is checked: its keys, its types, and its answer against the reference solution. A random case
whose answer differs from the right one by little more than the tolerance is left out: the suite computed some answers
in single precision (see bouncing_balls.py), and there a right program would be judged wrong.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.psb2.problem import Psb2Problem
from benchmarks.psb2.rendering import as_case
from benchmarks.random_bits import RandomBits
from benchmarks.typed_values import convert
from evaluators.data_files import parse_json
from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData
from evaluators.problem import Case, Mode

_VISIBLE_STREAM, _HIDDEN_STREAM = 2, 3
_LONGEST_LINE = 2**20
_CHUNK_BYTES = 2**24
_SINGLE_PRECISION = 4.0  # tolerances: a difference beyond is no matter of precision
_SOURCE = "doi:10.5281/zenodo.5084812"


def official_visible_cases(
    problem: Psb2Problem, folder: Path, seed: int, visible: int, mode: Mode = "stdio"
) -> tuple[Case, ...]:
    """The folder's edge cases, in its order, then random ones of it.

    Args:
        problem: The problem.
        folder: The folder.
        seed: Chooses the random ones, from 0 upwards.
        visible: How many cases; if fewer than the edge cases, the first of those.
        mode: How inputs and outputs are written.

    Raises:
        UserError: If a file is missing or damaged, a number is out of range, or there are too few cases.
    """
    edges, fill = _visible_rows(problem, folder, seed, visible)
    return (
        *(as_case(problem, *row, f"edge-{number}", mode) for number, row in enumerate(edges, 1)),
        *(as_case(problem, *row, f"random-{number}", mode) for number, row in enumerate(fill, 1)),
    )


def official_hidden_cases(
    problem: Psb2Problem, folder: Path, seed: int, visible: int, hidden: int, mode: Mode = "stdio"
) -> tuple[Case, ...]:
    """Random cases of the folder, none of them an edge case or a visible one, and none twice.

    Raises:
        UserError: As :func:`official_visible_cases`.
    """
    if hidden < 0:
        raise UserError(f"hidden is {hidden}, but must be at least 0")
    fill = _visible_rows(problem, folder, seed, visible)[1]
    taken = {repr(given) for given, _ in (*_edge_rows(problem, folder), *fill)}
    rows = _random_rows(problem, folder, seed, _HIDDEN_STREAM, hidden, taken)
    return tuple(as_case(problem, *row, f"hidden-{number}", mode) for number, row in enumerate(rows, 1))


_Row = tuple[tuple[Any, ...], Any]
"""Inputs, and the answer as the reference solution gives it."""


def _visible_rows(problem: Psb2Problem, folder: Path, seed: int, visible: int) -> tuple[list[_Row], list[_Row]]:
    for what, number, least in (("visible", visible, 1), ("seed", seed, 0)):
        if number < least:
            raise UserError(f"{what} is {number}, but must be at least {least}")
    edges = _edge_rows(problem, folder)
    taken = {repr(given) for given, _ in edges}
    count = visible - len(edges[:visible])
    return edges[:visible], _random_rows(problem, folder, seed, _VISIBLE_STREAM, count, taken)


def _edge_rows(problem: Psb2Problem, folder: Path) -> list[_Row]:
    file = _index(_find(folder, problem.name, "edge"))
    rows = []
    for number in range(file.rows):
        where, given, answer, distance = _read_row(problem, file, number)
        if not distance <= problem.tolerance:
            raise _wrong_answer(problem, where, given, answer)
        rows.append((given, answer))
    return rows


def _random_rows(problem: Psb2Problem, folder: Path, seed: int, stream: int, count: int, taken: set[str]) -> list[_Row]:
    if count == 0:
        return []
    file = _index(_find(folder, problem.name, "random"))
    _read_row(problem, file, file.rows - 1)  # where a download broke off
    name = int.from_bytes(sha256(problem.name.encode()).digest()[:8], "big")
    seen, rows = set(taken), []
    for number in _shuffled(file.rows, RandomBits(seed, name, stream)):
        where, given, answer, distance = _read_row(problem, file, number)
        if not distance <= _SINGLE_PRECISION * problem.tolerance:
            raise _wrong_answer(problem, where, given, answer)
        if distance <= problem.tolerance and repr(given) not in seen:
            seen.add(repr(given))
            rows.append((given, answer))
            if len(rows) == count:
                return rows
    raise UserError(
        f"{file.path} has too few different cases: {count} are wanted beside the edge cases and those in use, and "
        f"{len(rows)} are there; ask for fewer cases, or download the whole file ({_SOURCE})"
    )


def _shuffled(count: int, bits: RandomBits) -> Iterator[int]:
    """The numbers below ``count`` in random order; as many steps of Fisher and Yates as are asked for."""
    moved: dict[int, int] = {}
    for place in range(count):
        chosen = bits.integer(place, count - 1)
        yield moved.get(chosen, chosen)
        moved[chosen] = moved.get(place, place)


@dataclass(frozen=True)
class _File:
    path: Path
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @property
    def rows(self) -> int:
        return len(self.starts)

    def line(self, number: int) -> bytes:
        with self.path.open("rb") as stream:
            stream.seek(int(self.starts[number]))
            return stream.read(int(self.ends[number] - self.starts[number]))


def _find(folder: Path, name: str, kind: str) -> Path:
    if not folder.is_dir():
        raise UserError(f"PSB2 data: there is no folder {str(folder)!r}")
    places = [folder / "PSB2" / "datasets" / name, folder / "datasets" / name, folder / name, folder]
    for place in places:
        for suffix in (".json", ".jsonl"):
            if (place / f"{name}-{kind}{suffix}").is_file():
                return place / f"{name}-{kind}{suffix}"
    raise UserError(
        f"PSB2 data: {str(folder)!r} holds no {name}-{kind}.json, neither in PSB2/datasets/{name} nor in "
        f"datasets/{name}, {name} or itself: download PSB2's data sets ({_SOURCE}) and unpack them there"
    )


def _index(path: Path) -> _File:
    """Where the lines of a file begin and end, blank ones left out."""
    try:
        state = path.stat()
        return _indexed(path, state.st_size, state.st_mtime_ns)
    except OSError as error:
        raise UserError(f"PSB2 data: cannot read {str(path)!r} ({error.strerror})") from error


@lru_cache(maxsize=4)
def _indexed(path: Path, size: int, _modified: int) -> _File:
    breaks = []
    with path.open("rb") as stream:
        head = stream.read(512).removeprefix(b"\xef\xbb\xbf").lstrip()
        if not head:
            raise UserError(f"{path} is empty: download it again ({_SOURCE})")
        if not head.startswith(b"{"):
            what = "a web page, such as a server's error message" if head.startswith(b"<") else "something else"
            raise UserError(f"{path} holds {what} instead of PSB2's cases: download it again ({_SOURCE})")
        stream.seek(0)
        while chunk := stream.read(_CHUNK_BYTES):
            base = stream.tell() - len(chunk)
            breaks.append(np.flatnonzero(np.frombuffer(chunk, dtype=np.uint8) == ord("\n")).astype(np.int64) + base)
    ends = np.append(np.concatenate(breaks), np.int64(size))
    starts = np.append(np.int64(0), ends[:-1] + 1)
    is_filled = ends - starts > 1  # a carriage return alone is no line
    longest = int((ends - starts).max())
    if longest > _LONGEST_LINE:
        raise UserError(
            f"{path} has a line of {longest} bytes, but no case of PSB2 needs more than {_LONGEST_LINE}: download it "
            f"again ({_SOURCE})"
        )
    return _File(path, starts[is_filled], ends[is_filled])


def _read_row(problem: Psb2Problem, file: _File, number: int) -> tuple[str, tuple[Any, ...], Any, float]:
    """Where it stands, its inputs, its answer, and how far that is from the right one."""
    where = f"{file.path}, case {number + 1}"
    try:
        text = file.line(number).decode("utf-8-sig" if number == 0 else "utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: not UTF-8; the file is damaged: download it again ({_SOURCE})") from error
    try:
        row = parse_json(text, where)
    except UserError as error:
        ends_early = number == file.rows - 1 and not text.endswith("}")
        why = "the file ends in the middle of a case" if ends_early else "the file is damaged"
        raise UserError(f"{error}; {why}: download it again ({_SOURCE})") from error
    inputs = [f"input{index}" for index in range(1, len(problem.inputs) + 1)]
    outputs = [f"output{index}" for index in range(1, len(problem.outputs) + 1)]
    if not isinstance(row, dict) or set(row) != {*inputs, *outputs}:
        raise UserError(
            f"{where}: the keys must be {', '.join((*inputs, *outputs))}: this is no case of {problem.name}, or the "
            f"file is damaged: download it again ({_SOURCE})"
        )
    given = tuple(
        convert(row[key], field.type, f"{where}: {key}") for key, field in zip(inputs, problem.inputs, strict=True)
    )
    answers = tuple(
        convert(row[key], field.type, f"{where}: {key}") for key, field in zip(outputs, problem.outputs, strict=True)
    )
    answer = answers if len(answers) > 1 else answers[0]
    return where, given, answer, _distance(problem, given, answer)


def _distance(problem: Psb2Problem, given: tuple[Any, ...], answer: PlainData) -> float:
    """How far the answer is from the right one; infinite where they differ and are no numbers with a tolerance."""
    try:
        right = problem.solve(*copy.deepcopy(given))
    except (ValueError, ArithmeticError, LookupError):
        return float("inf")  # inputs that no case of the problem has
    if problem.tolerance:
        return float(abs(right - answer))
    return 0.0 if right == answer else float("inf")


def _wrong_answer(problem: Psb2Problem, where: str, given: tuple[Any, ...], answer: PlainData) -> UserError:
    return UserError(
        f"{where}: {answer!r:.60} is not the answer of {problem.name} to {given!r:.120}; the file is damaged: download "
        f"it again ({_SOURCE})"
    )
