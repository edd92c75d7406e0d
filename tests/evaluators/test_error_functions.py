from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.error_functions import (
    ERROR_FUNCTIONS,
    LONGEST_EDIT,
    build_error_function,
    edit_distance,
    matching_share,
)
from evaluators.exceptions import UserError
from evaluators.problem import Case, Named


def errors(name, expected, actual, **options):
    return list(build_error_function(Named(name, options)).errors(expected, actual))


def plain_edit_distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


@settings(max_examples=300, deadline=None)
@given(one=st.text(alphabet="abc", max_size=70), other=st.text(alphabet="abcd", max_size=70))
def test_edit_distance_is_that_of_the_definition(one, other):
    assert edit_distance(one, other) == plain_edit_distance(one, other)


def test_edit_distance_of_long_texts_is_bounded_from_above():
    assert edit_distance("a" * (LONGEST_EDIT + 1) + "z", "b" * 5) == LONGEST_EDIT + 2
    assert edit_distance("a" * (LONGEST_EDIT + 1) + "z", "a" * (LONGEST_EDIT + 1)) == 1


@pytest.mark.parametrize(
    ("expected", "actual", "share"),
    [
        ("a\nb", "a\nb\n", 1.0),
        ("a\nb", "a\nc", 0.5),
        ("a\nb", "a", 0.5),
        ("a", "a\nb\nc\nd", 0.25),
        ("a", "x\na", 0.0),
        ("", "", 1.0),
        ((1, 2, 3, 4), (1, 2, 3, 5), 0.75),
        ((1, True), (1, 1), 0.5),
        ([], [], 1.0),
        ([1], (1,), 0.0),
        (3, 3, 1.0),
        (3, None, 0.0),
    ],
)
def test_matching_share(expected, actual, share):
    assert matching_share(expected, actual) == share
    assert errors("lines", expected, actual) == [1 - share]


@pytest.mark.parametrize(
    ("expected", "actual", "wanted"),
    [
        ("1\n0\n2\n0\n", "4\n0\n1\n0\n", [3, 0, 1, 0]),
        ("1\n0\n2\n0\n", "1\n0\n", [0, 0, 1e6, 1e6]),
        ("1\n0", "1 7\n0", [1e4, 0]),
        ("1\n0", "1\n0\n5\n5", [0, 2e4]),
        ("5", "five", [1e6]),
        ("5", "", [1e6]),
        ("5", "9" * 400, [1e6]),
        ("5", "nan", [1e6]),
        ("1 2 3", "1 5 3 4", [3 + 1e4]),
        ("1 2\n\n", "1 2\n\n", [0, 0]),
        ("1 2\n\n", "1 2", [0, 0]),
        ("1 2\n\n", "1 2\n3\n", [0, 1e4]),
        ("1 2\n\n", "", [1e6, 0]),
        ("\n1\n", "1\n\n", [1e4, 1e6]),
        ("1\n2 3\n", "1\n\n", [0, 2e4]),
        ("1\n2 3\n", "1\n", [0, 1e6]),
        ("1\r\n2\r\n", "1\n3\r\n\n\n", [0, 1]),
        ("5", "\n\n", [1e6]),
        ("", "", [0]),
        ("", "\n7", [2e4]),
        ((1, 2), (1, 5), [0, 3]),
        ((1, 2), (1,), [0, 1e6]),
        ((1, 2), 1, [1e6, 1e6]),
        ((1, 2), (1, 2, 3), [0, 1e4]),
        (5, 7, [2]),
        (5, 7.5, [2.5]),
        (5, "7", [1e6]),
        (5, None, [1e6]),
        (5, True, [1e6]),
        (5, 10**400, [1e6]),
        (5, -(10**400), [1e6]),
        (5.0, math.nan, [1e6]),
        (5.0, math.inf, [1e6]),
        ([1, 2], [1, 4, 9], [2 + 1e4]),
        ([1, 2], 1, [1e6]),
        ([], [], [0]),
        ("yes", "yes", [0]),
        ("yes", "no", [1e6]),
    ],
    ids=lambda value: f"{value!r:.20}",
)
def test_absolute_difference(expected, actual, wanted):
    function = build_error_function(Named("absolute_difference"))
    assert list(function.errors(expected, actual)) == wanted
    assert function.columns(Case("", expected, "c")) == len(wanted)


def test_absolute_difference_rounds_if_asked_to():
    assert errors("absolute_difference", 1.0, 1.0004, decimals=3) == [0.0]
    assert errors("absolute_difference", 1.0, 1.0006, decimals=3) == [0.001]


@pytest.mark.parametrize(
    ("expected", "actual", "wanted"),
    [
        ("Fizz", "Fizz\n", 0),
        ("Fizz", "Buzz", 2),
        ("Fizz", "", 4),
        ("Fizz", 3, 1e4),
        ([1, 2, 3], [1, 3], 1),
        ([1, True], [1, 1], 1),
        ([1], (1,), 1e4),
        ([10**5000], [1], 1),
        ("", "x" * 2_000_000, 1e4),
    ],
)
def test_levenshtein(expected, actual, wanted):
    assert errors("levenshtein", expected, actual) == [wanted]


@pytest.mark.parametrize(
    ("expected", "actual", "wanted"),
    [
        ("0 5 10\n", "0 5 10", 0),
        ("0 5 10\n", "0 10\n", 1),
        ("0 5 10\n", "0 123456 10\n", 1),
        ("\n", "7 8", 2),
        ("0 5", [0, 5], 1e4),
        ([0, 5], [0, 6], 1),
    ],
)
def test_levenshtein_of_a_list_that_is_written_as_text_counts_elements(expected, actual, wanted):
    assert errors("levenshtein", expected, actual, unit="word") == [wanted]


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(ERROR_FUNCTIONS)),
    expected=st.text(max_size=12) | st.integers() | st.floats() | st.lists(st.integers(), max_size=3),
    actual=st.text(max_size=12) | st.integers() | st.floats() | st.none() | st.lists(st.booleans(), max_size=3),
)
def test_errors_lie_between_nothing_and_the_penalty(name, expected, actual):
    function = build_error_function(Named(name))
    given_errors = list(function.errors(expected, actual))
    assert len(given_errors) == function.columns(Case("", expected, "c"))
    assert all(0 <= error <= function.penalty for error in given_errors)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (Named("levenstein"), ["did you mean 'levenshtein'"]),
        (Named("lines", {"penalty": 0}), ["penalty is 0"]),
        (Named("levenshtein", {"unit": "words"}), ["unit", "'words'", "did you mean 'word'"]),
        (Named("lines", {"penalty": math.inf}), ["penalty is inf"]),
        (Named("absolute_difference", {"length_penalty": -1}), ["length_penalty is -1"]),
        (Named("absolute_difference", {"decimals": 1.5}), ["decimals is 1.5", "int"]),
    ],
)
def test_a_wrong_name_or_option_is_one_line(named, words):
    with pytest.raises(UserError) as caught:
        build_error_function(named)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_an_error_function_of_the_users_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "def length(expected, actual):\n    return abs(len(expected) - len(actual))\n"
        "def wrong(expected, actual):\n    return -1\n"
        "def large(expected, actual):\n    return 10 ** 400\n"
    )
    assert errors(f"{file}:length", "abc", "a") == [2.0]
    assert errors(f"{file}:large", "abc", "a") == [1e6]
    with pytest.raises(UserError, match="returned -1"):
        errors(f"{file}:wrong", "abc", "a")
