"""PSB2 "Substitution Cipher": inputs of Helmuth and Kelly, GECCO 2021."""

from __future__ import annotations

from string import ascii_lowercase

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(plain: str, cipher: str, message: str) -> str:
    """The reference solution."""
    return message.translate(str.maketrans(plain, cipher))


def _random(bits: RandomBits) -> tuple[str, str, str]:
    size = bits.integer(1, 26)
    plain, cipher = _shuffled(bits)[:size], _shuffled(bits)[:size]
    return plain, cipher, bits.text(plain, bits.integer(0, 26))


def _shuffled(bits: RandomBits) -> str:
    letters = list(ascii_lowercase)
    for last in range(25, 0, -1):
        chosen = bits.integer(0, last)
        letters[last], letters[chosen] = letters[chosen], letters[last]
    return "".join(letters)


_ALPHABETS = (
    (ascii_lowercase, ascii_lowercase[::-1], "bvafvuqgjkkbeccipwdfqttgzl"),
    (ascii_lowercase, "cdqutzayxshgfenjowrkvmpbil", "thequickbrownfxjmpsvlazydg"),
    ("otghvwmkclidzryxsfqeapnjbu", "alpebhxmnrcyiosvtgzjwuqdfk", "aaabbbccc"),
)

PROBLEM = Psb2Problem(
    name="substitution-cipher",
    task=(
        "A key consists of two strings of the same length: each letter of the first one stands for the letter of the "
        "second one that has the same place. Replace each letter of a message, every one of which occurs in the first "
        "string, by the letter that it stands for. The message may be empty."
    ),
    inputs=(
        Field("plain", STR, "the first string of the key, at most 26 different lowercase letters"),
        Field("cipher", STR, "the second string of the key, as many different lowercase letters"),
        Field("message", STR, "the message, at most 26 letters of the first string; it may be empty"),
    ),
    outputs=(Field("encoded", STR, "the message with its letters replaced"),),
    edge_inputs=(
        *(("", "", ""), ("a", "a", "a"), ("j", "h", "j"), ("a", "z", "a")),
        *(("e", "l", "e" * 10), ("h", "d", "h" * 20), ("o", "z", "o" * 26)),
        *_ALPHABETS,
    ),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 10_000}),
    genetic=GeneticSettings(("exec", "int", "bool", "char", "str"), (*constants("str", ""), *constants("int", 0))),
)
