"""MBPP, full and sanitized (J. Austin et al. 2021, arXiv:2108.07732)."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.suites.calls import assertion_calls, called_function
from benchmarks.suites.records import Record, read_records
from benchmarks.suites.task import SuiteTask, unique_tasks
from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData


def load_mbpp(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of the full set; its own test set is those from 11 to 510.

    Args:
        path: ``mbpp.jsonl``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    keys = ("task_id", "text", "code", "test_list", "test_setup_code", "challenge_test_list")
    tasks = [
        _task(record, record.text("text"), record.text("test_setup_code"), ("test_list", "challenge_test_list"))
        for record in read_records(path, keys)
    ]
    return unique_tasks(tasks, path)


def load_sanitized_mbpp(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks that its authors checked by hand.

    Args:
        path: ``sanitized-mbpp.json``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    keys = ("task_id", "prompt", "code", "test_list", "test_imports")
    tasks = [
        _task(record, record.text("prompt"), "\n".join(record.texts("test_imports")), ("test_list",))
        for record in read_records(path, keys)
    ]
    return unique_tasks(tasks, path)


def mbpp_id(value: PlainData, where: str = "task_id") -> str:
    """The id of a task as EvalPlus spells it: ``Mbpp/2`` for ``2``, ``"2"``, ``"MBPP/2"`` and the like.

    Raises:
        UserError: If it is nothing of the kind.
    """
    match = re.fullmatch(r"(?:mbpp[/_-])?([0-9]+)", str(value).strip(), re.IGNORECASE)
    if match is None or isinstance(value, bool | float):
        raise UserError(f"{where}: {value!r} is no id of MBPP: write it as Mbpp/2, or 2")
    return f"Mbpp/{int(match[1])}"


def _task(record: Record, text: str, setup: str, test_keys: tuple[str, ...]) -> SuiteTask:
    code, assertions = record.text("code"), record.texts(test_keys[0])
    if not assertions:
        raise UserError(f"{record.where}: {test_keys[0]} is empty: a task needs tests")
    for key in test_keys[1:]:
        record.texts(key)  # challenge tests are checked, and not used: the suite's own scores leave them out
    # A call may depend on what the setup defines, so these tests stay a program then.
    name = called_function(assertions, code)
    calls = assertion_calls(assertions, name) if name and not setup.strip() else ()
    return SuiteTask(
        task_id=mbpp_id(record.values["task_id"], record.where),
        language="python",
        prompt="\n".join([text.strip(), "Your code should pass these tests:", "", *assertions]),
        head="",
        entry_point=name,
        reference=code,
        # The setup comes after the code: two tasks' setups use what the code defines.
        tests="\n".join([setup, *assertions]),
        calls=calls,
    )
