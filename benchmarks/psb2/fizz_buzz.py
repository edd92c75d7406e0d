"""PSB2 "Fizz Buzz": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import INT, STR, Field, Psb2Problem, RandomDomain
from evaluators.problem import Named


def solve(number: int) -> str:
    """The reference solution."""
    words = ("Fizz" if number % 3 == 0 else "") + ("Buzz" if number % 5 == 0 else "")
    return words or str(number)


PROBLEM = Psb2Problem(
    name="fizz-buzz",
    task=(
        "Answer a positive integer with a word: Fizz if it is divisible by 3 but not by 5, Buzz if it is divisible by "
        "5 but not by 3, and FizzBuzz if it is divisible by both. If it is divisible by neither, the answer is the "
        "integer itself, in decimal digits."
    ),
    inputs=(Field("number", INT, "an integer from 1 to 1000000"),),
    outputs=(Field("answer", STR, "Fizz, Buzz, FizzBuzz, or the number in digits"),),
    edge_inputs=tuple((number,) for number in (*range(1, 21), 49995, 49998, 49999, 50000)),
    random_domains=(RandomDomain(lambda bits: (bits.integer(1, 1_000_000),)),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 10_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "str"), (*constants("str", "Fizz", "Buzz", "FizzBuzz"), *constants("int", 0, 3, 5))
    ),
)
