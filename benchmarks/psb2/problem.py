"""Psb2Problem: all that is known of one problem of PSB2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.psb2.genetic_settings import GeneticSettings
from benchmarks.random_bits import RandomBits
from evaluators.problem import Mode, Named
from evaluators.signature import DataType, Signature

INT = DataType("int")
FLOAT = DataType("float")
BOOL = DataType("bool")
STR = DataType("str")


def list_of(item: DataType) -> DataType:
    """The type of a list."""
    return DataType("list", (item,))


@dataclass(frozen=True)
class Field:
    """One input or one output.

    Attributes:
        name: A Python identifier.
        type: ``int``, ``float``, ``bool``, ``str``, or a list of numbers.
        meaning: What it is and its range, as words that can follow a colon.
    """

    name: str
    type: DataType
    meaning: str


@dataclass(frozen=True)
class RandomDomain:
    """One way of drawing random inputs; a problem may mix several.

    Attributes:
        draw: Makes one input: a tuple with a value for each of the problem's inputs.
        visible_weight: Its share of the random visible cases, relative to the other domains' weights.
        hidden_weight: Its share of the hidden cases.
    """

    draw: Callable[[RandomBits], tuple[Any, ...]]
    visible_weight: int = 1
    hidden_weight: int = 1


@dataclass(frozen=True)
class Psb2Problem:
    """One problem of PSB2.

    Attributes:
        name: As the suite spells it, such as ``"fizz-buzz"``.
        task: What to do, in words, without examples and without saying how values are read or written.
        inputs: In the order in which they are given.
        outputs: In the order in which they are answered.
        edge_inputs: The suite's fixed inputs, in its order; each a tuple with a value for each of ``inputs``.
        random_domains: How random inputs are drawn.
        solve: The reference solution: takes the inputs, returns the output, a tuple where there are several.
        error_function: The suite's, with its penalty for no output.
        genetic: What genetic programming is given.
        tolerance: How far a number may be from the expected one; 0 if it must be equal.
    """

    name: str
    task: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    edge_inputs: tuple[tuple[Any, ...], ...]
    random_domains: tuple[RandomDomain, ...]
    solve: Callable[..., Any]
    error_function: Named
    genetic: GeneticSettings
    tolerance: float = 0.0

    @property
    def signature(self) -> Signature:
        """Of the function to write in mode ``function``; several outputs are a tuple."""
        kinds = tuple(field.type for field in self.outputs)
        returns = kinds[0] if len(kinds) == 1 else DataType("tuple", kinds)
        return Signature(self.name.replace("-", "_"), tuple((field.name, field.type) for field in self.inputs), returns)

    def checker(self, mode: Mode) -> Named:
        """Equal outputs; blanks at line ends count only where the output is a string."""
        if self.tolerance:
            return Named("numbers", {"absolute": self.tolerance, "relative": 0.0})
        has_text = any(field.type == STR for field in self.outputs)
        return Named("exact" if has_text or mode == "function" else "lines")
