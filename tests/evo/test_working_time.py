"""Time that a search only waited for a provider, told apart from time in which anything worked."""

import asyncio

import pytest

from evaluators.exceptions import InfrastructureError
from evo.testing import Ladder, ScriptedModel
from evo.working_time import WorkingTime


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 0.0

    monkeypatch.setattr(WorkingTime, "now", staticmethod(lambda: Clock.now))
    return Clock


def test_waiting_is_what_nothing_worked_beside(clock):
    time = WorkingTime()
    assert time.waiting_seconds == 0
    clock.now = 10.0
    time.answered(asked=0.0, waiting_seconds=6.0)  # waited from 0 to 6, worked from 6 to 10
    time.answered(asked=2.0, waiting_seconds=6.0)  # waited from 2 to 8
    assert time.waiting_seconds == 6
    clock.now = 3.0
    time.executed(begun=1.0)
    assert time.waiting_seconds == 4
    clock.now = 15.0
    time.failed(asked=9.0)
    assert time.waiting_seconds == 9


def test_no_answer_waits_longer_than_it_took(clock):
    time = WorkingTime()
    clock.now = 2.0
    time.answered(asked=1.0, waiting_seconds=50.0)
    assert time.waiting_seconds == 1


def test_a_search_tells_what_it_waited_over_all_its_sessions(searched, resumed, tmp_path, clock):
    ladder = Ladder(cases=12, climbing=0.3)

    class Slow(ScriptedModel):
        """Each answer takes a second, of which it waits for three quarters; after some it fails."""

        def __init__(self, answers):
            super().__init__(ladder.reply, identity="ladder", concurrency=1)
            self.left = answers

        async def complete(self, request):
            if not self.left:
                raise InfrastructureError("the network is gone")
            self.left -= 1
            clock.now += 1.0
            await asyncio.sleep(0)
            answer = await super().complete(request)
            return answer.__class__(**{**vars(answer), "waiting_seconds": 0.75})

    settings = {"seidr__arity": 2, "budget__programs": 20, "seed": 3}
    whole = searched(ladder, model=Slow(1000), **settings)
    assert whole.waiting_seconds == pytest.approx(0.75 * whole.spent.calls, rel=0.3)
    folder = tmp_path / "broken"
    with pytest.raises(InfrastructureError):
        searched(ladder, model=Slow(8), folder=folder, **settings)
    again = resumed(folder, ladder, model=Slow(1000))
    assert again.waiting_seconds == pytest.approx(whole.waiting_seconds, abs=0.8)
    assert again.to_accounting()["working_seconds"] == again.seconds - again.waiting_seconds
