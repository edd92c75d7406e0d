"""PSB2 "Paired Digits": inputs of Helmuth and Kelly, GECCO 2021; after Advent of Code 2017, day 1."""

from __future__ import annotations

import itertools
import string

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_char, random_int
from benchmarks.psb2.problem import INT, STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(digits: str) -> int:
    """The reference solution."""
    return sum(int(one) for one, other in itertools.pairwise(digits) if one == other)


def _random(bits: RandomBits) -> tuple[str]:
    """Each string has a probability of its own that a digit repeats the one before it."""
    length, repeats = bits.integer(2, 20), bits.unit()
    text = bits.choice(string.digits)
    while len(text) < length:
        text += text[-1] if bits.unit() < repeats else bits.choice(string.digits)
    return (text,)


PROBLEM = Psb2Problem(
    name="paired-digits",
    task=(
        "Given a string of digits, find the sum of all digits that are equal to the digit right after them. The last "
        "digit has none after it. If there is no such digit, the sum is 0."
    ),
    inputs=(Field("digits", STR, "a string of 2 to 20 digits"),),
    outputs=(Field("total", INT, "the sum, an integer"),),
    edge_inputs=tuple(
        (digits,)
        for digits in (
            *("99", "88", "77", "55", "44", "22", "00", "83", "38", "71", "90", "32", "05", "64", "42"),
            *("999", "555", "111", "844", "522", "688", "233", "660", "004", "992", "123", "841", "808", "454", "295"),
            *("9" * 20, "8" * 10 + "5" * 10, "85" * 10, "0" * 20, "1" * 20, "11223344556677889900"),
            *("11111888882222266666", "91181171161151141131", "77777377777377777377", "09876543210987654321"),
        )
    ),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"), constants("int", 0), (random_char(string.digits), random_int(0, 9))
    ),
)
