"""Samples out of evo's own runs: the best program of each."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.judging.samples import Sample, SampleSet
from benchmarks.suites.task import SuiteTask
from evaluators.exceptions import UserError
from evo.journal_file import JOURNAL_NAME
from evo.journal_reader import JournalReader, run_folders


def holds_runs(path: Path) -> bool:
    """Whether a folder is a run, or has runs in it."""
    return path.is_dir() and ((path / JOURNAL_NAME).is_file() or any(path.glob(f"*/{JOURNAL_NAME}")))


def samples_of_runs(path: Path, tasks: Sequence[SuiteTask]) -> SampleSet:
    """The samples that runs stand for; a run that has made no program is an empty one.

    Args:
        path: A run's folder, or one that has such folders in it.
        tasks: The suite; a run belongs to the task whose id is its problem's name (``HumanEval-0``).

    Raises:
        UserError: If there is no run, or one of another problem or language.
    """
    ids = {task.task_id.replace("/", "-"): task.task_id for task in tasks}
    numbers: Counter[str] = Counter()
    samples = []
    for folder in run_folders([path]):
        with contextlib.closing(JournalReader(folder)) as reader:
            name, language = reader.meta["problem"]["name"], reader.meta["settings"]["language"]
            individuals = reader.individuals()
        if name not in ids:
            raise UserError(
                f"{folder} is a run for {name!r}, which is no task of this suite: its names are as {next(iter(ids))!r}"
            )
        if language != tasks[0].language:
            raise UserError(f"{folder} is a run in {language}, and the suite is in {tasks[0].language}")
        best = max(individuals, key=lambda each: (each["pass_rate"] == 1, each["mean_score"]), default=None)
        text = "" if best is None else best["source"]
        samples.append(Sample(ids[name], numbers[ids[name]], text, "solution", str(folder)))
        numbers[ids[name]] += 1
    return SampleSet("evo", tuple(samples))
