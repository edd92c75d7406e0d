"""CodeBLEU: its parts, and what it must not care for."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.code_bleu import CodeBleu, code_bleu

GCD = """
def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
"""
SUM = """
def total(numbers):
    result = 0
    for number in numbers:
        if number > 0:
            result += number * 2
    return result
"""
PROGRAMS = [
    GCD,
    SUM,
    "print(input())",
    "with open('f') as f:\n    x = [y ** 2 for y in f if (z := y)]\n",
    "class A:\n    '''Doc.'''\n    x: int = 1\n    def f(self, *args, k=1, **rest):\n        return lambda q: q + k\n",
    "try:\n    import os\nexcept ImportError as error:\n    raise SystemExit(str(error))\n",
    "x = 1",
    "pass",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_like_itself(program):
    same = code_bleu(program, program)
    assert same.score == pytest.approx(1)
    assert same.dataflow in (None, 1)


@given(st.sampled_from(PROGRAMS) | st.text(max_size=60), st.sampled_from(PROGRAMS))
def test_every_part_is_a_share(prediction, reference):
    result = code_bleu(prediction, reference)
    for part in (result.ngram, result.weighted_ngram, result.syntax, result.dataflow, result.score):
        assert part is None or 0 <= part <= 1 + 1e-12


@pytest.mark.parametrize("nothing", ["", "  \n", "# only a comment\n", '"""only a docstring"""'])
@pytest.mark.parametrize("reference", PROGRAMS)
def test_an_empty_prediction_scores_0(nothing, reference):
    result = code_bleu(nothing, reference)
    assert result.score == 0
    assert (result.ngram, result.weighted_ngram, result.syntax) == (0, 0, 0)


def test_layout_comments_quotes_and_docstrings_do_not_count():
    other = '''
def gcd(a:int,b:int)->int :
      """Euclid."""
      while (b) :   # until nothing is left
            (a, b) = (b, (a % b))
      return a
'''
    assert code_bleu(other, GCD).score == pytest.approx(1)
    assert code_bleu("x = 'a'", 'x = "a"').score == pytest.approx(1)


def test_other_names_keep_syntax_and_flow():
    renamed = GCD.replace("a", "first").replace(" b", " second").replace("b,", "second,").replace("b:", "second:")
    ast.parse(renamed)
    result = code_bleu(renamed.replace("gcd", "divisor"), GCD)
    assert (result.syntax, result.dataflow) == (1, 1)
    assert result.ngram < 0.5


def test_another_flow_of_data_is_seen():
    swapped = GCD.replace("a, b = b, a % b", "a, b = a, b % a")
    result = code_bleu(swapped, GCD)
    assert result.syntax == 1
    assert code_bleu(SUM.replace("return result", "return number"), SUM).dataflow < 1


def test_other_operators_are_other_syntax():
    assert code_bleu("x = a + b", "x = a - b").syntax < 1
    assert code_bleu("x = a + 1", "x = b + 2").syntax == 1


def test_what_does_not_parse_has_tokens_alone():
    result = code_bleu(GCD + "    else oops(\n", GCD)
    assert (result.syntax, result.dataflow) == (0, 0)
    assert result.ngram > 0.5
    assert code_bleu("(" * 5000, GCD).score < 0.01
    assert code_bleu("x = " + "-" * 3000 + "1", GCD).score < 0.3


def test_clipped_counts_do_not_reward_repetition():
    assert code_bleu("return return return return", "def f(): return 1").weighted_ngram <= 0.25 + 1e-12
    assert code_bleu("x = 1\n" * 20, "x = 1").ngram < 0.2


def test_a_short_prediction_pays_for_brevity():
    result = code_bleu("def gcd", GCD)
    tokens = 11 + 3 + 3 + 4 + 7 + 2  # by statement, as unparsed: (b, a % b) in parentheses
    assert result.weighted_ngram == pytest.approx(math.exp(1 - tokens / 2), rel=1e-9)


def test_keywords_count_five_times():
    # Shared: the keywords pass and return (5 each); not shared: the name.
    result = code_bleu("pass pass x", "pass\npass\nreturn")
    assert result.weighted_ngram == pytest.approx(10 / 11)


def test_without_edges_in_the_reference_the_other_parts_share_the_weight():
    result = code_bleu("print(1)", "print(2)")
    assert result.dataflow is None
    assert result.score == pytest.approx((result.ngram + result.weighted_ngram + result.syntax) / 3)


def test_weights():
    parts = CodeBleu(0.4, 0.6, 0.8, 0.2)
    assert parts.score == pytest.approx(0.5)
    assert parts.weighted_score((0, 0, 1, 0)) == pytest.approx(0.8)
    assert parts.weighted_score((1, 1, 4, 4)) == pytest.approx(0.5)
    for wrong in ((1, 1), (0, 0, 0, 0), (1, 1, 1, -1)):
        with pytest.raises(ValueError, match="four numbers"):
            parts.weighted_score(wrong)
    assert CodeBleu(0.4, 0.6, 0.8, None).weighted_score((0, 0, 0, 1)) == 0


@pytest.mark.parametrize("reference", ["", "# nothing", "def f(:"])
def test_a_reference_must_be_a_program(reference):
    with pytest.raises(ValueError, match="reference"):
        code_bleu("x = 1", reference)
