"""Upper bounds of the tokens of a prompt that does not exist yet, for budgets."""

from __future__ import annotations

from typing import Literal

from evaluators.problem import Problem
from evaluators.program import Program
from operators.debug import debug_messages
from operators.instruct import instruct_messages
from operators.models.chat import ChatRequest, Message, Sampling
from operators.offspring import Advice
from operators.prompts.text import CAPS
from operators.synthesize import EXAMPLES, synthesize_messages

# The mark of a cut is a few bytes longer or shorter, as the number in it has digits.
_SLACK_BYTES = 64


def token_bound(
    operator: Literal["synthesize", "instruct", "debug"],
    problem: Problem,
    language: str,
    *,
    max_tokens: int,
    examples: int = EXAMPLES,
    program: Program | None = None,
    report: str | None = None,
) -> int:
    """Most tokens that one call of an operator can take, prompt and answer.

    Args:
        operator: Which.
        problem: To be solved.
        language: Name of the language of the programs.
        max_tokens: Of the answer.
        examples: Most visible cases to be shown.
        program: That is explained or corrected, if it is known.
        report: What :func:`~operators.instruct.static_report` says of it, if that is known.
    """
    messages = _largest(operator, problem, language, examples, program, report)
    return ChatRequest(messages, Sampling(max_tokens=max_tokens + _SLACK_BYTES), 0, (), operator).token_bound


def _largest(
    operator: str, problem: Problem, language: str, examples: int, program: Program | None, report: str | None
) -> tuple[Message, ...]:
    # A token is at least one byte, and the caps are in bytes: one-byte characters fill them as well as any.
    if operator == "synthesize":
        return synthesize_messages(problem, language, examples)
    program = program or Program("x" * CAPS.source, language)
    report = "x" * CAPS.report if report is None else report
    if operator == "instruct":
        return instruct_messages(problem, program, report, examples)
    advice = Advice("x" * CAPS.explanation, "model", report)
    return debug_messages(problem, program, advice, examples)
