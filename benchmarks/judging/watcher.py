"""Watcher: runs a program, and ends it where a ``while`` loop provably never does. Runs inside the sandbox.

It saves the time that a program without an end would have until its limit; what it cannot prove, it lets run. A loop
is looked at only if nothing in it but plain data and pure functions decides how it goes on: built-in ones, those of
``math``, and functions of the program's own that use no others and keep nothing from call to call. There are no
attributes but methods of plain values, and no objects with a state of their own. Then two proofs are tried each time
that the loop begins anew:

* **A state comes back.** All variables in the loop have values that they had at an earlier beginning, and it was not
  left in between. From equal states it goes on equally, so that it comes back for ever. A ``for`` inside of it has
  ended whenever it begins anew, so that no iterator hides a part of the state. A variable that only collects (``text
  += letter``, ``found.append(number)``) and is not used otherwise decides nothing: its type is enough.
* **Counters run away.** The loop's condition is constant, or a counter is above (below) a number and only ever grows
  (shrinks); there is no way out in the loop, and it does nothing but add and compare integers, which cannot fail.

A program that has threads, signal handlers or the like can be told to end from outside of its loops: it must not be
watched. The standard library is all that this file needs; its text is put around a program, and nothing imports it but
tests.
"""

from __future__ import annotations

import ast
import builtins
import math
import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

SOURCE_NAME = "watched.py"
MARK = b"\nthis program never ends: a loop repeats itself on line %d\n"
EXIT_STATUS = 113

_MOST_VALUES = 2000
_FUNCTIONS = frozenset(
    {"len", "abs", "min", "max", "int", "float", "str", "bool", "ord", "chr", "sum", "range", "sorted", "divmod"}
    | {"round", "enumerate", "zip", "reversed", "list", "tuple"}
)
_METHODS = frozenset(
    {"append", "pop", "insert", "extend", "remove", "reverse", "sort", "split", "join", "strip", "lower", "upper"}
    | {"replace", "startswith", "endswith", "isdigit", "isalpha", "isupper", "islower", "find", "count", "index"}
    | {"items", "keys", "values", "get", "copy", "swapcase"}
)
_PURE = (
    ast.While, ast.If, ast.For, ast.Pass, ast.Break, ast.Continue, ast.Return, ast.Assign, ast.AugAssign, ast.Expr,
    ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Name, ast.Constant, ast.Subscript, ast.Slice,
    ast.Tuple, ast.List, ast.Dict, ast.Load, ast.Store, ast.operator, ast.unaryop, ast.boolop,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
)  # fmt: skip
_COUNTING = (
    ast.While, ast.If, ast.Pass, ast.Continue, ast.Assign, ast.AugAssign, ast.Compare, ast.BoolOp, ast.BinOp, ast.Name,
    ast.Constant, ast.Load, ast.Store, ast.Add, ast.Sub, ast.boolop,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)  # fmt: skip

_IN_FUNCTIONS = (ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.arguments, ast.arg)
_BUILT_IN = {name: getattr(builtins, name) for name in _FUNCTIONS}

Trace = Callable[[FrameType, str, Any], Any]


class Loop:
    """What can be said of a ``while`` loop from its text.

    Args:
        node: The loop.
        own: Pure functions of the program's own, by name.

    Attributes:
        pure: Whether plain data and pure functions alone decide how it goes on.
        names: Variables in it.
        called: Functions that it calls, built-in ones and the program's own, and those that these call.
        collectors: Variables that are added to, and not used otherwise.
        counting: Whether it only counts, and has no way out but its condition.
    """

    def __init__(self, node: ast.While, own: dict[str, ast.FunctionDef]) -> None:
        self.node = node
        inside = list(ast.walk(node))
        calls = [each for each in inside if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
        functions = {call.func for call in calls}
        self.own = own
        self.called = _all_called(node, own)
        self.names = {each.id for each in inside if isinstance(each, ast.Name) and each not in functions} - {"math"}
        self.pure = not node.orelse and all(map(_is_pure, inside)) and self.called <= _FUNCTIONS | own.keys()
        self.pure = self.pure and not self.names & self.called
        self.collectors = {name for name in self.names if _only_collects(name, node)}
        self.counting = not node.orelse and all(
            isinstance(each, _COUNTING) and (not isinstance(each, ast.Constant) or isinstance(each.value, int))
            for each in inside
        )

    def holds(self, line: int) -> bool:
        """Whether a line is in it."""
        return self.node.lineno <= line <= (self.node.end_lineno or 0)

    def runs_away(self, values: dict[str, Any]) -> bool:
        """Whether its condition, which holds now, holds for ever, if it only counts."""
        if not self.counting or any(type(values.get(name)) is not int for name in self.names):
            return False
        test = self.node.test
        if isinstance(test, ast.Constant):
            return bool(test.value)
        if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and len(test.ops) == 1):
            return False
        steps = [_step(each, test.left.id) for each in ast.walk(self.node) if isinstance(each, ast.stmt)]
        limit, now = test.comparators[0], values[test.left.id]
        if not (isinstance(limit, ast.Constant) and isinstance(limit.value, int)):
            return False
        grows = isinstance(test.ops[0], ast.Gt | ast.GtE) and now > limit.value and set(steps) <= {0, 1}
        shrinks = isinstance(test.ops[0], ast.Lt | ast.LtE) and now < limit.value and set(steps) <= {0, -1}
        return grows or shrinks


def _step(statement: ast.stmt, counter: str) -> int | None:
    """Whether a statement lets the counter grow (1), shrink (-1), or as it is (0); None if that is not known."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        if statement.target.id != counter:
            return 0
        step = statement.value
        if not (isinstance(step, ast.Constant) and isinstance(step.value, int) and step.value >= 0):
            return None
        return 1 if isinstance(statement.op, ast.Add) else -1
    if isinstance(statement, ast.Assign):
        targets = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        return None if counter in targets or len(targets) < len(statement.targets) else 0
    return 0


def _all_called(node: ast.AST, own: dict[str, ast.FunctionDef]) -> set[str]:
    found: set[str] = set()
    left = [node]
    while left:
        calls = [each for each in ast.walk(left.pop()) if isinstance(each, ast.Call)]
        new = {call.func.id for call in calls if isinstance(call.func, ast.Name)} - found
        found |= new
        left += [own[name] for name in new & own.keys()]
    return found


def _is_pure(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return not node.keywords and isinstance(node.func, ast.Name | ast.Attribute)
    if isinstance(node, ast.Attribute):
        of_math = isinstance(node.value, ast.Name) and node.value.id == "math" and not node.attr.startswith("_")
        return isinstance(node.ctx, ast.Load) and (node.attr in _METHODS or of_math)
    return isinstance(node, _PURE)


def pure_functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """Functions at the top of a program whose results depend on their arguments alone, as far as the text tells."""
    found = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and _looks_pure(node)}
    while True:
        left = {name: node for name, node in found.items() if _read_from_outside(node) <= _FUNCTIONS | found.keys()}
        if len(left) == len(found):
            return found
        found = left


def _looks_pure(function: ast.FunctionDef) -> bool:
    given = function.args
    plain = not (function.decorator_list or given.defaults or given.kw_defaults or given.vararg or given.kwarg)
    inside = [each for statement in function.body for each in ast.walk(statement)]
    return plain and all(_is_pure(each) or isinstance(each, _IN_FUNCTIONS) for each in inside)


def _read_from_outside(function: ast.FunctionDef) -> set[str]:
    """Names that a function takes from around it, but for ``math``, which it must not have as a name of its own."""
    bound = {each.arg for each in function.args.args} | _stored(function.body)
    return _free(function.body, bound) - {"math"} | (bound & {"math"})


def _stored(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that statements bind; those of comprehensions are their own."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if not isinstance(node, ast.GeneratorExp | ast.ListComp):
            found |= _stored(list(ast.iter_child_nodes(node)))
    return found


def _free(nodes: Sequence[ast.AST], bound: set[str]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        inner = bound
        if isinstance(node, ast.Name):
            found |= {node.id} - bound
        elif isinstance(node, ast.GeneratorExp | ast.ListComp):
            inner = bound | {name for part in node.generators for name in _stored([part.target])}
        found |= _free(list(ast.iter_child_nodes(node)), inner)
    return found


def _only_collects(name: str, loop: ast.While) -> bool:
    uses = sum(isinstance(each, ast.Name) and each.id == name for each in ast.walk(loop))
    return uses == sum(_uses_in_collecting(name, each) for each in ast.walk(loop))


def _uses_in_collecting(name: str, node: ast.AST) -> int:
    """How often a statement that does nothing but add to the variable names it; 0 for any other."""

    def is_it(other: ast.AST) -> bool:
        return isinstance(other, ast.Name) and other.id == name

    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and is_it(node.target):
        return 1
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and is_it(node.targets[0]):
        value = node.value
        return (
            2
            if isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Add)
            and (is_it(value.left) or is_it(value.right))
            else 0
        )
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        return int(node.value.func.attr == "append" and is_it(node.value.func.value))
    return 0


def frozen(value: Any, seen: dict[int, int]) -> Any:
    """A value that is equal exactly for equal states; raises ``ValueError`` for what is no small plain data."""
    kind = type(value)
    if len(seen) > _MOST_VALUES:
        raise ValueError
    if kind in (int, str, bytes, bool, type(None)):
        return kind.__name__, value
    if kind is float:
        if value != value:  # noqa: PLR0124 - a number that is not equal to itself is found by identity
            raise ValueError
        return "float", repr(value)
    if kind not in (list, tuple, dict) or len(value) > _MOST_VALUES:
        raise ValueError
    if id(value) in seen:
        return "again", seen[id(value)]
    seen[id(value)] = len(seen)
    items = [item for pair in value.items() for item in pair] if kind is dict else value
    return kind.__name__, tuple([frozen(item, seen) for item in items])


def loops_of(source: str) -> dict[int, Loop]:
    """The loops that can be watched, by lines on which they begin anew.

    That is the line of the condition, and where it is constant, so that the interpreter never comes back to it, the
    line of the first statement: not of a ``for``, whose line is also that of each of its steps, and of nothing that
    goes over several lines, for these may come back to the first.
    """
    found: dict[int, Loop] = {}
    tree = ast.parse(source)
    own = pure_functions(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.While):
            continue
        loop, first = Loop(node, own), node.body[0]
        if not loop.pure or node.test.end_lineno != node.lineno:
            continue
        found[node.lineno] = loop
        head = first.test if isinstance(first, ast.If) else first
        if not isinstance(first, ast.For | ast.While) and head.end_lineno == first.lineno:
            found[first.lineno] = loop
    return found


class Visits:
    """The states at the beginnings of one loop in one call (R. Brent's way to find a cycle, BIT 20, 1980)."""

    def __init__(self) -> None:
        self.count = 0
        self.next_kept = 1
        self.kept: Any = None

    def comes_back(self, state: Any) -> bool:
        """Whether the state is the one that was kept; it is kept anew at the first, second, fourth, ... visit."""
        if self.count and state == self.kept:
            return True
        self.count += 1
        if self.count == self.next_kept:
            self.kept, self.next_kept = state, 2 * self.next_kept
        return False


def is_endless(loop: Loop, frame: FrameType, visits: Visits) -> bool:
    """Whether a loop that begins anew in a frame never ends."""
    local, outer = frame.f_locals, frame.f_globals
    if not _calls_what_it_says(loop, frame):
        return False
    values = {}
    for name in loop.names:
        if name in local or name in outer:
            values[name] = local[name] if name in local else outer[name]
    try:
        seen: dict[int, int] = {}
        state: list[Any] = [frame.f_lasti]
        for name in sorted(values):
            kind = type(values[name])
            collects = name in loop.collectors and kind in (int, float, str, list)
            state.append((name, kind if collects else frozen(values[name], seen)))
    except (ValueError, RecursionError):
        return False
    return visits.comes_back(state) or loop.runs_away(values)


def _calls_what_it_says(loop: Loop, frame: FrameType) -> bool:
    """Whether the names that it calls still mean the functions that its text means."""
    local, outer = frame.f_locals, frame.f_globals
    if local.get("math", outer.get("math", math)) is not math or outer.get("math", math) is not math:
        return False
    for name in loop.called:
        if local is not outer and name in local:
            return False
        if name in loop.own:
            code = getattr(outer.get(name), "__code__", None)
            if code is None or (code.co_filename, code.co_firstlineno) != (SOURCE_NAME, loop.own[name].lineno):
                return False
        elif name in outer or frame.f_builtins.get(name) is not _BUILT_IN[name]:
            return False
    return True


def watch(source: str, namespace: dict[str, Any]) -> None:
    """Run a program in a namespace; functions that it defines are watched when they are called, too.

    Args:
        source: The program.
        namespace: Its names.
    """
    code = compile(source, SOURCE_NAME, "exec", dont_inherit=True)
    loops = loops_of(source)

    def on_call(frame: FrameType, event: str, argument: Any) -> Trace | None:
        if frame.f_code.co_filename != SOURCE_NAME:
            return None
        visits: dict[int, Visits] = {}

        def on_line(frame: FrameType, event: str, argument: Any) -> Trace:
            line = frame.f_lineno
            for place in [place for place in visits if not loops[place].holds(line)]:
                del visits[place]
            if event == "line" and line in loops and is_endless(loops[line], frame, visits.setdefault(line, Visits())):
                os.write(2, MARK % line)
                os._exit(EXIT_STATUS)
            return on_line

        return on_line

    sys.settrace(on_call)
    exec(code, namespace)  # noqa: S102 - the purpose of it all
