"""Self-contained programs: those that can neither notice nor touch anything around them, as their text alone tells.

Such a program may share a process with others of its kind, and with the tests that call it: it has no way to come to
their objects. It is a matter of names: nothing is imported that has a state to be changed or that leads further, no
attribute is stored, and what could look at frames, modules or other objects' insides is not named.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import warnings

_LONGEST = 20_000  # characters: a program of that length is no short function
_MODULES = frozenset(
    {"math", "cmath", "typing", "collections", "itertools", "functools", "operator", "re", "string", "heapq", "bisect"}
    | {"copy", "fractions", "statistics", "datetime", "hashlib", "dataclasses", "enum", "textwrap", "numbers"}
)
_REACHING = frozenset(
    {"exec", "eval", "compile", "globals", "locals", "vars", "open", "input", "breakpoint", "getattr", "setattr"}
    | {"delattr", "exit", "quit", "help", "copyright", "credits", "license", "register", "purge", "dispatch_table"}
    | {"attrgetter", "methodcaller", "get_type_hints", "algorithms_available"}
)
_METHODS_TOO = frozenset({"abc", "array", "code", "queue", "select", "test", "time", "token"})
_FORBIDDEN = _REACHING | (sys.stdlib_module_names - _MODULES - _METHODS_TOO)
"""Attributes: a module may be had as an attribute of one that imports it."""

_NEW_KIND = re.compile(r"\bclass\b|\btype\b|dataclass|[Ee]num")


@functools.lru_cache(maxsize=1000)
def keeps_to_itself(source: str) -> bool:
    """Whether a Python program can do nothing that another one in the same process could notice.

    It imports modules without a state that it could change, stores no attributes, reaches for none that begins with an
    underscore or is a module of its own, and names nothing by which it could come to other objects. A text that does
    not parse does nothing at all.
    """
    if len(source) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError:
        return True
    except (ValueError, RecursionError, MemoryError):
        return False
    return all(map(_is_harmless, ast.walk(tree)))


def _is_harmless(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in _MODULES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        known = not node.level and (node.module or "").partition(".")[0] in _MODULES
        return known and not any(alias.name in _FORBIDDEN or alias.name.startswith("_") for alias in node.names)
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Load) and node.attr not in _FORBIDDEN and not node.attr.startswith("_")
    if isinstance(node, ast.Name):
        return node.id not in _REACHING and (not node.id.startswith("__") or node.id == "__name__")
    return not isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.AsyncFunctionDef)


def compares_as_usual(source: str) -> bool:
    """Whether a program that keeps to itself makes no objects that could say they were equal to the right result."""
    return _NEW_KIND.search(source) is None
