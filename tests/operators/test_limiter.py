from __future__ import annotations

import asyncio
import threading

import pytest

from evaluators.exceptions import UserError
from operators.models.limiter import AdaptiveLimiter, Place, Wait


class Clock:
    """Time that passes only when somebody sleeps or a test says so."""

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


def limiter(concurrency: int) -> tuple[AdaptiveLimiter, Clock]:
    clock = Clock()
    return AdaptiveLimiter(concurrency, clock=clock, sleep=clock.sleep), clock


async def send(limited: AdaptiveLimiter, *outcomes: str) -> None:
    """Send as many requests at once; all get a place before the first outcome comes."""
    places = [limited.place("debug") for _ in outcomes]
    for place in places:
        await place.__aenter__()
    for place, outcome in zip(places, outcomes, strict=True):
        place.refused() if outcome == "refused" else place.answered()
    for place in places:
        await place.__aexit__(None, None, None)


def test_never_more_in_flight_than_the_limit() -> None:
    limited, _ = limiter(3)
    in_flight = most = 0

    async def call() -> None:
        nonlocal in_flight, most
        async with limited.place():
            in_flight += 1
            most = max(most, in_flight)
            await asyncio.sleep(0)
            in_flight -= 1

    async def many() -> None:
        await asyncio.gather(*(call() for _ in range(20)))

    asyncio.run(many())
    assert most == 3
    assert limited.state.in_flight == 0


def test_requests_that_were_in_flight_together_lower_the_limit_once() -> None:
    limited, clock = limiter(10)

    async def scene() -> None:
        early = limited.place()
        await early.__aenter__()
        await send(limited, *["refused"] * 5)
        assert (limited.state.limit, limited.state.refusals) == (8, 5)
        clock.now += 100
        early.refused()
        assert limited.state.limit == 8
        await early.__aexit__(None, None, None)
        await send(limited, "refused")
        assert limited.state.limit == 6

    asyncio.run(scene())


def test_limit_is_lowered_once_in_the_cooldown() -> None:
    limited, clock = limiter(10)

    async def scene() -> None:
        await send(limited, "refused")
        clock.now += 1.9
        await send(limited, "refused")
        assert limited.state.limit == 8
        clock.now += 0.2
        await send(limited, "refused")
        assert limited.state.limit == 6

    asyncio.run(scene())


@pytest.mark.parametrize(("ceiling", "most_rounds"), [(4, 4), (64, 13)])
def test_limit_stays_one_at_least_and_is_back_within_a_few_rounds(ceiling: int, most_rounds: int) -> None:
    limited, clock = limiter(ceiling)

    async def scene() -> int:
        while limited.state.limit > 1:
            await send(limited, "refused")
            clock.now += 100
        await send(limited, "refused")
        assert limited.state.limit == 1
        rounds = 0
        while limited.state.limit < ceiling:
            await send(limited, *["answered"] * limited.state.limit)
            rounds += 1
        await send(limited, *["answered"] * ceiling)
        return rounds

    assert 1 < asyncio.run(scene()) <= most_rounds
    assert limited.state.limit == ceiling


def test_standing_limit_is_approached_in_small_steps() -> None:
    limited, clock = limiter(64)
    capacity = 20
    refused = sent = 0

    async def scene() -> None:
        nonlocal refused, sent
        for number in range(200):
            at_once = limited.state.limit
            await send(limited, *["answered"] * min(at_once, capacity), *["refused"] * (at_once - capacity))
            clock.now += 2.5
            if number > 50:
                sent += at_once
                refused += max(0, at_once - capacity)

    asyncio.run(scene())
    assert refused / sent < 0.1
    assert sent / 149 > 0.85 * capacity


def test_answer_from_before_a_refusal_does_not_raise_the_limit() -> None:
    limited, _ = limiter(10)
    asyncio.run(send(limited, "refused", *["answered"] * 9))
    assert limited.state.limit == 8


def test_pause_that_the_provider_asks_for() -> None:
    limited, clock = limiter(4)

    async def go() -> float:
        async with limited.place("debug"):
            return clock.now

    limited.pause(30.0, "HTTP 429")
    limited.pause(5.0, "HTTP 503")
    assert limited.state.pause_seconds == 30.0
    assert "asked for a pause of 30 s" in str(limited.state)
    assert asyncio.run(go()) == 1030.0
    assert clock.slept == [30.0]
    assert asyncio.run(go()) == 1030.0
    assert clock.slept == [30.0]


def test_a_day_of_pause_is_not_waited_for() -> None:
    limited, _ = limiter(4)
    limited.pause(86400.0, "HTTP 429")
    assert limited.state.pause_seconds == 120.0


def test_state_tells_who_waits_for_what_and_why() -> None:
    clock = Clock()
    awake = asyncio.Event()

    async def sleep(seconds: float) -> None:
        await awake.wait()
        clock.now += seconds

    limited = AdaptiveLimiter(3, clock=clock, sleep=sleep)

    async def call(who: str, leave: asyncio.Event) -> None:
        async with limited.place(who):
            await leave.wait()

    async def scene() -> None:
        await send(limited, "refused")
        leave = asyncio.Event()
        calls = [asyncio.create_task(call("synthesize", leave))]
        await asyncio.sleep(0)
        limited.pause(7.0, "HTTP 429")
        calls += [asyncio.create_task(call("debug", leave)) for _ in range(2)]
        calls += [asyncio.create_task(limited.wait(3.0, "instruct", "HTTP 500"))]
        await asyncio.sleep(0)
        clock.now += 2.0
        state = limited.state
        assert (state.limit, state.ceiling, state.in_flight, state.waiting) == (2, 3, 1, 1)
        assert set(state.waits) == {
            Wait("debug", "the provider's pause", "HTTP 429", 5.0),
            Wait("debug", "a free place", "limit 2 of 3", None),
            Wait("instruct", "the next attempt", "HTTP 500", 1.0),
        }
        assert str(state) == (
            "1 of 2 calls in flight (lowered from 3, refusals: 1); the provider asked for a pause of 5 s; "
            "1 debug waiting for the provider's pause (HTTP 429); 1 debug waiting for a free place (limit 2 of 3); "
            "1 instruct waiting for the next attempt (HTTP 500)"
        )
        awake.set()
        leave.set()
        await asyncio.gather(*calls)

    asyncio.run(scene())
    assert limited.state.waits == ()
    assert str(limited.state) == "0 of 2 calls in flight (lowered from 3, refusals: 1)"


def test_lowered_limit_holds_back_those_who_wait() -> None:
    limited, _ = limiter(2)
    order: list[str] = []

    async def scene() -> None:
        leave = asyncio.Event()
        held: list[Place] = []

        async def first(name: str) -> None:
            async with limited.place() as place:
                held.append(place)
                await leave.wait()
                order.append(name)

        async def later(name: str) -> None:
            async with limited.place():
                order.append(f"{name} beside {limited.state.in_flight - 1}")
                await asyncio.sleep(0)

        holders = [asyncio.create_task(first("a")), asyncio.create_task(first("b"))]
        await asyncio.sleep(0)
        held[0].refused()
        waiters = [asyncio.create_task(later("c")), asyncio.create_task(later("d"))]
        await asyncio.sleep(0)
        assert limited.state.waiting == 2
        leave.set()
        await asyncio.gather(*holders, *waiters)

    asyncio.run(scene())
    assert order == ["a", "b", "c beside 0", "d beside 0"]


@pytest.mark.parametrize("admitted", [False, True])
def test_who_is_cancelled_while_waiting_takes_no_place(admitted: bool) -> None:
    limited, _ = limiter(1)

    async def scene() -> None:
        release = asyncio.Event()

        async def hold() -> None:
            async with limited.place():
                await release.wait()

        async def wait() -> None:
            async with limited.place():
                pytest.fail("a cancelled call went on")

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        waiter = asyncio.create_task(wait())
        await asyncio.sleep(0)
        if admitted:
            release.set()
            await holder
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
        release.set()
        await holder
        async with limited.place():
            assert limited.state.in_flight == 1

    asyncio.run(scene())
    assert limited.state.in_flight == 0
    assert limited.state.waits == ()


def test_who_is_cancelled_during_a_pause_takes_no_place() -> None:
    limited = AdaptiveLimiter(1)

    async def scene() -> None:
        limited.pause(100.0, "HTTP 429")

        async def call() -> None:
            async with limited.place():
                pytest.fail("a cancelled call went on")

        calls = [asyncio.create_task(call()) for _ in range(2)]
        await asyncio.sleep(0)
        assert [wait.waits_for for wait in limited.state.waits] == ["the provider's pause", "a free place"]
        for task in calls:
            task.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(scene())
    assert limited.state.in_flight == limited.state.waiting == 0
    assert limited.state.waits == ()


def test_loops_one_after_the_other_start_with_all_places() -> None:
    limited, _ = limiter(1)

    async def call() -> None:
        async with limited.place():
            assert limited.state.in_flight == 1

    async def abandon() -> None:
        await limited.place().__aenter__()

    abandoned = asyncio.new_event_loop()
    abandoned.run_until_complete(abandon())
    asyncio.run(call())
    abandoned.close()
    asyncio.run(call())
    assert limited.state.in_flight == 0


def test_loops_at_the_same_time_are_refused_with_a_message() -> None:
    limited, _ = limiter(2)
    held, release = threading.Event(), threading.Event()

    async def hold() -> None:
        async with limited.place():
            held.set()
            await asyncio.to_thread(release.wait)

    async def call() -> None:
        async with limited.place():
            pytest.fail("two loops were served at once")

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()
    held.wait()
    with pytest.raises(UserError, match="two event loops at the same time: open a model of its own in each thread"):
        asyncio.run(call())
    release.set()
    thread.join()
    assert limited.state.in_flight == 0


def test_concurrency_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="must be 1 at least"):
        AdaptiveLimiter(0)
