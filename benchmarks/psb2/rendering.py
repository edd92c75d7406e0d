"""A PSB2 problem as a Problem: in mode ``stdio`` (lines of text) or ``function`` (arguments and a returned value).

In mode ``stdio`` each input stands on a line of its own; a list takes two, first its length, then its elements with
single spaces between them. Each output is written on a line of its own, a list as its elements with single spaces
between them. Strings stand as they are, without quotes; booleans are ``true`` and ``false``.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from benchmarks.psb2.problem import Field, Psb2Problem
from evaluators.plain_data import PlainData
from evaluators.problem import Case, Mode, Problem


def render(problem: Psb2Problem, visible: Sequence[Case], mode: Mode = "stdio") -> Problem:
    """The problem as a search may see it.

    Args:
        problem: The problem.
        visible: Its visible cases, in the same mode.
        mode: ``"stdio"`` or ``"function"``.
    """
    return Problem(
        name=problem.name,
        description=describe(problem, mode),
        mode=mode,
        cases=tuple(visible),
        signature=problem.signature if mode == "function" else None,
        checker=problem.checker(mode),
        error_function=problem.error_function,
    )


def render_case(problem: Psb2Problem, given: tuple[Any, ...], name: str, mode: Mode) -> Case:
    """One case, with the reference solution's answer."""
    return as_case(problem, given, problem.solve(*copy.deepcopy(given)), name, mode)


def as_case(problem: Psb2Problem, given: tuple[Any, ...], answer: PlainData, name: str, mode: Mode) -> Case:
    """One case, with an answer from elsewhere: one value, or a tuple where there are several outputs."""
    if mode == "function":
        return Case(copy.deepcopy(given), answer, name)
    answers = answer if len(problem.outputs) > 1 else (answer,)
    return Case("".join(map(_input_lines, given)), "".join(f"{_text(value)}\n" for value in answers), name)


def describe(problem: Psb2Problem, mode: Mode) -> str:
    """Task, inputs and outputs in words."""
    if mode == "function":
        return "\n".join(
            [
                problem.task,
                "",
                f"Write the function {problem.signature}.",
                "Parameters:",
                *(f"- {field.name}: {field.meaning}" for field in problem.inputs),
                "Returns:" if len(problem.outputs) == 1 else "Returns a tuple of:",
                *(f"- {field.name}: {field.meaning}" for field in problem.outputs),
            ]
        )
    return "\n".join(
        [
            problem.task,
            "",
            "Read from standard input:",
            *_input_description(problem.inputs),
            "Write to standard output, and nothing else:",
            *(f"- line {number}: {_output_description(field)}" for number, field in enumerate(problem.outputs, 1)),
        ]
    )


def _input_description(fields: Sequence[Field]) -> list[str]:
    described, line = [], 1
    for field in fields:
        if field.type.name == "list":
            described += [
                f"- line {line}: how many elements line {line + 1} has",
                f"- line {line + 1}: {field.meaning}; all on this one line, separated by single spaces",
            ]
            line += 2
        else:
            described.append(f"- line {line}: {field.meaning}{_as_it_stands(field)}")
            line += 1
    return described


def _output_description(field: Field) -> str:
    if field.type.name == "list":
        return f"{field.meaning}; the elements alone, separated by single spaces"
    return f"{field.meaning}{_as_it_stands(field)}"


def _as_it_stands(field: Field) -> str:
    kinds = {"str": "; the line is the string itself, without quotes", "bool": ", written as true or false"}
    return kinds.get(field.type.name, "")


def _input_lines(value: PlainData) -> str:
    return f"{len(value)}\n{_text(value)}\n" if isinstance(value, list) else f"{_text(value)}\n"


def _text(value: PlainData) -> str:
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
