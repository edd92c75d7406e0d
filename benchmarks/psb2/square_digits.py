"""PSB2 "Square Digits": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import INT, STR, Field, Psb2Problem, RandomDomain
from evaluators.problem import Named


def solve(number: int) -> str:
    """The reference solution."""
    return "".join(str(int(digit) ** 2) for digit in str(number))


PROBLEM = Psb2Problem(
    name="square-digits",
    task=(
        "Replace each decimal digit of an integer by its square, and join the squares, in the order of the digits, "
        "to one string. A square may have one digit or two."
    ),
    inputs=(Field("number", INT, "an integer from 0 to 1000000"),),
    outputs=(Field("squares", STR, "the squares of the digits, joined without separators"),),
    edge_inputs=tuple(
        (number,)
        for number in (
            *(0, 1, 2, 3, 4, 5, 7, 9, 10, 12, 16, 24, 35, 46, 57, 68, 79, 80, 92, 98, 100, 185, 231, 372, 408, 794),
            *(321012, 987654, 999999, 1000000),
        )
    ),
    random_domains=(RandomDomain(lambda bits: (bits.integer(0, 999_998),)),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"),
        (*constants("str", ""), *constants("int", 0, 1, 2)),
        (random_int(-100, 100),),
    ),
)
