"""An error reply that names a field of the request tells in one line which setting to change; quirks as data."""

from __future__ import annotations

import asyncio
import json

import pytest

from evaluators.exceptions import UserError
from operators.models.chat import ChatRequest, Message, Sampling
from operators.models.openai_endpoint import OpenAIModel
from operators.models.quirks import Quirks, quirks_from, quirks_of, quirks_table
from operators.models.refused_field import setting_to_change
from operators.models.stub_endpoint import StubEndpoint, StubReply, error

BODY = {
    "model": "m",
    "messages": [],
    "max_tokens": 9,
    "temperature": 0.5,
    "top_p": 0.9,
    "stop": ["x"],
    "seed": 1,
    "top_k": 5,
}


@pytest.mark.parametrize(
    ("param", "message", "setting"),
    [
        (
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
            "endpoint.quirks.max_tokens_field to max_completion_tokens",
        ),
        (
            "temperature",
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) is supported.",
            "sampling.temperature to null",
        ),
        (None, "`temperature` is deprecated for this model.", "sampling.temperature to null"),
        (None, "temperature is not supported", "sampling.temperature to null"),
        (None, "Argument not supported on this model: stop", "sampling.stop to []"),
        (
            None,
            '{"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}',
            "endpoint.quirks.seed_field to null",
        ),
        (None, "unknown field top_p", "sampling.top_p to null"),
        ("top_k", "Unrecognized request argument supplied: top_k", "take 'top_k' out of sampling.extra"),
        (None, "System role not supported", "endpoint.quirks.system_role to user"),
        (
            "messages[0].role",
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "endpoint.quirks.system_role to user",
        ),
        (None, "the prompt must not stop in the middle", None),
        (None, "Invalid model", None),
        ("seed", "something went wrong", "endpoint.quirks.seed_field to null"),
        (None, "something went wrong with the seed", None),
    ],
)
def test_setting_to_change(param: str | None, message: str, setting: str | None) -> None:
    told = setting_to_change(BODY, param, message, "seed")
    if setting is None:
        assert told is None
    else:
        assert told is not None
        assert setting in told


def asked(reply: StubReply, name: str = "m", quirks: Quirks | None = None) -> tuple[str, dict[str, object]]:
    request = ChatRequest(
        (Message("system", "Be short."), Message("user", "Hello")), Sampling(0.5, 9, 0.9, ("x",)), 7, ("a",), "debug"
    )

    async def once(url: str) -> str:
        model = OpenAIModel(name, base_url=url, quirks=quirks, trust_env=False)
        try:
            return (await model.complete(request)).text
        except UserError as refusal:
            return str(refusal)
        finally:
            await model.close()

    with StubEndpoint(lambda _: reply) as stub:
        told = asyncio.run(once(stub.base_url))
    return told, dict(stub.requests[0].body)


def test_refused_parameter_is_told_in_one_line() -> None:
    told, _ = asked(error(400, "Unsupported value: 'temperature' is not supported", param="temperature"))
    assert told.endswith(
        "does not accept the request for 'm' (Unsupported value: 'temperature' is not supported): "
        "set sampling.temperature to null, or to a value that it accepts"
    )
    assert "\n" not in told
    data = {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
    told, _ = asked(StubReply(422, json.dumps(data).encode()))
    assert told.endswith(": set endpoint.quirks.seed_field to null")


def test_reasoning_models_get_max_completion_tokens_and_no_sampling() -> None:
    _, body = asked(error(400), "o3-mini")
    assert body["max_completion_tokens"] == 9
    assert not {"temperature", "top_p", "stop", "max_tokens"} & body.keys()


def test_system_message_of_models_that_know_no_system() -> None:
    _, body = asked(error(400), "google/gemma-2-9b-it")
    assert body["messages"] == [{"role": "user", "content": "Be short.\n\nHello"}]
    _, body = asked(error(400), quirks=Quirks(system_role="developer"))
    assert body["messages"] == [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": "Hello"},
    ]


@pytest.mark.parametrize(
    ("name", "quirks"),
    [
        ("claude-opus-4-7", Quirks(temperature=False, top_p=False)),
        ("anthropic/claude-opus-4.8", Quirks(temperature=False, top_p=False)),
        ("claude-opus-5", Quirks(temperature=False, top_p=False)),
        ("claude-opus-4-6", Quirks()),
        ("claude-opus-4-20250514", Quirks()),
        ("claude-sonnet-4-5", Quirks()),
        ("grok-4-0709", Quirks(stop=False)),
        ("grok-4-1-fast-non-reasoning", Quirks()),
        ("x-ai/grok-code-fast-1", Quirks(stop=False)),
        ("grok-3", Quirks()),
        ("gemma-2-9b-it", Quirks(system_role="user")),
        ("gemma-7b-it", Quirks(system_role="user")),
        ("gemma-3-27b-it", Quirks()),
        ("o1-mini", Quirks("max_completion_tokens", False, False, False, "seed", "user")),
        ("o1", Quirks("max_completion_tokens", False, False, False)),
        ("gpt-5-chat-latest", Quirks("max_completion_tokens")),
    ],
)
def test_quirks_of_models(name: str, quirks: Quirks) -> None:
    assert quirks_of(name, "example.test") == quirks


def test_every_entry_of_the_table_is_used_by_some_name() -> None:
    names = ["o1-mini", "gpt-5-chat", "o3", "claude-opus-5", "grok-4", "gemma-2-2b"]
    assert len(quirks_table()) == len(names) + 1
    for name, entry in zip(names, quirks_table(), strict=False):
        fields = {field: value for field, value in entry.items() if field not in ("model", "endpoint")}
        assert quirks_of(name, "example.test") == Quirks(**fields)


def test_configured_quirks_change_what_the_table_has() -> None:
    changed = quirks_from({"temperature": True, "seed_field": None}, "o3", "example.test")
    assert changed == Quirks("max_completion_tokens", True, False, False, None)
    with pytest.raises(UserError, match="did you mean 'temperature'"):
        quirks_from({"temprature": True}, "o3", "example.test")
    with pytest.raises(UserError, match="'stop' is 'no', and must be true or false"):
        quirks_from({"stop": "no"}, "o3", "example.test")
    with pytest.raises(UserError, match="'max_tokens_field' is None, and must be a name"):
        quirks_from({"max_tokens_field": None}, "o3", "example.test")
    with pytest.raises(UserError, match=r"unknown system role 'sistem'.*did you mean 'system'"):
        quirks_from({"system_role": "sistem"}, "o3", "example.test")
