"""PSB2 "Snow Day": inputs of Helmuth and Kelly, GECCO 2021.

The suite's text adds the snowfall of an hour first and melts then; its data melt first, and so does this description.
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import FLOAT, INT, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(hours: int, snow: float, snowfall: float, melting: float) -> float:
    """The reference solution."""
    for _ in range(hours):
        snow = snow * (1 - melting) + snowfall
    return snow


def _random(bits: RandomBits) -> tuple[int, float, float, float]:
    return bits.integer(0, 20), 20.0 * bits.unit(), 10.0 * bits.unit(), bits.unit()


PROBLEM = Psb2Problem(
    name="snow-day",
    task=(
        "Find how much snow lies on the ground after a number of hours. At first there is a given amount of snow. In "
        "every hour, first a given share of the snow that lies there melts, and after that a given amount of new "
        "snow is added. With zero hours nothing changes."
    ),
    inputs=(
        Field("hours", INT, "the number of hours, an integer from 0 to 20"),
        Field("snow", FLOAT, "the amount of snow at first, a number from 0 to 20"),
        Field("snowfall", FLOAT, "the new snow of each hour, a number from 0 to 10"),
        Field("melting", FLOAT, "the share of the snow that melts in each hour, a number from 0 to 1"),
    ),
    outputs=(Field("amount", FLOAT, "the amount of snow at the end, a number right to 3 decimal places"),),
    edge_inputs=(
        *((0, 0.0, 0.0, 0.0), (15, 15.0, 15.0, 0.15), (20, 19.99, 9.999, 0.999), (20, 19.99, 9.999, 0.0)),
        *((10, 0.0, 1.0, 0.0), (8, 10.0, 2.0, 0.0), (13, 0.0, 0.0, 0.0), (15, 14.56, 0.0, 0.0)),
        *((16, 18.19, 0.0, 0.05), (8, 11.3, 0.5, 0.3), (5, 1.3, 1.5, 0.05), (10, 0.0, 2.0, 0.0)),
    ),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000, "decimals": 3}),
    genetic=GeneticSettings(
        ("exec", "int", "float", "bool"), (*constants("int", 0, 1, -1), *constants("float", 0.0, 1.0, -1.0))
    ),
    tolerance=0.0005,
)
