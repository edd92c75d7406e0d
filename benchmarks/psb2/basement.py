"""PSB2 "Basement": inputs of Helmuth and Kelly, GECCO 2021; after Advent of Code 2015, day 1."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(steps: list[int]) -> int:
    """The reference solution."""
    floor = 0
    for index, step in enumerate(steps):
        floor += step
        if floor < 0:
            return index
    raise ValueError("no sum is negative")


def _random(bits: RandomBits) -> tuple[list[int]]:
    """Every answer is as likely as any other; a number is the more likely negative the later it stands."""
    length = bits.integer(1, 20)
    answer = bits.integer(0, length - 1)

    def number(index: int) -> int:
        size = bits.integer(0, 100)
        return -size if bits.integer(0, length) <= index else size

    while True:
        steps, floor = [], 0
        for index in range(answer + 1):
            steps.append(number(index))
            floor += steps[-1]
            if floor < 0:
                break
        if floor < 0 and len(steps) == answer + 1:
            return (steps + [number(index) for index in range(answer + 1, length)],)


_SHORT = [
    *([-1], [-100], [-1, 100], [-95, 100], [-30, 5], [-50, 50], [0, -1], [1, -2], [3, -97], [99, -100]),
    *([1, -1, -1], [1, -2, -1], [0, -1, -1], [0, 0, -1], [2, -2, -1], [5, -6, -5], [5, -5, -5]),
    *([100, -100, -100], [-100, -100, -100], [-1, 100, 99]),
]
_LONG = [
    [-10] * 20,
    [-1] + [100] * 19,
    [5, -10] + [5] * 18,
    [5] * 19 + [-99],
    [1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, 10],
    [93] + [-5] * 19,
    [99, -10, -9, -12, -10, -5, -12, -3, -10, -9, -9, -10, -12, -11, -12, -9, -10, -12, -11, -10],
    [1, 1, 1, 1, 2, 2, 2, 2, -1, -1, -1, -2, -3, -4, -5, -1, 1, 2, 3, 4],
    [0, -1] + [0] * 8 + [-1] + [0] * 8 + [-1],
    [0] * 10 + [-1] + [0] * 8 + [-1],
    [0] * 19 + [-1],
    [50, -30] + [0] * 8 + [-30] + [0] * 8 + [-30],
    [50] + [0] * 9 + [-30] + [0] * 8 + [-30],
    [50] + [0] * 18 + [-60],
    [20, -30] + [0] * 8 + [-30] + [0] * 8 + [-30],
]

PROBLEM = Psb2Problem(
    name="basement",
    task=(
        "Add up a list of integers from its first element on, one element at a time. Find the element that makes the "
        "sum negative for the first time, and answer with its index, counted from 0. Such an element always exists."
    ),
    inputs=(Field("steps", list_of(INT), "1 to 20 integers from -100 to 100"),),
    outputs=(Field("index", INT, "the index of the first element that makes the sum negative, counted from 0"),),
    edge_inputs=tuple((steps,) for steps in (*_SHORT, *_LONG)),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "list[int]"),
        (*constants("list[int]", []), *constants("int", -1, 0, 1)),
        (random_int(-1000, 1000),),
    ),
)
