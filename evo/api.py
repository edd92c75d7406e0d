"""The Python API: the same searches as on the command line, for scripts and notebooks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from evaluators.executor import Executor
from evaluators.problem import Problem
from evo.events import Observer, unobserved
from evo.result import Result
from evo.session import Session, begin, go_on
from evo.settings_sources import settings_from
from evo.task import prepare
from operators.models.chat import ChatModel


def solve(
    problem: str | Path | Problem,
    *,
    model: str | ChatModel = "embedded",
    start: str | Path | None = None,
    out: str | Path | None = None,
    preset: str | None = None,
    config: str | Path | None = None,
    executor: Executor | None = None,
    observer: Observer = unobserved,
    **settings: Any,
) -> Result:
    r"""Search for a program that solves a problem.

    Works in a notebook too, where an event loop is already running.

    Args:
        problem: A bundled problem's name, a problem file, or a :class:`~evaluators.problem.Problem`.
        model: As ``--model``, or any :class:`~operators.models.chat.ChatModel`.
        start: File of a program to be repaired, instead of drafts.
        out: Folder of the run; a new one in ``runs/`` if left out.
        preset: ``"released-gecco"`` or ``"released-telo"``.
        config: A YAML file of settings.
        executor: An executor instead of the sandbox.
        observer: Told of every step.
        **settings: As in a settings file, nested by dictionaries or two underscores: ``budget={"programs": 50}``, or
            ``budget__programs=50``, ``selection="tournament:size=3"``, ``seidr__arity=2``.

    Returns:
        The result, judged on the hidden cases where there are any.

    Raises:
        UserError: If the input is wrong; nothing has been paid for then.
        InfrastructureError: If a model, the sandbox or the disk failed; :func:`resume` can go on.

    Example:
        >>> import evo
        >>> model = evo.ScriptedModel(lambda request: "```python\nprint(sum(map(int, input().split())))\n```")
        >>> cases = (evo.Case("1 2\n", "3\n", name="small"),)
        >>> problem = evo.Problem("sum", "Print the sum of two integers.", "stdio", cases)
        >>> evo.solve(problem, model=model, out=folder).solved
        True
    """
    options: dict[str, Any] = {name.replace("__", "."): value for name, value in settings.items()}
    if isinstance(model, str):
        options["model"] = model
    checked = settings_from(preset=preset, config=None if config is None else Path(config), options=options)
    task = prepare(problem, checked, None if start is None else Path(start))
    given = None if isinstance(model, str) else model
    session = Session(observer=observer, model=given, executor=executor)
    return _run(begin(task, None if out is None else Path(out), session))


def resume(
    folder: str | Path,
    *,
    model: ChatModel | None = None,
    executor: Executor | None = None,
    observer: Observer = unobserved,
    accept_changes: bool = False,
) -> Result:
    """Go on with a run; what was paid for is not asked again.

    Args:
        folder: Of the run.
        model: The model that the run was begun with, if that was made in Python.
        executor: The executor, likewise.
        observer: Told of every step.
        accept_changes: Go on although a prompt, a setting or the code has changed since.

    Raises:
        UserError: If there is no such run, or it would ask something else now.
        InfrastructureError: As :func:`solve`.
    """
    session = Session(observer=observer, model=model, executor=executor, accept_changes=accept_changes)
    return _run(go_on(Path(folder), session))


def _run(search: Coroutine[Any, Any, Result]) -> Result:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(search)
    return _run_beside(search)


def _run_beside(search: Coroutine[Any, Any, Result]) -> Result:
    """Run a search in a thread of its own, since this one's event loop is taken, as in a notebook."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(asyncio.run(search))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, and raised there
            errors.append(error)

    thread = threading.Thread(target=work, name="evo search")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
