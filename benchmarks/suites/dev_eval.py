"""DevEval (J. Li et al. 2024, arXiv:2405.19856): functions to be written inside of 115 repositories.

Its tests are pytest runs in those repositories, with their dependencies, and are not run here: tasks of this loader
are for prompts and for metrics that compare texts, and no program is judged on them. With the suite's ``Source_Code``
beside its file, a task has the file around the function and the reference solution; without it, a description alone.
"""

from __future__ import annotations

import functools
from pathlib import Path, PurePosixPath

from benchmarks.suites.records import Record, read_records, shown
from benchmarks.suites.task import SuiteTask, read_tasks
from evaluators.data_files import read_text
from evaluators.exceptions import UserError

_FILE, _REPOSITORIES = "data.jsonl", "Source_Code"
_KEYS = ("namespace", "completion_path", "signature_position", "body_position", "requirement", "tests", "indent")


def load_dev_eval(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of DevEval, without tests.

    Args:
        path: ``data.jsonl``, or a folder that holds it; with the folder ``Source_Code`` beside it, if any.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    file = path / _FILE if path.is_dir() else path
    repositories = file.parent / _REPOSITORIES
    return read_tasks(read_records(file, _KEYS), functools.partial(_task, repositories=repositories))


def _task(record: Record, repositories: Path) -> SuiteTask:
    namespace = record.text("namespace")
    record.texts("tests")
    place = PurePosixPath(record.text("completion_path"))
    if place.is_absolute() or ".." in place.parts:
        raise UserError(f"{record.where}: completion_path is {str(place)!r}, but must be a path inside {_REPOSITORIES}")
    first, last = _lines(record, "body_position")
    _lines(record, "signature_position")
    prompt = f"Complete the function {namespace} in the file {place}.\n\n{_requirement(record)}"
    head = reference = ""
    if repositories.is_dir():
        reference = read_text(repositories / place, f"{record.where}: completion_path")
        lines = reference.splitlines(keepends=True)
        if last > len(lines):
            raise UserError(f"{record.where}: body_position ends at line {last}, but {place} has {len(lines)} lines")
        head = "".join(lines[: first - 1])
        prompt = f"{prompt}\n\nThe file up to the function's body:\n\n{head}"
    return SuiteTask(
        task_id=namespace,
        language="python",
        prompt=prompt,
        head=head,
        entry_point=namespace.rpartition(".")[2],
        reference=reference,
        tests="",
    )


def _lines(record: Record, key: str) -> tuple[int, int]:
    """First and last line, from 1."""
    value = record.values[key]
    if not (isinstance(value, list) and [type(number) for number in value] == [int, int] and 1 <= value[0] <= value[1]):
        raise UserError(f"{record.where}: {key} is {shown(value)}, but must be the numbers of two lines")
    return value[0], value[1]


def _requirement(record: Record) -> str:
    value = record.values["requirement"]
    if not isinstance(value, dict):
        raise UserError(f"{record.where}: requirement is {shown(value)}, but must be an object")
    requirement = Record(f"{record.where}: requirement", value)
    return "\n\n".join(requirement.text(key).strip() for key in ("Functionality", "Arguments"))
