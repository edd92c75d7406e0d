"""PSB2 "Camel Case": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from string import ascii_lowercase

from benchmarks.psb2.genetic_settings import GeneticSettings, RandomConstant, constants, random_char
from benchmarks.psb2.problem import STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named


def solve(text: str) -> str:
    """The reference solution."""
    first, *others = text.split("-")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def _text(bits: RandomBits, length: int) -> str:
    """Words of 1 to 5 letters, two thirds of the separators dashes and the others spaces, cut to the length."""
    text = _word(bits)
    while len(text) < length:
        text += ("-" if bits.integer(1, 100) <= 66 else " ") + _word(bits)
    text = text[:length]
    return text[:-1] if text.endswith(("-", " ")) else text


def _word(bits: RandomBits) -> str:
    return bits.text(ascii_lowercase, bits.integer(1, 5))


PROBLEM = Psb2Problem(
    name="camel-case",
    task=(
        "A string holds words of lowercase letters. Words are joined by a dash to a group, and groups are separated "
        "by a space. Write each group in camel case: leave out every dash, and turn the letter after it into a "
        "capital letter. Everything else, the spaces included, stays as it is. An empty string stays empty."
    ),
    inputs=(Field("text", STR, "a string of at most 20 lowercase letters, dashes and spaces, which may be empty"),),
    outputs=(Field("camel", STR, "the string in camel case"),),
    edge_inputs=tuple(
        (text,)
        for text in (
            *("", "nospaceordash", "two-words", "two words", "all separate words", "all-one-word-dashed"),
            *("loooooong-wooooords", "loooooong wooooords", "a-b-c-d-e-f-g-h-i-j", "a b c d e f g h i j"),
            "saaaaaaaaaaaaaaaaame",
        )
    ),
    random_domains=(RandomDomain(lambda bits: (_text(bits, bits.integer(1, 20)),)),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 10_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"),
        constants("char", "-", " "),
        # the suite's own range of letters ends at y
        (
            random_char(ascii_lowercase[:-1]),
            RandomConstant("str", lambda bits: _text(bits, bits.integer(0, 20))),
        ),
    ),
)
