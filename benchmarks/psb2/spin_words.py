"""PSB2 "Spin Words": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from string import ascii_lowercase

from benchmarks.psb2.genetic_settings import GeneticSettings, RandomConstant, constants, random_char
from benchmarks.psb2.problem import STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(text: str) -> str:
    """The reference solution."""
    return " ".join(word[::-1] if len(word) >= 5 else word for word in text.split(" "))


def _text(bits: RandomBits, length: int) -> str:
    """Words of 1 to 8 letters, one in five of 1 to 16, cut to the length."""
    text = ""
    while len(text) < length:
        text += bits.text(ascii_lowercase, bits.integer(1, 8 if bits.integer(1, 5) <= 4 else 16)) + " "
    return text[:length].removesuffix(" ")


PROBLEM = Psb2Problem(
    name="spin-words",
    task=(
        "A string holds words, separated by single spaces. Reverse the letters of every word that has five letters or "
        "more, and leave all other words, the spaces and the order of the words as they are. An empty string stays "
        "empty."
    ),
    inputs=(Field("text", STR, "a string of at most 20 lowercase letters and spaces, which may be empty"),),
    outputs=(Field("spun", STR, "the string with its long words reversed"),),
    edge_inputs=tuple(
        (text,)
        for text in (
            *("", "a", "this is a test", "this is another test", "hi", "cat", "walk", "jazz", "llama", "heart"),
            *("pantry", "helpful", "disrespectful", "stop spinning these", "couple longer words"),
            *("oneloongworrrrrrrrrd", "a b c d e f g h i j", "ab cd ef gh ij kl mn", "abc def gef hij klm"),
            *("word less than five", "abcde fghij klmno", "abcdef ghijkl mnopqr", "abcdefg hijklmn"),
            *("abcdefgh ijklmnop", "abcdefghi jklmnopqrs", "on pineapple island", "maybe this isgood"),
            *("racecar palindrome", "ella is a short pali", "science hi"),
        )
    ),
    random_domains=(RandomDomain(lambda bits: (_text(bits, bits.integer(1, 20)),)),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 10_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"),
        (*constants("int", 4, 5), *constants("char", " ")),
        # the suite's own range of letters ends at y
        (
            random_char(ascii_lowercase[:-1]),
            RandomConstant("str", lambda bits: _text(bits, bits.integer(0, 20))),
        ),
    ),
)
