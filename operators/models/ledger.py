"""Ledger: what a search has spent on models, by operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from operators.models.chat import Completion, Price


@dataclass(frozen=True)
class Spending:
    """What was spent; two of them add up with ``+``.

    Attributes:
        calls: That were answered.
        retries: Attempts beyond the first one of an answered call, and all attempts of calls that were given up.
        failures: Calls that were given up.
        prompt_tokens: Of answered calls.
        completion_tokens: Of answered calls.
        cached_prompt_tokens: The part of the prompts that the provider had cached.
        reasoning_tokens: The part of the answers that is not shown.
        usd: Money; None as soon as one call's price is not known.
    """

    calls: int = 0
    retries: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_prompt_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = 0.0

    @property
    def total_tokens(self) -> int:
        """Prompts and answers."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls,
            self.retries + other.retries,
            self.failures + other.failures,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_prompt_tokens + other.cached_prompt_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


@dataclass(frozen=True)
class Ledger:
    """Spending by operator. A value: each entry gives a new ledger.

    Attributes:
        by_operator: What each operator spent.
    """

    by_operator: Mapping[str, Spending] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def total(self) -> Spending:
        """All operators together."""
        return sum(self.by_operator.values(), Spending())

    def answered(self, operator: str, completion: Completion, price: Price | None) -> Ledger:
        """Enter an answer.

        Args:
            operator: Who asked.
            completion: What came back.
            price: Of the model that answered; None if it is not known.
        """
        usage = completion.usage
        return self._with(
            operator,
            Spending(
                calls=1,
                retries=completion.attempts - 1,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cached_prompt_tokens=usage.cached_prompt_tokens,
                reasoning_tokens=usage.reasoning_tokens,
                usd=None if price is None else price.cost_usd(usage),
            ),
        )

    def given_up(self, operator: str, attempts: int) -> Ledger:
        """Enter a call that got no answer.

        Args:
            operator: Who asked.
            attempts: Requests that were sent for it.
        """
        return self._with(operator, Spending(retries=attempts, failures=1))

    def __add__(self, other: Ledger) -> Ledger:
        joined = self
        for operator, spending in other.by_operator.items():
            joined = joined._with(operator, spending)
        return joined

    def _with(self, operator: str, spending: Spending) -> Ledger:
        before = self.by_operator.get(operator, Spending())
        return Ledger(MappingProxyType({**self.by_operator, operator: before + spending}))
