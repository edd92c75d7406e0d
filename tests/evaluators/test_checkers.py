from __future__ import annotations

import copy
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.checkers import CHECKERS, build_checker, equal_data, frozen
from evaluators.exceptions import UserError
from evaluators.problem import Named

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner), max_leaves=4)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.sets(HASHABLE, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3)
    ),
    max_leaves=12,
)


def passes(name, expected, actual, given=None, **options):
    return build_checker(Named(name, options))(expected, actual, given)


@pytest.mark.parametrize("name", sorted(CHECKERS))
@settings(max_examples=60, deadline=None)
@given(value=DATA)
def test_every_checker_is_reflexive(name, value):
    assert passes(name, value, value)


@settings(max_examples=100, deadline=None)
@given(one=DATA, other=DATA)
def test_equality_agrees_with_python_where_neither_bools_nor_nan_play_a_part(one, other):
    if not any(word in f"{one!r}{other!r}" for word in ("True", "False", "nan")):
        assert equal_data(one, other) == (one == other)


@pytest.mark.parametrize(
    ("name", "expected", "actual", "right"),
    [
        ("exact", "a\nb", "a\nb\n", True),
        ("exact", "a\nb\n", "a\r\nb\r\n\n", True),
        ("exact", " ", "", False),
        ("exact", "a", "a ", False),
        ("exact", "a\n\nb", "a\nb", False),
        ("exact", "\na", "a", False),
        ("exact", "", "", True),
        ("lines", "a b\nc", "a b  \nc\t\n \n", True),
        ("lines", "a b", " a b", False),
        ("lines", "1\n2", "1 2", False),
        ("lines", "a\u2028b", "a\nb", False),
        ("tokens", "1\n2", " 1   2\n", True),
        ("tokens", "1 2", "12", False),
        ("numbers", "0.5 kg", "0.5000000001 kg", True),
        ("numbers", "0.5 kg", "0.5 g", False),
        ("numbers", "1000000", "1000000.5", True),
        ("numbers", "1", "1.1", False),
        ("numbers", "1", "1 1", False),
        ("numbers", "1", "nan", False),
        ("numbers", "1", "1_0", False),
        ("numbers", "9" * 400, "8" * 400, False),
        ("numbers", "9" * 400, "9" * 400, True),
        ("unordered", "b\na\na", "a\nb\na\n", True),
        ("unordered", "b\na\na", "a\nb\nb", False),
    ],
)
def test_texts(name, expected, actual, right):
    assert passes(name, expected, actual, "input") is right


@pytest.mark.parametrize("name", ["exact", "lines", "unordered"])
def test_a_returned_string_is_a_value_and_no_text(name):
    assert passes(name, "a\nb", "a\nb", ("argument",))
    assert not passes(name, "a\nb", "a\nb\n", ("argument",))


@pytest.mark.parametrize(
    ("name", "expected", "actual", "right"),
    [
        ("exact", True, 1, False),
        ("exact", 0, False, False),
        ("exact", [1, [True]], [1, [1]], False),
        ("exact", {1}, {True}, False),
        ("exact", {1: 2}, {True: 2}, False),
        ("exact", 1, 1.0, True),
        ("exact", (1, 2), [1, 2], False),
        ("exact", None, None, True),
        ("exact", None, "", False),
        ("exact", math.nan, float("nan"), True),
        ("exact", [float("nan")], [float("nan")], True),
        ("exact", {1, 2}, frozenset({2, 1}), True),
        ("exact", "5", 5, False),
        ("numbers", [1.0, "a"], [1.0 + 1e-9, "a"], True),
        ("numbers", [1.0, "a"], [1.0 + 1e-9, "b"], False),
        ("numbers", [1.0], [1.0, 1.0], False),
        ("numbers", {"a": 1.0}, {"a": 1}, True),
        ("numbers", {"a": 1.0}, {"b": 1.0}, False),
        ("numbers", {"a": 1.0}, {"a": 1.0, "b": 1.0}, False),
        ("numbers", {1.0, 2.0}, {2.0000000001, 1.0}, True),
        ("numbers", True, 1.0, False),
        ("numbers", 1.0, 10**400, False),
        ("numbers", math.inf, math.inf, True),
        ("numbers", math.inf, 1e308, False),
        ("numbers", math.nan, math.nan, True),
        ("unordered", [[1], [2]], [[2], [1]], True),
        ("unordered", [[1], [2]], [[2], [2]], False),
        ("unordered", [1, True], [True, 1], True),
        ("unordered", [1, 1], [True, 1], False),
        ("unordered", [[1, 2]], [[2, 1]], False),
        ("tokens", ["a  b"], ["a b"], True),
        ("tokens", ["a", 1], ["a", 2], False),
    ],
)
def test_data(name, expected, actual, right):
    assert passes(name, expected, actual) is right


def test_python_equality_is_what_published_harnesses_do():
    assert passes("exact", True, 1, python_equality=True)
    assert not passes("exact", math.nan, float("nan"), python_equality=True)
    assert not passes("exact", (1,), [1], python_equality=True)


def test_tolerances_are_what_they_say():
    assert passes("numbers", 100.0, 101.0, absolute=1.0, relative=0)
    assert not passes("numbers", 100.0, 101.5, absolute=1.0, relative=0)
    assert passes("numbers", 100.0, 110.0, absolute=0, relative=0.1)
    assert not passes("numbers", 100.0, 111.5, absolute=0, relative=0.1)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (Named("exat"), ["exat", "did you mean 'exact'", "path/file.py:attribute"]),
        (Named("numbers", {"absolut": 1}), ["absolut", "did you mean 'absolute'"]),
        (Named("numbers", {"absolute": "1"}), ["absolute", "'1'", "float"]),
        (Named("numbers", {"absolute": True}), ["absolute", "True"]),
        (Named("numbers", {"absolute": -1}), ["absolute", "-1"]),
        (Named("numbers", {"absolute": math.nan}), ["absolute", "nan"]),
        (Named("exact", {"python_equality": 1}), ["python_equality", "bool"]),
        (Named("no/such/file.py:check"), ["no/such/file.py", "there is no such file"]),
    ],
)
def test_a_wrong_name_or_option_is_one_line(named, words):
    with pytest.raises(UserError) as caught:
        build_checker(named)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_a_checker_of_the_users_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def longer(expected, actual, given, by=1):\n    return len(actual) >= len(given) + by\n")
    named = Named(f"{file}:longer", {"by": 2})
    assert build_checker(named)("", "abc", "a")
    assert not build_checker(named)("", "ab", "a")
    file.write_text("def longer(expected, actual, given, by=1):\n    return True\n")
    assert build_checker(named)("", "ab", "a")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def check(e, a, g):\n    return 1 // 0\n", ["ZeroDivisionError", "line 2"]),
        ("def check(e, a, g):\n    return 'yes'\n", ["'yes'", "True or False"]),
        ("def check(e):\n    return True\n", ["TypeError"]),
        ("def chek(e, a, g):\n    return True\n", ["did you mean 'chek'"]),
        ("check = 3\n", ["int", "function"]),
        ("import no_such_module_anywhere\n", ["ModuleNotFoundError", "line 1"]),
        ("def check(:\n", ["SyntaxError"]),
    ],
)
def test_a_failing_checker_of_the_users_own_is_named(tmp_path, source, words):
    file = tmp_path / "mine.py"
    file.write_text(source)
    with pytest.raises(UserError) as caught:
        build_checker(Named(f"{file}:check"))("1", "2", "3")
    assert all(word in str(caught.value) for word in ["mine.py", *words]), str(caught.value)


_LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, math.nan, "a", "1"])
_NESTED = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple), max_leaves=6
)


@settings(max_examples=300, deadline=None)
@given(one=_NESTED, other=_NESTED)
def test_equal_data_is_equality_of_stand_ins_and_symmetric(one, other):
    assert equal_data(one, other) == (frozen(one) == frozen(other)) == equal_data(other, one)
    assert equal_data(one, copy.deepcopy(one))
