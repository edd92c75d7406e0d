"""Code blocks of a Markdown text, as a parser of Markdown finds them."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_FENCES_OF_ONE_BLOCK = 2
_ONLY_BLOCK = re.compile(r"(?P<before>(?:.*\n)*)```(?P<info>[^`\n]*)\n(?P<body>(?:.*\n)*)```[ \t]*(?:\n(?:.*\n)*.*)?")
_WRAPPERS = frozenset({"", "markdown", "md", "text", "txt"})


@dataclass(frozen=True)
class CodeBlock:
    """A block of code in a text.

    Attributes:
        text: Its content, without the indentation that all lines share.
        tag: First word of the fence's info string in lower case, such as ``"c++"``; empty if there is none.
        closed: Whether the fence was closed.
        opening_line: Index of the line after the opening fence, in the text that :func:`code_blocks` was given; None
            for a block inside another one.
    """

    text: str
    tag: str
    closed: bool
    opening_line: int | None


def code_blocks(text: str) -> list[CodeBlock]:
    """Find the fenced code blocks of a Markdown text, in their order.

    A block that only wraps other fences (four backticks around three, or a fence opened twice) is replaced by what it
    wraps. Fences that Markdown does not see because they stand too deep in the line are found too.

    Args:
        text: Markdown; lines end as they like.

    Returns:
        The blocks that are not blank.
    """
    found = _parse(text)
    if not found and any(_FENCE.match(line) for line in text.splitlines()):
        moved = "\n".join(line.lstrip() if _FENCE.match(line) else line for line in text.splitlines())
        found = [replace(block, opening_line=None) for block in _parse(moved)]
    return found


def without_fence_lines(text: str) -> str:
    """Return the text without the lines that open or close a fence."""
    return "\n".join(line for line in text.splitlines() if not _FENCE.match(line))


def is_fence_line(line: str) -> bool:
    """Tell whether a line opens or closes a fence, however deep it stands."""
    return _FENCE.match(line) is not None


def _only_block(text: str) -> CodeBlock | None:
    """The block of a text with one fence that opens and one that closes, both at the beginning of their lines.

    Most replies are of this kind, and need no parser: whatever stands around, Markdown sees this block and no other.
    """
    if "\0" in text or text.count("```") + text.count("~~~") > _FENCES_OF_ONE_BLOCK:
        return None
    found = _ONLY_BLOCK.fullmatch(text)
    if found is None or not found["body"].strip():
        return None
    body = textwrap.dedent(found["body"])
    return CodeBlock(body, _tag(found["info"]), closed=True, opening_line=found["before"].count("\n") + 1)


def _parse(text: str) -> list[CodeBlock]:
    only = _only_block(text)
    return _blocks_by_parser(text) if only is None else [only]


def _blocks_by_parser(text: str) -> list[CodeBlock]:
    found = []
    lines = text.splitlines()
    for token in _parser().parse(text):
        if token.type == "code_block" and _FENCE.match(token.content):
            found += [replace(block, opening_line=None) for block in code_blocks(textwrap.dedent(token.content))]
        if token.type != "fence" or not token.content.strip():
            continue
        first, end = token.map or (0, 0)
        last_line = lines[end - 1].strip().lstrip("> ") if end <= len(lines) else ""
        closed = (
            end - 1 > first and last_line == token.markup[0] * len(last_line) and len(last_line) >= len(token.markup)
        )
        block = CodeBlock(textwrap.dedent(token.content), _tag(token.info), closed, first + 1)
        inner = code_blocks(block.text) if block.tag in _WRAPPERS else []
        found += [replace(one, opening_line=None) for one in inner] or [block]
    return found


def _tag(info: str) -> str:
    """Read the language from an info string such as ``py title=x``, ``{.python .numberLines}`` or ``python:a.py``."""
    words = re.split(r"[\s,;:{}]+", info.strip().lower())
    return next((word.lstrip(".") for word in words if word), "")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Raw HTML would swallow fences (<details>), and text between the blocks is of no interest.
    return MarkdownIt("commonmark", {"html": False}).disable("inline")
