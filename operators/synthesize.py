"""Synthesize: a model writes a program for a problem."""

from __future__ import annotations

from evaluators.problem import Problem
from evaluators.program import Program
from operators.effects import Effects
from operators.extraction import extract_program
from operators.models.chat import Completion, Message
from operators.notation import fence_tags, libraries, title
from operators.offspring import Offspring
from operators.prompts.describe import problem_text
from operators.prompts.template import template

EXAMPLES = 5


async def synthesize(
    effects: Effects, problem: Problem, language: str, *, examples: int = EXAMPLES, temperature: float | None = None
) -> Offspring:
    """Let a model write a program.

    Args:
        effects: The place in the search that the answer is drawn at.
        problem: To be solved.
        language: Name of the language to write in.
        examples: Most visible cases to be shown.
        temperature: Overrides the configured one.

    Raises:
        UserError: If the language has no type that the problem's signature names.
    """
    messages = synthesize_messages(problem, language, examples)
    completion = await effects.complete(messages, operator="synthesize", temperature=temperature)
    return offspring(completion, problem, language, "synthesize", temperature)


def synthesize_messages(problem: Problem, language: str, examples: int = EXAMPLES) -> tuple[Message, ...]:
    """The prompt of :func:`synthesize`, without a call."""
    words = template("synthesize")
    return words.messages(
        language=title(language),
        libraries=libraries(problem, language),
        problem=problem_text(problem, language, examples),
        request=words.render(f"{problem.mode}_request", language=title(language), tag=fence_tags(language)[0]),
    )


def offspring(
    completion: Completion, problem: Problem, language: str, operator: str, temperature: float | None
) -> Offspring:
    """Take the program out of an answer; an answer without one gives an empty program."""
    function = problem.signature.name if problem.mode == "function" and problem.signature else None
    found = extract_program(completion.text, fence_tags(language), function=function)
    return Offspring(Program(found.source, language), operator, found.how, completion.finish_reason, temperature)
