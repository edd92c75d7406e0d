"""The journal: what was seen is kept, one process writes, and damage is told."""

import asyncio
import multiprocessing
import sqlite3
import time

import numpy as np
import pytest

from evaluators.exceptions import InfrastructureError, UserError
from evo.journal import Journal
from evo.journal_file import JOURNAL_NAME, Effect
from evo.journal_reader import JournalReader


def effect(number, kind="completion"):
    return Effect(f"key{number}", kind, f"[{number}]", f"request{number % 2}", {"text": f"answer {number}"}, number / 2)


def written(folder, count=10):
    journal = Journal.create(folder, {"seed": 7})

    async def write():
        await asyncio.gather(*(journal.record(effect(n), request_text=f"text {n % 2}") for n in range(count)))
        journal.record_individual(0, {"id": "a"})

    asyncio.run(write())
    journal.record_meta("stop", {"reason": "solved"})
    return journal


def test_a_resumed_journal_holds_every_effect(tmp_path):
    written(tmp_path).close()
    journal = Journal.resume(tmp_path)
    assert [journal.get(f"key{n}") for n in range(10)] == [effect(n) for n in range(10)]
    assert journal.get("key10") is None
    assert journal.key_at("completion", "[3]") == "key3"
    assert journal.elapsed_seconds == 4.5
    assert (journal.meta("seed"), journal.meta("stop"), journal.meta("other")) == (7, {"reason": "solved"}, None)
    journal.close()


def test_equal_requests_are_stored_once(tmp_path):
    written(tmp_path).close()
    rows = sqlite3.connect(tmp_path / JOURNAL_NAME).execute("SELECT count(*) FROM requests").fetchone()
    assert rows == (2,)


def test_a_reader_sees_what_is_committed_while_the_run_goes_on(tmp_path):
    journal = written(tmp_path)
    reader = JournalReader(tmp_path)
    assert len(reader.effects()) == 10
    assert reader.individuals() == [{"id": "a"}]
    assert reader.request("request1") == "text 1"
    assert reader.request("request9") is None
    reader.close()
    journal.close()


def test_a_second_writer_is_refused_by_name(tmp_path):
    journal = written(tmp_path)
    with pytest.raises(UserError, match=f"worked on by process {multiprocessing.current_process().pid}"):
        Journal.resume(tmp_path)
    journal.close()
    Journal.resume(tmp_path).close()


def test_a_folder_that_holds_a_run_is_not_begun_anew(tmp_path):
    written(tmp_path).close()
    with pytest.raises(UserError, match="evo resume"):
        Journal.create(tmp_path, {})


def test_a_folder_without_a_run_is_told(tmp_path):
    for opened in (Journal.resume, JournalReader):
        with pytest.raises(UserError, match="holds no run"):
            opened(tmp_path)


def test_a_newer_schema_is_refused(tmp_path):
    written(tmp_path).close()
    connection = sqlite3.connect(tmp_path / JOURNAL_NAME)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    for opened in (Journal.resume, JournalReader):
        with pytest.raises(UserError, match="install a newer evo"):
            opened(tmp_path)


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 3], lambda data: b"x" * len(data)])
def test_a_damaged_file_is_told_and_not_a_crash(tmp_path, damage):
    written(tmp_path, 400).close()
    path = tmp_path / JOURNAL_NAME
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InfrastructureError, match="damaged"):
        Journal.resume(tmp_path)
    with pytest.raises(InfrastructureError, match="damaged"):
        JournalReader(tmp_path).effects()


def test_a_disk_that_takes_no_more_is_infrastructure_and_not_a_lost_effect(tmp_path):
    journal = written(tmp_path)
    # The writer's own connection is its own; a limit on the file's pages stands for a full disk.
    journal._writer.write_now([("PRAGMA max_page_count=1", ())])
    with pytest.raises(InfrastructureError, match="make room"):
        asyncio.run(journal.record(Effect("big", "completion", "[99]", "r", {"text": noise()}, 0.0), request_text="t"))
    assert journal.get("big") is None
    journal.close()


def noise(kilobytes=200):
    """Text that no compression makes small."""
    return np.random.default_rng(0).bytes(1000 * kilobytes).hex()


def test_a_flipped_bit_is_told_or_does_not_matter(tmp_path):
    """Whatever a reader gets out of a damaged file, it is what was written: damage is told, never a wrong value."""
    folder = tmp_path / "run"
    written(folder, 60).close()
    whole = (folder / JOURNAL_NAME).read_bytes()
    expected = {f"key{n}": effect(n) for n in range(60)}
    rng = np.random.default_rng(3)
    told = 0
    for position in rng.integers(0, len(whole), size=120):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(rng.integers(8))
        (folder / JOURNAL_NAME).write_bytes(damaged)
        try:
            reader = JournalReader(folder)
            found = {each.key: each.record for each in reader.effects() if each.key in expected}
            meta = {name: value for name, value in reader.meta.items() if name in ("seed", "stop")}
            reader.close()
        except (InfrastructureError, UserError):
            told += 1
            continue
        assert all(expected[key].record == record for key, record in found.items())
        assert all({"seed": 7, "stop": {"reason": "solved"}}[name] == value for name, value in meta.items())
    assert told > 5


def test_what_is_committed_reaches_the_file_while_the_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("evo.journal_writer.SYNC_SECONDS", 0.0)
    monkeypatch.setattr("evo.journal_writer._COMMITS_OF_A_LOG", 1)
    journal = Journal.create(tmp_path, {})
    file, number = tmp_path / JOURNAL_NAME, 0

    async def write():
        nonlocal number
        deadline = time.monotonic() + 30
        while file.stat().st_size < 500_000:
            assert time.monotonic() < deadline, "nothing is moved from the log to the file"
            await journal.record(Effect(f"{number}", "completion", f"[{number}]", None, {"text": noise(9)}, 0.0))
            await asyncio.sleep(0.001)
            number += 1

    asyncio.run(write())
    journal.close()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM effects").fetchone() == (number,)
    connection.close()
    assert [path.name for path in tmp_path.iterdir() if "wal" in path.name] == []


def test_a_disk_that_cannot_sync_is_infrastructure(tmp_path, monkeypatch):
    def fsync(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("evo.journal_writer.SYNC_SECONDS", 0.0)
    monkeypatch.setattr("evo.journal_writer.os.fsync", fsync)
    journal = Journal.create(tmp_path, {})

    async def write():
        for number in range(10_000):
            await journal.record(effect(number))
            await asyncio.sleep(0.001)

    with pytest.raises(InfrastructureError, match="Input/output error"):
        asyncio.run(write())
    journal.close()
