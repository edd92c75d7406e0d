"""Debug: a model corrects a program, following advice."""

from __future__ import annotations

from evaluators.problem import Problem
from evaluators.program import Program
from operators.effects import Effects
from operators.models.chat import Message
from operators.notation import fence_tags, libraries, title
from operators.offspring import Advice, Offspring
from operators.prompts.describe import problem_text
from operators.prompts.template import template
from operators.prompts.text import CAPS, block, clip
from operators.synthesize import EXAMPLES, offspring


async def debug(
    effects: Effects,
    problem: Problem,
    program: Program,
    advice: Advice,
    *,
    examples: int = EXAMPLES,
    temperature: float | None = None,
) -> Offspring:
    """Let a model correct a program.

    Args:
        effects: The place in the search that the answer is drawn at.
        problem: To be solved.
        program: To be corrected; the result is in its language.
        advice: What is wrong with it. Where a model explained, the failing cases are shown too.
        examples: Most visible cases to be shown as examples.
        temperature: Overrides the configured one.

    Raises:
        UserError: If the language has no type that the problem's signature names.
    """
    messages = debug_messages(problem, program, advice, examples)
    completion = await effects.complete(messages, operator="debug", temperature=temperature)
    return offspring(completion, problem, program.language, "debug", temperature)


def debug_messages(problem: Problem, program: Program, advice: Advice, examples: int = EXAMPLES) -> tuple[Message, ...]:
    """The prompt of :func:`debug`, without a call."""
    words = template("debug")
    tag = fence_tags(program.language)[0]
    return words.messages(
        language=title(program.language),
        libraries=libraries(problem, program.language),
        problem=problem_text(problem, program.language, examples),
        program=block(program.source, CAPS.source, tag),
        advice=_advice_text(advice),
        request=words.render(f"{problem.mode}_request", tag=tag),
    )


def _advice_text(advice: Advice) -> str:
    words = template("debug")
    report = clip(advice.report, CAPS.report)
    if advice.by != "model":
        return clip(advice.text, CAPS.report)
    explanation = clip(advice.text, CAPS.explanation)
    if not explanation.strip():
        return report
    if not report:
        return words.render("advice", explanation=explanation)
    return words.render("advice_with_report", report=report, explanation=explanation)
