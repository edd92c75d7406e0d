"""Finding problems by name or path, and keeping hidden cases out of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.catalog import PROBLEMS, cases_digest, load_hidden_cases, load_problem, problem_digest
from benchmarks.psb2.cases import SEIDR_VISIBLE_CASES
from evaluators.evaluate import compare
from evaluators.exceptions import UserError
from evaluators.execution import CaseResult, Execution
from evaluators.records import problem_from_record, problem_to_record
from evaluators.verdict import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples" / "problems"


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@pytest.mark.parametrize("mode", [None, "stdio", "function"])
def test_bundled_problems(name, mode):
    problem = load_problem(name, mode=mode)
    assert problem.name == name
    assert problem.mode == (mode or "stdio")
    assert (problem.signature is None) == (problem.mode == "stdio")
    assert len(problem.cases) == SEIDR_VISIBLE_CASES
    hidden = load_hidden_cases(name, mode=mode)
    assert len(hidden) == 2000
    assert not {repr(case.input) for case in problem.cases} & {repr(case.input) for case in hidden}
    assert problem_from_record(problem_to_record(problem)) == problem


def test_no_hidden_case_is_within_reach_of_the_problem():
    text = repr(load_problem("middle-character", seed=3))
    hidden = load_hidden_cases("middle-character", seed=3)
    long = [case for case in hidden if len(case.input) > 20]
    assert len(long) > 1000
    assert not any(repr(case.input)[1:-1] in text for case in long)


def test_seed_and_number_of_visible_cases():
    assert load_problem("gcd", seed=1) == load_problem("gcd", seed=1)
    assert load_problem("gcd", seed=1) != load_problem("gcd", seed=2)
    assert len(load_problem("gcd", visible=200).cases) == 200
    assert len(load_hidden_cases("gcd", visible=200, hidden=10)) == 10
    visible = {case.input for case in load_problem("coin-sums", visible=5000).cases}
    assert not visible & {case.input for case in load_hidden_cases("coin-sums", visible=5000)}


@pytest.mark.parametrize(
    ("reference", "arguments", "words"),
    [
        ("fizzbuzz", {}, ["did you mean 'fizz-buzz'", "problem file"]),
        ("xyz", {}, ["coin-sums, cut-vector, dice-game", "vector-distance"]),
        ("no/such.yaml", {}, ["there is no file"]),
        ("such.yml", {}, ["there is no file"]),
        ("gcd", {"mode": "funktion"}, ["mode", "did you mean 'function'"]),
        ("gcd", {"seed": -1}, ["seed is -1"]),
        ("gcd", {"visible": 0}, ["visible is 0"]),
        (str(EXAMPLES / "merge-bookings.yaml"), {"mode": "stdio"}, ["mode 'function'"]),
        (str(EXAMPLES / "merge-bookings.yaml"), {"visible": 99}, ["visible is 99", "8 visible cases"]),
    ],
)
def test_a_wrong_reference_is_one_line(reference, arguments, words):
    for load in (load_problem, load_hidden_cases):
        if "merge" in reference and load is load_hidden_cases:
            continue
        with pytest.raises(UserError) as caught:
            load(reference, **arguments)
        assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_problem_file_by_path():
    reference = str(EXAMPLES / "merge-bookings.yaml")
    assert len(load_problem(reference, visible=3).cases) == 3
    assert len(load_hidden_cases(reference)) == 5
    assert len(load_hidden_cases(reference, hidden=2)) == 2
    with pytest.raises(UserError, match="hidden is 6"):
        load_hidden_cases(reference, hidden=6)


def test_digests_follow_content():
    problem = load_problem("gcd")
    assert problem_digest(problem) == problem_digest(load_problem("gcd"))
    assert problem_digest(problem) != problem_digest(load_problem("gcd", seed=1))
    assert problem_digest(problem) != problem_digest(load_problem("gcd", mode="function"))
    assert cases_digest(problem.cases) != cases_digest(problem.cases[:-1])


def test_a_bundled_problem_needs_no_pydantic():
    code = (
        "import sys; from benchmarks.catalog import load_problem; load_problem('gcd'); print('pydantic' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=EXAMPLES.parents[1]
    )
    assert run.stdout == "False\n"


def parking_fee(arrival, minutes):
    hours, rest = arrival.split(":")
    now, total = int(hours) * 60 + int(rest), 0
    if minutes <= 20:
        return 0
    while minutes:
        part = min(minutes, 1440 - now)
        total += min(1200, 150 * -(-part // 60))
        minutes, now = minutes - part, 0
    return total


def merge_bookings(bookings):
    merged = []
    for start, end in sorted(booking for booking in bookings if booking[0] < booking[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


@pytest.mark.parametrize(
    ("name", "solve"),
    [
        ("parking-fee", lambda given: f"{parking_fee(given.split()[0], int(given.split()[1]))}\n"),
        ("merge-bookings", lambda given: merge_bookings(*given)),
    ],
)
def test_the_example_files_agree_with_a_reference(name, solve):
    reference = str(EXAMPLES / f"{name}.yaml")
    problem, hidden = load_problem(reference), load_hidden_cases(reference)
    everything = (*problem.cases, *hidden)
    results = tuple(CaseResult(Verdict.COMPLETED, solve(case.input)) for case in everything)
    assert compare(Execution(results), problem, everything).solved
