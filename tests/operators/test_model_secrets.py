"""Canaries: the API key, and what else may be secret, is nowhere but in the request itself."""

from __future__ import annotations

import asyncio
import logging
import traceback
from pathlib import Path

import httpx2
import pytest

from evaluators.exceptions import EvoError
from operators.models.chat import ChatRequest, Message, Sampling
from operators.models.fallback import FallbackModel
from operators.models.openai_endpoint import OpenAIModel
from operators.models.recorded import Recorder
from operators.models.scripted import ScriptedModel
from operators.models.stub_endpoint import StubEndpoint, StubReply, answer, error, reset, stall

KEY = "sk-canary-4711-0815"
HEADER = "team-canary-1234"
REQUEST = ChatRequest((Message("user", "Hello"),), Sampling(), 1, ("a",), "debug")
ECHO = f"you sent {KEY} and {HEADER}"

REPLIES = {
    "answer": answer("Hi"),
    **{f"status {status}": error(status, ECHO) for status in (400, 401, 403, 404, 413, 422, 429, 500)},
    "named field": error(400, f"temperature is not supported, {ECHO}", param="temperature"),
    "plain": StubReply(500, ECHO.encode()),
    "broken body": StubReply(body=ECHO.encode()),
    "error in 200": StubReply(body=f'{{"error": "{ECHO}"}}'.encode()),
    "reset": reset(answer("Hi")),
    "stall": stall(answer("Hi")),
}


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("kind", REPLIES)
def test_key_and_headers_are_nowhere(kind: str, direct: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = []

    async def ask(url: str) -> None:
        model = OpenAIModel(
            "m",
            base_url=url,
            api_key=f" {KEY}\n",
            headers={"x-team": HEADER},
            timeout_seconds=0.3 if kind == "stall" else 30.0,
            max_retries=1,
            backoff_seconds=0.0,
            http_client=None if direct else httpx2.AsyncClient(trust_env=False),
            trust_env=False,
        )
        fallback = FallbackModel(model, ScriptedModel(lambda _: "never", identity="second"))
        recorder = Recorder(model, tmp_path / "cassette.jsonl")
        told.extend([model.identity, repr(model), repr(fallback), fallback.identity, model.endpoint])
        try:
            told.append(repr(await recorder.complete(REQUEST)))
        except EvoError as failure:
            told.extend([repr(failure), *traceback.format_exception(failure)])
            told.extend(repr(reason) for reason in (failure.__cause__, failure.__context__))
        told.extend([str(model.limiter.state), repr(model.troubles)])
        await recorder.close()

    with StubEndpoint(lambda _: REPLIES[kind]) as stub:
        asyncio.run(ask(stub.base_url))
        assert stub.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert stub.requests[0].headers["x-team"] == HEADER
    assert caplog.records
    files = (tmp_path / "cassette.jsonl").read_text()
    assert "Hello" in files
    for text in (*told, caplog.text, files):
        assert KEY not in text
        assert HEADER not in text


def test_user_and_query_of_an_address_are_masked() -> None:
    model = OpenAIModel("m", base_url="http://user:secret-canary@127.0.0.1:1/v1?token=query-canary", max_retries=0)
    with pytest.raises(EvoError) as failed:
        asyncio.run(model.complete(REQUEST))
    assert "cannot be reached" in str(failed.value)
    for text in (str(failed.value), model.identity, repr(model), model.endpoint):
        assert "canary" not in text
