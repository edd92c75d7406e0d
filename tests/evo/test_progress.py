"""What is told while a search waits for its provider."""

import asyncio
import io

from rich.console import Console

from evo.budget import Budget
from evo.cli.progress import Progress
from operators.models.limiter import AdaptiveLimiter


def test_waits_are_told_once_a_kind_and_stand_in_the_status():
    told = io.StringIO()
    progress = Progress(Console(file=told, width=200), Budget())
    statuses = []

    async def sleep(_):
        statuses.append(str(progress._status()))

    limiter = AdaptiveLimiter(4, sleep=sleep)
    progress.watch(limiter)

    async def wait():
        await asyncio.gather(*(limiter.wait(30.0, "debug", "HTTP 503") for _ in range(3)))
        await limiter.wait(30.0, "instruct", "HTTP 429")

    asyncio.run(wait())
    assert told.getvalue().splitlines() == [
        "  debug waits 30.0 s for the next attempt: HTTP 503",
        "  instruct waits 30.0 s for the next attempt: HTTP 429",
    ]
    assert "0 of 4 calls in flight; 1 debug waiting for the next attempt (HTTP 503)" in statuses[0]
    assert "waiting" not in str(progress._status())
