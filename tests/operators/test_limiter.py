from __future__ import annotations

import asyncio

import pytest

from operators.models.limiter import AdaptiveLimiter


class Clock:
    """Time that passes only when somebody sleeps or a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def limiter(concurrency: int) -> tuple[AdaptiveLimiter, Clock]:
    clock = Clock()
    return AdaptiveLimiter(concurrency, clock=clock, sleep=clock.sleep), clock


def test_never_more_in_flight_than_the_limit() -> None:
    limited, _ = limiter(3)
    in_flight = most = 0

    async def call() -> None:
        nonlocal in_flight, most
        async with limited:
            in_flight += 1
            most = max(most, in_flight)
            await asyncio.sleep(0)
            in_flight -= 1

    async def many() -> None:
        await asyncio.gather(*(call() for _ in range(20)))

    asyncio.run(many())
    assert most == 3
    assert limited.state.in_flight == 0


def test_one_episode_lowers_the_limit_once() -> None:
    limited, clock = limiter(10)
    for _ in range(5):
        limited.refused()
    assert limited.state.limit == 8
    assert limited.state.refusals == 5
    clock.now += 14.9
    limited.refused()
    assert limited.state.limit == 8
    clock.now += 0.2
    limited.refused()
    assert limited.state.limit == 6


def test_limit_stays_one_at_least_and_recovers_to_the_configured_one() -> None:
    limited, clock = limiter(4)
    for _ in range(20):
        limited.refused()
        clock.now += 100
    assert limited.state.limit == 1
    answers = 0
    while limited.state.limit < 4:
        limited.answered()
        answers += 1
    assert 4 < answers < 20
    for _ in range(100):
        limited.answered()
    assert limited.state.limit == 4


def test_pause_that_the_provider_asks_for() -> None:
    limited, clock = limiter(4)
    limited.refused(30.0)
    limited.refused(5.0)
    assert limited.state.pause_seconds == 30.0
    assert "pause of 30 s" in str(limited.state)
    asyncio.run(limited.pause())
    assert clock.slept == [30.0]
    asyncio.run(limited.pause())
    assert clock.slept == [30.0]


def test_a_day_of_pause_is_not_waited_for() -> None:
    limited, _ = limiter(4)
    limited.refused(86400.0)
    assert limited.state.pause_seconds == 120.0


def test_lowered_limit_holds_back_those_who_wait() -> None:
    limited, _ = limiter(2)
    order: list[str] = []

    async def scene() -> None:
        leave = asyncio.Event()

        async def first(name: str) -> None:
            async with limited:
                await leave.wait()
                order.append(name)

        async def later(name: str) -> None:
            async with limited:
                order.append(f"{name} beside {limited.state.in_flight - 1}")
                await asyncio.sleep(0)

        holders = [asyncio.create_task(first("a")), asyncio.create_task(first("b"))]
        await asyncio.sleep(0)
        limited.refused()
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
            async with limited:
                await release.wait()

        async def wait() -> None:
            async with limited:
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
        async with limited:
            assert limited.state.in_flight == 1

    asyncio.run(scene())
    assert limited.state.in_flight == 0


def test_concurrency_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="must be 1 at least"):
        AdaptiveLimiter(0)
