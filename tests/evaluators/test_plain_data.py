from __future__ import annotations

import enum
import json
import math
from collections import Counter, namedtuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators import plain_data

_KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False)
_VALUES = st.recursive(
    _KEYS | st.just("\ud83d\ude00"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(_KEYS, inner, max_size=4)
        | st.sets(_KEYS, max_size=4)
        | st.frozensets(_KEYS, max_size=4)
    ),
    max_leaves=12,
)


def _exactly_equal(left, right):
    if type(left) is not type(right):
        return False
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(_exactly_equal, left, right))
    if isinstance(left, dict):
        return left == right and all(map(_exactly_equal, left.values(), right.values()))
    return left == right


@settings(max_examples=200, deadline=None)
@given(_VALUES)
def test_data_and_its_types_survive_json_text(value):
    assert _exactly_equal(plain_data.loads(plain_data.dumps(value)), value)
    assert _exactly_equal(plain_data.from_json(json.loads(json.dumps(plain_data.to_json(value)))), value)


def test_extreme_numbers_survive():
    for value in (10**5000, -(10**5000), 2**53 + 1, float("inf"), -float("inf"), -0.0):
        back = plain_data.loads(plain_data.dumps(value))
        assert back == value
        assert not isinstance(value, float) or math.copysign(1, back) == math.copysign(1, value)


def test_nan_survives():
    assert math.isnan(plain_data.loads(plain_data.dumps(float("nan"))))


def test_other_types_are_refused_by_name():
    with pytest.raises(ValueError, match="'complex' is not plain data"):
        plain_data.to_json([1, 2j])


def test_subclasses_are_refused_unless_asked_for():
    point = namedtuple("point", "x y")(1, 2)
    number = enum.IntEnum("number", {"one": 1}).one
    for value in (point, number, Counter("aab")):
        with pytest.raises(ValueError, match="is not plain data"):
            plain_data.to_json(value)
    back = [plain_data.loads(plain_data.dumps(v, accept_subclasses=True)) for v in (point, number, Counter("aab"))]
    assert back == [(1, 2), 1, {"a": 2, "b": 1}]
    assert [type(value) for value in back] == [tuple, int, dict]


def test_depth_cycles_and_size_are_bounded():
    cycle = []
    cycle.append(cycle)
    with pytest.raises(ValueError, match="deeper"):
        plain_data.to_json(cycle)
    with pytest.raises(ValueError, match="deeper"):
        plain_data.loads("[" * 100_000 + "]" * 100_000)
    with pytest.raises(ValueError, match="more than"):
        plain_data.to_json([0] * (plain_data.MAX_ITEMS + 1))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"dict": [[1]]}',
        '{"set": [[1]]}',
        '{"dict": [[[1], 2]]}',
        '{"odd": []}',
        '{"int": 3}',
        '{"int": "zz"}',
        '{"float": "1"}',
        '{"bytes": "*"}',
        '{"str": "/w=="}',
        '{"list": 3}',
        '{"tuple": [], "set": []}',
        "not json",
    ],
)
def test_anything_else_in_json_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - every reader of it has its own message
        plain_data.loads(text)
