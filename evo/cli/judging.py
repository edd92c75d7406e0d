"""``evo judge``: anybody's samples on the official tests of a suite."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

from rich.console import Console
from rich.live import Live
from rich.text import Text

from benchmarks.judging.foreign_results import write_results, writer_of
from benchmarks.judging.judge import Judging, judge_samples
from benchmarks.judging.official_tests import dataset_digest
from benchmarks.judging.report import summarize
from benchmarks.judging.samples import Sample, SampleFormat, SampleSet, raw_program, read_samples
from benchmarks.judging.verdict_file import VerdictFile
from benchmarks.suites.catalog import Suite, find_suite, load_suite
from benchmarks.suites.task import SuiteTask
from evaluators.exceptions import InfrastructureError, UserError, unknown_name
from evaluators.executor import SandboxExecutor
from evaluators.languages import LANGUAGES
from evo._version import __version__
from evo.cli.run_samples import holds_runs, samples_of_runs

_MOST_WORKERS = 256


@dataclasses.dataclass(frozen=True)
class JudgeOptions:
    """What was typed, besides the samples.

    Attributes:
        suite: Name of the suite.
        data: The suite's file.
        language: Of the programs.
        form: Format of the samples.
        workers: Programs run at once.
        seconds: Processor time of a program.
        ks: The k of pass@k.
        out: File of verdicts.
        validated: Whether the headline leaves out what the suite's own solution fails.
        partial: Whether tasks without samples count as failed, instead of being refused.
        write: Format and folder of a further result file.
        allow_weak_sandbox: Whether to go on without all layers.
        as_json: Whether to print one JSON object.
    """

    suite: str
    data: Path | None
    language: str | None
    form: str | None
    workers: int | None
    seconds: float
    ks: tuple[int, ...]
    out: Path | None
    validated: bool
    partial: bool
    write: tuple[str, Path] | None
    allow_weak_sandbox: bool
    as_json: bool


def judge_command(path: Path, *, k: str, **typed: Any) -> int:
    """Run ``evo judge``; returns the exit code.

    Args:
        path: The samples.
        k: The k of pass@k, with commas.
        typed: The fields of :class:`JudgeOptions`.
    """
    return _judge(path, JudgeOptions(ks=_ks(k), **typed))


def _ks(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise UserError(f"--k is {text!r}, but must be whole numbers above 0 with commas, as 1,10,100")
    return tuple(sorted({int(part) for part in parts}))


def _judge(path: Path, options: JudgeOptions) -> int:
    started = time.monotonic()
    if not 0 < options.seconds < math.inf:
        raise UserError(f"--timeout is {options.seconds:g}: give finite seconds of processor time above 0, as 3")
    if options.workers is not None and not 1 <= options.workers <= _MOST_WORKERS:
        raise UserError(
            f"--workers is {options.workers}: give 1 to {_MOST_WORKERS}; more than processors are of no use"
        )
    if options.write is not None:
        form, folder = options.write
        writer_of(form)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"--write {form} {folder}: no folder can be made there ({error.strerror})") from error
    suite = find_suite(options.suite)
    if not suite.is_judged:
        raise UserError(f"the tests of {suite.title} cannot be run here: docs/suites.md says why")
    # A file of the user's own may be a part of the suite; what is fetched has to be whole.
    tasks = load_suite(options.suite, options.data, options.language, allow_subset=options.data is not None)
    given = _samples(path, tasks, options.form)
    missing = given.missing(tasks)
    if missing and not options.partial:
        raise UserError(
            f"{path}: {len(missing)} of {len(tasks)} tasks have no sample ({_few(missing)}): add them, or count them "
            "as failed with --partial"
        )
    executor = SandboxExecutor(options.workers or len(os.sched_getaffinity(0)), options.allow_weak_sandbox)
    out = options.out or _beside(path, f".{options.suite}.verdicts.jsonl")
    file = VerdictFile(out, _header(options, tasks, given, executor))
    try:
        if file.dropped_bytes:
            sys.stderr.write(f"{out}: the last line was not whole ({file.dropped_bytes} bytes) and was dropped\n")
        judging = asyncio.run(_judged(executor, tasks, given, file, options))
        summary = summarize(
            tasks, given.samples, judging, ks=options.ks, has_plus=suite.has_plus,
            validated=options.validated,
        )  # fmt: skip
        record = {
            "suite": options.suite,
            "language": tasks[0].language,
            "format": given.format,
            **summary,
            "seconds": round(time.monotonic() - started, 3),
            "dataset_digest": dataset_digest(tasks),
            "limit_seconds": options.seconds,
            "evo": __version__,
            "layers": list(executor.layers),
            "toolchain": executor.toolchain(tasks[0].language),
            "results": str(out),
        }
        if suite.tasks > len(tasks):
            record["notes"].append(f"the suite's file has {len(tasks)} of its {suite.tasks} tasks")
        file.add_summary(record)
    finally:
        file.close()
    if options.write is not None:
        record["written"] = str(write_results(*options.write, path, judging.judged, tasks, record))
    if options.as_json:
        sys.stdout.write(json.dumps(record) + "\n")
    else:
        _print(record, suite)
    return 0


def _beside(path: Path, ending: str) -> Path:
    named = path if path.name not in ("", "..") else path.resolve()
    return named.with_name(named.name + ending)


def _samples(path: Path, tasks: Sequence[SuiteTask], form: str | None) -> SampleSet:
    formats = ("evo", *get_args(SampleFormat))
    if form is not None and form not in formats:
        raise unknown_name("format of samples", form, formats)
    if form == "evo" or (form is None and holds_runs(path)):
        return samples_of_runs(path, tasks)
    return read_samples(path, tasks, cast("SampleFormat | None", form))


def _header(
    options: JudgeOptions, tasks: Sequence[SuiteTask], given: SampleSet, executor: SandboxExecutor
) -> dict[str, Any]:
    return {
        "suite": options.suite,
        "language": tasks[0].language,
        "dataset_digest": dataset_digest(tasks),
        "format": given.format,
        "samples": len(given.samples),
        "limit_seconds": options.seconds,
        "evo": __version__,
        "layers": list(executor.layers),
        "toolchain": executor.toolchain(tasks[0].language),
    }


async def _judged(
    executor: SandboxExecutor, tasks: Sequence[SuiteTask], given: SampleSet, file: VerdictFile, options: JudgeOptions
) -> Judging:
    """Judge; Ctrl-C and SIGTERM stop it so that the same command goes on."""
    loop, current = asyncio.get_running_loop(), asyncio.current_task()
    assert current is not None
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, current.cancel)
    progress = JudgeProgress(Console(stderr=True), len(given.samples))
    try:
        with progress:
            return await judge_samples(
                executor, tasks, given.samples, file,
                seconds=options.seconds, read_program=program_in, observer=progress,
            )  # fmt: skip
    except asyncio.CancelledError as error:
        raise InfrastructureError(
            f"stopped; {len(file.verdicts)} verdicts are in {file.path}: the same command goes on from there"
        ) from error
    except InfrastructureError as error:
        raise InfrastructureError(
            f"{error}; {len(file.verdicts)} verdicts are in {file.path}: the same command goes on"
        ) from error
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)
        await executor.close()


def program_in(sample: Sample, task: SuiteTask) -> str:
    """The program in a sample: as it came, unless it is a reply with code blocks."""
    raw = raw_program(sample, task)
    if sample.kind == "completion" or not any(line.lstrip().startswith("```") for line in raw.splitlines()):
        return raw
    from operators.code_recognition import parse_python
    from operators.extraction import extract_program

    if task.language == "python" and parse_python(raw) is not None:
        return raw
    record = LANGUAGES[task.language]
    return extract_program(raw, (record.name, *record.aliases), function=task.entry_point or None).source


class JudgeProgress:
    """How far it has come: a live line in a terminal, plain lines elsewhere.

    Args:
        console: Where to.
        samples: How many there are.
    """

    def __init__(self, console: Console, samples: int) -> None:
        self._console = console
        self._samples = samples
        self._started = time.monotonic()
        self._done = self._passed = self._told = 0
        self._live: Live | None = None

    def __enter__(self) -> JudgeProgress:
        if self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=4, transient=True, get_renderable=self._status)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, done: int, passed: int) -> None:
        """Take note of it; ten plain lines in all where there is no terminal."""
        self._done, self._passed = done, passed
        tenth = 10 * done // max(1, self._samples)
        if self._live is None and tenth > self._told:
            self._told = tenth
            self._console.print(self._status(), highlight=False, soft_wrap=True)

    def _status(self) -> Text:
        seconds = time.monotonic() - self._started
        return Text(f"judged {self._done} of {self._samples} samples, {self._passed} passed, {seconds:.0f} s")


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _print(record: dict[str, Any], suite: Suite) -> None:
    out = sys.stdout.write
    out(f"{suite.title}, {record['language']}: {record['samples']} samples for {record['tasks']} tasks\n")
    columns = {name: record[name] for name in ("base", "plus", "all", "validated") if name in record}
    for name, column in columns.items():
        for k in column["intervals"]:
            low, high = column["intervals"][k]
            out(f"{name:<10} {k:<9} {column[k]:.4f}  (95 % over tasks: {low:.4f} to {high:.4f})\n")
    for note in record["notes"]:
        out(f"{note}\n")
    counts = Counter(record["verdicts"])
    out("verdicts   " + ", ".join(f"{count} {name}" for name, count in counts.most_common()) + "\n")
    programs = f"{record['executed']} programs run, {record['reused']} verdicts from before"
    out(f"time       {record['seconds']:.1f} s, {programs}\n")
    if any(layer.startswith("weak") for layer in record["layers"]):
        out(f"SANDBOX    weak: only {', '.join(record['layers'])} were active\n")
    out(f"results    {record['results']}\n")
