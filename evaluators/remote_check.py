"""Checks that are no list of calls: a test program in one sandbox, the candidate that it tests in another.

A suite's test program calls the candidate's function and compares as it likes. In one process with it, a candidate can
make itself pass: by a result that is equal to everything, by other builtins, by leaving with status 0. So the check has
a process of its own, and the function is a stand-in there. Calls and answers go through this module as plain data: no
object of the candidate's ever reaches the check.

They go by record and replay. The check is run from its beginning with the answers known so far, and beyond them by
guesses, to learn of further calls at once; the candidate answers the calls in an ordinary function-mode execution; and
the check is run again. Against relaying each call while both processes wait, this needs nothing of the sandbox but what
it has: limits, clocks, verdicts and compiled programs hold as elsewhere, and one worker does for both. The price is
that a check is run about once for each call whose arguments depend on earlier answers: two or three times, usually. It
must call the same way each time it is given the same answers; the sandbox gives it the same random numbers and the same
order of sets.

Each call is answered on its own, from a fresh start of the program: what a candidate keeps from call to call is lost.
"""

from __future__ import annotations

import builtins
import functools
import marshal
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from evaluators.confirmation import cases_to_confirm
from evaluators.exceptions import UserError
from evaluators.execution import CaseResult
from evaluators.executor import Executor
from evaluators.languages import language
from evaluators.plain_data import PlainData, dumps, loads
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.remote_call import containers
from evaluators.remote_candidate import FAILED
from evaluators.signature import Signature
from evaluators.verdict import Verdict

MAX_CALLS = 10_000
"""Calls that a check may make with arguments that differ."""

MAX_RUNS = 1_000
"""How often a check is run."""

_GUESSES = 1_000
_LIMITS = Limits()
_CHECK_OUTPUT_BYTES = 64 * 2**20  # the calls of one run leave the check's process as its result
_CALLED = "evo_answer"
_CALL_SIGNATURE = Signature.parse(f"{_CALLED}(name: str, arguments: Any, keywords: Any) -> Any")
_CHECK_SIGNATURE = Signature.parse("run_check(check: Any, name: str, answers: Any, guesses: int) -> Any")


@dataclass(frozen=True)
class CheckCode:
    """A test program in Python. It passes if it comes to its end, and has called the candidate.

    Classes of ``unittest.TestCase`` that it defines are run. While it runs, the name of the function under test and
    the name ``candidate`` mean the candidate.

    Attributes:
        source: The program.
        prelude: Trusted code to be run before it, such as a prompt with helpers that the tests use; a function of the
            name under test that it defines is replaced.
        function: Of the program, to be called with the candidate at its end, such as ``"check"``; empty for none.
    """

    source: str
    prelude: str = ""
    function: str = ""


async def check_remotely(
    executor: Executor,
    program: Program,
    check: CheckCode,
    *,
    entry_point: str,
    limits: Limits = _LIMITS,
    packages: tuple[str, ...] = (),
    confirmed: bool = True,
) -> CaseResult:
    """Test a program by a check, each in a process of its own.

    Where the executor let calls share a process, and the check passed, the answers are confirmed with a fresh process
    each (:mod:`evaluators.confirmation`); where they differ, the check is run on fresh ones.

    Args:
        executor: Runs both.
        program: In Python.
        check: The test program.
        entry_point: Name of the function that it tests.
        limits: Of each call, and ``total_cpu_seconds`` of all calls together; as much again for all runs of the check.
        packages: As in :class:`~evaluators.problem.Problem`; both sides have them.
        confirmed: Whether to confirm them. A process for each call costs more than all the rest, and what a program
            keeps from call to call cannot tell it what the check wants to see.

    Returns:
        ``PASS``; ``WRONG_ANSWER`` where the check says so, by whatever exception; ``RUNTIME_ERROR`` where an exception
        of the candidate's ended it; ``SKIPPED`` where it made too many calls or they used up their time; or what became
        of the call that did not return. The detail may quote the check.

    Raises:
        InfrastructureError: If the sandbox failed twice.
        UserError: If the check is no Python program or does not get as far as its first call, or the program is not in
            Python.
    """
    if language(program.language).reference != "python":
        raise UserError(
            f"a check tests programs in python, and this one is in {program.language}: give expected values"
        )
    task = _Task(executor, program, check, entry_point, limits, packages)
    relay = _Relay(task, fresh=False)
    result = await relay.play()
    if not (confirmed and result.verdict.passed and relay.shared_process) or await relay.confirms():
        return result
    result = await _Relay(task, fresh=True).play()
    if result.verdict.passed:
        return result
    return replace(result, detail=f"passes only where calls share a process, else: {result.detail}")


@dataclass(frozen=True)
class _Task:
    executor: Executor
    program: Program
    check: CheckCode
    entry_point: str
    limits: Limits
    packages: tuple[str, ...]

    def problem(self, signature: Signature, limits: Limits) -> Problem:
        return Problem("check", "", "function", (), signature=signature, limits=limits, packages=self.packages)


class _Relay:
    """Carries calls and answers between a check and a candidate until the check comes to an end."""

    def __init__(self, task: _Task, fresh: bool) -> None:
        self._task = task
        self._fresh = fresh
        self._candidate = Program(task.program.source + _answering(), task.program.language)
        self._answers: dict[str, str] = {}
        self._failures: dict[str, CaseResult] = {}
        self._guesses = _GUESSES
        self._seconds = 0.0
        self._check_seconds = 0.0
        self._memory_bytes = 0
        self.shared_process = False

    async def play(self) -> CaseResult:
        """Run the check until it ends."""
        for _ in range(MAX_RUNS):
            result = await self._run_check()
            if result.verdict is not Verdict.COMPLETED:
                if self._guesses == 1:
                    return self._ended(result.verdict, f"the check {result.detail or 'ended early'}")
                self._guesses = 1  # perhaps a guess led it astray
                continue
            report = result.output
            if report["state"] != "unknown":
                return self._judge(report)
            if len(self._answers) >= MAX_CALLS:
                return self._ended(Verdict.SKIPPED, f"the check made more than {MAX_CALLS} calls")
            if self._seconds >= self._task.limits.total_cpu_seconds:
                total = self._task.limits.total_cpu_seconds
                return self._ended(Verdict.SKIPPED, f"all calls together used more than {total:g} s")
            await self._ask(report["calls"][: MAX_CALLS - len(self._answers)])
        return self._ended(Verdict.SKIPPED, f"the check made more than {MAX_RUNS} calls that depend on earlier ones")

    async def _run_check(self) -> CaseResult:
        limits = self._task.limits
        left = limits.total_cpu_seconds - self._check_seconds
        too_long = CaseResult(
            Verdict.TIMEOUT_CPU, detail=f"used more than {limits.total_cpu_seconds:g} s of processor time"
        )
        if left <= 0:
            self._guesses = 1
            return too_long
        seconds = left if self._guesses == 1 else min(left, limits.cpu_seconds)
        bounds = replace(limits, cpu_seconds=seconds, total_cpu_seconds=seconds)
        bounds = replace(bounds, output_bytes=_CHECK_OUTPUT_BYTES)
        check = asdict(self._task.check)
        case = Case((check, self._task.entry_point, self._answers, self._guesses), None, "check")
        problem = self._task.problem(_CHECK_SIGNATURE, bounds)
        execution = await self._task.executor.run(Program(_checking(), "python"), problem, (case,), fresh=True)
        (result,) = execution.cases
        self._check_seconds += result.cpu_seconds
        return too_long if result.verdict is Verdict.TIMEOUT_CPU else result

    async def _ask(self, calls: Sequence[str]) -> None:
        """Have the candidate answer calls; those for which no time was left stay open.

        The first one is certain to be needed, and may take all the time that a call may take. The others share what it
        leaves, so that a program that hangs costs the time of one call or two, and not that of all.
        """
        limits = self._task.limits
        seconds = min(limits.cpu_seconds, limits.total_cpu_seconds - self._seconds)
        answered = await self._answered(calls, seconds, self._fresh)
        self._seconds += min(seconds, sum(result.cpu_seconds for _, result in answered))
        for call, (answer, result) in zip(calls, answered, strict=True):
            self._memory_bytes = max(self._memory_bytes, result.memory_bytes)
            cut = result.verdict is Verdict.TIMEOUT_CPU and call != calls[0]
            if result.verdict is not Verdict.SKIPPED and not cut:
                self._answers[call] = answer
                self._failures[call] = result

    async def confirms(self) -> bool:
        """Whether a fresh process a call gives the same answers, in an order that the candidate cannot foresee."""
        known = [call for call, answer in self._answers.items() if answer != FAILED]  # guesses may have failed
        calls = [known[index] for index in cases_to_confirm(self._task.program, len(known))]
        answered = await self._answered(calls, self._task.limits.total_cpu_seconds, fresh=True)
        return [answer for answer, _ in answered] == [self._answers[call] for call in calls]

    async def _answered(self, calls: Sequence[str], seconds: float, fresh: bool) -> list[tuple[str, CaseResult]]:
        name, bounds = self._task.entry_point, replace(self._task.limits, total_cpu_seconds=seconds)
        given = [loads(call) for call in calls]
        cases = tuple(Case((name, *call), None, f"call-{number}") for number, call in enumerate(given, 1))
        problem = self._task.problem(_CALL_SIGNATURE, bounds)
        execution = await self._task.executor.run(self._candidate, problem, cases, fresh=fresh)
        self.shared_process = self.shared_process or execution.shared_process
        answered = []
        for (arguments, keywords), result in zip(given, execution.cases, strict=True):
            if result.verdict is not Verdict.COMPLETED:
                answered.append((FAILED, replace(result, detail=result.detail.replace(_CALLED, name))))
            elif _is_answer(result.output, len(containers([*arguments, *keywords.values()]))):
                answered.append((dumps(result.output), result))
            else:
                detail = "what came back has not the form of an answer"
                answered.append((FAILED, replace(result, verdict=Verdict.RUNTIME_ERROR, detail=detail)))
        return answered

    def _judge(self, report: dict[str, Any]) -> CaseResult:
        state, name = report["state"], self._task.entry_point
        if state == "invalid":
            raise UserError(f"the check of {name!r} is no Python program: {report['message']}")
        if state == "failed":
            failure = self._failures[report["call"]]
            return self._ended(failure.verdict, failure.detail, failure.stderr)
        if report["calls"] == 0:
            reason = report["message"] or "it ends without a call"
            raise UserError(f"the check of {name!r} does not call it: {reason}")
        where = f" (line {report['line']}" + (")" if state == "raised" else " of the check)") if report["line"] else ""
        verdicts = {"passed": Verdict.PASS, "raised": Verdict.RUNTIME_ERROR, "wrong": Verdict.WRONG_ANSWER}
        return self._ended(verdicts[state], " ".join(report["message"].split())[:280] + where)

    def _ended(self, verdict: Verdict, detail: str, stderr: str = "") -> CaseResult:
        return CaseResult(verdict, None, stderr, detail, self._seconds, self._memory_bytes)


def _is_answer(said: PlainData, count: int) -> bool:
    """Whether something from the candidate's process has the form that :func:`evaluators.remote_call.answer` gives."""

    def is_told(value: PlainData) -> bool:
        return isinstance(value, list) and len(value) == 2 and (value[0] is None or is_number(value[0]))

    def is_number(value: PlainData) -> bool:
        return type(value) is int and 0 <= value < count

    if not isinstance(said, dict) or not isinstance(said.get("changed"), list):
        return False
    for change in said["changed"]:
        if not (isinstance(change, list) and len(change) == 2 and is_number(change[0])):
            return False
        if not (isinstance(change[1], list) and all(map(is_told, change[1]))):
            return False
    if "raised" in said:
        raised = said["raised"]
        return isinstance(raised, list) and list(map(type, raised)) == [str, list, int] and _is_exception(raised[0])
    return is_told(said.get("result"))


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)


@functools.cache
def _answering() -> str:
    """What is appended to a candidate's source, so that it answers calls."""
    return (
        f"\n\n\ndef {_CALLED}(name, arguments, keywords):\n"
        "    import builtins, marshal, sys, types\n"
        "    if 'evo_remote_call' not in sys.modules:\n"
        "        module = sys.modules['evo_remote_call'] = types.ModuleType('evo_remote_call')\n"
        f"        builtins.exec(marshal.loads({_code('remote_call')!r}), module.__dict__)\n"
        "    function = builtins.globals().get(name)\n"
        "    return sys.modules['evo_remote_call'].answer(function, name, arguments, keywords, __file__)\n"
    )


@functools.cache
def _checking() -> str:
    """The program that runs a check: it makes modules of the few files that it needs, and so sees no others."""
    names = ("plain_data", "remote_call", "remote_candidate")
    return (
        "import marshal, sys, types\n"
        f"for name, code in {[(f'evaluators.{name}', _code(name)) for name in names]!r}:\n"
        "    module = sys.modules[name] = types.ModuleType(name)\n"
        "    exec(marshal.loads(code), module.__dict__)\n"
        "from evaluators.remote_candidate import run_check\n"
    )


def _code(name: str) -> bytes:
    """A file of ours, compiled: the sandbox has the same interpreter, and compiling takes longer than a call."""
    source = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    return marshal.dumps(compile(source, f"{name}.py", "exec", dont_inherit=True))
