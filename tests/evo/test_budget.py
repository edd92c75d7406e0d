"""The gate before a budget: canonical order, waiting, and exactly what is left."""

import asyncio

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
