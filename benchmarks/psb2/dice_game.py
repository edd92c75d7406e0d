"""PSB2 "Dice Game": inputs of Helmuth and Kelly, GECCO 2021; after problem 205 of projecteuler.net.

The dice have at most 100 sides in the suite's data (1000 in its first implementation).
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import FLOAT, INT, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(peter: int, colin: int) -> float:
    """The reference solution: for each roll of Peter's, the rolls of Colin's that are lower."""
    return sum(min(roll - 1, colin) for roll in range(1, peter + 1)) / (peter * colin)


def _equal(bits: RandomBits) -> tuple[int, int]:
    sides = bits.integer(1, 100)
    return sides, sides


PROBLEM = Psb2Problem(
    name="dice-game",
    task=(
        "Peter and Colin roll one fair die each, once. The sides of a die are numbered from 1 up. Given the number of "
        "sides of Peter's die and that of Colin's die, find the probability that Peter rolls a strictly higher number."
    ),
    inputs=(
        Field("peter", INT, "the sides of Peter's die, an integer from 1 to 100"),
        Field("colin", INT, "the sides of Colin's die, an integer from 1 to 100"),
    ),
    outputs=(Field("probability", FLOAT, "the probability, a number from 0 to 1 right to 3 decimal places"),),
    edge_inputs=(
        *((1, 2), (2, 1), (99, 100), (100, 99), (1, 100), (100, 1), (3, 4), (4, 3)),
        *((4, 6), (6, 4), (49, 50), (50, 49), (1, 1), (50, 50), (100, 100)),
    ),
    random_domains=(
        RandomDomain(_equal, visible_weight=10, hidden_weight=100),
        RandomDomain(lambda bits: (bits.integer(1, 100), bits.integer(1, 100)), visible_weight=175, hidden_weight=1900),
    ),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000, "decimals": 3}),
    genetic=GeneticSettings(("exec", "int", "float", "bool"), constants("float", 0.0, 1.0)),
    tolerance=0.0005,
)
