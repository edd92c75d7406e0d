"""Plug-ins: finding a selector, a seed tree or a case sampler by its name.

A name is looked up in the literal table of its package, then as ``module:attribute`` or ``path/file.py:attribute``,
then among entry points. A file of the user's is code that he trusts: it runs in this process.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import inspect
import re
from typing import Any, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError

from evaluators.exceptions import UserError, unknown_name, users_code
from evaluators.users_file import attribute_of, load_from_file
from evo.settings_sources import requirement
from selection import SAMPLERS, SELECTORS, TREES
from selection.sampler import CaseSampler
from selection.selector import Selector
from selection.tree import SeedTree


def ranking(spec: str) -> Selector | SeedTree:
    """Build a selector or a seed tree from ``NAME`` or ``NAME:option=value,option=value``.

    Args:
        spec: Such as ``lexicase``, ``tournament:size=3``, ``mcts-explore`` or ``my_selectors.py:Mine``. ``random``
            and ``round-robin`` of the seed trees are ``tree:random`` and ``tree:round-robin``.

    Returns:
        A fresh one; seed trees learn, and must not be shared by runs.

    Raises:
        UserError: If there is no such selector or tree, or no such option.
    """
    known: dict[str, Any] = {**{f"tree:{tree}": made for tree, made in TREES.items()}, **TREES, **SELECTORS}
    built: Selector | SeedTree = _built("selection", spec, known, "evo.selectors", "select")
    return built


def case_sampler(spec: str) -> CaseSampler:
    """Build a case sampler from ``NAME`` or ``NAME:option=value,option=value``.

    Args:
        spec: Such as ``random-down-sampling:rate=0.2`` or ``my_samplers.py:Mine``.

    Returns:
        A fresh one; samplers may learn, and must not be shared by runs.

    Raises:
        UserError: If there is no such sampler, or no such option.
    """
    built: CaseSampler = _built("sampler", spec, dict(SAMPLERS), "evo.samplers", "cohorts")
    return built


def _built(kind: str, spec: str, table: dict[str, Any], group: str, method: str) -> Any:
    name, options = _split(kind, spec)
    factory = table.get(name) or _plugin(kind, name, group, table)
    if not callable(factory):
        raise UserError(f"{kind} {name!r} is a {type(factory).__name__}: it must be a class or a function")
    allowed = _options(factory)
    for option in options:
        if option not in allowed:
            raise unknown_name(f"option of {kind} {name!r},", option, allowed)
    if name in table:
        built = _of_ours(kind, spec, factory, options)
    else:
        with users_code(f"{kind} {spec!r}"):
            built = factory(**options)
    if not hasattr(built, method):
        raise UserError(f"{kind} {name!r} made a {type(built).__name__}, which has no method {method!r}")
    return built


def _of_ours(kind: str, spec: str, factory: Any, options: dict[str, Any]) -> Any:
    """A plug-in of our own tables, whose types say what its options must be."""
    kinds = get_type_hints(factory)
    checked = {}
    for name, value in options.items():
        try:
            checked[name] = TypeAdapter(kinds[name]).validate_python(value)
        except ValidationError as error:
            must = requirement(error.errors()[0])
            raise UserError(f"{kind} {spec!r}: {name} is {value!r}{must}") from error
    try:
        return factory(**checked)
    except ValueError as error:
        raise UserError(f"{kind} {spec!r}: {error}") from error


def _split(kind: str, spec: str) -> tuple[str, dict[str, Any]]:
    """The name and the options; the values are read as YAML, so that lists are possible."""
    name, colon, options = spec.rpartition(":")
    if not colon or "=" not in options:
        return spec, {}
    try:
        read = yaml.safe_load("{" + re.sub(r"(\w)=", r"\1: ", options) + "}")
    except yaml.YAMLError:
        read = None
    if not isinstance(read, dict) or None in read.values():
        raise UserError(f"{kind} {spec!r}: write options as name=value, separated by commas")
    return name, {key: tuple(value) if isinstance(value, list) else value for key, value in read.items()}


def _options(factory: Any) -> tuple[str, ...]:
    if dataclasses.is_dataclass(factory):
        return tuple(field.name for field in dataclasses.fields(factory) if field.init)
    return tuple(inspect.signature(factory).parameters)


def _plugin(kind: str, name: str, group: str, table: Any) -> Any:
    where, colon, attribute = name.rpartition(":")
    if colon and where in table:
        raise UserError(
            f"{kind} {name!r}: write options as {where}:name=value; they are {', '.join(_options(table[where]))}"
        )
    if colon:
        return load_attribute(kind, where, attribute)
    points = importlib.metadata.entry_points(group=group)
    if name in points.names:
        return points[name].load()
    raise unknown_name(kind, name, [*table, *points.names])


def load_attribute(kind: str, where: str, attribute: str) -> Any:
    """An attribute of a module, or of a Python file.

    Args:
        kind: What is looked for, for messages.
        where: Name of a module, or path of a ``.py`` file.
        attribute: Name in it.

    Raises:
        UserError: If there is no such thing.
    """
    if where.endswith(".py"):
        return load_from_file(kind, where, attribute)
    try:
        with users_code(f"the import of {where}"):
            module = importlib.import_module(where)
    except UserError as error:
        if isinstance(error.__cause__, ModuleNotFoundError):
            raise UserError(f"{kind} {where}:{attribute}: there is no module {error.__cause__.name!r}") from error
        raise
    return attribute_of(kind, module, where, attribute)
