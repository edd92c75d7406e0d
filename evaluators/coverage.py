"""Line and branch coverage of a Python function, measured inside the sandbox.

The function's source is rewritten so that each statement and each decision notes in a set that it was reached; what
leaves the sandbox is that set of numbers. Nothing has to be installed there, it costs little time, and the figures
depend neither on the version of Python nor on ``sys.settrace``, which a program may switch off. A program can forge
the numbers, but no figure other than its own.

Lines
    The first line of each statement inside of the function and of the functions and classes within it. Docstrings,
    ``global`` and ``nonlocal`` are no statements here; decorators, parameters and the function's own ``def`` line are
    reached by importing, and do not count.

Branches
    The outcomes of decisions: true and false for the test of an ``if``, a ``while``, a conditional expression and an
    ``if`` of a comprehension; for a ``for`` loop, that it has an element, and that it runs out of them; for a
    ``match``, each ``case``, and that none fits. The test of ``while True`` is no decision. ``and`` and ``or`` are
    none of their own, nor are exceptions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evaluators.python_text import parse_python

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Node = TypeVar("_Node", bound=ast.AST)

REACHED = "_evo_reached"
"""Name of the set of numbers in a rewritten program."""

_DECIDED = "_evo_decided"
_PRELUDE = f"""
{REACHED} = set()
def {_DECIDED}(number, outcome):
    outcome = True if outcome else False
    {REACHED}.add(number if outcome else number + 1)
    return outcome
"""


@dataclass(frozen=True, order=True)
class Branch:
    """One outcome of a decision.

    Attributes:
        line: Where the decision begins, counted from 1.
        column: Where it begins in its line, in bytes, counted from 0.
        outcome: ``"true"``, ``"false"``, ``"element"``, ``"exhausted"``, ``"case"`` or ``"no case"``.
    """

    line: int
    column: int
    outcome: str


@dataclass(frozen=True)
class Coverage:
    """What there is to reach in a function, and what was reached of it. The union of two is their ``|``.

    Attributes:
        lines: Numbers of the executable lines, counted from 1.
        reached_lines: Those of them that were executed.
        branches: Outcomes that decisions may have.
        taken_branches: Those of them that occurred.
    """

    lines: frozenset[int]
    reached_lines: frozenset[int]
    branches: frozenset[Branch]
    taken_branches: frozenset[Branch]

    @property
    def line_coverage(self) -> float | None:
        """Reached lines over executable lines, in ``[0, 1]``; None where there are none."""
        return len(self.reached_lines) / len(self.lines) if self.lines else None

    @property
    def branch_coverage(self) -> float | None:
        """Branches taken over all branches, in ``[0, 1]``; None where there are none."""
        return len(self.taken_branches) / len(self.branches) if self.branches else None

    def __or__(self, other: Coverage) -> Coverage:
        """What was reached in one or the other.

        Raises:
            ValueError: If they are not of the same program.
        """
        if (self.lines, self.branches) != (other.lines, other.branches):
            raise ValueError("coverages of different programs have no union")
        reached = self.reached_lines | other.reached_lines
        return Coverage(self.lines, reached, self.branches, self.taken_branches | other.taken_branches)


@dataclass(frozen=True)
class CoveredProgram:
    """A program that notes what it reaches.

    Attributes:
        source: The rewritten program; its global set :data:`REACHED` holds the numbers.
        points: What each number stands for: a line or a branch.
    """

    source: str
    points: tuple[int | Branch, ...]

    def coverage(self, reached: Iterable[int]) -> Coverage:
        """What a set of numbers means; numbers that stand for nothing are left out."""
        known = {self.points[number] for number in reached if 0 <= number < len(self.points)}
        lines, branches = _parted(self.points)
        reached_lines, taken = _parted(known)
        return Coverage(lines, reached_lines, branches, taken)


def covered_program(source: str, entry_point: str) -> CoveredProgram:
    """Rewrite a program so that it notes what it reaches inside of one function.

    Args:
        source: A whole Python program.
        entry_point: Name of the function, or class, at the top level; the last one where several have the name.

    Raises:
        ValueError: If the program does not parse, or has no such function.
    """
    tree = parse_python(source)
    if tree is None:
        raise ValueError("coverage needs a program that parses")
    found = [node for node in tree.body if isinstance(node, _Function | ast.ClassDef) and node.name == entry_point]
    if not found:
        raise ValueError(f"coverage is that of a function, and the program defines no {entry_point!r}")
    rewriter = _Rewriter()
    start = 1 if ast.get_docstring(tree) is not None else 0
    while start < len(tree.body) and _is_future_import(tree.body[start]):
        start += 1
    try:
        found[-1].body = rewriter.documented_suite(found[-1].body)
        tree.body[start:start] = ast.parse(_PRELUDE).body
        return CoveredProgram(ast.unparse(ast.fix_missing_locations(tree)), tuple(rewriter.points))
    except RecursionError as error:
        raise ValueError("coverage needs a program that is not nested too deeply to be rewritten") from error


class _Rewriter(ast.NodeTransformer):
    """Puts a note before each statement, and around each test."""

    def __init__(self) -> None:
        self.points: list[int | Branch] = []

    def documented_suite(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        docstring = [*statements[:1]] if _is_text(statements[0]) else []
        return [*docstring, *self.suite(statements[len(docstring) :])]

    def suite(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        rewritten: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.Global | ast.Nonlocal):
                rewritten.append(statement)
            else:
                rewritten += [self._note(statement.lineno), self.visit(statement)]
        return rewritten

    def generic_visit(self, node: _Node) -> _Node:
        """Rewrite suites by :meth:`suite`, and everything else node by node."""
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                rewrite = self.documented_suite if isinstance(node, _Function | ast.ClassDef) else self.suite
                setattr(node, name, rewrite(value))
            elif isinstance(value, list):
                setattr(node, name, [self.visit(item) if isinstance(item, ast.AST) else item for item in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def _decision(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        test = node.test
        self.generic_visit(node)
        if not isinstance(test, ast.Constant):
            node.test = self._decided(test, node.test)
        return node

    visit_If = visit_While = visit_IfExp = _decision  # noqa: N815 - names of the base class

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        tests = list(node.ifs)
        self.generic_visit(node)
        node.ifs = [self._decided(test, rewritten) for test, rewritten in zip(tests, node.ifs, strict=True)]
        return node

    def _loop(self, node: ast.For | ast.AsyncFor) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, self._note(self._branch(node, "element")))
        node.orelse.insert(0, self._note(self._branch(node, "exhausted")))
        return node

    visit_For = visit_AsyncFor = _loop  # noqa: N815

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        for case in node.cases:
            case.body.insert(0, self._note(self._branch(case.pattern, "case")))
        last = node.cases[-1]
        if last.guard is not None or not _fits_all(last.pattern):
            note = self._note(self._branch(node, "no case"))
            node.cases.append(ast.match_case(pattern=ast.MatchAs(), body=[note]))
        return node

    def _note(self, point: int | Branch) -> ast.stmt:
        self.points.append(point)
        return ast.parse(f"{REACHED}.add({len(self.points) - 1})").body[0]

    def _decided(self, test: ast.expr, rewritten: ast.expr) -> ast.expr:
        first = len(self.points)
        self.points += [self._branch(test, "true"), self._branch(test, "false")]
        return ast.Call(ast.Name(_DECIDED, ast.Load()), [ast.Constant(first), rewritten], [])

    @staticmethod
    def _branch(node: ast.expr | ast.stmt | ast.pattern, outcome: str) -> Branch:
        return Branch(node.lineno, node.col_offset, outcome)


def _parted(points: Iterable[int | Branch]) -> tuple[frozenset[int], frozenset[Branch]]:
    lines, branches = set(), set()
    for point in points:
        if isinstance(point, Branch):
            branches.add(point)
        else:
            lines.add(point)
    return frozenset(lines), frozenset(branches)


def _fits_all(pattern: ast.pattern) -> bool:
    """Whether Python allows no further ``case`` after this pattern."""
    if isinstance(pattern, ast.MatchOr):
        return _fits_all(pattern.patterns[-1])
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _fits_all(pattern.pattern))


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_future_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
