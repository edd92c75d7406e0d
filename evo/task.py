"""Task: all that is needed to start a search, or to start it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.catalog import load_problem, problem_digest
from evaluators.exceptions import UserError, near_file
from evaluators.languages import LANGUAGES, language
from evaluators.problem import Problem
from evaluators.program import Program
from evaluators.records import problem_from_record, problem_to_record
from evo.settings import Settings


@dataclass(frozen=True)
class Task:
    """What is to be searched for, and how.

    Attributes:
        problem: Without hidden cases.
        settings: All settings.
        reference: Bundled name or path that the problem was loaded from; None for a problem made in Python, which has
            no hidden cases.
        start: A program to be repaired, instead of drafts.
    """

    problem: Problem
    settings: Settings
    reference: str | None = None
    start: Program | None = None

    def to_meta(self) -> dict[str, Any]:
        """Plain data for the journal; holds no hidden case and no key."""
        reference = self.reference
        if reference is not None and Path(reference).exists():
            reference = str(Path(reference).resolve())
        return {
            "problem": problem_to_record(self.problem),
            "problem_digest": problem_digest(self.problem),
            "reference": reference,
            "settings": self.settings.model_dump(mode="json"),
            "start": None if self.start is None else self.start.source,
        }

    @classmethod
    def from_meta(cls, meta: dict[str, Any], settings: Settings) -> Task:
        """The task that a run was started with."""
        start = meta["start"]
        return cls(
            problem_from_record(meta["problem"]),
            settings,
            meta["reference"],
            None if start is None else Program(start, settings.language),
        )


def prepare(reference: str | Path | Problem, settings: Settings, start: Path | None = None) -> Task:
    """Load and check what a search needs, before anything is paid for.

    Args:
        reference: A bundled name, a problem file, or a problem made in Python.
        settings: All settings.
        start: File of a program to be repaired.

    Raises:
        UserError: If anything is wrong with it.
    """
    written = language(settings.language)
    settings = settings.model_copy(update={"language": written.reference})
    if isinstance(reference, Problem):
        problem, name = reference, None
    else:
        name = str(reference)
        wanted = settings.problem
        problem = load_problem(
            name,
            mode=wanted.mode,
            seed=wanted.seed,
            visible=wanted.visible,
            psb2_data=None if wanted.psb2_data is None else Path(wanted.psb2_data),
        )
    if problem.languages and written.reference not in problem.languages:
        raise UserError(
            f"problem {problem.name!r} is to be solved in {' or '.join(problem.languages)}, and the search writes "
            f"{written.name}: type --language {problem.languages[0]}"
        )
    if start is not None and settings.system == "best-of-n":
        raise UserError("--start is for repairing, and best-of-n repairs nothing: use --system seidr")
    if not problem.cases:
        raise UserError(f"problem {problem.name!r} has no visible cases: a search cannot tell right from wrong")
    return Task(problem, settings, name, None if start is None else _program(start, settings.language))


_LARGEST_START_BYTES = 2**20


def _program(path: Path, name: str) -> Program:
    if path.exists() and not path.is_file():
        raise UserError(f"--start {path} is no file: give the source file of a {name} program")
    try:
        if path.stat().st_size > _LARGEST_START_BYTES:
            raise UserError(
                f"--start {path} has over {_LARGEST_START_BYTES} bytes: no model can read so long a program"
            )
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"--start {path}: {error.strerror}{near_file(str(path))}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"--start {path} is no UTF-8 text: give the source file of a {name} program") from error
    endings = {Path(each.source_name).suffix: each.name for each in LANGUAGES.values()}
    endings |= {".cc": "cpp", ".cxx": "cpp", ".c++": "cpp", Path(language(name).source_name).suffix: name}
    if path.suffix not in endings:
        raise UserError(f"--start {path} is not named as a program: {', '.join(sorted(endings))} are known endings")
    owner = endings[path.suffix]
    if owner != name:
        raise UserError(f"--start {path} looks like {owner}, and the search writes {name}: add --language {owner}")
    if not source.strip():
        raise UserError(f"--start {path} is empty: leave --start out to begin with drafts")
    return Program(source, name)
