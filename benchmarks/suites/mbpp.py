"""MBPP, full and sanitized, and MBPP-ET.

J. Austin et al. 2021, arXiv:2108.07732; Y. Dong et al. 2023, arXiv:2301.09043.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from benchmarks.suites.calls import assertion_calls, called_function, divided_assertions, is_imports
from benchmarks.suites.records import Record, read_records
from benchmarks.suites.task import Check, SuiteTask, read_tasks
from evaluators.exceptions import UserError
from evaluators.plain_data import PlainData
from evaluators.remote_check import CheckCode

_FULL_KEYS = ("task_id", "text", "code", "test_list", "test_setup_code", "challenge_test_list")
_SANITIZED_KEYS = ("task_id", "prompt", "code", "test_list", "test_imports")

_WHOLE_PROGRAMS = frozenset(f"Mbpp/{number}" for number in (124, 367, 533, 590, 596, 601, 737, 787, 794, 927))
"""Their tests pass complex numbers, types or match objects, or use what the solution defines or imports: they cannot be
in another process than the solution."""


def load_mbpp(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of the full set; its own test set is those from 11 to 510.

    Args:
        path: ``mbpp.jsonl``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, _FULL_KEYS), _full)


def load_mbpp_et(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of MBPP-ET: those of MBPP with about a hundred assertions each.

    Args:
        path: ``MBPP_ET.jsonl``, or a file of the sanitized tasks with longer lists of tests.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, ("task_id", "code", "test_list")), _extended)


def load_sanitized_mbpp(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks that its authors checked by hand.

    Args:
        path: ``sanitized-mbpp.json``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, _SANITIZED_KEYS), _sanitized)


def mbpp_id(value: PlainData, where: str = "task_id") -> str:
    """The id of a task as EvalPlus spells it: ``Mbpp/2`` for ``2``, ``"2"``, ``"MBPP/2"`` and the like.

    Raises:
        UserError: If it is nothing of the kind.
    """
    match = re.fullmatch(r"(?:mbpp[/_-])?([0-9]+)", str(value).strip(), re.IGNORECASE)
    if match is None or isinstance(value, bool | float):
        raise UserError(f"{where}: {value!r} is no id of MBPP: write it as Mbpp/2, or 2")
    return f"Mbpp/{int(match[1])}"


def _full(record: Record) -> SuiteTask:
    record.texts("challenge_test_list")  # is checked, and not used: the suite's own scores leave it out
    return _task(record, record.text("text"), record.text("test_setup_code"))


def _sanitized(record: Record) -> SuiteTask:
    return _task(record, record.text("prompt"), "\n".join(record.texts("test_imports")))


def _extended(record: Record) -> SuiteTask:
    text = record.text("text" if "text" in record.values else "prompt")
    setup = record.text("test_setup_code") if "test_setup_code" in record.values else ""
    imports = "\n".join(record.texts("test_imports")) if "test_imports" in record.values else ""
    task = _task(record, text, "\n".join(filter(None, [setup, imports])))
    # The list is the hidden test set here, so nothing of it is shown but the name.
    task = replace(task, prompt=f"{text.strip()}\nYour function shall be called {task.entry_point}.")
    if not (task.calls or task.checks):
        return task
    calls, others = divided_assertions(record.texts("test_list"), task.entry_point)
    prelude = task.checks[0].code.prelude if task.checks else ""
    checks = tuple(Check(label, CheckCode(source, prelude=prelude)) for label, source in others)
    return replace(task, calls=calls, checks=checks)


def _task(record: Record, text: str, setup: str) -> SuiteTask:
    code, assertions = record.text("code"), record.texts("test_list")
    if not assertions:
        raise UserError(f"{record.where}: test_list is empty: a task needs tests")
    name = called_function(assertions, code)
    # A call may depend on what the setup defines, so these tests stay a program then.
    calls = assertion_calls(assertions, name) if name and not setup.strip() else ()
    checks = (Check("tests", CheckCode("\n".join(assertions), prelude=setup)),)
    task_id = mbpp_id(record.values["task_id"], record.where)
    is_check = name and not calls and is_imports(setup) and task_id not in _WHOLE_PROGRAMS
    return SuiteTask(
        task_id=task_id,
        language="python",
        prompt="\n".join([text.strip(), "Your code should pass these tests:", "", *assertions]),
        head="",
        entry_point=name,
        reference=code,
        # The setup comes after the code: two tasks' setups use what the code defines.
        tests="\n".join([setup, *assertions]),
        calls=calls,
        checks=checks if is_check else (),
    )
