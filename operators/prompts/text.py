"""Text for prompts: cut to a cap, and fenced so that it cannot end its fence."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Caps:
    """Most bytes (UTF-8) of what is inserted into a prompt, fences included; they give each prompt an upper bound.

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


def clip(text: str, limit_bytes: int) -> str:
    """Cut a text to at most so many bytes of UTF-8, visibly.

    The beginning is kept, and the end to a quarter: the first error stands in front, the last line of a traceback and
    the end of a program behind.

    Args:
        text: To be cut.
        limit_bytes: Most bytes of the result, 64 at least.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= limit_bytes:
        return text
    room = limit_bytes - len(_cut_mark(len(text)))
    tail_room = room // 4
    head = encoded[: room - tail_room].decode("utf-8", "ignore")
    tail = encoded[len(encoded) - tail_room :].decode("utf-8", "ignore")
    return f"{head}{_cut_mark(len(text) - len(head) - len(tail))}{tail}"


def block(text: str, limit_bytes: int, tag: str = "") -> str:
    """Put a text between fences that it cannot end, all in all at most so many bytes of UTF-8.

    Args:
        text: To be fenced, and to be cut if it is too long.
        limit_bytes: Most bytes of the result, 256 at least.
        tag: Behind the opening fence.
    """
    if 4 * len(_fence(text)) > limit_bytes:
        text = clip(text, limit_bytes // 4)  # nothing but backticks, more or less
    return fenced(clip(text, limit_bytes - 2 * len(_fence(text)) - len(tag) - 3), tag)


def fenced(text: str, tag: str = "") -> str:
    """Put a text between fences that are longer than any run of backticks in it."""
    fence = _fence(text)
    body = text if text.endswith("\n") or not text else f"{text}\n"
    return f"{fence}{tag}\n{body}{fence}"


def _fence(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _cut_mark(characters: int) -> str:
    return f"\n[... {characters} characters cut ...]\n"
