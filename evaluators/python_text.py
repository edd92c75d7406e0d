"""Python programs as syntax trees, in a normal form for comparisons."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass


@dataclass(frozen=True)
class PythonText:
    """A program without comments and docstrings.

    Attributes:
        tree: Its syntax tree.
        text: The program as ``ast.unparse`` writes it.
    """

    tree: ast.Module
    text: str


_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse_python(source: str) -> ast.Module | None:
    """The syntax tree of a program; None if the text does not parse, or is nested too deeply to be handled."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the program's own escapes and comparisons
            return ast.parse(source)
    except _UNREADABLE:
        return None


def read_python(source: str) -> PythonText | None:
    """The normal form of a program; None where :func:`parse_python` gives None."""
    tree = parse_python(source)
    if tree is None:
        return None
    try:
        _drop_docstrings(tree)
        return PythonText(tree, ast.unparse(tree))
    except _UNREADABLE:
        return None


def _drop_docstrings(tree: ast.Module) -> None:
    """Remove them; a body that was nothing else becomes ``pass``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            del node.body[0]
            if not node.body and not isinstance(node, ast.Module):
                node.body.append(ast.Pass())
