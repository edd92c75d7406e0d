"""How the cases of PSB2 are drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.catalog import PROBLEMS, cases_digest, psb2_problem
from benchmarks.psb2.cases import cases, hidden_cases, visible_cases
from benchmarks.random_bits import RandomBits
from evaluators.exceptions import UserError

every_problem = pytest.mark.parametrize("name", sorted(PROBLEMS))

DIGESTS = json.loads((Path(__file__).parent / "psb2_digests.json").read_text())
"""SHA-256 of the visible and of the hidden cases of seed 0, by problem."""

FIRST_DRAWS = [0, 2, 2, 1, 4, 2, 2, 1, 0, 1, 4, 6]


@every_problem
def test_the_cases_of_a_seed_never_change(name):
    visible, hidden = cases(psb2_problem(name), 0)
    assert [cases_digest(visible), cases_digest(hidden)] == DIGESTS[name]


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
    assert len({case.input for case in few} & {case.input for case in many}) > 450


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


def test_a_small_domain_leaves_the_rest_of_its_share_to_the_next():
    visible, hidden = cases(psb2_problem("dice-game"), 0, mode="function")
    equal = [case.input[0] for case in (*visible, *hidden) if case.input[0] == case.input[1]]
    assert sorted(equal) == list(range(1, 101))
    assert len(hidden) == 2000


@pytest.mark.parametrize(
    ("name", "share", "least", "most"),
    [
        ("basement", lambda case: case.expected == len(case.input[0]) - 1, 0.12, 0.24),
        ("camel-case", lambda case: "-" in case.input[0], 0.6, 0.9),
        ("cut-vector", lambda case: len(case.input[0]) == 1, 0.13, 0.17),
        ("find-pair", lambda case: len(case.input[0]) > 10, 0.45, 0.6),
        ("indices-of-substring", lambda case: case.expected != [], 0.5, 0.9),
        ("mastermind", lambda case: case.input[0] == case.input[1], 0.099, 0.102),
        ("paired-digits", lambda case: case.expected > 0, 0.6, 0.95),
        ("solve-boolean", lambda case: case.expected, 0.4, 0.6),
        ("spin-words", lambda case: case.input[0] != case.expected, 0.5, 0.9),
        ("twitter", lambda case: case.expected == "Too many characters", 0.25, 0.35),
        ("vector-distance", lambda case: len(case.input[0]) == 2, 0.149, 0.151),
    ],
)
def test_hidden_cases_are_varied_as_published(name, share, least, most):
    hidden = hidden_cases(psb2_problem(name), 0, mode="function")
    assert least <= sum(map(share, hidden)) / len(hidden) <= most


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("basement", -100, 100), ("leaders", 0, 1000), ("luhn", 0, 9), ("cut-vector", 0, 10_000)],
)
def test_lists_keep_to_their_ranges(name, low, high):
    numbers = [number for case in hidden_cases(psb2_problem(name), 0, mode="function") for number in case.input[0]]
    assert low <= min(numbers) <= low + (high - low) // 100
    assert high - (high - low) // 100 <= max(numbers) <= high


def test_a_bowling_game_is_one():
    for case in hidden_cases(psb2_problem("bowling"), 0, mode="function"):
        assert set(case.input[0]) <= set("X/-0123456789")
        assert 11 <= len(case.input[0]) <= 21
        assert "//" not in case.input[0]
        assert 0 <= case.expected <= 300


def test_find_pair_has_one_answer():
    for case in hidden_cases(psb2_problem("find-pair"), 0, mode="function"):
        numbers, target = case.input
        assert len(set(numbers)) == len(numbers)
        assert sum(one + other == target for one in numbers for other in numbers) == 2


def test_no_total_of_a_shopping_list_is_half_way_between_two_cents():
    for case in hidden_cases(psb2_problem("shopping-list"), 0, mode="function"):
        prices, discounts = case.input
        exact = sum(
            round(price * 100) * (10_000 - round(off * 100)) for price, off in zip(prices, discounts, strict=True)
        )
        assert exact % 10_000 != 5_000
        assert case.expected == (exact + 5_000) // 10_000 / 100


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
