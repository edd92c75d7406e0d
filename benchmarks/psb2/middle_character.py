"""PSB2 "Middle Character": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import STR, Field, Psb2Problem, RandomDomain
from evaluators.problem import Named

_PRINTABLE = "".join(map(chr, range(32, 127)))


def solve(text: str) -> str:
    """The reference solution."""
    return text[(len(text) - 1) // 2 : len(text) // 2 + 1]


PROBLEM = Psb2Problem(
    name="middle-character",
    task=(
        "Find the middle of a string that is not empty: the one character in the middle if its length is odd, the "
        "two characters in the middle if its length is even. Spaces and punctuation are characters like all others, "
        "at the ends of the string too."
    ),
    inputs=(Field("text", STR, "a string of 1 to 100 printable ASCII characters, which may be spaces"),),
    outputs=(Field("middle", STR, "the one or two characters in the middle"),),
    edge_inputs=tuple(
        (text,)
        for text in (
            *("Q", " ", "$", "E9", ")b", "DOG", "OGD", "test", "$3^:1"),
            *("middle", "testing", "      ", "hi  ~1", "  hi~1", "hi~1  "),
        )
    ),
    random_domains=(RandomDomain(lambda bits: (bits.text(_PRINTABLE, bits.integer(1, 100)),)),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 1_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"),
        (*constants("str", ""), *constants("int", 0, 1, 2)),
        (random_int(-100, 100),),
    ),
)
