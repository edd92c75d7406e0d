"""APPS (D. Hendrycks et al. 2021, arXiv:2105.09938): programs on standard input and output, and functions.

Each task holds its tests as a JSON text, ``{"inputs": [...], "outputs": [...]}``, with ``fn_name`` where a function is
asked for; its solutions are a JSON text too. Some tasks have no tests. Where every result of a function's tests is a
list of one element, and the starter code promises no list, the list is wrapping and is taken off: the suite's own
harness accepts the element in its place.

Outputs of programs are compared word by word, numbers with an absolute tolerance of 1e-5; results of functions by
Python's ``==``, and a tuple counts as a list, as JSON has it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from benchmarks.suites.code_contests import CHECKER, stdio_prompt
from benchmarks.suites.records import Record, parse_json_text, read_records, shown
from benchmarks.suites.task import SuiteTask, read_tasks
from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData
from evaluators.problem import Case

_ADAPTER = "(lambda result: list(result) if type(result) is tuple else result)({called}(*arguments))"
_CALLED = "getattr(globals().get('Solution', object)(), {name!r}, solution)"
"""The method of a class ``Solution``, where the program has one, as its starter code asks for."""


def load_apps(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of APPS.

    Args:
        path: ``train.jsonl`` or ``test.jsonl``, or JSON lines in their format.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, ("question", "input_output")), _task)


def _task(record: Record) -> SuiteTask:
    starter = record.text("starter_code") if "starter_code" in record.values else ""
    task = SuiteTask(
        task_id=_task_id(record),
        language="python",
        prompt="",
        head="",
        entry_point="",
        reference=_reference(record),
        tests="",
        mode="stdio",
        checker=CHECKER,
    )
    question, tests = record.text("question"), _object(record, "input_output")
    name = tests.get("fn_name")
    if name is None:
        calls = tuple(
            Case(
                _text(given, f"{record.where}: inputs[{index}]"),
                _text(output, f"{record.where}: outputs[{index}]"),
                label,
            )
            for index, label, given, output in _pairs(record, tests)
        )
        return replace(task, prompt=stdio_prompt(question, "python"), calls=calls)
    if not isinstance(name, str) or not name.isidentifier():
        raise UserError(f"{record.where}: fn_name is {shown(name)}, but must be the name of a function")
    pairs = _pairs(record, tests)
    is_wrapped = all(isinstance(output, list) and len(output) == 1 for *_, output in pairs)
    if re.search(r"->\s*(?:typing\.)?(?:List|list)\b", starter):
        is_wrapped = False
    cases = []
    for index, label, given, output in pairs:
        if not isinstance(given, list):
            raise UserError(f"{record.where}: inputs[{index}] is {shown(given)}, but must be a list of arguments")
        cases.append(Case(tuple(given), output[0] if is_wrapped and isinstance(output, list) else output, label))
    wanted = f"Write the function {name} in Python" + (
        f", beginning with this code:\n\n{starter.strip()}" if starter.strip() else "."
    )
    return replace(
        task,
        mode="function",
        prompt=f"{question.strip()}\n\n{wanted}",
        entry_point=name,
        calls=tuple(cases),
        checker=SuiteTask.checker,
        adapter=_ADAPTER.format(called=_CALLED.format(name=name)),
    )


def _task_id(record: Record) -> str:
    for key in ("problem_id", "id", "task_id"):
        value = record.values.get(key)
        if isinstance(value, int | str) and not isinstance(value, bool):
            return f"APPS/{int(value)}" if str(value).isdigit() else str(value)
    raise UserError(f"{record.where}: problem_id is missing: it is a number")


def _object(record: Record, key: str) -> dict[str, PlainData]:
    """The object that a text holds; empty where the text is."""
    value = record.values[key]
    if isinstance(value, str):
        if not value.strip():
            return {}
        value = parse_json_text(value, f"{record.where}: {key}", allow_non_finite=True)
    if not isinstance(value, dict):
        raise UserError(f"{record.where}: {key} is {shown(value)}, but must be an object with inputs and outputs")
    return value


def _pairs(record: Record, tests: dict[str, PlainData]) -> list[tuple[int, str, PlainData, PlainData]]:
    """Index, name, input and output of each test."""
    if not tests:
        return []
    columns = []
    for key in ("inputs", "outputs"):
        column = tests.get(key)
        if not isinstance(column, list):
            raise UserError(f"{record.where}: input_output: {key} is {shown(column)}, but must be a list")
        columns.append(column)
    inputs, outputs = columns
    if len(inputs) != len(outputs):
        raise UserError(f"{record.where}: input_output has {len(inputs)} inputs and {len(outputs)} outputs")
    return [
        (index, f"test-{index + 1}", given, output)
        for index, (given, output) in enumerate(zip(inputs, outputs, strict=True))
    ]


def _text(value: PlainData, where: str) -> str:
    """A text, or a list of its lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if not isinstance(value, str):
        raise UserError(f"{where} is {shown(value)}, but must be a string or a list of lines")
    return value


def _reference(record: Record) -> str:
    """The first of the solutions; empty if there is none."""
    value = record.values.get("solutions", "")
    if isinstance(value, str):
        if not value.strip():
            return ""
        value = parse_json_text(value, f"{record.where}: solutions")
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise UserError(f"{record.where}: solutions is {shown(value)}, but must be a list of programs")
    return value[0].replace("\r\n", "\n") if value else ""
