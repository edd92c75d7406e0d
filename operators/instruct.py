"""Instruct: say in words what is wrong with a program, by a fixed report or by a model's explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluators.problem import Problem
from evaluators.program import Program
from operators.code_blocks import is_fence_line
from operators.effects import Effects
from operators.models.chat import Message
from operators.notation import fence_tags, libraries, title
from operators.offspring import Advice
from operators.prompts.describe import compile_failure_text, failure_text, problem_text
from operators.prompts.template import template
from operators.prompts.text import CAPS, block, clip
from operators.synthesize import EXAMPLES

if TYPE_CHECKING:
    from evaluators.execution import Evaluation


def static_report(problem: Problem, program: Program, evaluation: Evaluation, *, failing_cases: int = 1) -> Advice:
    """Report what the program did on the cases that it failed, without a model (SEIDR's "pen report").

    Args:
        problem: To be solved.
        program: That was evaluated.
        evaluation: Of the program on the visible cases.
        failing_cases: Most cases to be reported, those with the lowest score first.

    Returns:
        By ``"compiler"`` the first diagnostic of a program that does not compile, else by ``"static"``; with an empty
        text if nothing failed.
    """
    if not program.source.strip():
        return Advice(template("report").render("no_program"), "static")
    if not evaluation.compiled:
        return Advice(compile_failure_text(problem, evaluation), "compiler")
    return Advice(failure_text(problem, program.language, evaluation, failing_cases), "static")


async def instruct(
    effects: Effects,
    problem: Problem,
    program: Program,
    evaluation: Evaluation,
    *,
    failing_cases: int = 1,
    examples: int = EXAMPLES,
    temperature: float | None = None,
) -> Advice:
    """Let a model explain what is wrong with a program.

    No model is asked where it would know no more than the report says: if the program does not compile, if there is
    no program, or if nothing failed.

    Args:
        effects: The place in the search that the answer is drawn at.
        problem: To be solved.
        program: To be explained.
        evaluation: Of the program on the visible cases.
        failing_cases: Most failing cases to be shown.
        examples: Most visible cases to be shown as examples.
        temperature: Overrides the configured one.

    Returns:
        By ``"model"`` with the failing cases as its report, or what :func:`static_report` says.
    """
    report = static_report(problem, program, evaluation, failing_cases=failing_cases)
    if report.by == "compiler" or not report.text or not program.source.strip():
        return report
    messages = instruct_messages(problem, program, report.text, examples)
    completion = await effects.complete(messages, operator="instruct", temperature=temperature)
    return Advice(clip(_words(completion.text), CAPS.explanation), "model", report.text)


def instruct_messages(problem: Problem, program: Program, report: str, examples: int = EXAMPLES) -> tuple[Message, ...]:
    """The prompt of :func:`instruct`, without a call."""
    return template("instruct").messages(
        language=title(program.language),
        libraries=libraries(problem, program.language),
        problem=problem_text(problem, program.language, examples),
        program=block(program.source, CAPS.source, fence_tags(program.language)[0]),
        report=clip(report, CAPS.report),
    )


def _words(reply: str) -> str:
    """What an explanation says before its first code block: code was not asked for, and would be copied unjudged."""
    lines = reply.strip().splitlines()
    end = next((index for index, line in enumerate(lines) if is_fence_line(line)), len(lines))
    return "\n".join(lines[:end]).strip()
