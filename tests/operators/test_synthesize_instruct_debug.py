from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from evaluators.execution import CaseResult, Evaluation, Execution
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.signature import Signature
from evaluators.verdict import Verdict
from operators.bounds import token_bound
from operators.debug import debug, debug_messages
from operators.instruct import instruct, instruct_messages, static_report
from operators.models.chat import ChatRequest, Completion, FinishReason, Message, PathPart, Sampling
from operators.offspring import Advice
from operators.prompts.describe import first_diagnostic
from operators.prompts.text import CAPS
from operators.synthesize import synthesize, synthesize_messages

SUM = Problem(
    "sum",
    "Read integers and print their sum.",
    "stdio",
    (Case("1 2\n", "3\n", "a"), Case("4 5\n", "9\n", "b"), Case("6 7\n", "13\n", "c")),
)
PAIRS = Problem(
    "pairs",
    "Return the largest sum of two neighbours.",
    "function",
    (Case(([1, 2, 4],), 6, "a"), Case((list(range(300)),), 597, "b")),
    Signature.parse("pairs(numbers: list[int]) -> int"),
)
PROGRAM = Program("print(1)\n", "python")


@dataclass
class Answering:
    """Effects that answer with one text and remember what they were asked."""

    text: str
    finish_reason: FinishReason = FinishReason.STOP
    asked: list[tuple[tuple[Message, ...], str, float | None]] = field(default_factory=list)

    def at(self, *_path: PathPart) -> Answering:
        return self

    async def complete(
        self, messages: tuple[Message, ...], *, operator: str, temperature: float | None = None
    ) -> Completion:
        self.asked.append((messages, operator, temperature))
        return Completion(self.text, finish_reason=self.finish_reason)


def evaluation(*results: CaseResult, scores: tuple[float, ...] | None = None, compile_output: str = "") -> Evaluation:
    count = len(results)
    return Evaluation(
        Execution(results, compile_output),
        np.array([0.0 if result.verdict.passed else 1.0 for result in results]),
        np.arange(count),
        np.ones(count, dtype=bool),
        np.array(scores if scores is not None else [float(result.verdict.passed) for result in results]),
    )


def result(verdict: Verdict, output: Any = None, **more: Any) -> CaseResult:
    return CaseResult(verdict, output, **more)


def test_synthesize_takes_the_program_from_the_reply() -> None:
    effects = Answering("Here:\n```python\nprint(sum(map(int, input().split())))\n```")
    made = asyncio.run(synthesize(effects, SUM, "python", temperature=0.5))
    assert made.program == Program("print(sum(map(int, input().split())))\n", "python")
    assert (made.operator, made.extraction, made.temperature) == ("synthesize", "fence", 0.5)
    assert effects.asked == [(synthesize_messages(SUM, "python"), "synthesize", 0.5)]


def test_answers_without_a_program_give_an_empty_one() -> None:
    made = asyncio.run(synthesize(Answering("", FinishReason.CONTEXT_OVERFLOW), SUM, "cpp"))
    assert (made.program, made.extraction) == (Program("", "cpp"), "none")
    assert made.finish_reason is FinishReason.CONTEXT_OVERFLOW


def test_first_prompt_of_a_stdio_problem() -> None:
    system, user = synthesize_messages(SUM, "cpp", 2)
    assert "C++" in system.content
    assert user.content.startswith("Problem:\nRead integers and print their sum.")
    assert "reads standard input to its end" in user.content
    assert "no prompts, no other text" in user.content
    assert "1 2" in user.content
    assert "4 5" in user.content
    assert "6 7" not in user.content
    assert "```cpp" in user.content


def test_first_prompt_of_a_function_problem() -> None:
    user = synthesize_messages(PAIRS, "python")[1].content
    assert "def pairs(numbers: list[int]) -> int:" in user
    assert "`pairs([1, 2, 4])` must return `6`" in user
    assert "characters cut" in user
    assert "long long pairs(const std::vector<long long>& numbers)" in synthesize_messages(PAIRS, "cpp")[1].content
    assert "`pairs({1, 2, 4})` must return `6`" in synthesize_messages(PAIRS, "cpp")[1].content


def test_no_examples_leave_no_gap() -> None:
    assert "\n\n\n" not in synthesize_messages(SUM, "python", 0)[1].content


def test_report_shows_the_case_with_the_lowest_score() -> None:
    judged = evaluation(
        result(Verdict.WRONG_ANSWER, "2\n"),
        result(Verdict.WRONG_ANSWER, "8\n"),
        result(Verdict.PASS, "13\n"),
        scores=(0.5, 0.25, 1.0),
    )
    report = static_report(SUM, PROGRAM, judged)
    assert report.by == "static"
    assert all(text in report.text for text in ("4 5", "9", "8"))
    assert "1 2" not in report.text
    both = static_report(SUM, PROGRAM, judged, failing_cases=5).text
    assert both.index("4 5") < both.index("1 2")
    assert "6 7" not in both


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (result(Verdict.WRONG_ANSWER, ""), "prints nothing"),
        (result(Verdict.WRONG_ANSWER, "\n3"), "wrong spaces or line breaks"),
        (result(Verdict.WRONG_ANSWER, "4"), "but it prints:\n```\n4\n```"),
        (result(Verdict.RUNTIME_ERROR, detail="ValueError: x", stderr="Traceback\nValueError: x"), "ValueError: x"),
        (result(Verdict.CRASH, detail="SIGSEGV"), "crashes:\n```\nSIGSEGV"),
        (result(Verdict.VIOLATION, detail="socket"), "not allowed"),
        (result(Verdict.TIMEOUT_CPU), "after 1.5 seconds of processor time"),
        (result(Verdict.TIMEOUT_WALL), "stopped after 4 seconds"),
        (result(Verdict.MEMORY), "more than 64 megabytes"),
        (result(Verdict.OUTPUT_LIMIT), "more than 100 bytes"),
        (result(Verdict.EARLY_EXIT), "ends before"),
        (result(Verdict.SKIPPED), "more than 20 seconds"),
    ],
    ids=lambda value: value.verdict.value if isinstance(value, CaseResult) else "",
)
def test_report_says_what_happened(failure: CaseResult, words: str) -> None:
    limits = Limits(cpu_seconds=1.5, wall_seconds=4, memory_bytes=64_000_000, output_bytes=100)
    problem = Problem("one", "Print three.", "stdio", (Case("1 2\n", "3\n", "a"),), limits=limits)
    assert words in static_report(problem, PROGRAM, evaluation(failure)).text


def test_exception_is_said_once_and_a_signal_beside_what_was_written() -> None:
    raised = result(Verdict.RUNTIME_ERROR, stderr="Traceback\nEOFError: end\n", detail="EOFError: end (line 5)")
    assert static_report(SUM, PROGRAM, evaluation(raised)).text.count("EOFError") == 1
    crashed = result(Verdict.CRASH, stderr="a note\n", detail="killed by SIGSEGV")
    assert "```\na note\nkilled by SIGSEGV\n```" in static_report(SUM, PROGRAM, evaluation(crashed)).text


def test_report_of_a_function_shows_call_and_values() -> None:
    text = static_report(PAIRS, Program("x", "cpp"), evaluation(result(Verdict.WRONG_ANSWER, [1]))).text
    assert "pairs({1, 2, 4})" in text
    assert "but it returns:\n```\n{1}\n```" in text


def test_infrastructure_trouble_is_not_reported_as_the_programs() -> None:
    judged = evaluation(result(Verdict.INFRA), result(Verdict.WRONG_ANSWER, "1"), result(Verdict.INFRA))
    text = static_report(SUM, PROGRAM, judged, failing_cases=3).text
    assert "4 5" in text
    assert "1 2" not in text


COMPILER = """main.cpp: In function 'int main()':
main.cpp:3:9: warning: unused variable 'x'
    3 |     int x;
main.cpp:4:5: error: 'cout' was not declared in this scope
    4 |     cout << y;
      |     ^~~~
main.cpp:4:13: error: 'y' was not declared in this scope
    4 |     cout << y;
"""


def test_compile_error_is_advice_by_the_compiler_without_a_call() -> None:
    failed = evaluation(*[result(Verdict.COMPILE_ERROR)] * 3, compile_output=COMPILER)
    effects = Answering("never asked")
    advice = asyncio.run(instruct(effects, SUM, Program("x", "cpp"), failed))
    assert advice.by == "compiler"
    assert "'cout' was not declared" in advice.text
    assert "^~~~" in advice.text
    assert "'y' was" not in advice.text
    assert "unused" not in advice.text
    assert effects.asked == []


def test_first_diagnostic_of_other_texts() -> None:
    traceback = '  File "a.py", line 1\n    print(\n         ^\nSyntaxError: never closed'
    assert first_diagnostic(traceback) == traceback.strip()
    assert first_diagnostic("ld: cannot find main") == "ld: cannot find main"
    assert first_diagnostic("") == ""


def test_compile_limit_and_missing_program_have_words() -> None:
    limit = evaluation(result(Verdict.COMPILE_LIMIT))
    assert "within 20 seconds" in static_report(SUM, PROGRAM, limit).text
    nothing = static_report(SUM, Program("", "python"), evaluation(result(Verdict.WRONG_ANSWER, "")))
    assert nothing == Advice("The last reply held no program.", "static")


def test_instruct_asks_with_program_and_failing_case() -> None:
    effects = Answering("  It prints one.  ")
    judged = evaluation(result(Verdict.WRONG_ANSWER, "1\n"))
    advice = asyncio.run(instruct(effects, SUM, PROGRAM, judged, temperature=0.3))
    assert advice == Advice("It prints one.", "model", static_report(SUM, PROGRAM, judged).text)
    ((messages, operator, temperature),) = effects.asked
    assert (operator, temperature) == ("instruct", 0.3)
    assert "```python\nprint(1)\n```" in messages[1].content
    assert advice.report in messages[1].content


def test_code_in_an_explanation_is_left_out() -> None:
    effects = Answering("It adds one too many.\n\n```python\nprint(2)\n```\nThat is all.")
    advice = asyncio.run(instruct(effects, SUM, PROGRAM, evaluation(result(Verdict.WRONG_ANSWER, "1\n"))))
    assert advice.text == "It adds one too many."


def test_instruct_asks_nothing_where_nothing_failed() -> None:
    effects = Answering("never asked")
    passed = evaluation(*[result(Verdict.PASS)] * 3)
    assert asyncio.run(instruct(effects, SUM, PROGRAM, passed)).text == ""
    assert effects.asked == []


def test_debug_shows_program_explanation_and_failing_case() -> None:
    effects = Answering("```python\nprint(2)\n```")
    made = asyncio.run(debug(effects, SUM, PROGRAM, Advice("Print two.", "model", "For 1 2 it prints 1.")))
    assert made.program == Program("print(2)\n", "python")
    assert made.operator == "debug"
    user = effects.asked[0][0][1].content
    parts = [user.index(text) for text in ("Read integers", "```python\nprint(1)", "For 1 2 it prints 1", "Print two.")]
    assert parts == sorted(parts)


def test_debug_gets_along_with_partial_advice() -> None:
    without_explanation = debug_messages(SUM, PROGRAM, Advice("", "model", "For 1 2 it prints 1."))[1].content
    assert "For 1 2" in without_explanation
    assert "What is wrong, and" not in without_explanation
    without_report = debug_messages(SUM, PROGRAM, Advice("Print two.", "model"))[1].content
    assert "Print two." in without_report
    assert "static words" in debug_messages(SUM, PROGRAM, Advice("static words", "static"))[1].content


@pytest.mark.parametrize("filler", ["x", "ä", "\U0001f600", "`", "a`\n"])
@pytest.mark.parametrize("problem", [SUM, PAIRS], ids=lambda problem: problem.name)
def test_prompts_keep_their_bound(filler: str, problem: Problem) -> None:
    program = Program(filler * 20_000, "python")
    failed = evaluation(*[result(Verdict.RUNTIME_ERROR, stderr=filler * 5000)] * len(problem.cases))
    report = static_report(problem, program, failed, failing_cases=3)
    for operator, messages in (
        ("instruct", instruct_messages(problem, program, report.text)),
        ("debug", debug_messages(problem, program, Advice(filler * 9000, "model", report.text))),
        ("debug", debug_messages(problem, program, Advice(filler * 90_000, "static"))),
    ):
        request = ChatRequest(messages, Sampling(max_tokens=10), 0, (), operator)
        assert request.token_bound <= token_bound(operator, problem, "python", max_tokens=10)  # type: ignore[arg-type]


def test_report_holds_as_many_cases_as_its_cap_allows_and_keeps_their_fences() -> None:
    problem = Problem("long", "x", "stdio", tuple(Case("9" * 5000, "8" * 5000, str(i)) for i in range(20)))
    judged = evaluation(*[result(Verdict.WRONG_ANSWER, "7" * 5000)] * 20)
    text = static_report(problem, PROGRAM, judged, failing_cases=20).text
    assert 2 * (CAPS.case * 3) < len(text) <= CAPS.report
    assert text.count("```") % 6 == 0
