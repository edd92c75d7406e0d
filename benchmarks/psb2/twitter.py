"""PSB2 "Twitter": inputs of Helmuth and Kelly, GECCO 2021."""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants
from benchmarks.psb2.problem import STR, Field, Psb2Problem, RandomDomain
from evaluators.problem import Named

_VISIBLE = "".join(map(chr, range(33, 127)))
_NOTHING, _TOO_MUCH = "You didn't type anything", "Too many characters"
_BEFORE, _AFTER = "Your tweet has ", " characters"


def solve(tweet: str) -> str:
    """The reference solution."""
    if len(tweet) > 140:
        return _TOO_MUCH
    return f"{_BEFORE}{len(tweet)}{_AFTER}" if tweet else _NOTHING


_EDGES = (
    "",
    "1",
    "max length tweet that just contains letters and spaces even SOME CAPITAL LETTERS just to MAKE it INTERESTING now "
    "repeeeeeeeeeEEEEEEEeeeat it",
    "40172875*&(&(%^^*!@&#()!@&^(*$787031264123984721-43214876*%^#!(@^$_!@^%#$(!#@%$(01234~~``)",
    f"T{'o' * 135}long1",
    "(@)&#N)&#@!M#&17t8023n217830123bn6 BN23780BC3879N01nc3n473N962n9768062BC3718N396b21v8365n9072B638705b097B6*&b%&"
    "%b(*B5*&%b7%(*vb&V8%v&(85V80%0857(%v97%(*&%v87c%&*c ()0*^c%08v^mN098)vf%9P8V6TfB97b99870)",
)

PROBLEM = Psb2Problem(
    name="twitter",
    task=(
        "Judge a message by its length. If the message is empty, answer: You didn't type anything\n"
        "If it has more than 140 characters, answer: Too many characters\n"
        "In all other cases, answer: Your tweet has N characters\n"
        "where N is the number of characters, in decimal digits; the words are the same if N is 1. No full stop ends "
        "the answer. Spaces count as characters."
    ),
    inputs=(Field("tweet", STR, "the message, a string of at most 200 printable ASCII characters; it may be empty"),),
    outputs=(Field("answer", STR, "the answer"),),
    edge_inputs=tuple((tweet,) for tweet in _EDGES),
    random_domains=(RandomDomain(lambda bits: (bits.text(_VISIBLE, bits.integer(0, 200)),)),),
    solve=solve,
    error_function=Named("levenshtein", {"penalty": 10_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"),
        (*constants("int", 0, 140), *constants("str", _TOO_MUCH, _NOTHING, _BEFORE, _AFTER)),
    ),
)
