"""PSB2 "GCD": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

import math

from benchmarks.psb2.genetic_settings import GeneticSettings, random_int
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain
from evaluators.problem import Named


def solve(first: int, second: int) -> int:
    """The reference solution."""
    return math.gcd(first, second)


PROBLEM = Psb2Problem(
    name="gcd",
    task=(
        "Find the greatest common divisor of two positive integers: the largest integer that divides both of them "
        "without a remainder."
    ),
    inputs=(
        Field("first", INT, "an integer from 1 to 1000000"),
        Field("second", INT, "an integer from 1 to 1000000"),
    ),
    outputs=(Field("divisor", INT, "the greatest common divisor, an integer"),),
    edge_inputs=((1, 1), (4, 400000), (54, 24), (4200, 3528), (820000, 63550), (123456, 654321)),
    random_domains=(RandomDomain(lambda bits: (bits.integer(1, 1_000_000), bits.integer(1, 1_000_000))),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(("exec", "int", "bool"), (), (random_int(-10, 10),)),
)
