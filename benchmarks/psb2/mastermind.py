"""PSB2 "Mastermind": inputs of Helmuth and Kelly, GECCO 2021."""

from __future__ import annotations

from collections import Counter

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import INT, STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named

_COLOURS = "BRWYOG"


def solve(code: str, guess: str) -> tuple[int, int]:
    """The reference solution: all common colours, less those in their place."""
    black = sum(map(str.__eq__, code, guess))
    return (Counter(code) & Counter(guess)).total() - black, black


def _same(bits: RandomBits) -> tuple[str, str]:
    code = bits.text(_COLOURS, 4)
    return code, code


PROBLEM = Psb2Problem(
    name="mastermind",
    task=(
        "In the game of Mastermind one player tries to guess another player's code. Code and guess are strings of "
        "four letters, each letter a colour. The guess earns a black peg for each place where it has the code's "
        "colour. Without these places, it earns a white peg for each colour that code and guess have in common in "
        "different places, each letter of the code and of the guess counting once at most. Find the number of white "
        "and of black pegs."
    ),
    inputs=(
        Field("code", STR, "the code, four capital letters, most often out of B R W Y O G"),
        Field("guess", STR, "the guess, four capital letters, most often out of B R W Y O G"),
    ),
    outputs=(
        Field("white", INT, "the number of white pegs"),
        Field("black", INT, "the number of black pegs"),
    ),
    edge_inputs=(
        *(("RRRR", "RRRR"), ("BOYG", "GYOB"), ("WYYW", "BBOG"), ("GGGB", "BGGG"), ("BBBB", "OOOO"), ("BWYG", "YWBG")),
        *(("RGOW", "OGWR"), ("YGGB", "GYGB"), ("YGGB", "GYBG"), ("GOGY", "OGGO"), ("GOGR", "GOYR"), ("YMOO", "YMRG")),
        *(("GROY", "BGOW"), ("GGYG", "BYBB"), ("WWWW", "BYWR"), ("RBYO", "BWBB"), ("RBRB", "ORBY"), ("WORR", "BYOW")),
        *(("YOWW", "YWWR"), ("BRYB", "WOGG")),
    ),
    random_domains=(
        RandomDomain(_same, visible_weight=10, hidden_weight=200),
        RandomDomain(
            lambda bits: (bits.text(_COLOURS, 4), bits.text(_COLOURS, 4)), visible_weight=170, hidden_weight=1800
        ),
    ),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"), (*constants("int", 0, 1), *constants("char", *_COLOURS))
    ),
)
