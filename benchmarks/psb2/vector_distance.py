"""PSB2 "Vector Distance": inputs of Helmuth and Kelly, GECCO 2021."""

from __future__ import annotations

import math

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import FLOAT, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(one: list[float], other: list[float]) -> float:
    """The reference solution; sums and roots alone, whose last digit every machine agrees on."""
    return math.sqrt(sum((first - second) * (first - second) for first, second in zip(one, other, strict=True)))


def _random(shortest: int, longest: int, visible_weight: int, hidden_weight: int) -> RandomDomain:
    def draw(bits: RandomBits) -> tuple[list[float], list[float]]:
        length = bits.integer(shortest, longest)
        return _vector(bits, length), _vector(bits, length)

    return RandomDomain(draw, visible_weight, hidden_weight)


def _vector(bits: RandomBits, length: int) -> list[float]:
    return [200.0 * bits.unit() - 100.0 for _ in range(length)]


PROBLEM = Psb2Problem(
    name="vector-distance",
    task=(
        "Given two vectors of the same length, find the Euclidean distance between them: the square root of the sum of "
        "the squared differences of their elements."
    ),
    inputs=(
        Field("one", list_of(FLOAT), "the first vector, 1 to 20 numbers from -100 to 100"),
        Field("other", list_of(FLOAT), "the second vector, as many numbers from -100 to 100"),
    ),
    outputs=(Field("distance", FLOAT, "the distance, a number right to 3 decimal places"),),
    edge_inputs=(
        ([-100.0] * 20, [100.0] * 20),
        ([5.32] * 20, [5.32] * 20),
        ([42.91283], [-22.134]),
        (
            [1.5, 2.87, 3.3324, 4.654, 5.123, 6.867, 7.5324, 8.534, 9.4132, 10.43],
            [-1.534, -2.543, -3.423, -4.13427, -5.714, -6.713, -7.4328, -8.43, -9.73, -10.752],
        ),
        ([0.4378, 0.634, 0.1234, 0.764, 0.243], [-0.254, -0.1223, -0.19582, -0.8971, -0.8743]),
    ),
    random_domains=(
        *(_random(1, 1, 5, 50), _random(2, 2, 30, 300), _random(3, 3, 30, 300), _random(4, 4, 20, 200)),
        *(_random(5, 5, 10, 100), _random(6, 20, 100, 1050)),
    ),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000, "decimals": 3}),
    genetic=GeneticSettings(
        ("exec", "int", "float", "bool", "list[float]"), (*constants("list[float]", []), *constants("int", 0))
    ),
    tolerance=0.0005,
)
