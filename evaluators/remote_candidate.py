"""A check, inside its own sandbox: it calls a stand-in for the candidate's function, which is elsewhere.

The sandbox gets the text of this file. The check is run anew with more answers each time, until all its calls are
answered (:mod:`evaluators.remote_check`). The first call without an answer gets None, and the check goes on by that
guess: what it does from there on counts for nothing, but shows further calls to be answered at once.
"""

from __future__ import annotations

import ast
import builtins
import sys
import traceback
import types
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from evaluators.plain_data import dumps, loads
from evaluators.remote_call import containers

CHECK_NAME = "check.py"
FAILED = ""
"""Stands in the place of an answer where the call had none, such as by a timeout."""

_FORGIVE = "__evo_forgive__"


class StopCheckError(BaseException):
    """The check cannot go on; no ``except Exception`` of its own takes this for the candidate's."""


class RemoteCandidate:
    """Stands for the candidate's function.

    Args:
        name: Of the function.
        answers: What is known: for each call, what :func:`evaluators.remote_call.answer` said, both as text.
        guesses: How many calls without an answer are taken down, at least 1.
    """

    def __init__(self, name: str, answers: Mapping[str, str], guesses: int) -> None:
        self.__name__ = name
        self._answers = answers
        self._guesses = guesses
        self.calls = 0
        self.unknown: dict[str, None] = {}
        self.failed: str | None = None
        self.raised: Exception | None = None
        self.raised_line = 0

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Answer a call as the candidate did, its changes to the arguments and its exceptions included."""
        try:
            call = dumps((arguments, keywords), accept_subclasses=True)
        except ValueError as error:
            raise TypeError(f"the check cannot call {self.__name__} in another process: {error}") from error
        if self.failed is not None or self._guesses <= 0:
            raise StopCheckError
        self.calls += 1
        answer = self._answers.get(call)
        if answer is None:
            self.unknown[call] = None
        if self.unknown:
            self._guesses -= 1
            if self._guesses <= 0:
                raise StopCheckError
        if answer is None:
            return None
        if answer == FAILED:
            self.failed = call
            raise StopCheckError
        return self._give(loads(answer), containers([*arguments, *keywords.values()]))

    def forgive(self) -> None:
        """Let an assertion fail that rests on a guess; any other one fails."""
        if not self.unknown:
            raise  # noqa: PLE0704 - it is called by a handler

    def _give(self, said: Mapping[str, Any], given: Sequence[Any]) -> Any:
        def meant(told: Sequence[Any]) -> Any:
            number, value = told
            return value if number is None else given[number]

        for number, members in said["changed"]:
            _change(given[number], [meant(member) for member in members])
        if "raised" in said:
            self._raise(*said["raised"])
        return meant(said["result"])

    def _raise(self, kind: str, arguments: Sequence[Any], line: int) -> NoReturn:
        known = getattr(builtins, kind, None)
        try:
            self.raised = known(*arguments)  # type: ignore[misc]
        except TypeError:  # a type that takes others, such as UnicodeDecodeError
            self.raised = RuntimeError(f"{kind}: {' '.join(map(str, arguments))}")
        self.raised_line = line
        raise self.raised


def _change(container: Any, members: list[Any]) -> None:
    """Give a container its new members, past what a subclass of the check's own makes of that."""
    if isinstance(container, dict):
        dict.clear(container)
        dict.update(container, zip(members[::2], members[1::2], strict=True))
    elif isinstance(container, list):
        list.__setitem__(container, slice(None), members)
    else:
        set.clear(container)
        set.update(container, members)


class _Forgiving(ast.NodeTransformer):
    """Puts each assertion into a ``try`` whose handler asks :meth:`RemoteCandidate.forgive`."""

    def visit_Assert(self, node: ast.Assert) -> ast.Try:
        ask = ast.Expr(ast.Call(ast.Name(_FORGIVE, ast.Load()), [], []))
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ask])
        return ast.fix_missing_locations(ast.copy_location(ast.Try([node], [handler], [], []), node))


def run_check(check: Mapping[str, str], name: str, answers: Mapping[str, str], guesses: int) -> dict[str, Any]:
    """Run a check as far as answers go.

    Args:
        check: Fields of :class:`evaluators.remote_check.CheckCode`.
        name: Of the candidate's function.
        answers: As for :class:`RemoteCandidate`.
        guesses: As for :class:`RemoteCandidate`.

    Returns:
        ``state`` and what belongs to it: ``invalid`` (``message``), ``failed`` (the ``call``), ``unknown`` (``calls``),
        ``passed``, ``raised`` or ``wrong`` (``message``, ``line``, and how many ``calls`` were made).
    """
    sys.set_int_max_str_digits(0)
    try:
        prelude = compile(check["prelude"], CHECK_NAME, "exec", dont_inherit=True)
        tree = _Forgiving().visit(ast.parse(check["source"]))
        code = compile(tree, CHECK_NAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"state": "invalid", "message": f"{type(error).__name__}: {error}"}
    candidate = RemoteCandidate(name, answers, guesses)
    module = types.ModuleType("check")
    sys.modules["check"] = module
    names = module.__dict__
    failure: BaseException | None = None
    try:
        exec(prelude, names)  # noqa: S102 - a check is a program
        names |= {name: candidate, "candidate": candidate, _FORGIVE: candidate.forgive}
        exec(code, names)  # noqa: S102
        if check["function"]:
            names[check["function"]](candidate)
        _run_test_cases(module)
    except BaseException as error:  # noqa: BLE001 - it may end in any way
        failure = error
    if candidate.failed is not None:
        return {"state": "failed", "call": candidate.failed}
    if candidate.unknown:
        return {"state": "unknown", "calls": list(candidate.unknown)}
    ended: dict[str, Any] = {"state": "passed", "calls": candidate.calls, "message": "", "line": 0}
    if failure is not None:
        text = str(failure)[:400]
        ended["message"] = f"{type(failure).__name__}: {text}" if text else type(failure).__name__
        if failure is candidate.raised:
            return ended | {"state": "raised", "line": candidate.raised_line}
        lines = [frame.lineno for frame in traceback.extract_tb(failure.__traceback__) if frame.filename == CHECK_NAME]
        return ended | {"state": "wrong", "line": lines[-1] if lines else 0}
    return ended


def _run_test_cases(module: types.ModuleType) -> None:
    """Run what the check defines for ``unittest``, if anything."""
    unittest = sys.modules.get("unittest")
    if unittest is None:
        return
    outcome = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(outcome)
    for test, text in [*outcome.errors, *outcome.failures]:
        raise AssertionError(f"{test}: {text.strip().rpartition(chr(10))[2]}")
