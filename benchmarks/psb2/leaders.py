"""PSB2 "Leaders": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, RandomConstant, constants
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain, list_of
from evaluators.problem import Named


def solve(numbers: list[int]) -> list[int]:
    """The reference solution."""
    leaders: list[int] = []
    for number in reversed(numbers):
        if not leaders or number >= leaders[-1]:
            leaders.append(number)
    return leaders[::-1]


PROBLEM = Psb2Problem(
    name="leaders",
    task=(
        "An element of a list is a leader if no element to its right is larger; the last element is always a leader. "
        "Given a list of integers, answer with its leaders, in the order in which they stand in the list."
    ),
    inputs=(Field("numbers", list_of(INT), "at most 20 integers from 0 to 1000; there may be none"),),
    outputs=(Field("leaders", list_of(INT), "the leaders, in the order of the list; none if the list is empty"),),
    edge_inputs=tuple(
        (numbers,)
        for numbers in (
            *([], [0], [451], [1000, 0], [0, 1000], [20, 137, 20], [47, 87, 43, 44], [5] * 7),
            *([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        )
    ),
    random_domains=(RandomDomain(lambda bits: (bits.integers(0, 1000, bits.integer(1, 20)),)),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000, "length_penalty": 1000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "list[int]"),
        constants("list[int]", []),
        (RandomConstant("list[int]", lambda bits: bits.integers(0, 1000, bits.integer(0, 20))),),
    ),
)
