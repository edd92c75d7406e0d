from __future__ import annotations

import asyncio

from operators.models.chat import ChatModel, ChatRequest, Completion, FinishReason, Message, Price, Sampling, Usage
from operators.models.scripted import ScriptedModel


def request(text: str, *, max_tokens: int = 100, path: tuple[str | int, ...] = ("a", 1)) -> ChatRequest:
    return ChatRequest((Message("user", text),), Sampling(max_tokens=max_tokens), 7, path, "synthesize")


def test_answer_depends_on_request_and_path() -> None:
    model: ChatModel = ScriptedModel(lambda asked: f"{asked.messages[0].content} at {asked.path}")
    first = asyncio.run(model.complete(request("hello")))
    assert first.text == "hello at ('a', 1)"
    assert first == asyncio.run(model.complete(request("hello")))
    assert first != asyncio.run(model.complete(request("hello", path=("a", 2))))


def test_usage_is_counted_from_the_texts() -> None:
    answer = asyncio.run(ScriptedModel(lambda _: "12345").complete(request("12345678")))
    assert answer.usage == Usage(prompt_tokens=2, completion_tokens=2)
    assert answer.finish_reason is FinishReason.STOP


def test_long_answer_is_cut_like_a_models() -> None:
    answer = asyncio.run(ScriptedModel(lambda _: "x" * 50).complete(request("hello", max_tokens=3)))
    assert (answer.text, answer.finish_reason) == ("x" * 12, FinishReason.LENGTH)
    assert answer.usage.completion_tokens == 3


def test_usage_keeps_within_the_bound_that_a_budget_reserves() -> None:
    for text in ("", "a", "ä" * 9, "\U0001f600"):
        asked = request(text, max_tokens=5)
        answer = asyncio.run(ScriptedModel(lambda _: "y" * 99).complete(asked))
        assert answer.usage.total_tokens <= asked.token_bound


def test_completion_is_handed_on() -> None:
    refusal = Completion("", Usage(1, 2), FinishReason.REFUSAL)
    model = ScriptedModel(lambda _: refusal, price=Price(1.0, 2.0))
    assert asyncio.run(model.complete(request("hello"))) is refusal
    assert model.price == Price(1.0, 2.0)


def test_delay_lets_a_test_choose_the_order_of_answers() -> None:
    order: list[str] = []

    async def race() -> None:
        second_is_done = asyncio.Event()

        async def delay(asked: ChatRequest) -> None:
            if asked.messages[0].content == "first":
                await second_is_done.wait()

        model = ScriptedModel(lambda asked: asked.messages[0].content, delay=delay)

        async def ask(text: str) -> None:
            order.append((await model.complete(request(text))).text)
            second_is_done.set()

        await asyncio.gather(ask("first"), ask("second"))

    asyncio.run(race())
    assert order == ["second", "first"]
