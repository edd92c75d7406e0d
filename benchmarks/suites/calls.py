"""Official tests as a list of calls, where they are one: ``assert f(arguments) == literal``, and nothing else.

Then the expected results stay outside the sandbox. Tests with loops, helpers, random inputs or comparisons of another
kind stay programs.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence

from evaluators.plain_data import PlainData, to_json
from evaluators.problem import Case


def check_calls(source: str, name: str) -> tuple[Case, ...]:
    """The calls of a ``check(candidate)`` function; empty if it holds anything else.

    Args:
        source: The test program of HumanEval or HumanEval-X.
        name: How the function under test is called inside of ``check``.
    """
    for node in _parse(source):
        if isinstance(node, ast.FunctionDef) and node.name == "check":
            body = [
                statement
                for statement in node.body
                if not (isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Constant))
                and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
            ]
            return _calls(body, name)
    return ()


def assertion_calls(sources: Sequence[str], name: str) -> tuple[Case, ...]:
    """The calls of assertions, as MBPP has them; empty if one of them is anything else."""
    statements = [statement for source in sources for statement in _parse(source)]
    return _calls(statements, name) if len(statements) >= len(sources) else ()


def divided_assertions(sources: Sequence[str], name: str) -> tuple[tuple[Case, ...], tuple[tuple[str, str], ...]]:
    """Assertions, each a test of its own: those that are calls with an expected result, and the others.

    Args:
        sources: One statement each.
        name: Of the function under test.

    Returns:
        The calls, and name and source of each of the others.
    """
    calls, others = [], []
    for number, source in enumerate(sources, 1):
        statements = _parse(source)
        found = _call(statements[0], name) if len(statements) == 1 else None
        if found is None:
            others.append((f"assertion-{number}", source))
        else:
            calls.append(Case(*found, f"call-{number}"))
    return tuple(calls), tuple(others)


def called_function(sources: Sequence[str], program: str) -> str:
    """The function that assertions test: of those that the program defines, the first that they call.

    Returns:
        Its name; empty if there is none.
    """
    defined = {node.name for node in _parse(program) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for source in sources:
        for statement in _parse(source):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in defined:
                    return node.func.id
    return ""


def is_imports(source: str) -> bool:
    """Whether a program does nothing but import."""
    statements = _parse(source)
    return bool(statements or not source.strip()) and all(
        isinstance(statement, ast.Import | ast.ImportFrom) for statement in statements
    )


def _parse(source: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return []


def _calls(statements: Sequence[ast.stmt], name: str) -> tuple[Case, ...]:
    cases = []
    for number, statement in enumerate(statements, 1):
        found = _call(statement, name)
        if found is None:
            return ()
        cases.append(Case(*found, f"call-{number}"))
    return tuple(cases)


def _call(statement: ast.stmt, name: str) -> tuple[tuple[PlainData, ...], PlainData] | None:
    """Arguments and expected result."""
    if not isinstance(statement, ast.Assert) or not isinstance(statement.test, ast.Compare):
        return None
    compare = statement.test
    call = compare.left
    if len(compare.ops) != 1 or not isinstance(compare.ops[0], ast.Eq):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != name or call.keywords:
        return None
    try:
        arguments = tuple(ast.literal_eval(argument) for argument in call.args)
        expected = ast.literal_eval(compare.comparators[0])
        to_json([list(arguments), expected])
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    return arguments, expected
