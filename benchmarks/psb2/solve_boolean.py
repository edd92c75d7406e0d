"""PSB2 "Solve Boolean": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com.

The suite's text writes the values as capitals and says nothing of precedence; its data have small letters, and no
operator binds more tightly than the other.
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import BOOL, STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(expression: str) -> bool:
    """The reference solution."""
    value = expression[0] == "t"
    for operator, operand in zip(expression[1::2], expression[2::2], strict=True):
        value = value and operand == "t" if operator == "&" else value or operand == "t"
    return value


def _random(bits: RandomBits) -> tuple[str]:
    terms = bits.integer(2, 20)
    return (bits.choice("tf") + "".join(bits.choice("&|") + bits.choice("tf") for _ in range(terms - 1)),)


PROBLEM = Psb2Problem(
    name="solve-boolean",
    task=(
        "Find the value of an expression of truth values: t is true, f is false, & is and, | is or. Evaluate it "
        "strictly from left to right, one operator after the other; neither operator goes before the other. An "
        "expression may be a single t or f."
    ),
    inputs=(Field("expression", STR, "1 to 20 of the letters t and f, with & or | between two neighbours"),),
    outputs=(Field("value", BOOL, "the value of the expression"),),
    edge_inputs=tuple((text,) for text in ("t", "f", "f&f", "f&t", "t&f", "t&t", "f|f", "f|t", "t|f", "t|t")),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("mismatch", {"penalty": 1}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"), (*constants("bool", True, False), *constants("char", *"tf&|"))
    ),
)
