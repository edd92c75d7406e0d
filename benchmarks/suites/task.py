"""SuiteTask: one task of a suite, with its reference solution and its official tests.

Tests and reference are an oracle: they are for the judge, after a search has ended. A search sees what
:func:`search_problem` gives, which holds none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from benchmarks.suites.records import Record
from evaluators.exceptions import UserError
from evaluators.execution import Execution
from evaluators.problem import Case, Limits, Mode, Named, Problem
from evaluators.program import Program
from evaluators.remote_check import CheckCode
from evaluators.signature import DataType, Signature


@dataclass(frozen=True)
class Check:
    """A test that is no call with an expected result, for :func:`~evaluators.remote_check.check_remotely`.

    Attributes:
        name: Unique within its task.
        code: The program.
    """

    name: str
    code: CheckCode


@dataclass(frozen=True)
class SuiteTask:
    """One task.

    Attributes:
        task_id: As the suite's own harness spells it: ``HumanEval/0``, ``Python/0``, ``CPP/0``, ``Mbpp/2``, ...
        language: ``"python"`` or ``"cpp"``.
        prompt: What a model is given.
        head: What a completion is appended to; empty where the answer is a whole program.
        entry_point: The function to write; empty where the file does not say.
        reference: The canonical solution, a whole program; empty where the file has none.
        tests: What is appended to a program to test it; it ends normally only if all tests pass. Empty where the tests
            are no program.
        calls: The tests that are calls with an expected result; in mode ``stdio``, inputs and outputs of the program.
        checks: The tests that are something else, for processes of their own. A program is right if it is on all
            ``calls`` and all ``checks``; where there are neither, ``tests`` decides.
        mode: ``"function"``, or ``"stdio"`` for programs that read standard input and write standard output.
        examples: Cases that a search may see.
        checker: Compares the results of ``calls``.
        inputs: Argument lists whose right results only the reference tells (HumanEval+ and MBPP+).
        base_inputs: How many of ``inputs``, the first ones, are the suite's own tests; the others extend them.
        tolerance: Absolute, for the results of ``inputs``; 0 if the suite does not say.
        adapter: A Python expression over ``solution`` (the function) and ``arguments``, for what is no plain data or
            has more than one right value; empty to call the function itself.
    """

    task_id: str
    language: str
    prompt: str
    head: str
    entry_point: str
    reference: str
    tests: str
    calls: tuple[Case, ...] = field(default=(), repr=False)
    checks: tuple[Check, ...] = field(default=(), repr=False)
    mode: Mode = "function"
    examples: tuple[Case, ...] = ()
    checker: Named = Named("exact", {"python_equality": True})
    inputs: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)
    base_inputs: int = 0
    tolerance: float = 0.0
    adapter: str = ""

    @property
    def called(self) -> str:
        """The function that a judge calls: the entry point, or the one that adapts it."""
        return f"adapted_{self.entry_point}" if self.adapter else self.entry_point

    @property
    def has_tests(self) -> bool:
        """Whether programs can be judged."""
        return bool(self.calls or self.checks or self.inputs or self.tests.strip())


def read_tasks(records: Iterable[Record], build: Callable[[Record], SuiteTask]) -> tuple[SuiteTask, ...]:
    """The tasks of records, if no two have the same id.

    Args:
        records: Of one file.
        build: Makes a task of a record.

    Raises:
        UserError: If two tasks have the same id, or one of the arguments raises it.
    """
    tasks: list[SuiteTask] = []
    places: dict[str, str] = {}
    for record in records:
        task = build(record)
        if task.task_id in places:
            raise UserError(
                f"{record.where}: task {task.task_id!r} is there twice; the first is at {places[task.task_id]}"
            )
        places[task.task_id] = record.where
        tasks.append(task)
    return tuple(tasks)


def search_problem(task: SuiteTask) -> Problem:
    """The task as a search may see it: without reference and tests, its cases are the suite's public examples.

    Raises:
        UserError: If the task does not say which function to write, or is one of a language whose functions are tested
            by programs.
    """
    is_function = task.mode == "function"
    return Problem(
        name=task.task_id.replace("/", "-"),
        description=task.prompt.strip(),
        mode=task.mode,
        cases=task.examples,
        signature=_signature(task, task.entry_point, task.calls) if is_function else None,
        languages=(task.language,),
        checker=task.checker,
    )


def calls_problem(task: SuiteTask, cases: Sequence[Case], checker: Named | None = None) -> Problem:
    """A problem for the judge: calls of the function, or runs of the program, on which :func:`calls_program` is run.

    Args:
        task: The task.
        cases: What to call it with; each case has the same number of arguments, or the signature is that of the first.
        checker: Compares the results; the task's own if left out.

    Raises:
        UserError: As :func:`search_problem`.
    """
    return Problem(
        name=task.task_id.replace("/", "-"),
        description=task.prompt.strip(),
        mode=task.mode,
        cases=tuple(cases),
        signature=_signature(task, task.called, cases) if task.mode == "function" else None,
        languages=(task.language,),
        checker=task.checker if checker is None else checker,
        limits=Limits(
            cpu_seconds=10.0, wall_seconds=60.0, memory_bytes=2**31, output_bytes=2**26, total_cpu_seconds=60.0
        ),
    )


def calls_program(task: SuiteTask, solution: str) -> Program:
    """A solution, ready to be called.

    Args:
        task: The task.
        solution: A whole program.
    """
    if not task.adapter:
        return Program(solution, task.language)
    lines = (
        f"def {task.called}(*arguments):",
        f"    solution = globals().get({task.entry_point!r})",
        f"    return {task.adapter}",
    )
    adapted = "\n".join(lines) + "\n"
    return Program(f"{solution}\n\n{adapted}", task.language)


def _signature(task: SuiteTask, name: str, cases: Sequence[Case]) -> Signature:
    """The function to call, as far as the suite says: name and number of parameters, of any type."""
    if task.language != "python" or not task.entry_point:
        raise UserError(f"{task.task_id} is tested by a program, not by calls of a function")
    anything = DataType("Any")
    count = len(cases[0].input) if cases else 0
    return Signature(name, tuple((f"argument_{number}", anything) for number in range(1, count + 1)), anything)


def whole_program(task: SuiteTask, completion: str) -> str:
    """The program that a completion stands for: the task's head and the completion."""
    return task.head + completion


def official_tests_program(task: SuiteTask, solution: str) -> Program:
    """A program that runs the official tests on a solution, and writes a last line if all pass.

    The expected results are inside it, as the suites' own harnesses have it: it is for tasks whose tests are no list of
    calls. The last line is there against a solution that ends the process before the tests do.

    Args:
        task: The task.
        solution: A whole program.
    """
    last_line = _last_line(task)
    if task.language == "cpp":
        before, brace, after = task.tests.rpartition("}")
        return Program(f'{solution}{before}printf("\\n{last_line}\\n");\n{brace}{after}', "cpp")
    return Program(f'{solution}\n{task.tests}\nprint("\\n{last_line}")\n', "python")


def official_tests_problem(task: SuiteTask) -> Problem:
    """What :func:`official_tests_program` is run on: no input, and the last line as output."""
    return Problem(
        name=task.task_id.replace("/", "-"),
        description=task.prompt.strip(),
        mode="stdio",
        cases=(Case("", f"{_last_line(task)}\n", "tests"),),
        languages=(task.language,),
        limits=Limits(cpu_seconds=20.0, wall_seconds=60.0, total_cpu_seconds=20.0),
    )


def passes_official_tests(task: SuiteTask, execution: Execution) -> bool:
    """Whether an execution of :func:`official_tests_program` went through all tests.

    It did if it ran to its end and its last line is the one that stands after the tests; what the solution wrote
    before does not count.
    """
    (result,) = execution.cases
    if not result.verdict.produced_output or not isinstance(result.output, str):
        return False
    return result.output.rstrip("\n").rpartition("\n")[2] == _last_line(task)


def _last_line(task: SuiteTask) -> str:
    return f"all tests passed {sha256(f'{task.task_id} {task.tests}'.encode()).hexdigest()[:16]}"
