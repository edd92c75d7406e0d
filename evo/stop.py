"""Why a search ended."""

from __future__ import annotations

from enum import StrEnum

from evaluators.exceptions import EvoError


class StopReason(StrEnum):
    """Why a search ended; every run has exactly one."""

    SOLVED = "solved"
    PROGRAMS = "programs"
    TOKENS = "tokens"
    MONEY = "money"
    SECONDS = "seconds"
    EXHAUSTED = "exhausted"
    INTERRUPTED = "interrupted"
    INFRASTRUCTURE = "infrastructure"


class Stop(EvoError):
    """Ends a search from within an effect; caught where the search was started.

    Attributes:
        reason: Why it ended.
    """

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.value)
        self.reason = reason
