"""HumanEval+ (and Mini) and MBPP+ (J. Liu et al. 2023, arXiv:2305.01210).

The files hold arguments, and no results: these are what the canonical solution returns. They come as JSON, where a
tuple is a list; MBPP+'s own assertions tell which arguments are tuples, sets or others. Contracts (what arguments must
fulfil) are not run: an input of HumanEval/116 breaks its own, and the suite's harness uses it all the same.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.suites.mbpp import mbpp_id
from benchmarks.suites.records import Record, read_records
from benchmarks.suites.task import SuiteTask, read_tasks
from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData
from evaluators.problem import Named

_ADAPTERS = {
    # a polynomial: any root will do
    "HumanEval/32": "abs(sum(c * solution(*arguments) ** power for power, c in enumerate(*arguments))) <= 1e-4",
    # complex numbers are written as strings in the file, and are no plain data
    "Mbpp/124": "solution(float(arguments[0]), complex(arguments[1]))",
    "Mbpp/252": "solution(complex(arguments[0]))",
    "Mbpp/590": "(lambda polar, point: (polar, (point.real, point.imag)))(*solution(*arguments))",
    # over a million tuples of 77 strings for one input: their hash is as good, and can leave the sandbox
    "Mbpp/255": (
        "(lambda found: found if len(found) < 10_000 else [type(found).__name__, len(found), hash(tuple(found))])"
        "(solution(*arguments))"
    ),
    # a match object stands for yes
    "Mbpp/737": "solution(*arguments) is not None",
    "Mbpp/787": "solution(*arguments) is not None",
    "Mbpp/794": "solution(*arguments) is not None",
}
"""What the suite's harness does with single tasks (evalplus 0.3.1, evaluation and data modules), and Mbpp/255."""

_AS_A_SET = "set(solution(*arguments))"
"""Where the prompt's own assertion compares sets, the order of the results is free."""

_KEYS = ("task_id", "prompt", "entry_point", "canonical_solution", "base_input", "plus_input", "atol", "contract")


def load_human_eval_plus(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of HumanEval+ or HumanEval+ Mini.

    Args:
        path: ``HumanEvalPlus.jsonl.gz`` or ``HumanEvalPlus-Mini.jsonl.gz``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, _KEYS, allow_non_finite=True), _human_eval_plus)


def load_mbpp_plus(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of MBPP+.

    Args:
        path: ``MbppPlus.jsonl.gz``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, (*_KEYS, "assertion"), allow_non_finite=True), _mbpp_plus)


def result_checker(task: SuiteTask, expected: Sequence[PlainData]) -> Named:
    """How results are compared: floats within a tolerance, everything else by Python's ``==``.

    As EvalPlus has it: a relative tolerance of 1e-7 and an absolute one, the task's own, or 1e-6 where it has none and
    all results are floats (or lists and tuples of them).
    """
    if task.tolerance or (expected and all(map(_is_floats, expected))):
        return Named("numbers", {"absolute": task.tolerance or 1e-6, "relative": 1e-7})
    return Named("exact", {"python_equality": True})


def _is_floats(value: PlainData) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, float) for item in value)
    return isinstance(value, float)


def _human_eval_plus(record: Record) -> SuiteTask:
    head = record.text("prompt")
    reference = head + record.text("canonical_solution")
    return _task(record, record.text("task_id"), head, reference, "", _inputs(record))


def _mbpp_plus(record: Record) -> SuiteTask:
    assertion, name = record.text("assertion"), record.text("entry_point")
    shapes = _asserted_arguments(assertion, name)
    inputs = tuple(_shaped(given, shapes) for given in _inputs(record))
    if "math." in assertion:
        assertion = f"import math\n{assertion}"  # one task's own assertion lacks it
    task_id = mbpp_id(record.values["task_id"], record.where)
    return _task(record, task_id, "", record.text("canonical_solution"), assertion, inputs)


def _task(
    record: Record, task_id: str, head: str, reference: str, tests: str, inputs: tuple[tuple[Any, ...], ...]
) -> SuiteTask:
    tolerance = record.values["atol"]
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise UserError(f"{record.where}: atol is {tolerance!r}, but must be a number from 0 up to 1")
    prompt, name = record.text("prompt"), record.text("entry_point")
    return SuiteTask(
        task_id=task_id,
        language="python",
        prompt=prompt,
        head=head,
        entry_point=name,
        reference=reference,
        tests=tests,
        inputs=inputs,
        base_inputs=len(record.values["base_input"]),
        tolerance=float(tolerance),
        adapter=_ADAPTERS.get(task_id, _AS_A_SET if f"assert set({name}(" in prompt else ""),
    )


def _inputs(record: Record) -> tuple[tuple[Any, ...], ...]:
    inputs: list[tuple[Any, ...]] = []
    for key in ("base_input", "plus_input"):
        rows = record.values[key]
        # MBPP+ writes {} where a task has no further arguments
        if key == "plus_input" and rows == {}:
            continue
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise UserError(f"{record.where}: {key} must be a list of argument lists")
        inputs += [tuple(row) for row in rows]
    if not inputs:
        raise UserError(f"{record.where}: base_input is empty: a task needs tests")
    return tuple(inputs)


def _asserted_arguments(assertion: str, name: str) -> list[tuple[Any, ...]]:
    """The arguments of each literal call of the function."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(assertion)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            try:
                found.append(tuple(ast.literal_eval(argument) for argument in node.args))
            except (ValueError, TypeError, SyntaxError):
                continue
    return found


def _shaped(given: tuple[Any, ...], examples: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Arguments as the examples have them, each by its place; as they are where no example helps."""
    shaped = []
    for place, value in enumerate(given):
        models = [example[place] for example in examples if len(example) == len(given)]
        shaped.append(_like(value, models))
    return tuple(shaped)


def _like(value: PlainData, models: Sequence[PlainData], outer: type = list) -> PlainData:
    """The value with tuples and sets where the models have them; what is nested deeper is as around it."""
    if isinstance(value, dict):
        values = [item for model in models if isinstance(model, dict) for item in model.values()]
        return {key: _like(item, values) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    containers = [model for model in models if isinstance(model, list | tuple | set)]
    kinds = {type(model) for model in containers} or {outer}
    kind = kinds.pop() if len(kinds) == 1 else list
    inner = [item for model in containers for item in model]
    items = [_like(item, inner, tuple if kind is tuple else list) for item in value]
    return set(items) if kind is set else tuple(items) if kind is tuple else items
