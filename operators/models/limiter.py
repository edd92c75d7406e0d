"""Limiter: how many calls may be in flight, as the provider's refusals teach it.

Additive increase, multiplicative decrease: a refusal (HTTP 429) lowers the limit by a fifth, once an episode; each
answer raises it a little, until the configured limit is reached again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType

_DECREASE = 0.8
# The client gives a call up whose provider asks for a longer pause, so that nobody needs to wait for it here.
_LONGEST_PAUSE_SECONDS = 120.0


@dataclass(frozen=True)
class LimiterState:
    """What a limiter is doing.

    Attributes:
        limit: Calls that may be in flight now.
        in_flight: Calls that are.
        waiting: Calls that wait for a place.
        pause_seconds: For how long the provider asked to be left alone; 0 if it did not.
        refusals: HTTP 429 seen so far.
    """

    limit: int
    in_flight: int
    waiting: int
    pause_seconds: float
    refusals: int

    def __str__(self) -> str:
        pause = f", provider asked for a pause of {self.pause_seconds:.0f} s" if self.pause_seconds else ""
        return f"{self.in_flight} of {self.limit} calls in flight, {self.waiting} waiting{pause}"


class AdaptiveLimiter:
    """A limit of concurrent calls that yields to refusals; used as ``async with limiter:`` around a call.

    Args:
        concurrency: The limit to start at, which is never exceeded.
        cooldown_seconds: Refusals within this time after the first one belong to the same episode.
        clock: Seconds that only grow.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        concurrency: int,
        *,
        cooldown_seconds: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}, and must be 1 at least")
        self._most = concurrency
        self._limit = float(concurrency)
        self._cooldown_seconds = cooldown_seconds
        self._clock = clock
        self._sleep = sleep
        self._in_flight = 0
        self._refusals = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._episode_ends = self._pause_ends = float("-inf")

    @property
    def state(self) -> LimiterState:
        """What the limiter is doing, for progress displays."""
        pause = max(0.0, self._pause_ends - self._clock())
        return LimiterState(int(self._limit), self._in_flight, len(self._queue), pause, self._refusals)

    def refused(self, retry_after_seconds: float | None = None) -> None:
        """Take note of an HTTP 429.

        Args:
            retry_after_seconds: What the provider said in ``Retry-After``; None if it said nothing.
        """
        now = self._clock()
        pause = min(max(retry_after_seconds or 0.0, 0.0), _LONGEST_PAUSE_SECONDS)
        self._refusals += 1
        self._pause_ends = max(self._pause_ends, now + pause)
        if now >= self._episode_ends:
            self._limit = max(1.0, self._limit * _DECREASE)
            self._episode_ends = now + max(self._cooldown_seconds, pause)

    def answered(self) -> None:
        """Take note of an answer: as many as the limit allows at once raise it by one."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)
        self._admit()

    async def pause(self) -> None:
        """Wait until the provider's pause is over; each attempt of a call should."""
        while (seconds := self._pause_ends - self._clock()) > 0:
            await self._sleep(seconds)

    async def __aenter__(self) -> None:
        if self._queue or self._in_flight >= int(self._limit):
            place = asyncio.get_running_loop().create_future()
            self._queue.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place in self._queue:
                    self._queue.remove(place)
                elif not place.cancelled():
                    self._leave()
                raise
        else:
            self._in_flight += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        self._in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        while self._queue and self._in_flight < int(self._limit):
            place = self._queue.popleft()
            if not place.done():
                self._in_flight += 1
                place.set_result(None)
