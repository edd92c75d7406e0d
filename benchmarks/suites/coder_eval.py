"""CoderEval (H. Yu et al. 2024, arXiv:2302.00288), Python: the tasks that need nothing of their repositories.

Of the suite's six levels these are ``self_contained`` and ``slib_runnable`` (the standard library). Its file holds the
functions and no tests: those are embedded in the projects inside a container image of its authors. A user who has
them as programs puts them into a folder ``tests`` beside the file, ``<_id>.py`` each; it may call the function by its
name, or as ``candidate``, and passes if it comes to its end.
"""

from __future__ import annotations

import ast
import functools
import sys
import textwrap
from pathlib import Path

from benchmarks.suites.records import Record, read_listed_records, shown
from benchmarks.suites.task import Check, SuiteTask, read_tasks
from evaluators.data_files import read_text
from evaluators.exceptions import UserError
from evaluators.remote_check import CheckCode

STANDALONE_LEVELS = ("self_contained", "slib_runnable")

_FILE = "CoderEval4Python.json"
_KEYS = ("_id", "name", "code", "level", "docstring")


def load_coder_eval(path: Path) -> tuple[SuiteTask, ...]:
    """The standalone tasks of CoderEval, Python.

    Args:
        path: ``CoderEval4Python.json``, or a folder that holds it; with tests in a folder ``tests`` beside it, if any.

    Raises:
        UserError: If there is no such file, or it is damaged or of another format.
    """
    file = path / _FILE if path.is_dir() else path
    records = [
        record for record in read_listed_records(file, "RECORDS", _KEYS) if record.text("level") in STANDALONE_LEVELS
    ]
    if not records:
        raise UserError(f"{file} holds no task of level {' or '.join(STANDALONE_LEVELS)}")
    return read_tasks(records, functools.partial(_task, tests=file.parent / "tests"))


def _task(record: Record, tests: Path) -> SuiteTask:
    task_id, name = record.text("_id"), record.text("name")
    if not task_id.isalnum():
        raise UserError(f"{record.where}: _id is {shown(task_id)}, but must be letters and digits")
    code = textwrap.dedent(record.text("code"))
    imports = _imports(record.text("file_content")) if "file_content" in record.values else ""
    told = record.text("human_label") if record.values.get("human_label") else record.text("docstring")
    signature = _signature(code, name, record.where)
    file = tests / f"{task_id}.py"
    source = read_text(file, "tests") if file.is_file() else ""
    return SuiteTask(
        task_id=task_id,
        language="python",
        prompt=f'{signature}    """{told.strip()}"""\n',
        head=imports + signature,
        entry_point=name,
        reference=imports + code,
        tests=source,
        checks=(Check("tests", CheckCode(source)),) if source.strip() else (),
    )


def _imports(source: str) -> str:
    """What a file imports from the standard library: the function was written below these lines."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return ""  # of Python 2, say; its functions may do without
    lines = [ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom) and _is_standard(node)]
    return "\n".join([*lines, "", "", ""]) if lines else ""


def _is_standard(node: ast.Import | ast.ImportFrom) -> bool:
    names = [name.name for name in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    relative = isinstance(node, ast.ImportFrom) and node.level > 0
    return not relative and all(name.partition(".")[0] in sys.stdlib_module_names for name in names)


def _signature(code: str, name: str, where: str) -> str:
    """The lines of a function before its body."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{where}: code is no Python program ({error})") from error
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            if node.body[0].lineno == node.lineno:
                raise UserError(f"{where}: the body of {name} stands on the line of its signature")
            return "".join(code.splitlines(keepends=True)[: node.body[0].lineno - 1])
    raise UserError(f"{where}: code defines no function {name!r} at its top level")
