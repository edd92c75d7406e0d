"""Limiter: how many requests may be in flight, as the provider's refusals teach it, and who waits for what.

Additive increase, multiplicative decrease: a refusal (HTTP 429) lowers the limit by a fifth, once for all requests
that were in flight together. The longer nothing is refused, the larger the steps in which answers raise it again, so
that a storm is forgotten within a few rounds of answers, while a standing limit is approached in small steps.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

from evaluators.exceptions import UserError

_DECREASE = 0.8

WaitsFor = Literal["a free place", "the provider's pause", "the next attempt"]


@dataclass(frozen=True)
class Wait:
    """One call that waits.

    Attributes:
        who: Which operator asked.
        waits_for: What must come before it goes on.
        why: What caused that, such as ``"HTTP 429"``.
        seconds_left: Until then; None if that depends on other calls.
    """

    who: str
    waits_for: WaitsFor
    why: str
    seconds_left: float | None


@dataclass(frozen=True)
class LimiterState:
    """What a limiter is doing.

    Attributes:
        limit: Requests that may be in flight now.
        in_flight: Requests that are.
        waiting: Calls that wait for a place.
        pause_seconds: For how long yet the provider asked to be left alone; 0 if it did not.
        refusals: Refused requests so far.
        ceiling: The configured limit, to which ``limit`` returns.
        waits: Every call that waits, for a place or for something else.
    """

    limit: int
    in_flight: int
    waiting: int
    pause_seconds: float
    refusals: int
    ceiling: int
    waits: tuple[Wait, ...] = ()

    def __str__(self) -> str:
        lowered = f" (lowered from {self.ceiling}, refusals: {self.refusals})" if self.limit < self.ceiling else ""
        parts = [f"{self.in_flight} of {self.limit} calls in flight{lowered}"]
        if self.pause_seconds:
            parts.append(f"the provider asked for a pause of {self.pause_seconds:.0f} s")
        groups = Counter((wait.who, wait.waits_for, wait.why) for wait in self.waits)
        parts += [f"{number} {who} waiting for {what} ({why})" for (who, what, why), number in groups.items()]
        return "; ".join(parts)


class Place:
    """Room for one request, as ``async with limiter.place(who) as place:`` around sending it.

    Args:
        limiter: That gives the room.
        who: Which operator asks, for those who look on.
    """

    def __init__(self, limiter: AdaptiveLimiter, who: str) -> None:
        self.who = who
        self.loop: asyncio.AbstractEventLoop | None = None
        self.episode = 0
        self._limiter = limiter

    async def __aenter__(self) -> Place:
        await self._limiter._enter(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limiter._leave(self)

    def answered(self) -> None:
        """Take note that the provider answered this request."""
        self._limiter._raise_limit(self)

    def refused(self) -> None:
        """Take note that the provider wants fewer requests at once."""
        self._limiter._lower_limit(self)


class AdaptiveLimiter:
    """A limit of concurrent requests that yields to refusals; it may be shared by all models of one account.

    It serves one event loop at a time, and any number of them one after the other.

    Args:
        concurrency: The limit to start at, which is never exceeded.
        cooldown_seconds: The limit is lowered once in this time at most.
        longest_pause_seconds: A provider's wish for a longer pause is cut to this.
        clock: Seconds that only grow.
        sleep: Waits for so many seconds.

    Attributes:
        on_wait: Told of each call that begins to wait for another attempt or for the provider's pause; None by default.
    """

    def __init__(
        self,
        concurrency: int,
        *,
        cooldown_seconds: float = 2.0,
        longest_pause_seconds: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}, and must be 1 at least")
        self.clock = clock
        self.on_wait: Callable[[Wait], None] | None = None
        self.longest_pause_seconds = longest_pause_seconds
        self._ceiling = concurrency
        self._limit = float(concurrency)
        self._step = 1.0
        self._cooldown_seconds = cooldown_seconds
        self._sleep = sleep
        self._taken = self._paused = 0
        self._refusals = 0
        self._episode = 0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._waits: dict[object, tuple[str, WaitsFor, str, float | None]] = {}
        self._cooldown_ends = self._pause_ends = float("-inf")
        self._pause_reason = ""
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def state(self) -> LimiterState:
        """What the limiter is doing, for progress displays."""
        now = self.clock()
        waits = tuple(
            Wait(who, waits_for, why, None if until is None else max(0.0, until - now))
            for who, waits_for, why, until in tuple(self._waits.values())
        )
        pause = max(0.0, self._pause_ends - now)
        in_flight = self._taken - self._paused
        return LimiterState(int(self._limit), in_flight, len(self._queue), pause, self._refusals, self._ceiling, waits)

    def place(self, who: str = "") -> Place:
        """Ask for room for one request; it is given in the order of asking, and after the provider's pause.

        Args:
            who: Which operator asks, for those who look on.
        """
        return Place(self, who)

    def pause(self, seconds: float, why: str) -> None:
        """Send nothing for so long; a shorter pause does not shorten one that is under way.

        Args:
            seconds: What the provider said in ``Retry-After``.
            why: What it answered, such as ``"HTTP 429"``.
        """
        ends = self.clock() + min(seconds, self.longest_pause_seconds)
        if ends > self._pause_ends:
            self._pause_ends, self._pause_reason = ends, why

    async def wait(self, seconds: float, who: str, why: str) -> None:
        """Wait before another attempt, in sight of those who look on.

        Args:
            seconds: For how long.
            who: Which operator waits.
            why: What went wrong with the attempt before.
        """
        with self._seen_waiting(who, "the next attempt", why, self.clock() + seconds):
            await self._sleep(seconds)

    @contextlib.contextmanager
    def _seen_waiting(self, who: str, waits_for: WaitsFor, why: str, until: float | None) -> Iterator[None]:
        token = object()
        self._waits[token] = (who, waits_for, why, until)
        if self.on_wait is not None and until is not None:
            self.on_wait(Wait(who, waits_for, why, max(0.0, until - self.clock())))
        try:
            yield
        finally:
            self._waits.pop(token, None)

    async def _enter(self, place: Place) -> None:
        place.loop = self._use_running_loop()
        if self._queue or self._taken >= int(self._limit):
            await self._queue_up(place, place.loop)
        else:
            self._taken += 1
        try:
            while self.clock() < self._pause_ends:
                await self._sit_out_pause(place)
        except asyncio.CancelledError:
            self._leave(place)
            raise
        place.episode = self._episode

    async def _queue_up(self, place: Place, loop: asyncio.AbstractEventLoop) -> None:
        ticket: asyncio.Future[None] = loop.create_future()
        self._queue.append(ticket)
        lowered = int(self._limit) < self._ceiling
        why = f"limit {int(self._limit)} of {self._ceiling}" if lowered else f"all {self._ceiling} are taken"
        with self._seen_waiting(place.who, "a free place", why, None):
            try:
                await ticket
            except asyncio.CancelledError:
                if ticket in self._queue:
                    self._queue.remove(ticket)
                elif not ticket.cancelled():
                    self._leave(place)
                raise

    async def _sit_out_pause(self, place: Place) -> None:
        self._paused += 1
        try:
            with self._seen_waiting(place.who, "the provider's pause", self._pause_reason, self._pause_ends):
                await self._sleep(self._pause_ends - self.clock())
        finally:
            if place.loop is self._loop:
                self._paused -= 1

    def _leave(self, place: Place) -> None:
        # What a loop has left behind is counted no more as soon as another one is served.
        if place.loop is self._loop:
            self._taken -= 1
            self._admit()

    def _admit(self) -> None:
        while self._queue and self._taken < int(self._limit):
            ticket = self._queue.popleft()
            if not ticket.done():
                self._taken += 1
                ticket.set_result(None)

    def _raise_limit(self, place: Place) -> None:
        # The answer to a request from before a refusal says nothing about the limit since then.
        if place.episode == self._episode:
            self._limit = min(float(self._ceiling), self._limit + self._step / self._limit)
            self._step += 1 / self._limit
            self._admit()

    def _lower_limit(self, place: Place) -> None:
        self._refusals += 1
        self._step = 1.0
        now = self.clock()
        if place.episode == self._episode and now >= self._cooldown_ends:
            self._limit = max(1.0, self._limit * _DECREASE)
            self._cooldown_ends = now + self._cooldown_seconds
            self._episode += 1

    def _use_running_loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            if self._taken + len(self._queue) > 0 and self._loop is not None and self._loop.is_running():
                raise UserError(
                    "one model was asked from two event loops at the same time: open a model of its own in each "
                    "thread, or ask from one loop after the other"
                )
            self._taken = self._paused = 0
            self._queue.clear()
            self._waits.clear()
            self._loop = loop
        return loop
