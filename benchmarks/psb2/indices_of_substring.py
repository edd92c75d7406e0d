"""PSB2 "Indices of Substring": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import INT, STR, Field, Psb2Problem, RandomDomain, list_of
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named

_PRINTABLE = "".join(map(chr, range(32, 127)))
_TARGET_LENGTHS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6)


def solve(text: str, target: str) -> list[int]:
    """The reference solution."""
    return [index for index in range(len(text)) if text.startswith(target, index)]


def _random(shortest: int, longest: int, visible_weight: int) -> RandomDomain:
    """Texts of single characters and of whole targets, these with a probability of at most 0.8, cut to a length."""

    def draw(bits: RandomBits) -> tuple[str, str]:
        length = bits.integer(shortest, longest)
        target = bits.text(_PRINTABLE, bits.choice(_TARGET_LENGTHS))
        share, text = 0.8 * bits.unit(), ""
        while len(text) < length:
            text += target if bits.unit() < share else bits.choice(_PRINTABLE)
        return text[:length], target

    return RandomDomain(draw, visible_weight, 1000)


PROBLEM = Psb2Problem(
    name="indices-of-substring",
    task=(
        "Given a text and a target string, find all indices of the text, counted from 0, at which the target begins. "
        "Occurrences of the target may overlap. Answer with the indices in increasing order, or with an empty list if "
        "the target does not occur. Spaces are characters like all others."
    ),
    inputs=(
        Field("text", STR, "the text, a string of 1 to 20 printable ASCII characters, which may be spaces"),
        Field("target", STR, "the target, a string of 1 to 20 printable ASCII characters, which may be spaces"),
    ),
    outputs=(Field("indices", list_of(INT), "the indices, in increasing order"),),
    edge_inputs=(
        *(("a", "5"), ("!", "!"), ("r", "nm,xcnwqnd@#$fwkdjn3"), ("hi", "hi" * 10), ("#" * 12, "#"), ("G" * 20, "G")),
        *(("$" * 20, "$$"), ("3" * 20, "333"), ("ha" * 10, "haha"), ("GCT" * 6 + "GC", "GCTGC")),
        *(("bbbbbbb(bb#bbbbbbbb", "bbb"), ("fa la la la la, la ", "la"), ("start and and with s", "s")),
        *(("tomato", "tom"), ("tomato" * 3, "tom"), ("tomato" * 3, "to"), ("will be zero", "this will be zero")),
        *(("APPEAR twice APPEAR", "APPEAR"), ("a few ending <3<3<3", "<3"), ("middle of this one", "of")),
    ),
    random_domains=(_random(1, 10, 40), _random(11, 20, 140)),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 1_000_000, "unit": "word"}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str", "list[int]"),
        (*constants("list[int]", []), *constants("str", ""), *constants("int", 0, 1)),
    ),
)
