"""FallbackModel: a second model for when the first one cannot be had."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from evaluators.exceptions import InfrastructureError
from operators.models.chat import ChatModel, ChatRequest, Completion, Price
from operators.models.limiter import AdaptiveLimiter


class FallbackModel:
    """A model that asks a second one when the first one gives up; either closes with it.

    Only an :class:`~evaluators.exceptions.InfrastructureError` of the first is answered by the second: a wrong key or
    model name is the user's to mend. What the second answered has its identity in ``Completion.model``.

    A budget reserves the dearer :attr:`price`, and settles that of the model which answered.

    Args:
        first: Asked as long as it answers.
        second: Asked instead. A fallback itself, if there are to be three.
        rest_seconds: After the first gave up, the second is asked at once for so long; 0 to always try the first one,
            which costs each call all of its attempts while the first is down.
        clock: Seconds that only grow.

    Attributes:
        fallbacks: Calls that the second model was asked.
    """

    def __init__(
        self,
        first: ChatModel,
        second: ChatModel,
        *,
        rest_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.fallbacks = 0
        self._first = first
        self._second = second
        self._rest_seconds = rest_seconds
        self._clock = clock
        self._rests_until = float("-inf")
        self._why = ""
        # A model on this machine takes fewer calls than the endpoint that it stands in for.
        self._places = AdaptiveLimiter(second.concurrency)

    @property
    def identity(self) -> str:
        """Both names, as the answers may be of either."""
        return f"{self._first.identity}, or else {self._second.identity}"

    @property
    def price(self) -> Price | None:
        """The dearer of the two, for prompts and answers each; None if one is not known."""
        one, other = self._first.price, self._second.price
        if one is None or other is None:
            return None
        return Price(
            max(one.input_usd_per_million, other.input_usd_per_million),
            max(one.output_usd_per_million, other.output_usd_per_million),
            "; ".join(dict.fromkeys(source for source in (one.source, other.source) if source)),
            (("", one), (self._second.identity, other)),
        )

    @property
    def concurrency(self) -> int:
        """The first model's; of so many calls, the second gets no more at once than it can take."""
        return self._first.concurrency

    def __repr__(self) -> str:
        return f"FallbackModel({self._first!r}, {self._second!r})"

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request with the first model, or else with the second.

        The first model's attempts and its time count as one attempt, and as waiting.

        Raises:
            InfrastructureError: If neither answers; the message has both reasons.
            UserError: If the model that was asked raises it.
        """
        asked_at = self._clock()
        tried = 0
        if asked_at >= self._rests_until:
            try:
                return await self._first.complete(request)
            except InfrastructureError as error:
                self._why = str(error)
                self._rests_until = self._clock() + self._rest_seconds
                tried = 1
        why, turned_at = self._why, self._clock()
        self.fallbacks += 1
        async with self._places.place(request.operator):
            waited = self._clock() - turned_at
            try:
                completion = await self._second.complete(request)
            except InfrastructureError as error:
                raise InfrastructureError(f"{error}; it was asked because {why}") from error
        return replace(
            completion,
            model=self._second.identity,
            attempts=completion.attempts + tried,
            waiting_seconds=completion.waiting_seconds + waited + turned_at - asked_at,
        )

    async def close(self) -> None:
        """Close both."""
        try:
            await self._first.close()
        finally:
            await self._second.close()
