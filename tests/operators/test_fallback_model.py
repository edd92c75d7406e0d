from __future__ import annotations

import asyncio
import json

import pytest

from evaluators.exceptions import InfrastructureError, UserError
from operators.models.chat import ChatModel, ChatRequest, Completion, Message, Price, Sampling
from operators.models.fallback import FallbackModel
from operators.models.scripted import ScriptedModel


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Down(ScriptedModel):
    """A model that fails as often as it is told."""

    def __init__(self, failures: int = 10**9, error: Exception | None = None, name: str = "first") -> None:
        super().__init__(lambda asked: f"{name} to {asked.messages[0].content}", identity=name, concurrency=8)
        self.left = failures
        self.error = error or InfrastructureError(f"model {name!r} cannot be reached; 7 attempts")
        self.asked = self.closed = 0

    async def complete(self, request: ChatRequest) -> Completion:
        self.asked += 1
        self.left -= 1
        if self.left >= 0:
            raise self.error
        return await super().complete(request)

    async def close(self) -> None:
        self.closed += 1


def request(text: str = "hello") -> ChatRequest:
    return ChatRequest((Message("user", text),), Sampling(), 1, (text,), "debug")


def second(**options: object) -> ScriptedModel:
    return ScriptedModel(lambda asked: f"second to {asked.messages[0].content}", identity="second", **options)  # type: ignore[arg-type]


def test_first_answers_as_long_as_it_can() -> None:
    other = Down(0, name="second")
    model: ChatModel = FallbackModel(Down(0), other)
    completion = asyncio.run(model.complete(request()))
    assert (completion.text, completion.model, completion.attempts) == ("first to hello", "first", 1)
    assert other.asked == 0


def test_second_answers_when_the_first_gives_up_and_stands_in_the_completion() -> None:
    model = FallbackModel(Down(), second())
    completion = asyncio.run(model.complete(request()))
    assert (completion.text, completion.model, completion.attempts) == ("second to hello", "second", 2)
    assert model.fallbacks == 1


def test_nameless_answer_of_the_second_gets_its_identity() -> None:
    nameless = ScriptedModel(lambda _: Completion("hi"), identity="nameless at home")
    assert asyncio.run(FallbackModel(Down(), nameless).complete(request())).model == "nameless at home"


def test_first_rests_after_it_gave_up_and_is_asked_again_then() -> None:
    clock = Clock()
    first = Down(1)
    model = FallbackModel(first, second(), rest_seconds=60.0, clock=clock)

    def ask() -> tuple[str, int]:
        completion = asyncio.run(model.complete(request()))
        return completion.model, completion.attempts

    assert ask() == ("second", 2)
    clock.now = 59.0
    assert ask() == ("second", 1)
    assert first.asked == 1
    clock.now = 60.0
    assert ask() == ("first", 1)
    assert model.fallbacks == 2


def test_users_errors_are_not_covered_up() -> None:
    other = Down(0, name="second")
    with pytest.raises(UserError, match="wrong key"):
        asyncio.run(FallbackModel(Down(error=UserError("wrong key")), other).complete(request()))
    assert other.asked == 0
    with pytest.raises(UserError, match="no such model"):
        asyncio.run(FallbackModel(Down(), Down(error=UserError("no such model"))).complete(request()))


def test_if_neither_answers_both_reasons_are_told() -> None:
    with pytest.raises(InfrastructureError, match=r"'second' cannot be reached.*asked because model 'first' cannot"):
        asyncio.run(FallbackModel(Down(), Down(name="second")).complete(request()))


def test_identity_names_both_and_the_price_is_the_dearer_of_each_part() -> None:
    cheap_to_ask, cheap_to_tell = Price(1.0, 9.0, "list of May"), Price(3.0, 5.0, "list of June")
    model = FallbackModel(second(price=cheap_to_ask), second(price=cheap_to_tell))
    assert model.identity == "second, or else second"
    price = model.price
    assert (price.input_usd_per_million, price.output_usd_per_million) == (3.0, 9.0)
    assert price.source == "list of May; list of June"
    assert (price.of("second"), price.of("anything else")) == (cheap_to_tell, cheap_to_ask)
    assert Price.from_record(json.loads(json.dumps(price.to_record()))) == price
    assert Price.from_record(cheap_to_ask.to_record()) == cheap_to_ask
    assert "by_model" not in cheap_to_ask.to_record()
    assert FallbackModel(second(price=cheap_to_ask), second()).price is None
    assert FallbackModel(Down(), second()).identity == "first, or else second"


def test_second_gets_no_more_calls_at_once_than_it_takes() -> None:
    in_flight = most = 0

    async def delay(_: ChatRequest) -> None:
        nonlocal in_flight, most
        in_flight += 1
        most = max(most, in_flight)
        await asyncio.sleep(0)
        in_flight -= 1

    model = FallbackModel(Down(), second(concurrency=2, delay=delay))

    async def many() -> list[Completion]:
        return await asyncio.gather(*(model.complete(request(str(i))) for i in range(8)))

    assert model.concurrency == 8
    assert [c.text for c in asyncio.run(many())] == [f"second to {i}" for i in range(8)]
    assert most == 2


def test_both_are_closed_even_if_one_cannot_be() -> None:
    class Stuck(Down):
        async def close(self) -> None:
            raise InfrastructureError("stuck")

    other = Down(name="second")
    with pytest.raises(InfrastructureError, match="stuck"):
        asyncio.run(FallbackModel(Stuck(), other).close())
    assert other.closed == 1
