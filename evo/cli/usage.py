"""Mistakes in a command line, each told in one line: what was given, what is allowed, what to type instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

import typer

# The exception of all such mistakes has no public name in typer, as the one of a wrong value has.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]

_KINDS = {"integer": "a whole number", "float": "a number", "number": "a number"}


def usage_error_told(error: Any, arguments: Sequence[str]) -> str:
    """One line on a mistake in the command line.

    Args:
        error: An exception of typer's; its kinds are told apart by what they carry.
        arguments: The command line, without the program's name.
    """
    command = "evo" if error.ctx is None else error.ctx.command_path
    helped = f"'{command} --help' lists what is allowed"
    option = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    message = " ".join(error.format_message().split()).rstrip(".")
    if unknown := re.match(r"No such command '(.*?)'", message):
        commands = sorted(error.ctx.command.commands)
        return f"unknown command {unknown[1]!r}: allowed are {', '.join(commands)}{_near(unknown[1], commands)}"
    if option is not None and message.startswith("No such option"):
        known = [name for each in error.ctx.command.params for name in each.opts if name.startswith("--")]
        return f"unknown option {option!r} of '{command}'{_near(option, known) or f': {helped}'}"
    if parameter is not None and message.startswith("Missing"):
        return f"{_name(parameter)} is missing: {helped}"
    if parameter is not None and (kind := re.search(r"\bvalid (\w+)", message)) and kind[1] in _KINDS:
        name = _name(parameter)
        return f"{name} is {_given(name, arguments)!r}, but must be {_KINDS[kind[1]]}"
    if extra := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        return f"unexpected {extra[1]!r}: {helped}"
    return f"{message[:1].lower()}{message[1:]}: {helped}"


def _given(name: str, arguments: Sequence[str]) -> str:
    """What the user typed as an option's value."""
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        option, equals, value = argument.partition("=")
        if option == name:
            return value if equals else following
    return ""


def _name(parameter: Any) -> str:
    options = [name for name in parameter.opts if name.startswith("-")]
    return str(options[0] if options else parameter.metavar or parameter.name.upper())


def _near(given: str, allowed: list[str]) -> str:
    near = difflib.get_close_matches(given, allowed, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""
