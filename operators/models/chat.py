"""ChatModel: whatever answers a list of messages with a text.

A model's answer is final: a text (empty too), a refusal, a text cut by length, a prompt that does not fit the
context. Everything else that can go wrong on the way is tried again by the model itself, and at last raised as
:class:`~evaluators.exceptions.InfrastructureError`; it is never turned into a text or a score.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, Protocol

PathPart = str | int

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: Who speaks.
        content: What is said.
    """

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Sampling:
    """How an answer is drawn.

    Attributes:
        temperature: 0 is greedy; None leaves it out of the request, as reasoning models want it.
        max_tokens: Upper bound of the answer's tokens.
        top_p: Nucleus sampling; None leaves it out.
        stop: Texts that end the answer.
        extra: Further fields of the request's body, plain data, such as ``{"reasoning_effort": "low"}``.
    """

    temperature: float | None = 0.8
    max_tokens: int = 1024
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class ChatRequest:
    """What is asked of a model, and where in the search it is asked.

    Attributes:
        messages: The conversation so far.
        sampling: How the answer is drawn.
        seed: Derived from the run's seed and the path, so that equal prompts on different paths are different draws.
        path: The place in the search, such as ``("generation", 3, "parent", 2, "debug")``.
        operator: Which operator asks: ``"synthesize"``, ``"instruct"``, ``"debug"``, ...
    """

    messages: tuple[Message, ...]
    sampling: Sampling
    seed: int
    path: tuple[PathPart, ...]
    operator: str

    def key(self, identity: str) -> str:
        """Digest of all that fixes this draw: messages, sampling, seed, path and the model's identity.

        Args:
            identity: :attr:`ChatModel.identity` of the model that will answer.

        Returns:
            SHA-256 in hexadecimal.
        """
        record = {
            "identity": identity,
            "messages": [[message.role, message.content] for message in self.messages],
            "sampling": {**vars(self.sampling), "extra": dict(self.sampling.extra)},
            "seed": self.seed,
            "path": list(self.path),
        }
        return hashlib.sha256(_CANONICAL.encode(record).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def token_bound(self) -> int:
        """An upper bound of the tokens of prompt and answer: a token is at least one byte of UTF-8.

        Chat templates add a few tokens a message; 16 a message and 16 for the whole cover those in use.
        """
        size = sum(len(message.content.encode("utf-8", "surrogatepass")) + 16 for message in self.messages)
        return size + 16 + self.sampling.max_tokens


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer, as the provider counts them.

    Attributes:
        prompt_tokens: Of the request.
        completion_tokens: Of the answer, reasoning included.
        cached_prompt_tokens: The part of the prompt that the provider had cached.
        reasoning_tokens: The part of the answer that is not shown.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Prompt and answer."""
        return self.prompt_tokens + self.completion_tokens


class FinishReason(StrEnum):
    """Why an answer ended; each of them is final."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    CONTEXT_OVERFLOW = "context_overflow"


@dataclass(frozen=True)
class Completion:
    """A model's answer.

    Attributes:
        text: As it came, perhaps empty.
        usage: Its tokens.
        finish_reason: Why it ended.
        model: The provider's own name of what answered.
        latency_seconds: From sending the request that was answered to its answer: the time worked.
        attempts: Requests that were sent until this answer came.
        waiting_seconds: From being asked to sending the request that was answered: for a free place, for a pause
            that the provider asked for, and for attempts that brought no answer.
    """

    text: str
    usage: Usage = Usage()
    finish_reason: FinishReason = FinishReason.STOP
    model: str = ""
    latency_seconds: float = 0.0
    attempts: int = 1
    waiting_seconds: float = 0.0


@dataclass(frozen=True)
class Price:
    """What a model's tokens cost.

    Attributes:
        input_usd_per_million: For a million prompt tokens.
        output_usd_per_million: For a million tokens of answers.
        source: Where the figures come from, and of what day.
        by_model: Where several models may answer, each with its price, by what stands in :attr:`Completion.model`, and
            under ``""`` that of all others; the figures above are the dearest then.
    """

    input_usd_per_million: float
    output_usd_per_million: float
    source: str = ""
    by_model: tuple[tuple[str, Price], ...] = ()

    def of(self, model: str) -> Price:
        """The price of what one of the models answered.

        Args:
            model: :attr:`Completion.model`.
        """
        prices = dict(self.by_model)
        found = prices.get(model) or prices.get("")
        return self if found is None else found.of(model)

    def to_record(self) -> dict[str, Any]:
        """Plain data, for a journal."""
        record: dict[str, Any] = {
            "input_usd_per_million": self.input_usd_per_million,
            "output_usd_per_million": self.output_usd_per_million,
            "source": self.source,
        }
        if self.by_model:
            record["by_model"] = [[model, price.to_record()] for model, price in self.by_model]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Price:
        """The price that plain data tell of."""
        by_model = tuple((model, cls.from_record(price)) for model, price in record.get("by_model", ()))
        return cls(record["input_usd_per_million"], record["output_usd_per_million"], record["source"], by_model)

    @property
    def is_free(self) -> bool:
        """Whether tokens cost nothing."""
        return self.input_usd_per_million == 0 and self.output_usd_per_million == 0

    def cost_of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Money for so many tokens, in US dollars."""
        return (prompt_tokens * self.input_usd_per_million + completion_tokens * self.output_usd_per_million) / 1e6

    def cost_usd(self, usage: Usage) -> float:
        """Money for one answer, without discounts for cached prompts."""
        return self.cost_of(usage.prompt_tokens, usage.completion_tokens)


class ChatModel(Protocol):
    """Whatever answers requests. Implementations are safe for many calls at once on one event loop.

    Attributes:
        identity: Digested into every key: model, its version or checksum, and endpoint. Never a secret.
        price: None if it is not known, which is not the same as free.
        concurrency: How many calls may be in flight; a search never starts more.
    """

    @property
    def identity(self) -> str: ...  # noqa: D102

    @property
    def price(self) -> Price | None: ...  # noqa: D102

    @property
    def concurrency(self) -> int: ...  # noqa: D102

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureError: If no answer could be had; to go on later may help.
            UserError: If the request can never be answered, such as for a wrong key or model name.
        """
        ...

    async def close(self) -> None:
        """Give back connections and child processes; a closed model answers no more."""
        ...
