from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.exceptions import UserError
from evaluators.signature import DataType, Signature

SCALAR = st.sampled_from(["int", "float", "bool", "str", "Any"]).map(DataType)
TYPES = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        inner.map(lambda kind: DataType("list", (kind,))),
        inner.map(lambda kind: DataType("set", (kind,))),
        st.tuples(inner, inner).map(lambda kinds: DataType("dict", kinds)),
        st.lists(inner, min_size=1, max_size=3).map(lambda kinds: DataType("tuple", tuple(kinds))),
        inner.filter(lambda kind: kind.name != "optional").map(lambda kind: DataType("optional", (kind,))),
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["a", "b", "count", "xs"])


@settings(max_examples=150, deadline=None)
@given(parameters=st.lists(st.tuples(NAMES, TYPES), max_size=4, unique_by=lambda pair: pair[0]), returns=TYPES)
def test_printing_and_parsing_are_inverse(parameters, returns):
    signature = Signature("solve", tuple(parameters), returns)
    assert Signature.parse(str(signature)) == signature
    assert Signature.parse(f"def {signature}:") == signature


@pytest.mark.parametrize(
    "text",
    [
        "f(a: int)",
        "f(a) -> int",
        "f(a: integer) -> int",
        "f(a: list) -> int",
        "f(a: dict[int]) -> int",
        "f(a: int = 3) -> int",
        "f(*a: int) -> int",
        "f(a: int, /) -> int",
        "f(a: int | str) -> int",
        "gcd",
        "",
        "f(a: int) -> int: pass\nimport os",
    ],
)
def test_what_is_no_signature_is_refused_in_one_line(text):
    with pytest.raises(UserError) as caught:
        Signature.parse(text)
    assert "\n" not in str(caught.value)
