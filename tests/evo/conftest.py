"""Searches in the ladder world and the command line, for the tests of this folder."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evo.cli.app import main
from evo.result import Result
from evo.session import Session, begin, go_on
from evo.settings_sources import settings_from
from evo.task import prepare
from evo.testing import Ladder


@pytest.fixture
def shuffled() -> Callable[..., Any]:
    """A delay that lets answers arrive in an order of its own, by turns of the event loop and not by the clock."""

    def make(salt: int) -> Callable[[Any], Any]:
        async def delay(request: Any) -> None:
            for _ in range((request.seed * 2654435761 + salt * 97) % 23):
                await asyncio.sleep(0)

        return delay

    return make


@pytest.fixture
def searched(tmp_path: Path, shuffled: Callable[..., Any]) -> Callable[..., Result]:
    """Run a search in the ladder world; every call has a folder of its own unless it names one."""
    count = 0

    def run(
        ladder: Ladder | None = None, *, concurrency: int = 4, salt: int = 0, folder: Path | None = None,
        price: Any = None, observer: Any = None, executor: Any = None, model: Any = None, start: Path | None = None,
        **settings: Any,
    ) -> Result:  # fmt: skip
        nonlocal count
        count += 1
        world = ladder or Ladder()
        options = {name.replace("__", "."): value for name, value in settings.items()}
        task = prepare(world.problem, settings_from(options=options), start)
        session = Session(
            model=model or world.model(concurrency=concurrency, delay=shuffled(salt), price=price),
            executor=executor or world.executor(),
        )
        if observer is not None:
            session = Session(observer=observer, model=session.model, executor=session.executor)
        return asyncio.run(begin(task, folder or tmp_path / f"run{count}", session))

    return run


@pytest.fixture
def resumed(shuffled: Callable[..., Any]) -> Callable[..., Result]:
    """Go on with a run in the ladder world."""

    def run(folder: Path, ladder: Ladder | None = None, *, model: Any = None, accept_changes: bool = False) -> Result:
        world = ladder or Ladder()
        session = Session(
            model=model or world.model(concurrency=4, delay=shuffled(1)),
            executor=world.executor(),
            accept_changes=accept_changes,
        )
        return asyncio.run(go_on(folder, session))

    return run


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Any]:
    """Type a command, in an empty folder; gives its exit code and what it wrote to standard output and error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: Any) -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "argv", ["evo", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return run
