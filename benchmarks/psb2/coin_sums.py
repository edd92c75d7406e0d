"""PSB2 "Coin Sums": inputs of Helmuth and Kelly, GECCO 2021; after problem 31 of projecteuler.net."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain
from evaluators.problem import Named


def solve(cents: int) -> tuple[int, int, int, int]:
    """The reference solution: with these four values, taking the largest coins first is best."""
    quarters, rest = divmod(cents, 25)
    dimes, rest = divmod(rest, 10)
    nickels, pennies = divmod(rest, 5)
    return pennies, nickels, dimes, quarters


PROBLEM = Psb2Problem(
    name="coin-sums",
    task=(
        "There are coins of four kinds: a penny is worth 1 cent, a nickel 5 cents, a dime 10 cents and a quarter 25 "
        "cents. Given an amount in cents, pay exactly this amount with as few coins as possible, and say how many "
        "coins of each kind that takes."
    ),
    inputs=(Field("cents", INT, "the amount in cents, an integer from 1 to 10000"),),
    outputs=(
        Field("pennies", INT, "the number of pennies"),
        Field("nickels", INT, "the number of nickels"),
        Field("dimes", INT, "the number of dimes"),
        Field("quarters", INT, "the number of quarters"),
    ),
    edge_inputs=tuple((cents,) for cents in (*range(1, 31), 35, 41, 109, 10000)),
    random_domains=(RandomDomain(lambda bits: (bits.integer(1, 10_000),)),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 100_000}),
    genetic=GeneticSettings(("exec", "int", "bool"), constants("int", 0, 1, 5, 10, 25)),
)
