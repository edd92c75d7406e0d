"""What the client of an endpoint costs, and how it comes back after a storm.

``python -m benchmarks.speed.model_client [--json]`` asks a stub endpoint in another process, which answers after
200 ms, and prints

* ``ideal_rate_share_64``: answers a second with 64 calls in flight, as a share of the 320 that are possible at most,
  once all calls are under way; the best of three rounds, as whatever else runs on the machine only ever lowers it;
* ``client_cpu_ms_a_call``: processor time of this process for each of these calls, the lowest of the rounds;
* ``storm_recovery_seconds``: after a storm of 400 requests, every other one refused, broken or reset: from the last
  trouble until 64 requests are in flight again.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator

from operators.models.chat import ChatRequest, Message, Sampling
from operators.models.openai_endpoint import OpenAIModel

IN_FLIGHT = 64
LATENCY_SECONDS = 0.2
CALLS_A_WORKER = 15
ROUNDS = 3
STORM_REQUESTS = 400
_PROMPT = "Write a program that reads two numbers and prints their sum. " * 30


@contextlib.contextmanager
def endpoint(*arguments: str) -> Iterator[str]:
    """A stub endpoint in a process of its own.

    Args:
        arguments: Of its command line.
    """
    command = [sys.executable, "-m", "operators.models.stub_endpoint", "--latency-seconds", str(LATENCY_SECONDS)]
    process = subprocess.Popen([*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def request(worker: int, number: int) -> ChatRequest:
    """One of many requests of a usual size."""
    messages = (Message("user", f"{worker} {number}: {_PROMPT}"),)
    return ChatRequest(messages, Sampling(), number, (worker, number), "synthesize")


async def healthy_rate(base_url: str) -> tuple[float, float]:
    """Share of the ideal rate, and processor milliseconds a call.

    Args:
        base_url: Of an endpoint that answers after 200 ms.
    """
    model = OpenAIModel("stub", base_url=base_url, concurrency=IN_FLIGHT, trust_env=False)

    answered: list[float] = []

    async def worker(index: int) -> None:
        for number in range(CALLS_A_WORKER):
            await model.complete(request(index, number))
            answered.append(time.perf_counter())

    shares, costs = [], []
    for _ in range(ROUNDS):
        answered.clear()
        cpu_begun = time.process_time()
        await asyncio.gather(*(worker(index) for index in range(IN_FLIGHT)))
        costs.append(1000 * (time.process_time() - cpu_begun) / (CALLS_A_WORKER * IN_FLIGHT))
        # All workers begin and end together, so that the first and the last calls are no steady state; and whole
        # rounds are counted, as answers come in bunches.
        rounds = CALLS_A_WORKER - 3
        first, last = 2 * IN_FLIGHT, (2 + rounds) * IN_FLIGHT
        shares.append(rounds * LATENCY_SECONDS / (answered[last] - answered[first]))
    await model.close()
    return max(shares), min(costs)


async def storm_recovery_seconds(base_url: str) -> float:
    """Time from the last trouble of a storm until the limiter has all requests in flight again.

    Args:
        base_url: Of an endpoint with a storm.
    """
    model = OpenAIModel("stub", base_url=base_url, concurrency=IN_FLIGHT, max_retries=50, trust_env=False)
    recovered = asyncio.Event()

    async def worker(index: int) -> None:
        for number in itertools.count():
            if recovered.is_set():
                return
            await model.complete(request(index, number))

    async def watch() -> float:
        troubles, last_trouble = 0, 0.0
        while True:
            await asyncio.sleep(0.01)
            state = model.limiter.state
            if model.troubles.total() > troubles:
                troubles, last_trouble = model.troubles.total(), time.perf_counter()
            over = model.attempts.total() > STORM_REQUESTS
            if over and state.limit == IN_FLIGHT and state.in_flight >= 0.95 * IN_FLIGHT:
                recovered.set()
                return time.perf_counter() - last_trouble

    seconds, *_ = await asyncio.gather(watch(), *(worker(index) for index in range(IN_FLIGHT)))
    await model.close()
    assert seconds is not None
    return seconds


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one flat JSON object")
    as_json = parser.parse_args().json
    with endpoint() as base_url:
        share, cpu_ms = asyncio.run(healthy_rate(base_url))
    with endpoint("--storm", str(STORM_REQUESTS)) as base_url:
        seconds = asyncio.run(storm_recovery_seconds(base_url))
    figures = {"ideal_rate_share_64": share, "client_cpu_ms_a_call": cpu_ms, "storm_recovery_seconds": seconds}
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, figure in figures.items():
            sys.stdout.write(f"{name:<24} {figure:.3f}\n")


if __name__ == "__main__":
    main()
