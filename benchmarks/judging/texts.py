"""Texts of modules that run inside the sandbox, and programs made with them."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from pathlib import Path

from evaluators.program import Program


def watched(program: Program) -> Program:
    """The program, with :mod:`benchmarks.judging.watcher` around it."""
    called = f"(exec({_text('watcher')!r}, names), names['watch']({program.source!r}, globals()))"
    return Program(f"(lambda names: {called})({{}})\n", program.language)


def together(sources: Mapping[int, str], function: str) -> str:
    """A module with :func:`benchmarks.judging.runner.run_program` for some programs.

    Args:
        sources: The programs under their numbers.
        function: What is called; empty to run each to its end.
    """
    return f"{_text('runner')}\nPROGRAMS = {dict(sources)!r}\nFUNCTION = {function!r}\n"


def as_module(program: Program) -> Program:
    """The program, so that it does not take itself for a script that was started."""
    return Program(f"{together({0: program.source}, '')}\nrun_program(0)\n", program.language)


@functools.cache
def _text(name: str) -> str:
    found = importlib.util.find_spec(f"benchmarks.judging.{name}")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).read_text(encoding="utf-8")
