"""Events: what a run tells whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from evo.budget import Charge
from evo.individual import Individual
from evo.stop import StopReason
from operators.models.chat import Completion, PathPart


@dataclass(frozen=True)
class GenerationStarted:
    """A generation's births are about to start.

    Attributes:
        generation: 0 for drafts.
        births: How many children it will have at most.
    """

    generation: int
    births: int


@dataclass(frozen=True)
class CallStarted:
    """A model has been asked.

    Attributes:
        operator: On whose behalf.
        path: Where in the search.
    """

    operator: str
    path: tuple[PathPart, ...]


@dataclass(frozen=True)
class CallEnded:
    """A model has answered.

    Attributes:
        operator: On whose behalf.
        path: Where in the search.
        completion: The answer.
        journalled: Whether it came from the journal and cost nothing now.
    """

    operator: str
    path: tuple[PathPart, ...]
    completion: Completion
    journalled: bool


@dataclass(frozen=True)
class ToldAgain:
    """A generation that an earlier session finished is read from the journal, without its calls.

    Attributes:
        spent: What it cost then.
    """

    spent: Charge


@dataclass(frozen=True)
class Committed:
    """An individual has taken its place in the canonical order.

    Attributes:
        individual: The individual, evaluated.
        position: Its place, from 0.
    """

    individual: Individual
    position: int


@dataclass(frozen=True)
class SearchEnded:
    """The search is over.

    Attributes:
        reason: Why.
    """

    reason: StopReason


Event = GenerationStarted | CallStarted | CallEnded | ToldAgain | Committed | SearchEnded


class Observer(Protocol):
    """Whoever watches a run; called on its event loop, so it must be quick, and must not raise."""

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        ...


def unobserved(event: Event) -> None:
    """Watch nothing."""
