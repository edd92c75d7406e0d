"""Offspring: a new genome with its provenance, as an operator returns it."""

from __future__ import annotations

from dataclasses import dataclass

from evaluators.program import Program
from operators.models.chat import FinishReason


@dataclass(frozen=True)
class Advice:
    """A genome of words: what is wrong with a program and how it should be changed.

    Attributes:
        text: The explanation; empty if there is none.
        by: ``"model"``, ``"static"`` or ``"compiler"``.
        report: The failing cases that a model's explanation rests on; a repair is shown both.
    """

    text: str
    by: str
    report: str = ""


@dataclass(frozen=True)
class Offspring:
    """A new program, as an operator made it from a reply.

    Attributes:
        program: With an empty source where the reply held none.
        operator: Which operator made it.
        extraction: How the program was found in the reply: ``"fence"``, ``"unfenced"``, ``"none"``, ...
        finish_reason: Why the reply ended.
        temperature: That the reply was drawn at; None if it was left out.
    """

    program: Program
    operator: str
    extraction: str
    finish_reason: FinishReason
    temperature: float | None
