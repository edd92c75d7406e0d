"""CodeBLEU of C++ programs."""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators import code_bleu_cpp
from evaluators.code_bleu import code_bleu
from evaluators.exceptions import UserError

REFERENCE = "int f(int a) { return a; }"
SUM = """#include <vector>
// The sum.
int total(const std::vector<int>& numbers) {
    int result = 0;
    for (auto number : numbers) {
        if (number > 0) result += number * 2;
    }
    return result;
}
"""
HUMAN_EVAL_X = Path(os.environ.get("EVO_TEST_DATA", "")) / "humaneval-x" / "humaneval_cpp.jsonl.gz"


def bleu(prediction, reference):
    pytest.importorskip("tree_sitter_cpp", reason="needs tree-sitter: pip install 'evo-synthesis[codebleu]'")
    return code_bleu(prediction, reference, "cpp")


def edges(source):
    pytest.importorskip("tree_sitter_cpp", reason="needs tree-sitter: pip install 'evo-synthesis[codebleu]'")
    return sorted(code_bleu_cpp.cpp_facts(source).edges.elements())


def test_the_parts_are_those_that_a_hand_computes():
    result = bleu("int f(int b) { return b + 1; }", REFERENCE)
    # 13 tokens against 11: 9 of them, 6 of 12 pairs, 3 of 11 triples and 1 of 10 quadruples match
    assert result.ngram == pytest.approx((9 / 13 * 7 / 13 * 4 / 12 * 2 / 11) ** 0.25)
    # int, int and return count five times
    assert result.weighted_ngram == pytest.approx((3 * 5 + 6) / (3 * 5 + 10))
    # the parameter, the list of them and the head, of 7 subtrees
    assert result.syntax == pytest.approx(3 / 7)
    assert result.dataflow == 1


def test_the_brevity_penalty_is_bleus():
    result = bleu("int f(", REFERENCE)
    assert result.weighted_ngram == pytest.approx(math.exp(1 - 11 / 3))


def test_the_flow_of_data_goes_by_the_places_of_variables():
    first, second = "variable 0", "variable 1"
    assert edges("int f(int a) { int b = a + 1; b += a; b++; return g(b); }") == sorted(
        [
            (second, "computed from", (first,)),
            (second, "computed from", (first, second)),
            (second, "computed from", (second,)),
            (first, "comes from", (first,)),
            (first, "comes from", (first,)),
            (second, "comes from", (second,)),
        ]
    )
    assert edges("void f(int *p) { for (auto &[k, v] : m) v = k; }") == sorted(
        [
            (second, "computed from", ("m",)),
            ("variable 2", "computed from", ("m",)),
            ("variable 2", "computed from", (second,)),
            (second, "comes from", (second,)),
        ]
    )


@pytest.mark.parametrize("other", [SUM.replace("result", "x").replace("number ", "y "), f"/* c */ {SUM} // end"])
def test_comments_do_not_count_and_names_only_in_tokens(other):
    result = bleu(other.replace("number *", "y *").replace("(number", "(y"), SUM)
    assert result.syntax == 1
    assert bleu(f"/* c */ {SUM} // end", SUM).score == pytest.approx(1)


@pytest.mark.parametrize("nothing", ["", " \n", "// only a comment\n"])
def test_an_empty_prediction_scores_0(nothing):
    result = bleu(nothing, SUM)
    assert result.score == 0
    assert result.dataflow == 0


def test_what_can_be_read_of_a_broken_program_counts():
    broken = bleu(SUM.replace("return result;\n}", "return result +"), SUM)
    assert 0 < broken.syntax < 1
    assert 0 < broken.score < 1


@pytest.mark.parametrize("reference", ["", "// nothing\n"])
def test_an_empty_reference_is_an_error(reference):
    with pytest.raises(ValueError, match="not empty"):
        bleu(REFERENCE, reference)


@given(st.sampled_from([SUM, REFERENCE]) | st.text(max_size=60), st.sampled_from([SUM, REFERENCE, ";"]))
def test_every_part_is_a_share(prediction, reference):
    result = bleu(prediction, reference)
    for part in (result.ngram, result.weighted_ngram, result.syntax, result.dataflow, result.score):
        assert part is None or 0 <= part <= 1 + 1e-12


def test_without_tree_sitter_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    code_bleu_cpp._parser.cache_clear()
    with pytest.raises(UserError, match=r"tree_sitter, which is not .* pip install 'evo-synthesis\[codebleu\]'"):
        code_bleu("", REFERENCE, "cpp")


def test_another_language_is_an_error():
    with pytest.raises(UserError, match="language of CodeBLEU 'c': allowed are cpp, python"):
        code_bleu("", REFERENCE, "c")


@pytest.mark.skipif(not HUMAN_EVAL_X.is_file(), reason="needs humaneval-x/humaneval_cpp.jsonl.gz: set EVO_TEST_DATA")
def test_solutions_of_human_eval_x_are_like_themselves_and_less_like_others():
    with gzip.open(HUMAN_EVAL_X, "rt") as file:
        records = [json.loads(line) for line in file][::16]
    programs = [record["prompt"] + record["canonical_solution"] for record in records]
    for program, other in zip(programs, programs[1:] + programs[:1], strict=True):
        assert bleu(program, program).score == pytest.approx(1)
        assert bleu(other, program).score < 0.9
