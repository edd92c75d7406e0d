"""ScriptedModel: a model whose answers a function computes, for tests and for trying a search without a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from evaluators.exceptions import UserError, users_code
from operators.models.chat import ChatRequest, Completion, FinishReason, Price, Usage

CHARACTERS_PER_TOKEN = 4


class ScriptedModel:
    """A model whose answers are a pure function of the request, and so of its place in the search.

    Tokens are counted from the length of the text, so that usage is the same on every machine. A text longer than
    the request's ``max_tokens`` is cut, as a model would.

    Args:
        reply: Computes the answer; a :class:`Completion` is handed on as it is. It must depend on nothing but the
            request: a function that counts its calls gives other results at another concurrency.
        identity: Digested into every key; give each script of a test its own.
        concurrency: How many calls may be in flight.
        price: None if it is not known.
        delay: Awaited before each answer, so that a test can let answers arrive in any order it likes.
    """

    def __init__(
        self,
        reply: Callable[[ChatRequest], str | Completion],
        *,
        identity: str = "scripted",
        concurrency: int = 64,
        price: Price | None = None,
        delay: Callable[[ChatRequest], Awaitable[None]] | None = None,
    ) -> None:
        self.identity = identity
        self.concurrency = concurrency
        self.price = price
        self._reply = reply
        self._delay = delay

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request."""
        if self._delay is not None:
            await self._delay(request)
        with users_code(f"model {self.identity!r}"):
            answer = self._reply(request)
        if isinstance(answer, Completion):
            return answer
        if not isinstance(answer, str):
            raise UserError(
                f"model {self.identity!r} returned {answer!r:.80}, a {type(answer).__name__}: "
                "it must return the text of the reply"
            )
        longest = request.sampling.max_tokens * CHARACTERS_PER_TOKEN
        return Completion(
            text=answer[:longest],
            usage=Usage(
                prompt_tokens=sum(_tokens(message.content) for message in request.messages),
                completion_tokens=_tokens(answer[:longest]),
            ),
            finish_reason=FinishReason.LENGTH if len(answer) > longest else FinishReason.STOP,
            model=self.identity,
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
