from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from evaluators.exceptions import InfrastructureError, UserError
from operators.models.chat import ChatRequest, Completion, FinishReason, Message, Price, Sampling, Usage
from operators.models.openai_endpoint import OpenAIModel
from operators.models.quirks import Quirks, quirks_of

KEY = "sk-canary-4711"
SOON = {"retry-after-ms": "1"}
REQUEST = ChatRequest(
    (Message("system", "Be short."), Message("user", "Hello")), Sampling(), 2**40 + 5, ("a",), "debug"
)


def answer(text: str | None = "Hi", finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
    return {"id": "1", "object": "chat.completion", "model": "m-2026", "choices": [choice], "usage": usage}


class Endpoint:
    """Answers requests with the given responses, one after the other; the last one stays."""

    def __init__(self, *responses: httpx2.Response | Callable[[], httpx2.Response]) -> None:
        self.responses = list(responses)
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[httpx2.Headers] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.headers.append(request.headers)
        if request.url.path.endswith("/models"):
            return httpx2.Response(200, json={"object": "list", "data": [{"id": "model-one", "object": "model"}]})
        self.bodies.append(json.loads(request.content))
        response = self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]
        return response if isinstance(response, httpx2.Response) else response()

    def model(self, name: str = "some-model", **options: Any) -> OpenAIModel:
        options = {"api_key": KEY, "base_url": "https://example.test/v1", "backoff_seconds": 0.0} | options
        return OpenAIModel(name, http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(self)), **options)


def good(**options: Any) -> httpx2.Response:
    return httpx2.Response(200, json=answer(**options))


def ask(model: OpenAIModel, request: ChatRequest = REQUEST) -> Completion:
    async def once() -> Completion:
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(once())


def test_request_and_answer() -> None:
    endpoint = Endpoint(good())
    completion = ask(endpoint.model(headers={"x-team": "blue"}))
    assert (completion.text, completion.model, completion.finish_reason) == ("Hi", "m-2026", FinishReason.STOP)
    assert completion.usage == Usage(9, 4, 3, 2)
    assert completion.attempts == 1
    assert completion.latency_seconds > 0
    assert endpoint.bodies == [
        {
            "model": "some-model",
            "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hello"}],
            "max_tokens": 1024,
            "temperature": 0.8,
            "seed": (2**40 + 5) % (2**31 - 1),
        }
    ]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert endpoint.headers[0]["x-team"] == "blue"


def test_every_sampling_parameter_is_sent() -> None:
    endpoint = Endpoint(good())
    sampling = Sampling(0.0, 7, 0.9, ("END",), {"reasoning_effort": "low"})
    ask(endpoint.model(), ChatRequest(REQUEST.messages, sampling, 1, ("a",), "debug"))
    (body,) = endpoint.bodies
    wanted = {"temperature": 0.0, "max_tokens": 7, "top_p": 0.9, "stop": ["END"], "reasoning_effort": "low", "seed": 1}
    assert {name: body[name] for name in wanted} == wanted


def test_reasoning_models_get_what_they_want() -> None:
    endpoint = Endpoint(good())
    ask(endpoint.model("gpt-5-mini"))
    (body,) = endpoint.bodies
    assert body["max_completion_tokens"] == 1024
    assert not {"max_tokens", "temperature"} & set(body)


def test_quirks_can_be_overridden() -> None:
    endpoint = Endpoint(good())
    ask(endpoint.model("gpt-5-mini", quirks=Quirks(seed_field=None)))
    (body,) = endpoint.bodies
    assert body["max_tokens"] == 1024
    assert "seed" not in body


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("o3", True),
        ("o4-mini", True),
        ("gpt-5", True),
        ("openai/gpt-5.2", True),
        ("gpt-5-chat-latest", False),
        ("gpt-4o", False),
        ("gpt-4.1-mini", False),
        ("openai/gpt-oss-120b", False),
        ("qwen2.5-coder", False),
        ("deepseek-chat", False),
        ("foo3", False),
    ],
)
def test_quirks_are_matched_by_name(name: str, reasons: bool) -> None:
    assert quirks_of(name, "example.test").temperature is not reasons


def test_quirks_are_matched_by_endpoint() -> None:
    assert quirks_of("codestral-latest", "api.mistral.ai").seed_field == "random_seed"
    assert quirks_of("codestral-latest", "localhost").seed_field == "seed"


@pytest.mark.parametrize(
    ("response", "reason", "text"),
    [
        (good(text="def", finish_reason="length"), FinishReason.LENGTH, "def"),
        (good(text="", finish_reason="content_filter"), FinishReason.REFUSAL, ""),
        (good(text=None, refusal="I won't."), FinishReason.REFUSAL, "I won't."),
        (good(text=None), FinishReason.STOP, ""),
        (good(text=""), FinishReason.STOP, ""),
        (
            httpx2.Response(400, json={"error": {"message": "too long", "code": "context_length_exceeded"}}),
            FinishReason.CONTEXT_OVERFLOW,
            "",
        ),
        (
            httpx2.Response(
                400,
                json={
                    "error": {
                        "code": 400,
                        "message": "request (9000 tokens) exceeds the available context size (4096 tokens)",
                        "type": "exceed_context_size_error",
                    }
                },
            ),
            FinishReason.CONTEXT_OVERFLOW,
            "",
        ),
        (
            httpx2.Response(400, json={"error": {"message": "filtered", "code": "content_filter"}}),
            FinishReason.REFUSAL,
            "",
        ),
    ],
    ids=["length", "filter", "refusal", "no_content", "empty", "overflow", "overflow_of_llama", "filtered_prompt"],
)
def test_these_are_answers(response: httpx2.Response, reason: FinishReason, text: str) -> None:
    endpoint = Endpoint(response)
    completion = ask(endpoint.model())
    assert (completion.finish_reason, completion.text) == (reason, text)
    assert len(endpoint.bodies) == 1


def test_text_in_parts_and_missing_usage() -> None:
    body = answer()
    body["choices"][0]["message"]["content"] = [{"type": "text", "text": "a"}, {"type": "text", "text": "bcde"}]
    del body["usage"]
    completion = ask(Endpoint(httpx2.Response(200, json=body)).model())
    assert completion.text == "abcde"
    assert completion.usage.completion_tokens == 2
    assert 0 < completion.usage.prompt_tokens < REQUEST.token_bound


def test_limiter_sees_each_refusal_that_the_client_tries_again() -> None:
    endpoint = Endpoint(*[httpx2.Response(429, headers=SOON)] * 3, good())
    model = endpoint.model(concurrency=10)
    completion = ask(model)
    assert completion.text == "Hi"
    assert completion.attempts == 4
    assert model.limiter.state.refusals == 3
    assert model.limiter.state.limit == 8
    assert model.troubles == {"429": 3}
    assert model.attempts == {"debug": 4}


def test_passing_trouble_is_tried_again() -> None:
    def lost() -> httpx2.Response:
        raise httpx2.ConnectError("connection lost")

    endpoint = Endpoint(httpx2.Response(500, headers=SOON), httpx2.Response(503, headers=SOON), good())
    model = endpoint.model()
    assert ask(model).attempts == 3
    assert model.troubles == {"500": 1, "503": 1}
    once_lost = Endpoint(lost, good()).model(max_retries=1)
    assert ask(once_lost).attempts == 2
    assert once_lost.troubles == {"no response": 1}


@pytest.mark.parametrize(
    "broken",
    [
        httpx2.Response(200, content=b'{"choices": [{"mess', headers={"content-type": "application/json"}),
        httpx2.Response(200, content=b"<html>busy</html>", headers={"content-type": "text/html"}),
        httpx2.Response(200, content=b""),
        httpx2.Response(200, json={"choices": []}),
        httpx2.Response(200, json={"choices": None}),
        httpx2.Response(200, json={"error": {"message": "overloaded", "code": 502}}),
        httpx2.Response(200, json=[1]),
        httpx2.Response(200, json={"choices": [{"finish_reason": "stop"}]}),
        httpx2.Response(200, json=answer() | {"error": "x"}),
        httpx2.Response(200, json={"choices": [{"message": {"role": "assistant"}}]}),
        httpx2.Response(200, json={"choices": [{"message": {"content": 5}, "finish_reason": "stop"}]}),
        httpx2.Response(200, json=answer(finish_reason="error")),
        httpx2.Response(200, content=b"[" * 100_000),
    ],
    ids=[
        "cut",
        "html",
        "empty",
        "no_choice",
        "null",
        "error_in_200",
        "list",
        "no_message",
        "error_beside_choice",
        "no_content",
        "number",
        "error_in_choice",
        "deep",
    ],
)
def test_broken_body_is_asked_for_again(broken: httpx2.Response) -> None:
    endpoint = Endpoint(broken, good())
    model = endpoint.model()
    completion = ask(model)
    assert (completion.text, completion.attempts) == ("Hi", 2)
    assert model.troubles == {"broken body": 1}
    always = Endpoint(broken)
    with pytest.raises(InfrastructureError, match=r"answered without an answer: .*; 3 attempts"):
        ask(always.model(max_retries=2))
    assert len(always.bodies) == 3


@pytest.mark.parametrize("status", [401, 403])
def test_wrong_key_says_what_to_type(status: int) -> None:
    endpoint = Endpoint(httpx2.Response(status, json={"error": {"message": f"bad key {KEY}"}}))
    with pytest.raises(UserError, match=r"refused the key.*set OPENAI_API_KEY.*--model embedded"):
        ask(endpoint.model())
    assert len(endpoint.bodies) == 1
    with pytest.raises(UserError, match="wants a key"):
        ask(endpoint.model(api_key=None))


def test_unknown_model_names_the_nearest() -> None:
    endpoint = Endpoint(httpx2.Response(404, json={"error": {"message": "no such model"}}))
    with pytest.raises(UserError, match=r"has no model 'model-won'.*did you mean 'model-one'"):
        ask(endpoint.model("model-won"))


def test_refused_parameter_is_the_users_to_change() -> None:
    endpoint = Endpoint(httpx2.Response(400, json={"error": {"message": "temperature is not supported"}}))
    with pytest.raises(UserError, match="temperature is not supported"):
        ask(endpoint.model())


@pytest.mark.parametrize("status", [402, 429, 500, 529])
def test_other_failures_are_infrastructure(status: int) -> None:
    endpoint = Endpoint(httpx2.Response(status, headers=SOON, json={"error": {"message": "quota"}}))
    with pytest.raises(InfrastructureError, match=f"HTTP {status}.*attempt"):
        ask(endpoint.model(max_retries=1))


def test_unreachable_endpoint_is_infrastructure() -> None:
    def lost() -> httpx2.Response:
        raise httpx2.ConnectError("nobody listens")

    def late() -> httpx2.Response:
        raise httpx2.ReadTimeout("late")

    with pytest.raises(InfrastructureError, match=r"cannot be reached \(nobody listens"):
        ask(Endpoint(lost).model(max_retries=0))
    with pytest.raises(InfrastructureError, match="did not answer within 5 s"):
        ask(Endpoint(late).model(max_retries=0, timeout_seconds=5))


def test_key_is_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = {"error": {"message": f"you sent {KEY}"}}
    texts = []
    for response in (good(), *(httpx2.Response(status, headers=SOON, json=echo) for status in (400, 401, 404, 500))):
        model = Endpoint(response).model(max_retries=1)
        texts += [model.identity, repr(model), model.endpoint, str(model.limiter.state)]
        try:
            texts.append(repr(ask(model)))
        except (UserError, InfrastructureError) as error:
            texts += [str(error), repr(error), repr(error.__cause__)]
    assert len(caplog.records) > 5
    assert KEY not in "".join(texts)
    assert KEY not in caplog.text


def test_identity_leaves_out_what_a_url_may_hide() -> None:
    model = OpenAIModel("m", base_url="https://user:secret@example.test:8443/v1/?token=secret")
    assert model.identity == "m at https://example.test:8443/v1"
    assert model.identity != OpenAIModel("m", base_url="https://example.test/v1").identity


def test_base_url_must_be_one() -> None:
    with pytest.raises(UserError, match="'localhost:8000' is not an address"):
        OpenAIModel("m", base_url="localhost:8000")


def test_price_is_known_only_from_the_vendor_itself() -> None:
    assert OpenAIModel("gpt-4o-mini").price == Price(0.15, 0.6, "OpenAI price list, checked 2026-05-07")
    assert OpenAIModel("gpt-4o-mini", base_url="https://example.test/v1").price is None
    assert OpenAIModel("gpt-4o-mini-2").price is None
    assert OpenAIModel("x", price=Price(1, 2)).price == Price(1, 2)
