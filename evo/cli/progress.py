"""Progress: a live line in a terminal, plain lines elsewhere; the same facts in both."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from evaluators.verdict import Verdict
from evo.budget import Budget
from evo.events import CallEnded, CallStarted, Committed, Event, GenerationStarted, SearchEnded, ToldAgain
from evo.individual import Individual
from operators.models.limiter import AdaptiveLimiter, Wait
from operators.models.weights import FetchProgress


class Progress:
    """Watches a run and tells of it on standard error, so that standard output holds the result alone.

    Args:
        console: Where to.
        budget: To show how much of it is used.
    """

    def __init__(self, console: Console, budget: Budget) -> None:
        self._console = console
        self._budget = budget
        self._started = time.monotonic()
        self._in_flight: dict[tuple[str | int, ...], tuple[str, float]] = {}
        self._programs = self._calls = self._from_journal = self._tokens = 0
        self._best = 0.0
        self._note = "starting"
        self._limiters: list[AdaptiveLimiter] = []
        self._waits: dict[tuple[str, str, str], float] = {}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=4, transient=True, get_renderable=self._status)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        if isinstance(event, CallStarted):
            self._in_flight[event.path] = (event.operator, time.monotonic())
        elif isinstance(event, CallEnded):
            self._in_flight.pop(event.path, None)
            self._calls += 1
            self._from_journal += event.journalled
            self._tokens += event.completion.usage.total_tokens
        elif isinstance(event, ToldAgain):
            self._calls += event.spent.calls
            self._from_journal += event.spent.calls
            self._tokens += event.spent.tokens
        elif isinstance(event, GenerationStarted):
            name = "drafts" if event.generation == 0 else f"generation {event.generation}"
            self.say(f"{name}: up to {event.births} programs")
        elif isinstance(event, Committed):
            self._programs += event.individual.operator != "start"
            self._best = max(self._best, event.individual.judged.mean_score)
            self.say(f"  {described(event.individual)}")
        elif isinstance(event, SearchEnded):
            self._note = "ended"

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._console.print(Text(text), highlight=False, soft_wrap=True)

    def watch(self, limiter: AdaptiveLimiter) -> None:
        """Tell of the calls that wait at an endpoint."""
        self._limiters.append(limiter)
        limiter.on_wait = self._waiting

    def _waiting(self, wait: Wait) -> None:
        """A line, unless one on the like of it says so already: a hundred calls may wait for the same."""
        kind = (wait.who, wait.waits_for, wait.why)
        now, seconds = time.monotonic(), wait.seconds_left or 0.0
        if now < self._waits.get(kind, 0.0):
            return
        self._waits[kind] = now + seconds
        self.say(f"  {wait.who} waits {seconds:.1f} s for {wait.waits_for}: {wait.why}")

    def fetching(self, fetched: FetchProgress) -> None:
        """Say how far the fetching of a model's weights has come."""
        done, whole = fetched.bytes_done / 1e9, fetched.size_bytes / 1e9
        self.say(
            f"fetching the embedded model: part {fetched.parts_done} of {fetched.parts}, {done:.2f} of {whole:.2f} GB"
        )

    def _status(self) -> Text:
        limit = "" if self._budget.programs is None else f"/{self._budget.programs}"
        parts = [f"programs {self._programs}{limit}", f"calls {self._calls}", f"tokens {self._tokens}"]
        if self._from_journal:
            parts.append(f"from the journal {self._from_journal}")
        parts += [f"best score {self._best:.3f}", f"{time.monotonic() - self._started:.0f} s"]
        if self._in_flight:
            operator, since = next(iter(self._in_flight.values()))
            waiting = f"waiting for {len(self._in_flight)} answer(s), {operator} for {time.monotonic() - since:.0f} s"
            parts.append(waiting)
        parts += [str(limiter.state) for limiter in self._limiters if limiter.state.waits]
        return Text("   ".join(parts))


def described(individual: Individual) -> str:
    """One line on an individual: who it is, whence it came, how it did."""
    evaluation = individual.judged
    verdicts = evaluation.verdicts
    passed = sum(verdict.passed for verdict in verdicts)
    origin = individual.operator + (f" of {individual.parents[0][:8]}" if individual.parents else "")
    failing = evaluation.failing()
    worst = "" if not failing else f", first failure {_failure(verdicts[failing[0]])}"
    return (
        f"{individual.id[:8]}  {origin:<22} passes {passed}/{len(verdicts)}, score {evaluation.mean_score:.3f}{worst}"
    )


def _failure(verdict: Verdict) -> str:
    return verdict.value.replace("_", " ")
