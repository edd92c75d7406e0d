"""How the cases of PSB2 are drawn."""

from __future__ import annotations

import pytest

from benchmarks.catalog import PROBLEMS, cases_digest, psb2_problem
from benchmarks.psb2.cases import cases, hidden_cases, visible_cases
from benchmarks.random_bits import RandomBits
from evaluators.exceptions import UserError

every_problem = pytest.mark.parametrize("name", sorted(PROBLEMS))

DIGESTS = {
    "coin-sums": (
        "27b571245831f9f70663fc7cbfa0c95ecade931e331a7769aca4d6f44ff5c85e",
        "d0ce62536d6849d783983c9f7f83bfe400bc53b00d4e10077bc98cc1ff279166",
    ),
    "fizz-buzz": (
        "b927befe48e6cc2ca8249da60f7955fb8c0545621c952bb6965f3443342e9e34",
        "52b4ce9ca337b410cf53a969defef10f0200e07204347bfb7fdaaea667771595",
    ),
    "fuel-cost": (
        "44d9fdbac2863b5b342fabe80b3ffbb2156d7e9c0c78e98f5cf471b67c340c78",
        "eb8a80a9b479d9f31582d009d654418de981332fdee9bb4446d19960fbef851d",
    ),
    "gcd": (
        "dcb19af35fbb5d4925fe15a413a2645ef2384c2de8cde7ffef96a7af99eb7efa",
        "0ad78a6cd99822b18fd3385f531cd1da1eeeba0dde77ecf2b9f25311485f2e2e",
    ),
    "middle-character": (
        "b1bc9f58beceac4a9ba3f20b091edc7b9dca6c27faad1f5fff451956b24e8a84",
        "01036ca910da21482f4b2335e00300f5e0c1f3e543526bd073048b5c0adbe377",
    ),
}
FIRST_DRAWS = [0, 2, 2, 1, 4, 2, 2, 1, 0, 1, 4, 6]


@every_problem
def test_the_cases_of_a_seed_never_change(name):
    visible, hidden = cases(psb2_problem(name), 0)
    assert (cases_digest(visible), cases_digest(hidden)) == DIGESTS[name]


@every_problem
def test_the_protocol(name):
    problem = psb2_problem(name)
    visible, hidden = cases(problem, 1)
    assert (len(visible), len(hidden)) == (200, 2000)
    edges = len(problem.edge_inputs)
    assert [case.name for case in visible[:edges]] == [f"edge-{number}" for number in range(1, edges + 1)]
    assert all(case.name.startswith("random-") for case in visible[edges:])
    inputs = [case.input for case in (*visible, *hidden)]
    assert len(set(inputs)) == len(inputs)
    assert len({case.name for case in (*visible, *hidden)}) == len(inputs)


@every_problem
def test_both_modes_hold_the_same_cases(name):
    problem = psb2_problem(name)
    stdio, function = visible_cases(problem, 4, 60), visible_cases(problem, 4, 60, "function")
    assert [case.name for case in stdio] == [case.name for case in function]
    for text, data in zip(stdio, function, strict=True):
        last = data.input[-1]
        line = " ".join(map(str, last)) if isinstance(last, list) else str(last)
        assert text.input.removesuffix("\n").split("\n")[-1] == line


@every_problem
def test_seeds_differ_and_repeat(name):
    problem = psb2_problem(name)
    assert cases(problem, 5, 60, 30) == cases(problem, 5, 60, 30)
    assert visible_cases(problem, 5, 60) != visible_cases(problem, 6, 60)
    assert hidden_cases(problem, 5, 60, 30) != hidden_cases(problem, 6, 60, 30)


@every_problem
def test_hidden_cases_hardly_depend_on_the_number_of_visible_ones(name):
    problem = psb2_problem(name)
    few, many = (hidden_cases(problem, 0, visible, 500) for visible in (50, 200))
    assert len({case.input for case in few} & {case.input for case in many}) > 480


@every_problem
def test_fewer_visible_cases_than_edges_leave_no_edge_for_the_judge(name):
    problem = psb2_problem(name)
    visible, hidden = cases(problem, 0, 3, 2000)
    assert [case.name for case in visible] == ["edge-1", "edge-2", "edge-3"]
    edges = {case.input for case in visible_cases(problem, 0, len(problem.edge_inputs))}
    assert not edges & {case.input for case in hidden}


def test_domains_have_their_shares():
    visible, hidden = cases(psb2_problem("fuel-cost"), 2, mode="function")
    lengths = [len(case.input[0]) for case in visible if case.name.startswith("random-")]
    assert (sum(length <= 5 for length in lengths), sum(length > 5 for length in lengths)) == (75, 88)
    assert sum(len(case.input[0]) <= 5 for case in hidden) == 1000
    assert {len(case.input[0]) for case in hidden} == set(range(1, 21))
    masses = [mass for case in hidden for mass in case.input[0]]
    assert (min(masses) >= 6, max(masses) <= 10_000, max(masses) > 9_900) == (True, True, True)


def test_ranges_are_used_to_their_ends():
    texts = [case.input[0] for case in hidden_cases(psb2_problem("middle-character"), 0, mode="function")]
    assert {character for text in texts for character in text} == set(map(chr, range(32, 127)))
    assert {len(text) for text in texts} == set(range(1, 101))
    amounts = [case.input[0] for case in hidden_cases(psb2_problem("coin-sums"), 0, hidden=9_000, mode="function")]
    assert not {1, 30, 35, 41, 109, 10_000} & set(amounts)  # edges, which are visible
    assert min(amounts) < 40
    assert max(amounts) > 9_980


def test_a_domain_that_is_too_small_says_so():
    with pytest.raises(UserError, match="coin-sums has too few different inputs"):
        visible_cases(psb2_problem("coin-sums"), 0, 10_001)


@pytest.mark.parametrize(("arguments", "word"), [((0, 0), "visible"), ((-1, 50), "seed"), ((0, 50, -1), "hidden")])
def test_numbers_out_of_range_are_refused(arguments, word):
    with pytest.raises(UserError, match=f"{word} is"):
        cases(psb2_problem("gcd"), *arguments)


def test_bounded_integers_are_fair_and_fixed():
    bits = RandomBits(1, 2, 3)
    drawn = [bits.integer(0, 6) for _ in range(7_000)]
    counts = [drawn.count(value) for value in range(7)]
    assert sum((count - 1_000) ** 2 / 1_000 for count in counts) < 22.5  # chi-square, 6 degrees, p = 0.001
    assert drawn[:12] == FIRST_DRAWS
    assert RandomBits(1, 2, 4).integers(0, 6, 12) != drawn[:12]
    assert all(0 <= bits.unit() < 1 for _ in range(1_000))
