"""Text for prompts: cut to a cap, and fenced so that it cannot end its fence."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Caps:
    """Most characters of what is inserted into a prompt; they give each prompt an upper bound.

    Attributes:
        source: A program.
        explanation: A model's advice.
        diagnostics: What a compiler says.
        case: An input, an expected output, an actual output or an error message, each.
        report: All failing cases together.
    """

    source: int = 8000
    explanation: int = 2000
    diagnostics: int = 1500
    case: int = 800
    report: int = 8000


CAPS = Caps()


def clip(text: str, limit: int) -> str:
    """Cut a text to at most ``limit`` characters, visibly.

    The beginning is kept, and the end to a quarter: the first error stands in front, the last line of a traceback and
    the end of a program behind.

    Args:
        text: To be cut.
        limit: Most characters of the result, 64 at least.
    """
    if len(text) <= limit:
        return text
    room = limit - len(f"\n[... {len(text)} characters cut ...]\n")
    tail = room // 4
    head = room - tail
    return f"{text[:head]}\n[... {len(text) - room} characters cut ...]\n{text[len(text) - tail :]}"


def fenced(text: str, tag: str = "") -> str:
    """Put a text between fences that are longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    body = text if text.endswith("\n") or not text else f"{text}\n"
    return f"{fence}{tag}\n{body}{fence}"
