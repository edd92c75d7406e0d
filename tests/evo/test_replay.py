"""Replay, reuse, lists and exports of runs."""

import asyncio
import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from evaluators.exceptions import InfrastructureError, UserError
from evo.cli.listing import export_command, paid, runs_command, summary
from evo.journal_file import JOURNAL_NAME
from evo.journal_reader import JournalReader
from evo.replay import replay
from evo.session import Session, begin
from evo.settings_sources import settings_from
from evo.stop import StopReason
from evo.task import prepare
from evo.testing import Ladder, ScriptedModel
from operators.models.chat import Price

SETTINGS = {"seidr__arity": 3, "budget__programs": 40, "seed": 4}


def test_replay_needs_neither_model_nor_sandbox_and_writes_nothing(searched):
    whole = searched(Ladder(cases=12), price=Price(1.0, 1.0), **SETTINGS)
    path = Path(whole.folder) / JOURNAL_NAME
    before = path.read_bytes()
    again = asyncio.run(replay(Path(whole.folder)))
    assert again.result.to_record() == whole.to_record()
    assert (again.executions, again.differences) == (0, ())
    assert path.read_bytes() == before


def test_replay_of_an_interrupted_run_goes_as_far_as_it_came(searched, tmp_path):
    ladder = Ladder(cases=12)

    class Failing(ScriptedModel):
        left = 9

        async def complete(self, request):
            if not self.left:
                raise InfrastructureError("gone")
            self.left -= 1
            return await super().complete(request)

    with pytest.raises(InfrastructureError):
        searched(ladder, model=Failing(ladder.reply, concurrency=1), folder=tmp_path / "run", **SETTINGS)
    again = asyncio.run(replay(tmp_path / "run"))
    assert again.result.stop_reason is StopReason.INTERRUPTED
    assert again.result.spent.calls == 9


def test_re_execution_shows_verdicts_that_differ(tmp_path):
    problem = Path(__file__).parents[2] / "examples" / "problems" / "parking-fee.yaml"
    model = ScriptedModel(lambda request: "```python\nprint(0)\n```", concurrency=1)
    settings = settings_from(options={"budget.programs": 2, "seidr.arity": 1, "seidr.redraws": 0})
    asyncio.run(begin(prepare(problem, settings), tmp_path / "run", Session(model=model, judged=False)))
    same = asyncio.run(replay(tmp_path / "run", re_execute=True))
    assert (same.executions, same.differences) == (1, ())
    with contextlib.closing(sqlite3.connect(tmp_path / "run" / JOURNAL_NAME)) as connection:
        import zlib

        (key, body), *_ = connection.execute("SELECT key, body FROM effects WHERE kind = 'execution'").fetchall()
        record = json.loads(zlib.decompress(body))
        record["verdicts"][1] = "timeout_cpu"
        connection.execute(
            "UPDATE effects SET body = ? WHERE key = ?", (zlib.compress(json.dumps(record).encode()), key)
        )
        connection.commit()
    other = asyncio.run(replay(tmp_path / "run", re_execute=True))
    (difference,) = other.differences
    assert (difference.before[1], difference.now[1]) == ("timeout_cpu", "wrong_answer")


def test_reuse_takes_equal_answers_and_reports_what_it_saved(searched, tmp_path):
    ladder = Ladder(cases=12)
    price = Price(1.0, 1.0)
    short = searched(ladder, price=price, folder=tmp_path / "runs" / "short", **SETTINGS | {"budget__programs": 15})
    asked = []

    class Counting(ScriptedModel):
        async def complete(self, request):
            asked.append(request.path)
            return await super().complete(request)

    def longer(folder, reuse):
        model = Counting(ladder.reply, identity="ladder", price=price, concurrency=4)
        settings = settings_from(options={k.replace("__", "."): v for k, v in SETTINGS.items()})
        session = Session(model=model, executor=ladder.executor(), reuse=reuse)
        return asyncio.run(begin(prepare(ladder.problem, settings), folder, session))

    with_reuse = longer(tmp_path / "reusing", (tmp_path / "runs",))
    fresh_calls = len(asked)
    asked.clear()
    without = longer(tmp_path / "alone", ())
    assert with_reuse.to_record() == without.to_record()
    assert with_reuse.saved.calls == len(asked) - fresh_calls >= short.spent.calls
    assert with_reuse.saved.usd > 0
    assert without.saved.calls == 0


def test_reuse_of_nothing_is_told(searched, tmp_path):
    settings = settings_from()
    session = Session(model=Ladder().model(), executor=Ladder().executor(), reuse=(tmp_path,))
    with pytest.raises(UserError, match="holds no run"):
        asyncio.run(begin(prepare(Ladder().problem, settings), tmp_path / "run", session))


def test_the_summary_adds_up_to_the_journals_rows(searched, capsys):
    for salt in range(4):
        result = searched(Ladder(cases=6), salt=salt, price=Price(3.0, 5.0), concurrency=16, **SETTINGS)
        with contextlib.closing(JournalReader(Path(result.folder))) as reader:
            rows = paid(reader)
        total = result.spent + result.speculative
        assert (rows.calls, rows.prompt_tokens, rows.completion_tokens) == (
            total.calls, total.prompt_tokens, total.completion_tokens,
        )  # fmt: skip
        assert rows.usd == pytest.approx(total.usd)
        accounting = json.loads((Path(result.folder) / "accounting.json").read_text())
        record = json.loads((Path(result.folder) / "result.json").read_text())
        assert record["calls"] + accounting["speculative_calls"] == rows.calls


def test_runs_lists_damaged_ones_too(searched, tmp_path, capsys):
    searched(Ladder(cases=12), folder=tmp_path / "all" / "good", **SETTINGS)
    (tmp_path / "all" / "bad").mkdir()
    (tmp_path / "all" / "bad" / JOURNAL_NAME).write_bytes(b"nothing" * 1000)
    assert runs_command(tmp_path / "all", as_json=True) == 0
    rows = {Path(row["folder"]).name: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert rows["good"]["state"] == "programs"
    assert rows["good"]["programs"] == 40
    assert "damaged" in rows["bad"]["error"]
    assert runs_command(tmp_path / "all", as_json=False) == 0
    assert "price" in capsys.readouterr().out or summary(tmp_path / "all" / "good")["usd"] is None


def test_export_holds_every_row_and_the_best_program(searched, capsys):
    result = searched(Ladder(cases=12), **SETTINGS)
    assert export_command(Path(result.folder), None) == 0
    out = Path(result.folder) / "export"
    rows = {name: [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]
            for name in ("individuals", "evaluations", "calls")}  # fmt: skip
    assert [row["id"] for row in rows["individuals"]] == [each.id for each in result.individuals]
    assert len(rows["calls"]) == (result.spent + result.speculative).calls
    assert all(call["messages"][-1]["role"] == "user" for call in rows["calls"])
    assert len(rows["evaluations"]) >= result.executions
    assert (out / "best.py").read_text() == result.best.genome.source
