"""PSB2 "Fuel Cost": inputs of Helmuth and Kelly, GECCO 2021; after Advent of Code 2019, day 1."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named

LARGEST_NUMBER = 10**12
"""Clojush's bound on the size of a number, which is this problem's penalty."""


def solve(masses: list[int]) -> int:
    """The reference solution."""
    return sum(mass // 3 - 2 for mass in masses)


def _short(bits: RandomBits) -> tuple[list[int]]:
    return (bits.integers(6, 10_000, bits.integer(1, 5)),)


def _longer(bits: RandomBits) -> tuple[list[int]]:
    return (bits.integers(6, 10_000, bits.integer(6, 20)),)


_SINGLES = [[mass] for mass in (*range(6, 18), 9998, 9999, 10000)]
_PAIRS = [[6, 6], [9, 14], [9, 15], [14, 9], [15, 9], [32, 32], [33, 33], [10000, 9], [9, 10000], [10000, 10000]]
_LONG = [[mass] * 20 for mass in (*range(6, 14), 9998, 9999, 10000)] + [[9] * 15]

PROBLEM = Psb2Problem(
    name="fuel-cost",
    task=(
        "A spacecraft consists of modules, and each module needs an amount of fuel that depends on its mass: divide "
        "the mass by 3, round down to an integer, and subtract 2. Given the masses of all modules, find the total "
        "amount of fuel: the sum of what the modules need one by one."
    ),
    inputs=(Field("masses", list_of(INT), "the modules' masses, 1 to 20 integers from 6 to 10000"),),
    outputs=(Field("fuel", INT, "the total amount of fuel, an integer"),),
    edge_inputs=tuple((masses,) for masses in (*_SINGLES, *_PAIRS, *_LONG)),
    random_domains=(
        RandomDomain(_short, visible_weight=75, hidden_weight=1000),
        RandomDomain(_longer, visible_weight=88, hidden_weight=1000),
    ),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": LARGEST_NUMBER}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "list[int]"), constants("int", 0, 1, 2, 3), (random_int(-1000, 1000),)
    ),
)
