"""Whatever a body holds, it is an answer that stands in it, or no answer; never one made up."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operators.models.chat import ChatRequest, Completion, Message, Sampling, Usage
from operators.models.reply import BrokenReplyError, read_error, read_reply, rejection, retry_after_seconds

REQUEST = ChatRequest((Message("user", "Hello"),), Sampling(), 1, ("a",), "debug")
WHOLE = {
    "model": "m",
    "choices": [{"message": {"role": "assistant", "content": "four"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PLACES: list[list[str | int]] = [
    ["choices"],
    ["choices", 0],
    ["choices", 0, "message"],
    ["choices", 0, "message", "content"],
    ["choices", 0, "finish_reason"],
    ["usage"],
    ["usage", "prompt_tokens"],
    ["usage", "completion_tokens"],
    ["usage", "prompt_tokens_details"],
    ["model"],
    ["error"],
]


def texts(value: Any) -> str:
    """All texts in a value, joined."""
    if isinstance(value, dict):
        return "".join(texts(part) for part in value.values())
    if isinstance(value, list):
        return "".join(texts(part) for part in value)
    return value if isinstance(value, str) else str(value)


@given(place=st.sampled_from(PLACES), value=VALUES)
def test_changed_body_is_read_or_refused(place: list[str | int], value: Any) -> None:
    body = json.loads(json.dumps(WHOLE))
    spot = body
    for step in place[:-1]:
        spot = spot[step]
    spot[place[-1]] = value
    with contextlib.suppress(BrokenReplyError):
        completion = read_reply(json.dumps(body), REQUEST)
        assert completion.text in texts(body)
        usage = completion.usage
        counts = (usage.prompt_tokens, usage.completion_tokens, usage.cached_prompt_tokens, usage.reasoning_tokens)
        assert all(isinstance(count, int) and count >= 0 for count in counts)


@given(length=st.integers(0, len(json.dumps(WHOLE)) - 1))
def test_no_part_of_a_body_is_taken_for_the_whole(length: int) -> None:
    with pytest.raises(BrokenReplyError):
        read_reply(json.dumps(WHOLE)[:length], REQUEST)


@given(text=st.text(max_size=40) | VALUES.map(json.dumps))
def test_any_error_body_can_be_read(text: str) -> None:
    reply = read_error(text)
    assert isinstance(reply.message, str)
    rejection(400, reply)


def test_whole_body_is_read() -> None:
    assert read_reply(json.dumps(WHOLE), REQUEST) == Completion("four", Usage(3, 2, 1), model="m")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 99 Foo 2015"}, None),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds


def test_retry_after_as_a_date_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1445412400.0)
    assert retry_after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 80.0
