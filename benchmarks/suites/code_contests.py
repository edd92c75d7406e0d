"""CodeContests (Y. Li et al. 2022, arXiv:2203.07814): programs that read standard input and write standard output.

Two formats are read. The published one holds its tests as two lists under ``public_tests``, ``private_tests`` and
``generated_tests``, and solutions in several languages; as JSON lines, for it is published as Parquet and as records
of protocol buffers. The other, of the MapCoder project, holds ``sample_io`` and ``test_list`` with an object for each
test, and no solutions.

Outputs are compared word by word, numbers with an absolute tolerance of 1e-5.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from benchmarks.suites.records import Record, read_records, shown
from benchmarks.suites.task import SuiteTask, read_tasks
from evaluators.exceptions import UserError
from evaluators.problem import Case, Named

CHECKER = Named("numbers", {"absolute": 1e-5, "relative": 0.0})

_SOLUTION_LANGUAGES: Mapping[int | str, str] = MappingProxyType(
    {2: "cpp", 3: "python", "CPP": "cpp", "PYTHON3": "python"}
)
"""The published enumeration of languages; its PYTHON (1) is Python 2."""

_TASK = (
    "Write a whole program in {title}. It reads standard input and writes to standard output, as the text above says, "
    "and nothing else."
)
_TITLES = {"python": "Python", "cpp": "C++"}


def load_code_contests(path: Path, language: Literal["python", "cpp"] = "python") -> tuple[SuiteTask, ...]:
    """The tasks of CodeContests.

    Args:
        path: JSON lines in one of the two formats.
        language: Of the programs to be written, and of the reference solution.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    build = functools.partial(_task, language=language)
    return read_tasks(read_records(path, ("name", "description")), build)


def stdio_prompt(description: str, language: str) -> str:
    """The description, and what kind of program is asked for."""
    return f"{description.strip()}\n\n{_TASK.format(title=_TITLES[language])}"


def _task(record: Record, language: str) -> SuiteTask:
    if "test_list" in record.values:
        examples = _cases(record, "sample_io", "example") if "sample_io" in record.values else ()
        hidden = _cases(record, "test_list", "test")
    elif "public_tests" in record.values:
        examples = _columns(record, "public_tests")
        hidden = tuple(
            case
            for key in ("private_tests", "generated_tests")
            if key in record.values
            for case in _columns(record, key)
        )
    else:
        raise UserError(f"{record.where}: test_list or public_tests missing: is this the file of another suite?")
    calls = (*examples, *hidden)
    if not calls:
        raise UserError(f"{record.where}: there are no tests: a task needs some")
    return SuiteTask(
        task_id=record.text("name"),
        language=language,
        prompt=stdio_prompt(record.text("description"), language),
        head="",
        entry_point="",
        reference=_solution(record, language),
        tests="",
        calls=calls,
        mode="stdio",
        examples=examples,
        checker=CHECKER,
    )


def _cases(record: Record, key: str, label: str) -> tuple[Case, ...]:
    """A list of objects, each an input and the one right output, which may stand in a list."""
    rows = record.values[key]
    if not isinstance(rows, list):
        raise UserError(f"{record.where}: {key} is {shown(rows)}, but must be a list")
    cases = []
    for number, row in enumerate(rows, 1):
        where = f"{record.where}: {key}[{number - 1}]"
        if not isinstance(row, dict) or not {"input", "output"} <= set(row):
            raise UserError(f"{where} is {shown(row)}, but must have input and output")
        given, output = row["input"], row["output"]
        outputs = output if isinstance(output, list) else [output]
        if not isinstance(given, str) or not all(isinstance(text, str) for text in outputs):
            raise UserError(f"{where}: input and output must be strings")
        if len(set(outputs)) != 1:
            raise UserError(f"{where} has {len(set(outputs))} right outputs, and only cases with one are supported")
        cases.append(Case(given, outputs[0], f"{label}-{number}"))
    return tuple(cases)


def _columns(record: Record, key: str) -> tuple[Case, ...]:
    """An object with a list of inputs and one of outputs."""
    tests = record.values[key]
    if not isinstance(tests, dict) or not {"input", "output"} <= set(tests):
        raise UserError(f"{record.where}: {key} is {shown(tests)}, but must have the lists input and output")
    inputs, outputs = (Record(f"{record.where}: {key}", tests).texts(name) for name in ("input", "output"))
    if len(inputs) != len(outputs):
        raise UserError(f"{record.where}: {key} has {len(inputs)} inputs and {len(outputs)} outputs")
    label = key.removesuffix("_tests")
    pairs = enumerate(zip(inputs, outputs, strict=True), 1)
    return tuple(Case(given, output, f"{label}-{number}") for number, (given, output) in pairs)


def _solution(record: Record, language: str) -> str:
    """The first solution in a language; empty if there is none."""
    if "solutions" not in record.values:
        return ""
    solutions: Any = record.values["solutions"]
    if not isinstance(solutions, dict) or not isinstance(solutions.get("language"), list):
        raise UserError(
            f"{record.where}: solutions is {shown(solutions)}, but must have the lists language and solution"
        )
    texts = Record(f"{record.where}: solutions", solutions).texts("solution")
    for kind, text in zip(solutions["language"], texts, strict=False):
        if isinstance(kind, int | str) and _SOLUTION_LANGUAGES.get(kind) == language:
            return text
    return ""
