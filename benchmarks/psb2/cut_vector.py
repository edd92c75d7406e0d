"""PSB2 "Cut Vector": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com.

Which of several best cuts is the answer is nowhere said in the suite's text; this description says what its data do.
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import INT, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(numbers: list[int]) -> tuple[list[int], list[int]]:
    """The reference solution: the smallest difference, the first cut if it is 0, else the last one."""
    if len(numbers) == 1:
        return numbers, []
    gaps = [abs(sum(numbers[:cut]) - sum(numbers[cut:])) for cut in range(1, len(numbers))]
    least = min(gaps)
    cut = 1 + (gaps.index(0) if least == 0 else len(gaps) - 1 - gaps[::-1].index(least))
    return numbers[:cut], numbers[cut:]


def _domain(shortest: int, longest: int, visible_weight: int, hidden_weight: int) -> RandomDomain:
    def draw(bits: RandomBits) -> tuple[list[int]]:
        return (bits.integers(0, 10_000, bits.integer(shortest, longest)),)

    return RandomDomain(draw, visible_weight, hidden_weight)


PROBLEM = Psb2Problem(
    name="cut-vector",
    task=(
        "Cut a list of integers into two parts, a first and a second one that keep the elements' order, so that the "
        "sums of the two parts differ as little as possible. Neither part may be empty, unless the list has a single "
        "element: then that element is the first part, and the second part is empty. If several cuts are best: take "
        "the first of them if the two sums are equal there, else the last of them."
    ),
    inputs=(Field("numbers", list_of(INT), "1 to 20 integers from 0 to 10000"),),
    outputs=(
        Field("first_part", list_of(INT), "the first part"),
        Field("second_part", list_of(INT), "the second part, which may be empty"),
    ),
    edge_inputs=tuple(
        (numbers,)
        for numbers in (
            *([0], [10], [100], [1000], [10000]),
            *([2, 129], [0, 40], [9999, 74], [9879, 9950], [9225, 9994]),
        )
    ),
    random_domains=(
        *(_domain(1, 1, 20, 250), _domain(2, 2, 20, 250), _domain(3, 5, 50, 500)),
        *(_domain(20, 20, 5, 50), _domain(1, 20, 95, 950)),
    ),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000, "length_penalty": 10_000}),
    genetic=GeneticSettings(("exec", "int", "bool", "list[int]"), (*constants("list[int]", []), *constants("int", 0))),
)
