"""The client of an endpoint under fire: a real server on the loopback that refuses, breaks, and stalls."""

from __future__ import annotations

import asyncio
import email.utils
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import httpx2
import numpy as np
import pytest

from evaluators.exceptions import InfrastructureError
from operators.models.chat import ChatRequest, Completion, FinishReason, Message, Sampling, Usage
from operators.models.limiter import AdaptiveLimiter
from operators.models.openai_endpoint import OpenAIModel
from operators.models.stub_endpoint import (
    StubEndpoint,
    StubReply,
    StubRequest,
    answer,
    error,
    no_choices,
    reset,
    stall,
    truncated,
)

CALLS = 500
CONCURRENCY = 16
STALL_SECONDS = 1.0


class Clock:
    """Time that passes only when somebody sleeps, and at once then."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)


def request(prompt: str, seed: int = 1) -> ChatRequest:
    return ChatRequest((Message("user", prompt),), Sampling(), seed, (prompt,), "debug")


def model_of(stub: StubEndpoint, **options: object) -> tuple[OpenAIModel, Clock]:
    clock = Clock()
    limiter = AdaptiveLimiter(CONCURRENCY, clock=clock, sleep=clock.sleep)
    options = {"concurrency": CONCURRENCY, "timeout_seconds": 30.0, "limiter": limiter, "trust_env": False} | options
    return OpenAIModel("stub", base_url=stub.base_url, **options), clock  # type: ignore[arg-type]


def ask(model: OpenAIModel, *requests: ChatRequest) -> list[Completion | BaseException]:
    async def all_of_them() -> list[Completion | BaseException]:
        try:
            return await asyncio.gather(*map(model.complete, requests), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def completed(outcomes: list[Completion | BaseException]) -> list[Completion]:
    assert [outcome for outcome in outcomes if isinstance(outcome, BaseException)] == []
    return [outcome for outcome in outcomes if isinstance(outcome, Completion)]


def timeless(completion: Completion) -> Completion:
    """What must be equal in any weather."""
    return replace(completion, latency_seconds=0.0, waiting_seconds=0.0, attempts=1)


def healthy(asked: StubRequest) -> StubReply:
    """Each prompt's own final answer: a text mostly; for some, an empty one, a cut, a refusal, or an overflow."""
    number = int(asked.prompt.split()[1])
    usage = (10 + number, 1 + number % 7)
    kinds: dict[int, StubReply] = {
        3: answer("", usage=usage),
        5: answer(f"half of {number}", finish_reason="length", usage=usage),
        7: answer(None, refusal=f"not {number}", usage=usage),
        11: error(400, "this model's maximum context length is 4096 tokens", code="context_length_exceeded"),
        13: error(400, "The response was filtered", code="content_filter"),
    }
    return kinds.get(number % 20, answer(f"answer {number}", usage=usage))


def date_in(seconds: float) -> dict[str, str]:
    return {"retry-after": email.utils.formatdate(time.time() + seconds, usegmt=True)}


TROUBLES: tuple[Callable[[StubReply], StubReply], ...] = (
    lambda _: error(429, headers={"retry-after": "7"}),
    lambda _: error(429, headers=date_in(3)),
    lambda _: error(429),
    lambda _: error(500),
    lambda _: error(503, headers={"retry-after": "2"}),
    lambda _: StubReply(502, b"<html>bad gateway</html>", {"content-type": "text/html"}),
    reset,
    lambda whole: reset(whole, sent="nothing"),
    truncated,
    lambda _: no_choices(),
    lambda _: StubReply(body=b""),
)


def storm(asked: StubRequest) -> StubReply:
    """Up to two troubles before each prompt's own answer, stalls among them; the last prompts have fair weather."""
    number = int(asked.prompt.split()[1])
    whole = healthy(asked)
    if number >= CALLS * 4 // 5 or asked.attempt > number % 3:
        return whole
    if number % 40 == 1:
        return stall(whole, sent="nothing" if number % 80 == 1 else "half")
    return TROUBLES[(number + 4 * asked.attempt) % len(TROUBLES)](whole)


def test_after_a_storm_the_answers_are_those_of_a_healthy_endpoint() -> None:
    prompts = [f"prompt {number}" for number in range(CALLS)]
    with StubEndpoint(healthy) as calm:
        expected = completed(ask(model_of(calm)[0], *map(request, prompts)))
    assert {c.finish_reason for c in expected} == set(FinishReason)
    assert sum(c.text == "" for c in expected) > 25
    with StubEndpoint(storm) as stormy:
        model, clock = model_of(stormy, timeout_seconds=STALL_SECONDS)
        completions = completed(ask(model, *map(request, prompts)))

    assert list(map(timeless, completions)) == list(map(timeless, expected))
    assert stormy.most_in_flight <= CONCURRENCY
    # A request beyond the script is one that this machine was too slow for; it shows in the attempts all the same.
    attempts = {prompt: c.attempts for prompt, c in zip(prompts, completions, strict=True)}
    assert all(stormy.calls[prompt] <= attempts[prompt] for prompt in prompts)
    assert sum(attempts.values()) == model.attempts["debug"] == CALLS + model.troubles.total()
    assert {*model.troubles} == {"429", "500", "502", "503", "timeout", "no response", "broken body"}
    state = model.limiter.state
    assert state.refusals == model.troubles["429"] > 50
    assert (state.limit, state.ceiling, state.in_flight, state.waits) == (CONCURRENCY, CONCURRENCY, 0, ())
    assert max(clock.slept) <= 8.0
    assert model.waiting_seconds > model.working_seconds


@pytest.mark.parametrize("direct", [True, False])
def test_in_a_storm_that_stays_each_call_is_answered_rightly_or_not_at_all(direct: bool) -> None:
    prompts = [f"prompt {number}" for number in range(150)]
    drawn = np.random.default_rng(1).integers(0, 2 * len(TROUBLES), size=(150, 10))

    def script(asked: StubRequest) -> StubReply:
        kind = drawn[int(asked.prompt.split()[1]), asked.attempt % 10]
        return TROUBLES[kind](healthy(asked)) if kind < len(TROUBLES) else healthy(asked)

    with StubEndpoint(healthy) as calm:
        expected = completed(ask(model_of(calm)[0], *map(request, prompts)))
    with StubEndpoint(script) as stormy:
        model, _ = model_of(stormy, max_retries=3, http_client=None if direct else httpx2.AsyncClient(trust_env=False))
        outcomes = ask(model, *map(request, prompts))
    answered = [i for i, outcome in enumerate(outcomes) if isinstance(outcome, Completion)]
    assert 100 < len(answered) < len(prompts)
    for outcome, right in zip(outcomes, expected, strict=True):
        if isinstance(outcome, Completion):
            assert timeless(outcome) == timeless(right)
        else:
            assert isinstance(outcome, InfrastructureError)
            assert "attempts" in str(outcome)
    assert model.attempts["debug"] == sum(stormy.calls.values()) == len(answered) + model.troubles.total()
    assert model.limiter.state.in_flight == 0


def test_each_answer_is_charged_once() -> None:
    def script(asked: StubRequest) -> StubReply:
        whole = answer("paid for", usage=(100, 20))
        return {1: truncated(whole), 2: reset(whole), 3: error(500)}.get(asked.attempt, whole)

    with StubEndpoint(script) as stub:
        model, _ = model_of(stub)
        (completion,) = completed(ask(model, request("prompt 1")))
    assert (completion.usage, completion.attempts) == (Usage(100, 20), 4)
    assert stub.calls == {"prompt 1": 4}
    assert model.troubles == {"broken body": 1, "no response": 1, "500": 1}


@pytest.mark.parametrize(("headers", "seconds"), [({"retry-after": "30"}, 30.0), ({"retry-after-ms": "250"}, 0.25)])
def test_pause_that_the_provider_asks_for_is_waiting_and_not_working(headers: dict[str, str], seconds: float) -> None:
    with StubEndpoint(lambda asked: error(429, headers=headers) if asked.number == 1 else answer("here")) as stub:
        model, clock = model_of(stub)
        (completion,) = completed(ask(model, request("prompt 1")))
    assert clock.slept == [seconds]
    assert (completion.attempts, completion.waiting_seconds, completion.latency_seconds) == (2, seconds, 0.0)
    assert (model.waiting_seconds, model.working_seconds) == (seconds, 0.0)


def test_retry_after_may_be_a_date() -> None:
    def script(asked: StubRequest) -> StubReply:
        return error(429, headers=date_in(100)) if asked.number == 1 else answer("here")

    with StubEndpoint(script) as stub:
        model, clock = model_of(stub)
        completed(ask(model, request("prompt 1")))
    (pause,) = clock.slept
    assert 60 < pause <= 100


def test_backoff_grows_and_differs_by_seed() -> None:
    with StubEndpoint(lambda _: error(500)) as stub:
        slept = []
        for seed in (1, 2):
            model, clock = model_of(stub, max_retries=6)
            (failure,) = ask(model, request("prompt 1", seed))
            assert isinstance(failure, InfrastructureError)
            assert "failed with HTTP 500: status 500; 7 attempts" in str(failure)
            slept.append(clock.slept)
    assert slept[0] != slept[1]
    for pauses in slept:
        for pause, most in zip(pauses, (0.5, 1.0, 2.0, 4.0, 8.0, 8.0), strict=True):
            assert 0.75 * most <= pause <= most


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (error(429, "you have no credit", code="insufficient_quota"), "you have no credit; 1 attempt"),
        (error(429, headers={"retry-after": "3600"}), "asks to be left alone for 3600 s.; 1 attempt"),
        (error(500, headers={"x-should-retry": "false"}), "HTTP 500: status 500; 1 attempt"),
        (StubReply(402, b"pay"), "HTTP 402: pay; 1 attempt"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(reply: StubReply, told: str) -> None:
    with StubEndpoint(lambda _: reply) as stub:
        model, clock = model_of(stub)
        (failure,) = ask(model, request("prompt 1"))
    assert isinstance(failure, InfrastructureError)
    assert pytest.RaisesExc(InfrastructureError, match=told).matches(failure)
    assert stub.calls == {"prompt 1": 1}
    assert clock.slept == []


@pytest.mark.parametrize("sent", ["nothing", "half"])
def test_stalled_reply_ends_by_the_clients_own_timeout(sent: str) -> None:
    with StubEndpoint(lambda _: stall(answer("never"), sent=sent)) as stub:  # type: ignore[arg-type]
        model, _ = model_of(stub, timeout_seconds=0.1, max_retries=1)
        (failure,) = ask(model, request("prompt 1"))
    assert isinstance(failure, InfrastructureError)
    assert "did not answer within 0.1 s; 2 attempts" in str(failure)
    assert model.troubles == {"timeout": 2}


def test_reply_that_drips_ends_by_the_same_timeout() -> None:
    """Each read gets a byte in time, so that a timeout for reads alone would wait for the whole."""

    async def drip() -> str:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
            while not writer.is_closing():
                writer.write(b" ")
                await asyncio.sleep(0.01)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = OpenAIModel("m", base_url=address, timeout_seconds=0.3, max_retries=0, trust_env=False)
        try:
            await model.complete(request("prompt 1"))
        except InfrastructureError as failure:
            return str(failure)
        finally:
            await model.close()
            server.close()
        return ""

    assert "did not answer within 0.3 s; 1 attempt" in asyncio.run(drip())


def test_nobody_listening_is_told_apart_from_no_answer() -> None:
    with StubEndpoint() as stub:
        pass
    model, _ = model_of(stub, max_retries=1)
    (failure,) = ask(model, request("prompt 1"))
    assert isinstance(failure, InfrastructureError)
    assert "cannot be reached" in str(failure)
    assert model.troubles == {"no response": 2}


def test_cancelled_call_frees_its_place_and_its_connection() -> None:
    arrived = threading.Semaphore(0)

    def script(asked: StubRequest) -> StubReply:
        if asked.prompt.startswith("stall"):
            arrived.release()
            return stall(answer("never"))
        return answer(asked.prompt)

    async def scene(model: OpenAIModel) -> list[Completion]:
        for _ in range(3):
            calls = [asyncio.create_task(model.complete(request(f"stall {i}"))) for i in range(CONCURRENCY)]
            for _ in calls:
                await asyncio.to_thread(arrived.acquire)
            assert model.limiter.state.in_flight == CONCURRENCY
            for call in calls:
                call.cancel()
            assert all(isinstance(o, asyncio.CancelledError) for o in await asyncio.gather(*calls, return_exceptions=1))
            assert model.limiter.state.in_flight == 0
        try:
            return await asyncio.gather(*(model.complete(request(f"go {i}")) for i in range(3 * CONCURRENCY)))
        finally:
            await model.close()

    with StubEndpoint(script) as stub:
        model, _ = model_of(stub)
        completions = asyncio.run(scene(model))
    assert [c.text for c in completions] == [f"go {i}" for i in range(3 * CONCURRENCY)]
    assert model.attempts["debug"] == 6 * CONCURRENCY


def test_one_model_serves_event_loops_one_after_the_other_and_closes_twice() -> None:
    with StubEndpoint() as stub:
        model, _ = model_of(stub)

        async def once(prompt: str, close: bool) -> str:
            text = (await model.complete(request(prompt))).text
            if close:
                await model.close()
                await model.close()
            return text

        texts = [asyncio.run(once(f"prompt {i}", i % 2 == 0)) for i in range(4)]
    assert texts == [f"answer to prompt {i}" for i in range(4)]
    asyncio.run(model.close())


def test_models_of_one_account_share_a_limiter() -> None:
    def script(asked: StubRequest) -> StubReply:
        return error(429, headers={"retry-after": "9"}) if asked.number == 1 else answer("here")

    with StubEndpoint(script) as stub:
        one, clock = model_of(stub)
        other = OpenAIModel("other", base_url=stub.base_url, limiter=one.limiter, trust_env=False)
        completed(ask(one, request("prompt 1")))
        clock.slept.clear()
        one.limiter.pause(5.0, "HTTP 429")
        completed(ask(other, request("prompt 2")))
    assert clock.slept == [5.0]
    assert one.limiter.state.refusals == 1
