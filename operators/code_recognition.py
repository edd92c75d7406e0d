"""Recognizing code: whether a text is a program, what it defines, and where prose around it begins."""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections.abc import Iterable
from functools import lru_cache

_CPP_MARK = re.compile(r"^[ \t]*#\s*include\b|\bint\s+main\s*\(|\bstd::|^[ \t]*using\s+namespace\b", re.MULTILINE)
_CPP_START = re.compile(
    r"^\s*(#|//|/\*|using\b|template\b|struct\b|class\b|namespace\b|(?:std::|int|long|void|double|bool|auto)\b)"
)
_PYTHON_START = re.compile(
    r"^(import|from|def|class|async|for|while|if|with|try|print|@|#)\b|^[A-Za-z_][\w, .\[\]]*\s*[-+*/]?=[^=]"
)
_PROSE = re.compile(r"^\W*(?:[A-Za-z][\w'`()-]*[ ,]+){3,}.*[\w`.:!?)]\s*$")
_CODE_SIGN = re.compile(
    r"[;{}=\[\]<>\\]|^\s*(#|//|\*|import\b|from\b|def\b|class\b|for\b|while\b|if\b|el|return\b|print\b|with\b|try\b)|\w\("
)
_READS_INPUT = re.compile(
    r"\binput\s*\(|\bstdin\b|\bopen\s*\(\s*0\b|\bfileinput\b|\bcin\b|\bgetline\b|\bscanf\b|\bgetchar\b"
)

_ALWAYS_BOUND = frozenset(dir(builtins)) | {"__name__", "__file__"}
_PLAIN_NODES = (ast.Name, ast.Constant, ast.Attribute, ast.Tuple, ast.Compare, ast.BinOp, ast.UnaryOp, ast.BoolOp)


@lru_cache(maxsize=16)
def parse_python(text: str) -> ast.Module | None:
    """Parse Python; None if it is none. The tree is shared by all who ask for the same text, so leave it as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate's invalid escape sequences are its own affair
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def looks_like_code(text: str, kind: str) -> bool:
    """Tell whether a text may be a program.

    Args:
        text: To be judged.
        kind: ``"python"`` and ``"cpp"`` are known; any other language is judged by the absence of prose.
    """
    if not text.strip():
        return False
    if kind == "python":
        tree = parse_python(text)
        return tree is not None and any(not _is_plain(statement) for statement in tree.body)
    if kind == "cpp":
        return _CPP_MARK.search(text) is not None or ("{" in text and ";" in text)
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(is_prose(line) for line in lines) * 2 < len(lines)


def is_prose(line: str) -> bool:
    """Tell whether a line is a sentence rather than code: four words or more, without a sign of code."""
    return _PROSE.match(line) is not None and _CODE_SIGN.search(line) is None


def defines(text: str, name: str, kind: str) -> bool:
    """Tell whether a program defines a function of this name at its top level."""
    if kind == "python":
        tree = parse_python(text)
        if tree is None:
            return re.search(rf"^(?:async\s+)?def\s+{re.escape(name)}\s*\(", text, re.MULTILINE) is not None
        return name in _bound_names(tree.body)
    if kind == "cpp":
        return re.search(rf"[\w>&*\]]\s+[&*]*{re.escape(name)}\s*\([^;{{}}]*\)\s*(?:noexcept\s*)?\{{", text) is not None
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def reads_input(text: str) -> bool:
    """Tell whether a program seems to read standard input (Python and C++)."""
    return _READS_INPUT.search(text) is not None


def missing_names(text: str) -> frozenset[str]:
    """Names that a Python program uses and neither defines nor imports anywhere; empty if it cannot be parsed."""
    tree = parse_python(text)
    if tree is None:
        return frozenset()
    used: set[str] = set()
    bound = set(_ALWAYS_BOUND)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
        else:
            bound |= _bound_names([node])
    return frozenset(used - bound)


def top_level_names(text: str) -> frozenset[str]:
    """Names that a Python program defines, imports or assigns at its top level; empty if it cannot be parsed."""
    tree = parse_python(text)
    return frozenset(_bound_names(tree.body)) if tree is not None else frozenset()


def code_part(text: str, kind: str) -> str:
    """Cut prose before and after a program off; empty if no program is left.

    Args:
        text: A reply without fences.
        kind: As for :func:`looks_like_code`.
    """
    lines = text.splitlines()
    start_mark = {"python": _PYTHON_START, "cpp": _CPP_START}.get(kind)
    if looks_like_code(text, kind) and not any(is_prose(line) for line in (lines if kind != "python" else ())):
        return text
    if start_mark is None:
        kept = [line for line in lines if not is_prose(line)]
        return "\n".join(kept) if len(kept) * 2 > len(lines) else ""
    starts = [i for i, line in enumerate(lines) if start_mark.match(line) and not is_prose(line)]
    if not starts:
        return ""
    begin, end = starts[0], len(lines)
    if kind == "cpp":
        while end > begin and not lines[end - 1].rstrip().endswith(("}", ";", "*/")):
            end -= 1
        part = "\n".join(lines[begin:end])
        return part if looks_like_code(part, kind) else ""
    while end > begin:
        part = "\n".join(lines[begin:end])
        if looks_like_code(part, kind):
            return part
        end -= 1
    return ""


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement is a bare name or value: prose of one word parses as one."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, _PLAIN_NODES)


def _bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {leaf.id for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name)}
    return names
