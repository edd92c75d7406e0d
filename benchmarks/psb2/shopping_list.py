"""PSB2 "Shopping List": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com.

A total half way between two cents is rounded one way by one right program and another way by the next, as sums of
floating-point numbers fall; such inputs (one in 10,000) are not drawn here.
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, RandomConstant, constants
from benchmarks.psb2.problem import FLOAT, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(prices: list[float], discounts: list[float]) -> float:
    """The reference solution."""
    return round(sum(price * (100 - off) / 100 for price, off in zip(prices, discounts, strict=True)), 2)


def _random(bits: RandomBits) -> tuple[list[float], list[float]]:
    length = bits.integer(1, 20)
    while True:
        cents, hundredths = bits.integers(0, 5_000, length), bits.integers(0, 10_000, length)
        exact = sum(price * (10_000 - off) for price, off in zip(cents, hundredths, strict=True))
        if exact % 10_000 != 5_000:
            return [price / 100 for price in cents], [off / 100 for off in hundredths]


PROBLEM = Psb2Problem(
    name="shopping-list",
    task=(
        "Given the prices of goods and, for each of them in the same order, the discount on it in percent of its "
        "price, find the total price of all goods after their discounts, rounded to two decimal places."
    ),
    inputs=(
        Field("prices", list_of(FLOAT), "the prices, 1 to 20 numbers from 0 to 50 with two decimal places"),
        Field("discounts", list_of(FLOAT), "the discounts, as many numbers from 0 to 100 with two decimal places"),
    ),
    outputs=(Field("total", FLOAT, "the total price, rounded to two decimal places"),),
    edge_inputs=(
        *(([50.0], [100.0]), ([50.0], [10.0]), ([20.0, 20.0], [100.0, 50.0]), ([20.0, 20.0], [20.0, 0.0])),
        ([10.0, 20.0, 30.0], [5.0, 10.0, 95.0]),
        ([43.14, 18.23, 5.33, 1.35, 39.68], [100.0] * 5),
        (
            [5.73] * 20,
            [
                *(59.19, 91.24, 25.93, 16.18, 24.65, 61.96, 67.91, 43.87, 36.23, 34.3),
                *(96.27, 69.25, 73.78, 0.52, 8.91, 39.18, 79.67, 64.22, 14.15, 52.44),
            ],
        ),
        ([25.43, 43.22, 23.42, 42.09, 25.7], [0.0] * 5),
        ([0.01] * 7, [85.77, 43.99, 22.78, 34.14, 34.12, 8.54, 11.03]),
        ([9.99] * 10, [33.65] * 10),
    ),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000, "decimals": 2}),
    genetic=GeneticSettings(
        ("exec", "int", "float", "bool", "list[float]"),
        constants("float", 0.0, 100.0),
        (RandomConstant("float", lambda bits: 100.0 * bits.unit()),),
    ),
    tolerance=0.005,
)
