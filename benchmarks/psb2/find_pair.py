"""PSB2 "Find Pair": inputs of Helmuth and Kelly, GECCO 2021; after Advent of Code 2020, day 1."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(numbers: list[int], target: int) -> tuple[int, int]:
    """The reference solution."""
    for index, first in enumerate(numbers):
        if target - first in numbers[index + 1 :]:
            return first, target - first
    raise ValueError("no pair has that sum")


def _draw(shortest: int, longest: int) -> Callable[[RandomBits], tuple[list[int], int]]:
    """Different numbers, of which two have the sum, and no other two, nor one number twice."""

    def draw(bits: RandomBits) -> tuple[list[int], int]:
        length = bits.integer(shortest, longest)
        while True:
            numbers = list(dict.fromkeys(bits.integers(-10_000, 10_000, length)))
            first, second = bits.integer(0, len(numbers) - 1), bits.integer(0, len(numbers) - 1)
            target, present = numbers[first] + numbers[second], set(numbers)
            if first != second and sum(target - number in present for number in numbers) == 2:
                return numbers, target

    return draw


_LENGTH_2 = [
    *(([5, 7], 12), ([2500, 6352], 8852), ([-14, 5], -9), ([40, -19], 21), ([-4, 4], 0), ([-5, -20], -25)),
    *(([-7831, -3001], -10832), ([10000, -10000], 0), ([8310, -8320], -10), ([0, 1234], 1234)),
]
_LENGTH_3 = [
    (numbers, target)
    for numbers, targets in (
        ([1, 3, 5], (4, 6, 8)),
        ([-1, 0, 1], (0, 1, -1)),
        ([14, -35, 78], (-21, 92, 43)),
        ([9492, -3791, -7317], (5701, 2175, -11108)),
        ([237, 410, -777], (647, -540, -367)),
    )
    for target in targets
]

PROBLEM = Psb2Problem(
    name="find-pair",
    task=(
        "Given a list of different integers and a target, find the two elements of the list whose sum is the target. "
        "There is exactly one such pair. Answer with the two elements in the order in which they stand in the list."
    ),
    inputs=(
        Field("numbers", list_of(INT), "2 to 20 different integers from -10000 to 10000"),
        Field("target", INT, "the target, an integer from -20000 to 20000"),
    ),
    outputs=(
        Field("first", INT, "the element of the pair that stands first in the list"),
        Field("second", INT, "the other element of the pair"),
    ),
    edge_inputs=(*_LENGTH_2, *_LENGTH_3),
    random_domains=(
        RandomDomain(_draw(4, 4), visible_weight=25, hidden_weight=0),
        RandomDomain(_draw(5, 5), visible_weight=25, hidden_weight=0),
        RandomDomain(_draw(2, 20), visible_weight=125, hidden_weight=2000),
    ),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "list[int]"), constants("int", -1, 0, 1, 2), (random_int(-1000, 1000),)
    ),
)
