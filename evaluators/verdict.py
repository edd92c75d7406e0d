"""Verdict: what became of a candidate program on one case."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What became of a program on one case.

    A verdict rests on kernel facts (exit status, signals, clocks, sizes) and on a comparison outside the sandbox,
    never on what the candidate says about itself. ``INFRA`` is no property of the program: it is retried and
    never scored. ``COMPLETED`` is an executor's word for a case that ran to its end and was not compared yet.
    """

    PASS = "pass"  # noqa: S105 - a verdict
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT_CPU = "timeout_cpu"
    TIMEOUT_WALL = "timeout_wall"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    EARLY_EXIT = "early_exit"
    CRASH = "crash"
    COMPILE_ERROR = "compile_error"
    COMPILE_LIMIT = "compile_limit"
    VIOLATION = "violation"
    SKIPPED = "skipped"
    INFRA = "infra"
    COMPLETED = "completed"

    @property
    def passed(self) -> bool:
        """Whether the case was solved."""
        return self is Verdict.PASS

    @property
    def produced_output(self) -> bool:
        """Whether the program ran to its end, so that its output can be compared."""
        return self in (Verdict.COMPLETED, Verdict.PASS, Verdict.WRONG_ANSWER)
