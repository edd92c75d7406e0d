"""Extraction: the program in a model's reply.

A reply is Markdown, so a parser of Markdown finds the code blocks. Then, in this order:

1. What comes before the end of a ``<think>`` part is no answer.
2. Blocks tagged with the language are preferred, then untagged ones, then others; in each group those that look like
   a program of the language.
3. Among several, those that can be the program: they define the function (or ``main``), or read standard input where
   nothing is to be defined. Among those, the last that is at least half as long as the longest: a corrected version
   stands last, and an example of use is short.
4. If names are missing there and earlier blocks define them (imports, helpers), those blocks go in front.
5. Without a usable block, the reply itself is the program, less the prose around it, if that looks like code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from operators.code_blocks import CodeBlock, code_blocks, is_fence_line, without_fence_lines
from operators.code_recognition import (
    code_part,
    defines,
    is_prose,
    looks_like_code,
    missing_names,
    parse_python,
    reads_input,
    top_level_names,
)

How = Literal["fence", "unclosed", "extended", "joined", "unfenced", "none"]

_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
_NO_PROGRAMS = frozenset(
    {"text", "txt", "plain", "plaintext", "output", "input", "stdin", "stdout", "csv", "diff", "markdown", "md"}
    | {"console", "terminal", "bash", "sh", "shell", "zsh", "cmd", "powershell", "makefile", "make", "cmake"}
    | {"json", "yaml", "toml", "xml", "html", "css", "ini", "latex", "tex", "mermaid"}
)


@dataclass(frozen=True)
class Extracted:
    """The program in a reply.

    Attributes:
        source: Ends with one line break; empty if the reply holds no program.
        how: ``"fence"``: a block; ``"unclosed"``: a block whose fence was not closed; ``"extended"``: a block that a
            fence inside the program had cut; ``"joined"``: several blocks; ``"unfenced"``: the reply itself;
            ``"none"``: there is no program.
    """

    source: str
    how: How


def extract_program(reply: str, names: Sequence[str], *, function: str | None = None) -> Extracted:
    """Find the program in a model's reply.

    Args:
        reply: As it came.
        names: Fence tags of the language, such as ``("python", "py")``; letter case does not matter.
        function: The function that the program must define; None for a program that reads standard input.
    """
    tags = frozenset(name.lower() for name in names)
    kind = "python" if "python" in tags else "cpp" if tags & {"cpp", "c++"} else ""
    answer = _THOUGHTS.sub("", reply).replace("\r\n", "\n").replace("\r", "\n")
    blocks = [_without_tail(block, kind) for block in code_blocks(answer)]
    groups = [
        [block for block in blocks if block.tag in tags],
        [block for block in blocks if not block.tag],
        [block for block in blocks if block.tag and block.tag not in tags],
    ]
    for group in groups:
        likely = [block for block in group if looks_like_code(block.text, kind)]
        if group is groups[2] and not kind:
            likely = [block for block in likely if block.tag not in _NO_PROGRAMS]
        if group is groups[0]:
            likely = likely or group
        if likely:
            return _choose(likely, kind, function, answer)
    bare = code_part(without_fence_lines(_inline_code(answer)), kind)
    if looks_like_code(bare, kind):
        return Extracted(_clean(bare), "unfenced")
    untagged = [block for block in groups[1] if not all(map(is_prose, block.text.splitlines()))]
    return _choose(untagged, kind, function, answer) if untagged else Extracted("", "none")


def _choose(blocks: list[CodeBlock], kind: str, function: str | None, answer: str) -> Extracted:
    wanted = function or ("main" if kind == "cpp" else None)
    fitting: Callable[[CodeBlock], bool] = (
        (lambda block: defines(block.text, wanted, kind)) if wanted else (lambda block: reads_input(block.text))
    )
    able = [block for block in blocks if fitting(block)] or blocks
    longest = max(len(block.text) for block in able)
    chosen = [block for block in able if 2 * len(block.text) >= longest][-1]
    if kind == "python" and parse_python(chosen.text) is None:
        extended = _extend(chosen, answer)
        if extended:
            return Extracted(_clean(extended), "extended")
    earlier = _needed(blocks[: blocks.index(chosen)], chosen, kind)
    if earlier:
        return Extracted(_clean("\n".join([block.text for block in earlier] + [chosen.text])), "joined")
    return Extracted(_clean(chosen.text), "fence" if chosen.closed else "unclosed")


def _needed(earlier: list[CodeBlock], chosen: CodeBlock, kind: str) -> list[CodeBlock]:
    """The earlier blocks without which the chosen one cannot run."""
    if not earlier:
        return []
    if kind == "cpp":
        incomplete = "#include" not in chosen.text and any("#include" in block.text for block in earlier)
        return [block for block in earlier if not defines(block.text, "main", kind)] if incomplete else []
    if kind != "python":
        return []
    missing = missing_names(chosen.text)
    needed: list[CodeBlock] = []
    for block in reversed(earlier):
        found = missing & top_level_names(block.text)
        if found:
            needed.insert(0, block)
            missing = (missing - found) | missing_names(block.text)
    return needed


def _extend(block: CodeBlock, answer: str) -> str:
    """Undo the cut by a fence that stands inside the program, such as in its docstring."""
    if block.opening_line is None:
        return ""
    lines = answer.split("\n")
    for end in range(block.opening_line, len(lines)):
        if is_fence_line(lines[end]):
            text = textwrap.dedent("\n".join(lines[block.opening_line : end]))
            if looks_like_code(text, "python"):
                return text
    return ""


def _without_tail(block: CodeBlock, kind: str) -> CodeBlock:
    """Cut off what follows the program where a fence was closed on a line of code, or not at all."""
    if block.closed:
        return block
    text = re.sub(r"(?m)^(.*\S[ \t]*)(?:```|~~~)[ \t]*$[\s\S]*", r"\1\n", block.text, count=1)
    if text == block.text:
        lines = text.rstrip().split("\n")
        end = len(lines)
        while end and (is_prose(lines[end - 1]) or not lines[end - 1].strip()):
            end -= 1
        text = "\n".join(lines[:end]) + "\n"
    known_better = kind != "python" or parse_python(block.text) is None
    return CodeBlock(text, block.tag, block.closed, block.opening_line) if known_better else block


def _inline_code(answer: str) -> str:
    """A reply that is one span of inline code, without its backticks."""
    text = answer.strip()
    span = re.fullmatch(r"(`+)([^`\n](?:.*[^`])?)\1", text)
    return span.group(2) if span else answer


def _clean(text: str) -> str:
    lines = textwrap.dedent(text).rstrip().split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines) + "\n"
