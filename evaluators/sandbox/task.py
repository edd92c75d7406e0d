"""A program on its way through a sandbox: compile it, run it on its cases, judge how each ended."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluators.exceptions import UserError
from evaluators.execution import CaseResult, completed
from evaluators.languages import Language
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.sandbox import judge, wire
from evaluators.sandbox.client import Sandbox
from evaluators.sandbox.functions import DRIVER_NAME, DriverStyle, decode_call, driver_files, encode_call, explain
from evaluators.sandbox.inputs import joined
from evaluators.sandbox.ledger import rows_of
from evaluators.sandbox.precompiled import Headers, Precompiled
from evaluators.sandbox.toolchains import compiler, runner
from evaluators.verdict import Verdict

_RESULT_NAME = "program"
_COMPILED_FILE_BYTES = 64 * 2**20
_RARE = re.compile(
    r"\b(?:regex|s?match_results|smatch|cmatch|mt19937\w*|random_device|\w+_distribution|default_random_engine|chrono|"
    r"thread|mutex|lock_guard|unique_lock|atomic\w*|future|async|promise|condition_variable|filesystem|complex|valarray|"
    r"locale|codecvt\w*|wstring_convert|fstream|ifstream|ofstream|variant|any_cast|charconv|from_chars|to_chars|"
    r"forward_list|memory_resource|execution|scoped_allocator|typeindex|cfenv|ctime|csignal|csetjmp)\b"
)
_UNKNOWN_NAME = re.compile("not (been )?declared|not a member|does not name|incomplete type|no matching|undeclared")
_OTHER_STYLES: dict[DriverStyle, re.Pattern[str]] = {
    "narrow": re.compile("ambiguous|redefinition|conflict"),
    "by signature": re.compile("overloaded|unresolved|no matching function for call to .run<|couldn't deduce"),
}


@dataclass(frozen=True)
class Compiled:
    """What came of a compile step.

    Attributes:
        failure: ``COMPILE_ERROR`` or ``COMPILE_LIMIT``; None if it worked.
        output: The diagnostics.
        cpu_seconds: Processor time.
        program: What the sandbox takes to run it; never looked into here.
    """

    failure: Verdict | None
    output: str
    cpu_seconds: float = 0.0
    program: bytes = b""


@dataclass(frozen=True)
class Task:
    """A program and what it is to be run on.

    Attributes:
        program: The program.
        language: Its language.
        problem: Its mode, signature and limits.
        inputs: One a case, as the program reads them, as one file's contents.
        count: How many cases there are.
        fresh: Whether each case has a process of its own.
        precompiled: What compiling it needs, where it was made.
    """

    program: Program
    language: Language
    problem: Problem
    inputs: bytes
    count: int
    fresh: bool
    precompiled: Precompiled | None = None

    @property
    def in_one_process(self) -> bool:
        """Whether one process compiles it and runs all its cases."""
        return not self.fresh and self.language.runner == "python" and self.count > 0

    @property
    def compile_key(self) -> str:
        """Digest of all that the compile step depends on but the toolchain."""
        limits, signature = self.problem.limits, str(self.problem.signature)
        parts = (self.program.digest, self.problem.mode, signature, limits.compile_cpu_seconds)
        return hashlib.sha256(repr((*parts, limits.compile_memory_bytes)).encode()).hexdigest()


def encode_inputs(record: Language, problem: Problem, cases: Sequence[Case]) -> bytes:
    """Write the inputs of cases as the sandbox takes them.

    Raises:
        UserError: If one does not fit the problem.
    """
    return joined([_encode_input(record, problem, case) for case in cases])


def _encode_input(record: Language, problem: Problem, case: Case) -> bytes:
    if problem.mode == "stdio":
        if not isinstance(case.input, str):
            raise UserError(f"case {case.name!r} of {problem.name!r}: the input of a 'stdio' problem is a string")
        return case.input.encode("utf-8", "surrogatepass")
    if problem.signature is None or not isinstance(case.input, tuple):
        raise UserError(f"case {case.name!r} of {problem.name!r}: a 'function' problem has a signature and arguments")
    return encode_call(record, problem.signature, case.input)


async def compile_task(sandbox: Sandbox, task: Task) -> Compiled:
    """Compile a program, in function mode with the driver that suits it.

    Raises:
        wire.BrokenWireError: If the sandbox failed.
        UserError: If the compiler is not installed.
    """
    if task.language.compile_command is None and task.language.runner != "python":
        return Compiled(None, "", 0.0, _source(task))
    headers = _headers(task)
    compiled = await _compile(sandbox, task, "usual", headers)
    if headers == "common" and compiled.failure is Verdict.COMPILE_ERROR and _UNKNOWN_NAME.search(compiled.output):
        headers = "whole"
        compiled = _after(compiled, await _compile(sandbox, task, "usual", headers))
    if compiled.failure is Verdict.COMPILE_ERROR and task.problem.mode == "function":
        for style, symptom in _OTHER_STYLES.items():
            if symptom.search(compiled.output):
                other = await _compile(sandbox, task, style, headers)
                compiled = _after(compiled, other if other.failure is None else compiled)
    return compiled


def _after(first: Compiled, second: Compiled) -> Compiled:
    return dataclasses.replace(second, cpu_seconds=first.cpu_seconds + second.cpu_seconds)


def _headers(task: Task) -> Headers:
    """Whether the smaller header may do; a name that it lacks, and that is not in the list, is found out later."""
    record, source = task.language, task.program.source
    if task.precompiled is None or not task.precompiled.common or _RARE.search(source):
        return "whole"
    included = task.problem.mode == "function" or str(record.precompiled_header) in source
    return "common" if included else "whole"


async def run_task(sandbox: Sandbox, task: Task, program: bytes) -> list[CaseResult]:
    """Run a compiled program on its cases, each in a process of its own.

    Raises:
        wire.BrokenWireError: If the sandbox failed.
    """
    await _send(sandbox, task, program, shared=False)
    return await _receive_results(sandbox, task, [])


async def compile_and_run_task(sandbox: Sandbox, task: Task) -> tuple[Compiled, list[CaseResult]]:
    """Compile a program and run it on its cases, all in one process, or in few.

    Raises:
        wire.BrokenWireError: If the sandbox failed.
    """
    await _send(sandbox, task, _source(task), shared=True)
    header, blobs = await sandbox.receive()
    if len(blobs) == 1:
        return _compiled(sandbox, task, header, [*blobs, b""]), []
    results = _judge_reply(task, _run_bounds(task.problem.limits), header, blobs)
    return Compiled(None, ""), await _receive_results(sandbox, task, list(results))


async def _send(sandbox: Sandbox, task: Task, program: bytes, shared: bool) -> None:
    limits = task.problem.limits
    function = _function(task)
    job: dict[str, Any] = {
        "job": "run",
        "kind": "served" if task.precompiled is not None and task.precompiled.served else task.language.runner,
        "function": function,
        "shared": shared,
        "bounds": _run_bounds(limits),
        "total_seconds": limits.total_cpu_seconds,
        "packages": sandbox.packages,
        "environment": task.language.environment,
    }
    if task.language.run_command is not None:
        name = _RESULT_NAME if task.language.compile_command else task.language.source_name
        arguments = [part.replace("{program}", f"{sandbox.work}/{name}") for part in task.language.run_command]
        job |= {"interpreter": runner(task.language), "program_name": name, "arguments": arguments}
    await sandbox.send(job, [program, task.inputs], executable=job["kind"] in ("executable", "served"))


async def _receive_results(sandbox: Sandbox, task: Task, results: list[CaseResult]) -> list[CaseResult]:
    bounds = _run_bounds(task.problem.limits)
    while len(results) < task.count:
        results += _judge_reply(task, bounds, *await sandbox.receive())
    if len(results) > task.count:
        raise wire.BrokenWireError("more replies than cases")
    return results


def _source(task: Task) -> bytes:
    return task.language.whole_source(task.program.source, _function(task)).encode("utf-8", "surrogatepass")


def _function(task: Task) -> str | None:
    return task.problem.signature.name if task.problem.mode == "function" and task.problem.signature else None


async def _compile(sandbox: Sandbox, task: Task, style: DriverStyle, headers: Headers) -> Compiled:
    record, limits = task.language, task.problem.limits
    job: dict[str, Any] = {
        "job": "compile",
        "command": None,
        "bounds": {
            "cpu_seconds": limits.compile_cpu_seconds,
            "idle_seconds": limits.wall_seconds,
            "memory_bytes": limits.compile_memory_bytes,
            "file_bytes": _COMPILED_FILE_BYTES,
        },
    }
    if record.compile_command is not None:
        files: dict[str, str] = {}
        if task.problem.mode == "function" and task.problem.signature is not None:
            files = driver_files(record, task.problem.signature, style)
        options = task.precompiled.options(sandbox.headers, headers) if task.precompiled and sandbox.headers else []
        arguments = record.compile_arguments(options, DRIVER_NAME if files else record.source_name, _RESULT_NAME)
        job |= {"command": [compiler(record)[0], *arguments], "files": files, "environment": record.environment}
        job |= {"source_name": record.source_name, "result_name": _RESULT_NAME}
    await sandbox.send(job, [_source(task)])
    return _compiled(sandbox, task, *await sandbox.receive())


def _compiled(sandbox: Sandbox, task: Task, outcome: dict[str, Any], blobs: list[bytes]) -> Compiled:
    if not outcome.get("ready") or len(blobs) != 2:
        raise wire.BrokenWireError("the compile step could not be set up")
    text = judge.readable_diagnostics(blobs[0], sandbox.work)
    failure = judge.compile_verdict(outcome, text)
    if failure is None and not blobs[1]:
        failure, text = Verdict.COMPILE_ERROR, text or "the compiler made no program"
    if failure is Verdict.COMPILE_LIMIT:
        text = f"compiling it went beyond its limits of time, memory or size\n{text}".strip()
    elif failure is not None and task.problem.signature is not None:
        text = explain(text, task.problem.signature)
    return Compiled(failure, text, outcome["cpu_seconds"], blobs[1])


def _judge_reply(
    task: Task, bounds: dict[str, Any], header: dict[str, Any], blobs: list[bytes]
) -> Sequence[CaseResult]:
    if "skipped" in header:
        detail = f"all cases together used more than {task.problem.limits.total_cpu_seconds:g} s"
        return [CaseResult(Verdict.SKIPPED, detail=detail)] * min(header["skipped"], task.count)
    if "done" not in header:
        return [_judge(task, bounds, header, blobs)]
    if len(blobs) != 4:
        raise wire.BrokenWireError("a reply without its files")
    ledger, *outputs = blobs
    results: list[CaseResult] = []
    stdio = task.problem.mode == "stdio"
    most = bounds["file_bytes"]
    text = outputs[0].decode("ascii") if stdio and outputs[0].isascii() else None
    begun, end = (0, 0, 0), (0, 0, 0)
    for status, *ends, cpu_microseconds, memory_kibibytes in rows_of(ledger):
        begun, end = end, (ends[0], ends[1], ends[2])
        written = end[0] - begun[0]
        if text is not None and status == 0 and written < most and begun[1] == end[1] and begun[2] == end[2]:
            shown = text[begun[0] : end[0]]
            results.append(completed(shown, cpu_microseconds / 1e6, memory_kibibytes * 1024))
            continue
        told = status if header.get("waited") else max(0, status)  # by the kernel, or by the candidate's process
        outcome = {"status": told, "stopped": "", "ready": True, "survivors": 0}
        outcome |= {"cpu_seconds": cpu_microseconds / 1e6, "memory_bytes": memory_kibibytes * 1024}
        slices = [output[b : min(e, b + most)] for output, b, e in zip(outputs, begun, end, strict=True)]
        results.append(_judge(task, bounds, outcome, slices))
    if len(results) != header["done"]:
        raise wire.BrokenWireError("a ledger with other rows than were counted")
    ended = header.get("ended")
    if ended is not None:
        last = [output[b : b + most] for output, b in zip(outputs, end, strict=True)]
        results.append(_judge(task, bounds, ended, last))
    return results


def _judge(task: Task, bounds: dict[str, Any], outcome: dict[str, Any], blobs: list[bytes]) -> CaseResult:
    if not outcome.get("ready") or len(blobs) != 3:
        reason = blobs[1].decode("utf-8", "replace").strip() if len(blobs) == 3 else ""
        raise wire.BrokenWireError(f"a case could not be set up: {reason}")
    stdout, stderr, report = blobs
    result = judge.case_result(outcome, stdout, stderr, report, bounds)
    if task.problem.mode == "stdio" or task.problem.signature is None:
        return result
    if result.verdict is not Verdict.COMPLETED:
        return dataclasses.replace(result, output=None)
    facts = judge.read_report(report)
    if "result" not in facts:
        detail = f"the program ended before {task.problem.signature.name} returned"
        return dataclasses.replace(result, verdict=Verdict.EARLY_EXIT, output=None, detail=detail)
    try:
        output = decode_call(task.language, task.problem.signature, facts["result"])
    except ValueError as error:
        return dataclasses.replace(result, verdict=Verdict.RUNTIME_ERROR, output=None, detail=f"result: {error}")
    return dataclasses.replace(result, output=output)


def _run_bounds(limits: Limits) -> dict[str, Any]:
    return {
        "cpu_seconds": limits.cpu_seconds,
        "idle_seconds": limits.wall_seconds,
        "memory_bytes": limits.memory_bytes,
        "file_bytes": limits.output_bytes + 1,  # an output of exactly the limit is allowed
    }
