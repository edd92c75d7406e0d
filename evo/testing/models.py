"""The contract of models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from evo.testing.contract import check_rules, require
from operators.models.chat import ChatModel, ChatRequest, Completion, FinishReason, Message, Price, Sampling


def check_model(make: Callable[[], ChatModel], *, deterministic: bool = False, max_tokens: int = 64) -> None:
    """Check that a model does what every model must do; asks it up to about forty short questions.

    Args:
        make: Makes the model; called for each rule, always for the same model.
        deterministic: Whether equal requests have equal answers.
        max_tokens: Of each answer.

    Raises:
        AssertionError: If it does not; one line a broken rule.

    Example:
        >>> check_model(lambda: ScriptedModel(lambda request: "print(1)"), deterministic=True)
    """
    check_rules("model", _RULES, _Subject(make, deterministic, max_tokens))


@dataclass(frozen=True)
class _Subject:
    make: Callable[[], ChatModel]
    deterministic: bool
    max_tokens: int

    def request(self, number: int) -> ChatRequest:
        sampling = Sampling(temperature=0.0 if self.deterministic else 0.8, max_tokens=self.max_tokens)
        question = Message("user", f"Write a Python program that prints {number}.")
        return ChatRequest((question,), sampling, number, ("contract", number), "synthesize")

    def asked(self, *numbers: int) -> list[Completion]:
        """Answers to some requests, all asked at once."""

        async def ask() -> list[Completion]:
            model = self.make()
            try:
                answers = await asyncio.gather(*(model.complete(self.request(number)) for number in numbers))
            finally:
                await model.close()
            left = len(asyncio.all_tasks()) - 1
            require(not left, f"After close(), {left} of its tasks are still running.")
            return answers

        return asyncio.run(ask())


def _says_who_it_is(subject: _Subject) -> None:
    """A model has a name for its keys, always the same, a price or None, and takes at least one call at a time."""
    one, other = subject.make(), subject.make()
    require(isinstance(one.identity, str) and bool(one.identity.strip()), f"Its identity is {one.identity!r}.")
    require(
        one.identity == other.identity,
        f"Its identity is {one.identity!r} and then {other.identity!r}: a run could not be resumed.",
    )
    require(one.price is None or isinstance(one.price, Price), f"Its price is {one.price!r}: no Price, and not None.")
    number = isinstance(one.concurrency, int) and one.concurrency >= 1
    require(number, f"Its concurrency is {one.concurrency!r}: it must be a whole number of at least 1.")


def _answers_completely(subject: _Subject) -> None:
    """An answer is a Completion: a text, its tokens, why it ended, and how long it took."""
    answer = subject.asked(1)[0]
    require(isinstance(answer, Completion), f"It answered with a {type(answer).__name__}.")
    require(isinstance(answer.text, str), f"Its text is a {type(answer.text).__name__}.")
    counts = (answer.usage.prompt_tokens, answer.usage.completion_tokens)
    whole = all(isinstance(count, int) and count >= 0 for count in counts)
    require(whole, f"Its usage is {counts}: whole numbers of at least 0 are needed, as budgets are counted by them.")
    require(
        sum(counts) > 0 or not answer.text,
        "It counts no tokens for a text: a budget of tokens or money would never be used.",
    )
    bound = subject.request(1).token_bound
    require(sum(counts) <= bound, f"It counts {sum(counts)} tokens, where at most {bound} are possible.")
    known = isinstance(answer.finish_reason, FinishReason)
    require(known, f"Its finish reason is {answer.finish_reason!r}: use a FinishReason.")
    require(answer.attempts >= 1, f"It counts {answer.attempts} attempts for an answer.")
    seconds = (answer.latency_seconds, answer.waiting_seconds)
    require(min(seconds) >= 0, f"Its latency and waiting are {seconds} seconds.")


def _answers_many_at_once(subject: _Subject) -> None:
    """Many calls may be under way at once, and each has an answer."""
    answers = subject.asked(*range(12))
    require(all(isinstance(answer, Completion) for answer in answers), "Of 12 calls at once, not all have an answer.")


def _is_deterministic(subject: _Subject) -> None:
    """Equal requests have equal answers, in whatever company (if deterministic=True)."""
    if not subject.deterministic:
        return
    together = [answer.text for answer in subject.asked(*range(6))]
    apart = [subject.asked(number)[0].text for number in reversed(range(6))][::-1]
    for number, (one, other) in enumerate(zip(together, apart, strict=True)):
        require(
            one == other, f"It is not deterministic: it answered request {number} by {one!r:.60} and {other!r:.60}."
        )


_RULES = (_says_who_it_is, _answers_completely, _answers_many_at_once, _is_deterministic)
