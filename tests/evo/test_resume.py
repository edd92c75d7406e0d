"""An interrupted run goes on where it was, and asks for nothing twice."""

import asyncio
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from evaluators.exceptions import InfrastructureError, UserError
from evo.events import CallEnded, Committed, ToldAgain
from evo.journal_file import JOURNAL_NAME, SCHEMA_VERSION, pack, unpack
from evo.journal_reader import JournalReader
from evo.session import Session, begin, go_on
from evo.settings_sources import settings_from
from evo.stop import StopReason
from evo.task import prepare
from evo.testing import Ladder, ScriptedModel

JOURNALS = Path(__file__).parent / "journals"
SETTINGS = {"seidr__arity": 3, "budget__programs": 60, "seed": 11}


class Failing(ScriptedModel):
    """A model that fails after so many answers, as a network does."""

    def __init__(self, ladder, answers, concurrency=4):
        super().__init__(ladder.reply, identity="ladder", concurrency=concurrency)
        self.left = answers
        self.asked = []

    async def complete(self, request):
        if self.left == 0:
            raise InfrastructureError("the network is gone")
        self.left -= 1
        self.asked.append(request.path)
        return await super().complete(request)


def records(folder):
    reader = JournalReader(Path(folder))
    individuals = reader.individuals()
    reader.close()
    return individuals, (Path(folder) / "result.json").read_bytes()


@pytest.mark.parametrize("answers", [0, 1, 5, 17, 40])
def test_a_run_whose_network_failed_goes_on_without_asking_twice(searched, resumed, tmp_path, answers):
    ladder = Ladder(cases=12, climbing=0.3)
    whole = searched(ladder, **SETTINGS)
    folder = tmp_path / "broken"
    first = Failing(ladder, answers)
    with pytest.raises(InfrastructureError, match="network"):
        searched(ladder, model=first, folder=folder, **SETTINGS)
    second = Failing(ladder, 10_000)
    result = resumed(folder, ladder, model=second)
    assert records(folder) == records(whole.folder)
    assert result.stop_reason is whole.stop_reason
    assert not set(first.asked) & set(second.asked)


def test_a_finished_run_is_told_again_without_a_call(searched, resumed):
    ladder = Ladder(cases=12)
    whole = searched(ladder, **SETTINGS)
    before = records(whole.folder)
    silent = Failing(ladder, 0)
    again = resumed(Path(whole.folder), ladder, model=silent)
    assert records(whole.folder) == before
    assert again.spent == whole.spent


def told(folder, ladder, **options):
    """How many generations a resumed run was told whole, and how many answers one by one."""
    events = []
    session = Session(observer=events.append, model=Failing(ladder, 10_000), executor=ladder.executor(), **options)
    asyncio.run(go_on(folder, session))
    answers = [event for event in events if isinstance(event, CallEnded)]
    assert session.model.asked == [event.path for event in answers if not event.journalled]
    return sum(isinstance(event, ToldAgain) for event in events), sum(event.journalled for event in answers)


def test_finished_generations_are_told_without_their_calls_and_others_by_them(searched, tmp_path):
    ladder = Ladder(cases=30, climbing=0.2)
    whole = searched(ladder, **SETTINGS)
    folder = tmp_path / "broken"
    with pytest.raises(InfrastructureError, match="network"):
        searched(ladder, model=Failing(ladder, 40), folder=folder, **SETTINGS)
    generations, answers = told(folder, ladder)
    assert generations >= 2
    assert 0 < answers < 15
    assert records(folder) == records(whole.folder)
    generations, answers = told(folder, ladder)
    assert generations == whole.generations - 1
    assert records(folder) == records(whole.folder)


def test_nothing_is_told_whole_under_other_circumstances(searched, tmp_path, monkeypatch):
    ladder = Ladder(cases=30, climbing=0.2)
    whole = searched(ladder, **SETTINGS)
    before = records(whole.folder)
    monkeypatch.setattr("evo.circumstances.__version__", "another")
    generations, answers = told(Path(whole.folder), ladder)
    assert generations == 0
    assert answers == whole.spent.calls
    assert records(whole.folder) == before


def test_a_journal_of_the_first_schema_is_read_and_brought_up_to_date(tmp_path):
    ladder = Ladder(cases=6, climbing=0.2)
    shutil.copy(JOURNALS / "schema-1.sqlite", tmp_path / JOURNAL_NAME)
    reader = JournalReader(tmp_path)
    before = reader.individuals()
    reader.close()
    assert len(before) == 10
    # Code and prompts may be others by now: then the search goes its own way from there, which is not of interest here.
    asyncio.run(
        go_on(tmp_path, Session(model=ladder.model(concurrency=2), executor=ladder.executor(), accept_changes=True))
    )
    with sqlite3.connect(tmp_path / JOURNAL_NAME) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert connection.execute("SELECT count(*) FROM generations").fetchone()[0] > 0
    connection.close()
    reader = JournalReader(tmp_path)
    assert [record["source"] for record in reader.individuals()] == [record["source"] for record in before]
    reader.close()


def test_an_interrupted_run_awaits_what_is_paid_for_and_goes_on(resumed, searched, tmp_path):
    ladder = Ladder(cases=12, climbing=0.3)
    whole = searched(ladder, **SETTINGS)

    async def scene():
        interruption = asyncio.Event()

        def observe(event):
            if isinstance(event, Committed) and event.position == 7:
                interruption.set()

        settings = settings_from(options={name.replace("__", "."): value for name, value in SETTINGS.items()})
        model = Failing(ladder, 10_000)
        session = Session(observer=observe, interruption=interruption, model=model, executor=ladder.executor())
        result = await begin(prepare(ladder.problem, settings), tmp_path / "run", session)
        return result, model.asked

    result, asked = asyncio.run(scene())
    assert result.stop_reason is StopReason.INTERRUPTED
    assert 8 <= len(result.individuals) < 60
    reader = JournalReader(tmp_path / "run")
    journalled = [effect for effect in reader.effects() if effect.kind == "completion"]
    assert reader.meta["stop"]["reason"] == "interrupted"
    reader.close()
    assert len(journalled) == len(asked)
    second = Failing(ladder, 10_000)
    resumed(tmp_path / "run", ladder, model=second)
    assert records(tmp_path / "run") == records(whole.folder)
    assert not set(asked) & set(second.asked)


def test_time_that_is_up_stays_up(searched, resumed, tmp_path):
    ladder = Ladder(cases=30, climbing=0.0)

    class Stalling(Failing):
        async def complete(self, request):
            if self.left == 0:
                await asyncio.Event().wait()
            return await super().complete(request)

    result = searched(ladder, model=Stalling(ladder, 9), budget__seconds=1.0, **SETTINGS)
    assert result.stop_reason is StopReason.SECONDS
    assert 0 < len(result.individuals) <= 9
    before = records(result.folder)
    again = resumed(Path(result.folder), ladder, model=Failing(ladder, 0))
    assert again.stop_reason is StopReason.SECONDS
    assert records(result.folder) == before


def test_a_changed_prompt_stops_the_resume_by_name_unless_accepted(searched, resumed, tmp_path):
    ladder = Ladder(cases=12)
    folder = tmp_path / "run"
    with pytest.raises(InfrastructureError):
        searched(ladder, model=Failing(ladder, 12), folder=folder, **SETTINGS)
    connection = sqlite3.connect(folder / JOURNAL_NAME)
    (text,) = connection.execute("SELECT value FROM meta WHERE key = 'problem'").fetchone()
    changed = unpack(text) | {"description": "Climb to the very top of the ladder."}
    connection.execute("UPDATE meta SET value = ? WHERE key = 'problem'", (pack(changed),))
    connection.commit()
    connection.close()
    with pytest.raises(UserError, match=r"something else at \[\"draft\",0\] \(synthesize\)"):
        resumed(folder, ladder, model=Failing(ladder, 10_000))
    accepted = Failing(ladder, 10_000)
    result = resumed(folder, ladder, model=accepted, accept_changes=True)
    assert len(result.individuals) > 12
    assert ("draft", 0) in accepted.asked


def test_a_path_used_twice_is_an_error(searched):
    ladder = Ladder()
    folder = Path(searched().folder) / "inner"

    class Echo(ScriptedModel):
        pass

    async def scene():
        from evo.breed import Birth, breed
        from evo.budget import Charge
        from evo.journal import Journal
        from evo.run import Models, Run
        from operators.models.chat import Message

        async def twice(place):
            for _ in range(2):
                await place.complete((Message("user", "hello"),), operator="synthesize")
            return []

        journal = Journal.create(folder, {})
        run = Run(ladder.problem, Models(Echo(ladder.reply)), ladder.executor(), journal)
        try:
            await breed(run, [Birth(("draft", 0), Charge(programs=1), twice)], 0)
        finally:
            journal.close()

    with pytest.raises(ValueError, match="used twice"):
        asyncio.run(scene())


def test_a_session_can_be_judged_or_not(searched):
    assert replace(Session(), judged=False).judged is False
    assert searched().judgement is None
