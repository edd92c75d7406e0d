"""PSB2 "Luhn": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com.

The suite's text says to start doubling with the second digit; its data start with the first, and so does this
description.
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain, list_of
from evaluators.problem import Named

_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def solve(digits: list[int]) -> int:
    """The reference solution."""
    return sum(_DOUBLED[digit] for digit in digits[::2]) + sum(digits[1::2])


_SINGLE_DIGITS = [
    *((8, 1), (0, 2), (14, 3), (8, 4), (5, 5), (1, 6), (12, 7), (10, 8), (2, 9)),
]


def _alone(place: int, digit: int) -> list[int]:
    return [0] * place + [digit] + [0] * (15 - place)


PROBLEM = Psb2Problem(
    name="luhn",
    task=(
        "Given the 16 digits of a card number, double the first digit, the third one, and so on: every second digit, "
        "beginning with the first. If a doubled digit is larger than 9, subtract 9 from it. Answer with the sum of "
        "all 16 numbers: the doubled ones, and the digits between them as they are."
    ),
    inputs=(Field("digits", list_of(INT), "16 integers from 0 to 9"),),
    outputs=(Field("total", INT, "the sum, an integer"),),
    edge_inputs=tuple(
        (digits,)
        for digits in (
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3],
            *([9] * 16, [0] * 16, [5] * 16, [4] * 16),
            [1, 0, 2, 0, 4, 3, 2, 1, 0, 4, 1, 2, 3, 4, 2, 1],
            *(_alone(place, digit) for place, digit in _SINGLE_DIGITS),
            [8, 0, 0, 0, 0, 6, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0],
            [0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            [0, 5] * 8,
            [9, 9, 8, 7, 6, 6, 7, 8, 9, 9, 8, 7, 6, 5, 5, 6],
            [0, 0, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0],
        )
    ),
    random_domains=(RandomDomain(lambda bits: (bits.integers(0, 9, 16),)),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "list[int]"), constants("int", 0, 2, 9, 10), (random_int(-10, 10),)
    ),
)
