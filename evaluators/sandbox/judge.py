"""From what the kernel says of a process to a verdict and one line on the failure."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Mapping
from typing import Any

from evaluators.execution import CaseResult
from evaluators.verdict import Verdict

MAX_STDERR_CHARACTERS = 4000
MAX_COMPILE_OUTPUT_CHARACTERS = 4000
_MAX_DETAIL_CHARACTERS = 300

_OUT_OF_MEMORY = re.compile(r"std::bad_alloc|std::bad_array_new_length|MemoryError|out of memory", re.IGNORECASE)
_COMPILER_STOPPED = re.compile(
    r"Killed signal|Killed \(program|out of memory|virtual memory exhausted|File size limit|CPU time limit|"
    r"No space left|memory exhausted|File too large|Cannot allocate memory|^MemoryError"
)
_TERMINATED = re.compile(r"terminate called .*", re.DOTALL)


def case_verdict(outcome: Mapping[str, Any], stdout_size: int, limit: int, error: str, stderr: str) -> Verdict:
    """Decide what became of a case whose process has ended; the worse reason wins where there are two.

    Args:
        outcome: The supervisor's record of the process.
        stdout_size: Bytes of the largest file that it wrote.
        limit: Bytes that a file may have.
        error: Name of the exception that a Python program ended by, or ``""``.
        stderr: The end of standard error.
    """
    status, stopped = outcome["status"], outcome["stopped"]
    if outcome["survivors"] or status == -signal.SIGSYS:
        return Verdict.VIOLATION
    if status == -signal.SIGXFSZ or stdout_size >= limit:
        return Verdict.OUTPUT_LIMIT
    if stopped or status == -signal.SIGXCPU:
        return Verdict.TIMEOUT_WALL if stopped == "idle" else Verdict.TIMEOUT_CPU
    if status != 0 and (error == "MemoryError" or (status < 0 and _OUT_OF_MEMORY.search(stderr))):
        return Verdict.MEMORY
    if status < 0:
        return Verdict.CRASH
    return Verdict.RUNTIME_ERROR if status else Verdict.COMPLETED


def read_report(report: bytes) -> dict[str, Any]:
    """Read what a candidate's process says of its own end: hints, never facts."""
    try:
        facts = json.loads(report.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def case_result(
    outcome: Mapping[str, Any], stdout: bytes, stderr: bytes, report: bytes, limits: Mapping[str, Any]
) -> CaseResult:
    """Judge a case, its output not compared yet: ``COMPLETED`` where the process came to its end.

    Args:
        outcome: The supervisor's record of the process.
        stdout: What it wrote to standard output.
        stderr: What it wrote to standard error.
        report: What it wrote to its report.
        limits: The bounds that it ran under.
    """
    facts = read_report(report)
    error = facts.get("error")
    name = error if isinstance(error, str) else ""
    text = stderr.decode("utf-8", "replace")
    largest = max(len(stdout), len(stderr), len(report))
    verdict = case_verdict(outcome, largest, limits["file_bytes"], name, text[-MAX_STDERR_CHARACTERS:])
    return CaseResult(
        verdict,
        stdout.decode("utf-8", "surrogateescape"),
        text[-MAX_STDERR_CHARACTERS:],
        _detail(verdict, outcome, facts, text, limits)[:_MAX_DETAIL_CHARACTERS],
        outcome["cpu_seconds"],
        outcome["memory_bytes"],
    )


def _detail(
    verdict: Verdict, outcome: Mapping[str, Any], facts: Mapping[str, Any], stderr: str, limits: Mapping[str, Any]
) -> str:
    if verdict is Verdict.COMPLETED:
        return ""
    fixed = {
        Verdict.VIOLATION: "tried what the sandbox forbids: another process, another program, or the network",
        Verdict.OUTPUT_LIMIT: f"wrote more than {limits['file_bytes'] - 1} bytes",
        Verdict.TIMEOUT_CPU: f"used more than {limits['cpu_seconds']:g} s of processor time",
        Verdict.TIMEOUT_WALL: f"stood still for {limits['idle_seconds']:g} s, asleep or waiting",
        Verdict.MEMORY: f"used more than {limits['memory_bytes'] // 2**20} MiB of memory",
    }
    if verdict in fixed:
        return fixed[verdict]
    status = outcome["status"]
    if status < 0:
        told = _TERMINATED.search(stderr)
        reason = ": " + " ".join(told[0].split()) if told else ""
        return f"killed by {_signal_name(-status)}{reason}"
    if isinstance(facts.get("error"), str):
        line = facts.get("line")
        where = f" (line {line})" if isinstance(line, int) and line > 0 else ""
        message = str(facts.get("message", ""))
        return f"{facts['error']}: {message}{where}" if message else f"{facts['error']}{where}"
    return f"exit status {status}"


def _signal_name(number: int) -> str:
    names = {signal.SIGSEGV: "segmentation fault", signal.SIGABRT: "abort", signal.SIGFPE: "arithmetic error"}
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{known.name} ({names[known]})" if known in names else known.name


def compile_verdict(outcome: Mapping[str, Any], diagnostics: str) -> Verdict | None:
    """Decide what became of the compile step; None if the program compiled."""
    if outcome["stopped"] or outcome["status"] < 0:
        return Verdict.COMPILE_LIMIT
    if outcome["status"] == 0:
        return None
    if _COMPILER_STOPPED.search(diagnostics):
        return Verdict.COMPILE_LIMIT
    return Verdict.COMPILE_ERROR


def readable_diagnostics(text: bytes, work: str) -> str:
    """A compiler's words, first error first, capped, without the sandbox's paths."""
    shown = text[: 8 * MAX_COMPILE_OUTPUT_CHARACTERS].decode("utf-8", "replace")
    shown = shown.replace(work + "/", "")
    lines = [line for line in shown.splitlines() if not line.startswith("In file included from driver.cpp")]
    return "\n".join(lines).strip()[:MAX_COMPILE_OUTPUT_CHARACTERS]
