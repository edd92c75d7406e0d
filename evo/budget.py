"""Budget: what a search may spend, and the gate that lets it spend no more.

Spending is admitted in the canonical order of the search, never in the order in which answers happen to arrive, so
that the same programs are used at any concurrency. A birth (one child, with all calls on the way to it) starts as soon
as the budget surely covers it and all that was admitted before it. Where it does not, it waits until the earlier ones
are settled, and then has exactly what is left.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from evaluators.exceptions import EvoError
from evo.stop import Stop, StopReason
from operators.models.chat import Price, Usage

_MONEY_SLACK_USD = 1e-9


@dataclass(frozen=True)
class Budget:
    """Upper limits of a search; None means no limit of that kind.

    Attributes:
        programs: Programs made, known ones that were drawn again included.
        tokens: Prompt and answer tokens of all calls.
        usd: Money for all calls, in US dollars.
        seconds: Wall time of the search, added up over resumes.
    """

    programs: int | None = 100
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Charge:
    """What was spent, or may be.

    Attributes:
        programs: Programs made.
        calls: Answers of a model.
        prompt_tokens: Of all requests.
        completion_tokens: Of all answers.
        usd: Money; None if a price is not known, which is not the same as free.
    """

    programs: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Charge) -> Charge:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Charge(
            self.programs + other.programs,
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            usd,
        )

    @property
    def tokens(self) -> int:
        """Of requests and answers together."""
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def for_call(cls, usage: Usage, price: Price | None, model: str = "") -> Charge:
        """What one answer cost; ``model`` is what answered, where several may."""
        usd = None if price is None else price.of(model).cost_usd(usage)
        return cls(0, 1, usage.prompt_tokens, usage.completion_tokens, usd)


@dataclass
class Account:
    """What one birth may spend, and has spent.

    Attributes:
        allowance: Upper limits of this birth; a limit of None is no limit.
        exact: Whether the allowance is what is left of the budget, rather than this birth's own upper bound.
        spent: What its calls and programs have cost so far.
    """

    allowance: Budget
    exact: bool = False
    spent: Charge = field(default_factory=Charge)

    def programs_left(self) -> int | None:
        """How many more programs may be made; None if there is no limit."""
        return None if self.allowance.programs is None else self.allowance.programs - self.spent.programs

    def check_call(self, bound: Charge) -> None:
        """See that a call fits.

        Args:
            bound: The most that it can cost.

        Raises:
            Stop: If it does not.
            EvoError: If it exceeds the bound that its birth was admitted under, which is a defect of the operator.
        """
        reason = _exceeded(self.allowance, self.spent + bound)
        if reason is None:
            return
        if not self.exact:
            raise EvoError(
                f"a call may cost {bound}, more than its birth declared ({self.allowance}, {self.spent} spent)"
            )
        raise Stop(reason)


def _exceeded(limits: Budget, charge: Charge) -> StopReason | None:
    if limits.programs is not None and charge.programs > limits.programs:
        return StopReason.PROGRAMS
    if limits.tokens is not None and charge.tokens > limits.tokens:
        return StopReason.TOKENS
    if limits.usd is not None and (charge.usd is None or charge.usd > limits.usd + _MONEY_SLACK_USD):
        return StopReason.MONEY
    return None


class Admission:
    """The gate before a budget.

    Births ask in canonical order, one after the other, and are settled in the same order.

    Args:
        budget: The limits of the whole search.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._settled = Charge()
        self._reserved: dict[int, Charge] = {}
        self._changed = asyncio.Event()

    @property
    def settled(self) -> Charge:
        """What all settled births have cost."""
        return self._settled

    async def admit(self, index: int, bound: Charge) -> Account:
        """Wait until a birth may start.

        Args:
            index: Its place in the canonical order.
            bound: The most that it can cost.

        Returns:
            Its account.

        Raises:
            Stop: If not even one more program fits.
        """
        while True:
            committed = sum(self._reserved.values(), self._settled)
            if _exceeded(self._budget, committed + bound) is None:
                self._reserved[index] = bound
                return Account(self._where_limited(bound))
            if not self._reserved:
                allowance = self._left()
                # The account settles what is really spent, so all that is left is this birth's alone.
                self._reserved[index] = Charge(
                    allowance.programs or 0, 0, allowance.tokens or 0, 0, allowance.usd or 0.0
                )
                return Account(allowance, exact=True)
            self._changed.clear()
            await self._changed.wait()

    def settle(self, index: int, spent: Charge) -> None:
        """Replace the reservation of a birth by what it has really cost."""
        self._reserved.pop(index, None)
        self._settled = self._settled + spent
        self._changed.set()

    def _where_limited(self, bound: Charge) -> Budget:
        limits = self._budget
        return Budget(
            None if limits.programs is None else bound.programs,
            None if limits.tokens is None else bound.tokens,
            None if limits.usd is None else bound.usd,
        )

    def _left(self) -> Budget:
        limits, settled = self._budget, self._settled
        programs = None if limits.programs is None else limits.programs - settled.programs
        if programs is not None and programs < 1:
            raise Stop(StopReason.PROGRAMS)
        tokens = None if limits.tokens is None else limits.tokens - settled.tokens
        usd = None if limits.usd is None or settled.usd is None else limits.usd - settled.usd
        return Budget(programs, tokens, usd)
