"""The gate before a budget: canonical order, waiting, and exactly what is left."""

import asyncio

import numpy as np
import pytest

from evaluators.exceptions import EvoError
from evo.budget import Account, Admission, Budget, Charge
from evo.stop import Stop, StopReason
from operators.models.chat import Price, Usage


def test_admits_at_once_what_is_surely_covered():
    async def scene():
        gate = Admission(Budget(programs=6))
        return [await gate.admit(index, Charge(programs=3)) for index in range(2)]

    accounts = asyncio.run(scene())
    assert [account.programs_left() for account in accounts] == [3, 3]


def test_waits_for_earlier_births_and_then_has_what_they_left():
    async def scene():
        gate = Admission(Budget(programs=5))
        await gate.admit(0, Charge(programs=3))
        later = asyncio.create_task(gate.admit(1, Charge(programs=3)))
        await asyncio.sleep(0)
        assert not later.done()
        gate.settle(0, Charge(programs=3))
        return await later

    account = asyncio.run(scene())
    assert (account.programs_left(), account.exact) == (2, True)


def test_stops_when_no_program_is_left():
    async def scene():
        gate = Admission(Budget(programs=1))
        await gate.admit(0, Charge(programs=1))
        gate.settle(0, Charge(programs=1))
        await gate.admit(1, Charge(programs=1))

    with pytest.raises(Stop) as stop:
        asyncio.run(scene())
    assert stop.value.reason is StopReason.PROGRAMS


@pytest.mark.parametrize(
    ("allowance", "call", "reason"),
    [
        (Budget(None, tokens=100), Charge(0, 1, 60, 41), StopReason.TOKENS),
        (Budget(None, usd=0.5), Charge(0, 1, 1, 1, 0.51), StopReason.MONEY),
        (Budget(None, usd=0.5), Charge(0, 1, 1, 1, None), StopReason.MONEY),
    ],
)
def test_a_call_that_does_not_fit_what_is_left_stops(allowance, call, reason):
    with pytest.raises(Stop) as stop:
        Account(allowance, exact=True).check_call(call)
    assert stop.value.reason is reason


def test_a_call_beyond_its_own_bound_is_a_defect_and_is_told():
    with pytest.raises(EvoError, match="more than its birth declared"):
        Account(Budget(None, tokens=100)).check_call(Charge(0, 1, 101, 0))


def test_a_call_that_fits_exactly_is_allowed():
    Account(Budget(None, tokens=100), exact=True).check_call(Charge(0, 1, 60, 40))


def test_unknown_money_stays_unknown_in_sums():
    known = Charge.for_call(Usage(1_000_000, 500_000), Price(2.0, 4.0))
    assert known.usd == pytest.approx(4.0)
    assert (known + Charge.for_call(Usage(1, 1), None)).usd is None
    assert (known + Charge()).tokens == 1_500_000


@pytest.mark.parametrize("kind", ["programs", "tokens"])
def test_no_budget_is_exceeded_and_the_same_births_are_paid_in_1000_random_schedules(kind):
    """500 schedules a kind: whatever ends first, what is paid is what one birth at a time would have paid."""
    rng = np.random.default_rng(20261130)
    stops = 0
    for _ in range(500):
        bounds = rng.integers(1, 12, size=rng.integers(3, 25))
        costs = [int(rng.integers(1, bound + 1)) for bound in bounds]
        limit = int(rng.integers(2, 80))
        alone = asyncio.run(_paid(kind, limit, bounds, costs, 1, rng))
        together = asyncio.run(_paid(kind, limit, bounds, costs, int(rng.integers(2, 20)), rng))
        assert alone == together
        stops += alone[1] is not None
    assert 100 < stops < 500


async def _paid(kind, limit, bounds, costs, width, rng):
    """Run births; gives what the canonical part of them was paid, and why it stopped."""
    budget = Budget(programs=limit) if kind == "programs" else Budget(programs=None, tokens=limit)
    gate = Admission(budget)
    window = asyncio.Semaphore(width)
    turns = rng.integers(0, 6, size=len(bounds))
    under_way = {}

    def charge(amount):
        return Charge(programs=int(amount)) if kind == "programs" else Charge(prompt_tokens=int(amount))

    def amount(spent):
        return spent.programs if kind == "programs" else spent.tokens

    async def live(index, account):
        # The cost is taken in steps of one; each is refused if it is beyond what this birth may spend.
        for _ in range(costs[index]):
            try:
                account.check_call(charge(1))
            except Stop as stop:
                return stop.reason
            account.spent += charge(1)
            assert sum(amount(each.spent) for each in under_way.values()) + amount(gate.settled) <= limit
            if turns[index]:
                await asyncio.sleep(0)
        return None

    async def start(slots):
        for index, bound in enumerate(bounds):
            await window.acquire()
            try:
                account = await gate.admit(index, charge(bound))
            except Stop as stop:
                slots[index].set_result(stop.reason)
                return
            under_way[index] = account
            task = asyncio.create_task(live(index, account))
            task.add_done_callback(lambda task, slot=slots[index]: (window.release(), slot.set_result(task.result())))

    slots = [asyncio.get_running_loop().create_future() for _ in bounds]
    starter = asyncio.create_task(start(slots))
    paid, reason = [], None
    for index, slot in enumerate(slots):
        reason = await slot
        if index in under_way:
            account = under_way.pop(index)
            gate.settle(index, account.spent)
            paid.append(amount(account.spent))
        if reason is not None:
            break
    starter.cancel()
    await asyncio.gather(starter, return_exceptions=True)
    return paid, reason
