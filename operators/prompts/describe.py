"""Saying in words what a problem is, and what a program did wrong on its visible cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evaluators.problem import Case, Problem
from evaluators.signature import Signature
from evaluators.verdict import Verdict
from operators.notation import call, fence_tags, function_head, literal, title
from operators.prompts.template import template
from operators.prompts.text import CAPS, block, fenced

if TYPE_CHECKING:
    from evaluators.execution import CaseResult, Evaluation

_SHORT = 200
_TEXTS_KEPT = 64
_TEXTS: dict[tuple[int, str, int], tuple[Problem, str]] = {}
_DIAGNOSTIC = re.compile(r"\b(?:fatal )?error\b|Error\b")
_NEXT_DIAGNOSTIC = re.compile(r"^\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning)\b|^\S+: In |^\d+ errors? generated")


def problem_text(problem: Problem, language: str, examples: int) -> str:
    """The task with its first visible cases as examples.

    Args:
        problem: To be described.
        language: Name of the language of the program that is wanted.
        examples: Most cases to be shown.
    """
    # Every prompt of a search says this; the problem is kept with its text, so that its id stays its own.
    key = (id(problem), language, examples)
    if key not in _TEXTS:
        while len(_TEXTS) >= _TEXTS_KEPT:
            _TEXTS.pop(next(iter(_TEXTS)))
        _TEXTS[key] = (problem, _problem_text(problem, language, examples))
    return _TEXTS[key][1]


def _problem_text(problem: Problem, language: str, examples: int) -> str:
    words = template("problem")
    shown = [_example(problem, case, number, language) for number, case in enumerate(problem.cases[:examples], start=1)]
    parts = {"description": problem.description.strip(), "examples": "\n".join(shown)}
    if problem.mode == "function":
        head = fenced(function_head(_signature(problem), language), fence_tags(language)[0])
        return words.render("function", language=title(language), head=head, **parts).rstrip()
    hint = words.parts.get(f"how_to_read_{language}", "")
    return words.render("stdio", how_to_read=hint, **parts).rstrip()


def failure_text(problem: Problem, language: str, evaluation: Evaluation, failing_cases: int) -> str:
    """What the program did on the cases that it failed, those with the lowest score first.

    Cases that were not judged because the sandbox failed are not the program's, and are left out.

    Args:
        problem: Whose visible cases were run.
        language: Of the program.
        evaluation: Of the program; one that compiled.
        failing_cases: Most cases to be shown. At least one is, further ones as the cap on a report allows.

    Returns:
        Empty if no case failed.
    """
    results = evaluation.execution.cases
    failed = [index for index in evaluation.failing() if results[index].verdict is not Verdict.INFRA]
    text = ""
    for index in failed[: max(1, failing_cases)]:
        more = _failed_case(problem, problem.cases[index], results[index], language)
        if text and len(f"{text}\n\n{more}".encode("utf-8", "surrogatepass")) > CAPS.report:
            break
        text = f"{text}\n\n{more}" if text else more
    return text


def compile_failure_text(problem: Problem, evaluation: Evaluation) -> str:
    """The first diagnostic of a program that did not compile."""
    words = template("report")
    if Verdict.COMPILE_LIMIT in evaluation.verdicts:
        return words.render("compile_limit", compile_cpu_seconds=f"{problem.limits.compile_cpu_seconds:g}")
    diagnostic = first_diagnostic(evaluation.execution.compile_output)
    return words.render("compile_error", diagnostics=block(diagnostic, CAPS.diagnostics))


def first_diagnostic(compile_output: str) -> str:
    """The first error that a compiler or interpreter reports, with the lines that belong to it.

    Later errors are often consequences of the first. Warnings before it are left out. A text in which no error can be
    told from the rest is returned whole.
    """
    lines = compile_output.strip().splitlines()
    start = next((i for i, line in enumerate(lines) if _DIAGNOSTIC.search(line)), None)
    if start is None or not _NEXT_DIAGNOSTIC.match(lines[start]):
        return "\n".join(lines)
    end = next((i for i in range(start + 1, len(lines)) if _NEXT_DIAGNOSTIC.match(lines[i])), len(lines))
    return "\n".join(lines[start:end])


def _signature(problem: Problem) -> Signature:
    if problem.signature is None:
        raise ValueError(f"problem {problem.name!r} is in function mode and has no signature")
    return problem.signature


def _example(problem: Problem, case: Case, number: int, language: str) -> str:
    words = template("problem")
    if problem.mode == "stdio":
        return words.render(
            "stdio_example", number=str(number), input=_shown(case.input), expected=_shown(case.expected)
        )
    invocation = call(_signature(problem).name, case.input, language)
    expected = literal(case.expected, language)
    if len(invocation) + len(expected) > _SHORT or "`" in invocation + expected:
        return words.render("function_long_example", call=_shown(invocation), expected=_shown(expected))
    return words.render("function_example", call=invocation, expected=expected)


def _failed_case(problem: Problem, case: Case, result: CaseResult, language: str) -> str:
    words = template("report")
    outcome = _outcome(problem, case, result, language)
    if problem.mode == "stdio":
        return words.render("stdio_case", input=_shown(case.input), expected=_shown(case.expected), outcome=outcome)
    invocation = call(_signature(problem).name, case.input, language)
    expected = literal(case.expected, language)
    return words.render("function_case", call=_shown(invocation), expected=_shown(expected), outcome=outcome)


def _outcome(problem: Problem, case: Case, result: CaseResult, language: str) -> str:
    if result.verdict is Verdict.WRONG_ANSWER:
        if problem.mode == "function":
            return template("report").render("returned", actual=_shown(literal(result.output, language)))
        return _printed("" if result.output is None else str(result.output), str(case.expected))
    limits = problem.limits
    values = {
        Verdict.RUNTIME_ERROR: {"error": _shown(_error(result))},
        Verdict.CRASH: {"error": _shown(_error(result))},
        Verdict.VIOLATION: {"error": _shown(_error(result))},
        Verdict.EARLY_EXIT: {},
        Verdict.TIMEOUT_CPU: {"cpu_seconds": f"{limits.cpu_seconds:g}"},
        Verdict.TIMEOUT_WALL: {"wall_seconds": f"{limits.wall_seconds:g}"},
        Verdict.MEMORY: {"memory_megabytes": str(limits.memory_bytes // 10**6)},
        Verdict.OUTPUT_LIMIT: {"output_bytes": str(limits.output_bytes)},
        Verdict.SKIPPED: {"total_cpu_seconds": f"{limits.total_cpu_seconds:g}"},
    }
    return template("report").render(result.verdict.value, **values[result.verdict])


def _printed(actual: str, expected: str) -> str:
    words = template("report")
    if not actual.strip():
        return words.render("printed_nothing")
    part = "printed_other_space" if actual.split() == expected.split() else "printed"
    return words.render(part, actual=_shown(actual))


def _error(result: CaseResult) -> str:
    stderr = result.stderr.strip()
    # An exception's own words stand in both; its line number in the detail alone, behind them.
    told = result.detail.partition(" (line ")[0]
    return stderr if told in stderr else f"{stderr}\n{result.detail}".strip()


def _shown(value: object) -> str:
    return block(value if isinstance(value, str) else repr(value), CAPS.case)
