"""What a suite's own solutions fail here, as a file beside the suites' own, and the command that makes it.

The file is one JSON object: the suite, digest of its file, toolchain, both figures, and for each task that fails the
names of the tests with the reason. It holds for that file and that toolchain alone.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import functools
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.suites.catalog import SUITES, find_suite, load_suite, suite_file, suite_language
from benchmarks.suites.download import file_digest, suites_folder
from benchmarks.suites.gate import GateResult, reference_gate
from benchmarks.suites.task import SuiteTask
from evaluators.data_files import parse_json, parse_yaml, read_text
from evaluators.exceptions import EvoError, UserError
from evaluators.executor import SandboxExecutor


@dataclass(frozen=True)
class GateReport:
    """The gate of a whole suite.

    Attributes:
        suite: Name of the suite.
        language: Of the programs.
        file_sha256: Of the suite's file, as :func:`suite_digest` has it.
        toolchain: As the executor has it.
        tasks: How many there are.
        passed: Tasks whose canonical solution passes all tests.
        not_run: Tasks that have no solution or no tests, each with the reason.
        failures: Tasks that fail, each with the names of the tests and the reasons; ``validated`` figures leave these
            tests out.
        known: What is known of the failing tasks.
        cpu_seconds: Processor time of all solutions.
        seconds: By the clock.
    """

    suite: str
    language: str
    file_sha256: str
    toolchain: str
    tasks: int
    passed: int
    not_run: Mapping[str, str]
    failures: Mapping[str, Mapping[str, str]]
    known: Mapping[str, str]
    cpu_seconds: float
    seconds: float


def run_gate(
    name: str,
    path: Path | None = None,
    language: str | None = None,
    *,
    workers: int | None = None,
    allow_subset: bool = False,
) -> tuple[GateReport, Path]:
    """Run the gate of a suite, and store what came of it.

    Args:
        name: One of :data:`~benchmarks.suites.catalog.SUITES`.
        path: Its file; if left out, it is looked for as :func:`~benchmarks.suites.catalog.suite_file` says.
        language: Of the programs; may be left out where there is one.
        workers: Programs at once; left out, one for each processor.
        allow_subset: Accept a file with some of the tasks only.

    Returns:
        The report, and the file that holds it.

    Raises:
        InfrastructureError: If the sandbox fails, or the suite cannot be downloaded.
        UserError: If the suite's file cannot be used.
    """
    started = time.monotonic()
    file, chosen = suite_file(name, path, language), suite_language(name, language)
    if not find_suite(name).is_judged:
        raise UserError(f"{find_suite(name).title} has no tests that could be run here: see docs/suites.md")
    tasks = load_suite(name, file, chosen, allow_subset=allow_subset)
    executor = SandboxExecutor(workers or len(os.sched_getaffinity(0)))
    results = asyncio.run(_closing(executor, tasks))
    report = GateReport(
        suite=name,
        language=chosen,
        file_sha256=suite_digest(file),
        toolchain=executor.toolchain(chosen),
        tasks=len(results),
        passed=sum(result.passed for result in results),
        not_run={result.task_id: result.not_run for result in results if result.not_run},
        failures={result.task_id: dict(result.failures) for result in results if result.failures},
        known={
            result.task_id: reason
            for result in results
            if result.failures and (reason := known_failures(name, chosen).get(result.task_id))
        },
        cpu_seconds=round(sum(result.cpu_seconds for result in results), 3),
        seconds=round(time.monotonic() - started, 3),
    )
    return report, write_gate(report)


async def _closing(executor: SandboxExecutor, tasks: Sequence[SuiteTask]) -> tuple[GateResult, ...]:
    try:
        return await reference_gate(executor, tasks)
    finally:
        await executor.close()


def suite_digest(path: Path) -> str:
    """SHA-256 (hexadecimal) of a suite's file, or of the names and digests of all files in its folder.

    Raises:
        UserError: If a file cannot be read.
    """
    if not path.is_dir():
        return file_digest(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    rows = [f"{file.relative_to(path)} {file_digest(file)}\n" for file in files]
    return sha256("".join(rows).encode("utf-8", "surrogateescape")).hexdigest()


def known_failures(name: str, language: str) -> Mapping[str, str]:
    """Why solutions of a published file are known to fail, by task."""
    return _known_failures().get(f"{name} {language}", {})


@functools.cache
def _known_failures() -> Mapping[str, Mapping[str, str]]:
    path = Path(__file__).with_name("known_failures.yaml")
    known: Any = parse_yaml(read_text(path, "known failures"), str(path))
    return dict(known)


def gate_path(name: str, language: str, folder: Path | None = None) -> Path:
    """Where the report on a suite is kept."""
    return (folder or suites_folder()) / f"{name}.{language}.gate.json"


def write_gate(report: GateReport, folder: Path | None = None) -> Path:
    """Store a report, in place of an earlier one.

    Raises:
        UserError: If the folder cannot be written to.
    """
    path = gate_path(report.suite, report.language, folder)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(dataclasses.asdict(report), indent=1) + "\n", "utf-8")
        temporary.replace(path)
    except OSError as error:
        raise UserError(f"cannot write {path} ({error.strerror}): set XDG_CACHE_HOME to a folder of yours") from error
    return path


def read_gate(
    name: str, language: str, file_sha256: str, toolchain: str, folder: Path | None = None
) -> GateReport | None:
    """The stored report on a suite; None if there is none for this file and this toolchain.

    Raises:
        UserError: If there is one, but it is damaged.
    """
    path = gate_path(name, language, folder)
    if not path.is_file():
        return None
    record: Any = parse_json(read_text(path, "gate"), str(path))
    if not isinstance(record, dict) or set(record) != {field.name for field in dataclasses.fields(GateReport)}:
        raise UserError(f"{path} is no report of a gate: delete it, and run python -m benchmarks.suites.gate {name}")
    report = GateReport(**record)
    return report if (report.file_sha256, report.toolchain) == (file_sha256, toolchain) else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a gate from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.suites.gate", description="Run a suite's own solutions."
    )
    parser.add_argument("name", metavar="NAME", help=", ".join(SUITES))
    parser.add_argument("--data", type=Path, metavar="FILE", help="the suite's file")
    parser.add_argument("--language", help="of the programs, where the suite has several")
    parser.add_argument("--subset", action="store_true", help="accept a file that lacks tasks")
    parser.add_argument("--workers", type=int, help="programs at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    typed = parser.parse_args(arguments)
    try:
        report, path = run_gate(
            typed.name, typed.data, typed.language, workers=typed.workers, allow_subset=typed.subset
        )
    except EvoError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, UserError) else 3
    if typed.json:
        sys.stdout.write(json.dumps({**dataclasses.asdict(report), "report": str(path)}) + "\n")
    else:
        sys.stdout.write("\n".join([*_lines(report), f"written to {path}"]) + "\n")
    return 0


def _lines(report: GateReport) -> list[str]:
    lines = [
        f"{report.suite} ({report.language}): {report.passed}/{report.tasks} canonical solutions pass all tests; "
        f"{report.cpu_seconds:.1f} CPU s, {report.seconds:.1f} s"
    ]
    if report.failures:
        tests = sum(map(len, report.failures.values()))
        lines.append(f"validated: {tests} tests of {len(report.failures)} tasks are left out")
    if report.not_run:
        lines.append(f"not run: {len(report.not_run)} tasks, as {next(iter(report.not_run.values()))}")
    for task_id, failed in report.failures.items():
        name, reason = next(iter(failed.items()))
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        lines.append(f"  {task_id}: {name}{more}: {report.known.get(task_id) or reason[:200]}")
    return lines
