"""GeneticSettings: what a genetic-programming system is given for a PSB2 problem beside its cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.random_bits import RandomBits

TYPES = ("exec", "int", "float", "bool", "char", "str", "list[int]", "list[float]")
"""Types of values and instructions, one for each of Push's stacks; ``exec`` is control flow."""


@dataclass(frozen=True)
class Constant:
    """A value that may stand in programs.

    Attributes:
        type: One of :data:`TYPES`, but not ``exec``.
        value: Of that type; a ``char`` is a string of length 1.
    """

    type: str
    value: Any


@dataclass(frozen=True)
class RandomConstant:
    """A constant that is drawn anew each time it is put into a program ("ephemeral random constant").

    Attributes:
        type: One of :data:`TYPES`, but not ``exec``.
        draw: Makes one.
    """

    type: str
    draw: Callable[[RandomBits], Any]


@dataclass(frozen=True)
class GeneticSettings:
    """Types and constants, as in the suite's own experiments (Helmuth and Kelly, GECCO 2021).

    Attributes:
        types: The types whose instructions programs may use, in the order of :data:`TYPES`.
        constants: Fixed constants.
        random_constants: Kinds of random constants.
    """

    types: tuple[str, ...]
    constants: tuple[Constant, ...] = ()
    random_constants: tuple[RandomConstant, ...] = ()


def constants(kind: str, *values: Any) -> tuple[Constant, ...]:
    """Fixed constants of one type."""
    return tuple(Constant(kind, value) for value in values)


def random_int(low: int, high: int) -> RandomConstant:
    """An integer from ``low`` to ``high``, both included."""
    return RandomConstant("int", lambda bits: bits.integer(low, high))


def random_char(alphabet: str) -> RandomConstant:
    """One character of the alphabet."""
    return RandomConstant("char", lambda bits: bits.choice(alphabet))
