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

# No character takes more bytes of UTF-8, and no token less than one byte. A fence made longer by a run of
# backticks costs less than that: three bytes for each backtick.
_WIDEST = "\U0010ffff"


def token_bound(
    operator: Literal["synthesize", "instruct", "debug"],
    problem: Problem,
    language: str,
    *,
    max_tokens: int,
    examples: int = EXAMPLES,
) -> int:
    """Most tokens that one call of an operator can take, prompt and answer.

    Args:
        operator: Which.
        problem: To be solved.
        language: Name of the language of the programs.
        max_tokens: Of the answer.
        examples: Most visible cases to be shown.
    """
    messages = _largest(operator, problem, language, examples)
    return ChatRequest(messages, Sampling(max_tokens=max_tokens), 0, (), operator).token_bound


def _largest(operator: str, problem: Problem, language: str, examples: int) -> tuple[Message, ...]:
    if operator == "synthesize":
        return synthesize_messages(problem, language, examples)
    program = Program(_WIDEST * CAPS.source, language)
    if operator == "instruct":
        return instruct_messages(problem, program, _WIDEST * CAPS.report, examples)
    advice = Advice(_WIDEST * CAPS.explanation, "model", _WIDEST * CAPS.report)
    return debug_messages(problem, program, advice, examples)
