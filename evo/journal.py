"""Journal: every effect of a run, in one SQLite file, written before the search sees it.

An effect is a model's answer or an execution. It stands under a key that the search fixes in advance, so a run that
is started again finds each answer that it already has, in whatever order it asks.

One thread writes. It commits all that has gathered while the last commit was on its way (group commit), and only
then lets the waiting effects go on: whatever a search has seen, its journal holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import queue
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from evaluators.exceptions import InfrastructureError, UserError

SCHEMA_VERSION = 1
JOURNAL_NAME = "journal.sqlite"

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE requests (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE effects (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, request TEXT, body BLOB NOT NULL,
    elapsed_seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX effects_by_path ON effects (path, kind);
CREATE TABLE individuals (position INTEGER PRIMARY KEY, id TEXT NOT NULL, record BLOB NOT NULL);
"""


@dataclass(frozen=True)
class Effect:
    """One answer from outside.

    Attributes:
        key: Digest of all that was asked.
        kind: ``"completion"`` or ``"execution"``.
        path: Where in the search it was asked first, as JSON text.
        request: Digest of the request's text, None for an execution.
        record: The answer, plain data.
        elapsed_seconds: Of the run, when it was answered.
    """

    key: str
    kind: str
    path: str
    request: str | None
    record: dict[str, Any]
    elapsed_seconds: float


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def _pack(record: Any) -> bytes:
    return zlib.compress(_ENCODER.encode(record).encode(), 1)


def _unpack(body: bytes) -> Any:
    return json.loads(zlib.decompress(body))


class EffectStore(Protocol):
    """Where a run finds and keeps its effects: a :class:`Journal`, or one that is replayed.

    Attributes:
        folder: The run's folder.
        elapsed_seconds: How long the run had been going when its last effect was kept.
    """

    @property
    def folder(self) -> Path: ...  # noqa: D102

    @property
    def elapsed_seconds(self) -> float: ...  # noqa: D102

    def get(self, key: str) -> Effect | None:
        """The effect that is kept under a key."""
        ...

    def key_at(self, kind: str, path: str) -> str | None:
        """The key of the effect that is kept at a path."""
        ...

    def meta(self, name: str) -> Any:
        """A fact of the run; None if it was not recorded."""
        ...

    async def record(self, effect: Effect, request_text: str | None = None) -> None:
        """Keep an effect; returns once it is safe."""
        ...

    def record_individual(self, position: int, record: dict[str, Any]) -> None:
        """Keep an individual of the canonical order."""
        ...

    def record_meta(self, name: str, value: Any) -> None:
        """Keep a fact of the run; returns once it is safe."""
        ...


class Journal:
    """The journal of one run, open for writing by this process alone.

    Use :meth:`create` or :meth:`resume`; close it when the run has ended.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection, lock: TextIO) -> None:
        self.folder = folder
        self._lock = lock
        self._reader = connection
        self._requests = {digest for (digest,) in connection.execute("SELECT digest FROM requests")}
        self._individuals = dict(connection.execute("SELECT position, id FROM individuals"))
        self._checked_elapsed = _whole(connection)
        self._queue: queue.SimpleQueue[tuple[list[tuple[str, tuple[Any, ...]]], Future[None]] | None]
        self._queue = queue.SimpleQueue()
        self._failure: sqlite3.Error | None = None
        self._writer = threading.Thread(target=self._write, name="journal", daemon=True)
        self._writer.start()

    @classmethod
    def create(cls, folder: Path, meta: dict[str, Any]) -> Journal:
        """Begin a new run.

        Args:
            folder: The run's folder; made if it is not there.
            meta: Facts of the run, plain data by name.

        Raises:
            UserError: If the folder already holds a run, or another process has it.
            InfrastructureError: If the file cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"--out {folder}: no folder can be made there ({error.strerror})") from error
        if (folder / JOURNAL_NAME).exists():
            raise UserError(f"{folder} already holds a run: go on with 'evo resume {folder}', or choose another --out")
        lock = _lock(folder)
        try:
            _create(folder, meta)
            connection = _connect(folder / JOURNAL_NAME)
        except (sqlite3.Error, OSError) as error:
            lock.close()
            raise InfrastructureError(f"the journal in {folder} cannot be written: {error}") from error
        return cls(folder, connection, lock)

    @classmethod
    def resume(cls, folder: Path) -> Journal:
        """Open the journal of a run to go on with it.

        Raises:
            UserError: If there is none, it is newer than this version, or another process has it.
            InfrastructureError: If the file is damaged.
        """
        _existing(folder)
        lock = _lock(folder)
        try:
            with _told(folder):
                connection = _connect(folder / JOURNAL_NAME)
                _check_version(connection, folder)
                return cls(folder, connection, lock)
        except (UserError, InfrastructureError):
            lock.close()
            raise

    def get(self, key: str) -> Effect | None:
        """The effect that is journalled under a key."""
        return _effect(self._reader, self.folder, key)

    def key_at(self, kind: str, path: str) -> str | None:
        """The key of the effect that is journalled at a path."""
        return _key_at(self._reader, kind, path)

    def meta(self, name: str) -> Any:
        """A fact of the run; None if it was not recorded."""
        row = self._reader.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    @property
    def elapsed_seconds(self) -> float:
        """How long the run had been going when its last effect was journalled."""
        return self._checked_elapsed

    async def record(self, effect: Effect, request_text: str | None = None) -> None:
        """Write an effect; returns once it is committed.

        Args:
            effect: What was answered.
            request_text: What was asked; stored once for equal texts.

        Raises:
            InfrastructureError: If the disk did not take it.
        """
        statements: list[tuple[str, tuple[Any, ...]]] = []
        if request_text is not None and effect.request not in self._requests:
            self._requests.add(str(effect.request))
            body = zlib.compress(request_text.encode("utf-8", "surrogatepass"), 1)
            statements.append(("INSERT OR IGNORE INTO requests VALUES (?, ?)", (effect.request, body)))
        row = (effect.key, effect.kind, effect.path, effect.request, _pack(effect.record), effect.elapsed_seconds)
        statements.append(("INSERT OR REPLACE INTO effects VALUES (?, ?, ?, ?, ?, ?)", row))
        await asyncio.wrap_future(self._submit(statements))

    def record_individual(self, position: int, record: dict[str, Any]) -> None:
        """Write an individual of the canonical order; does not wait for the commit."""
        if self._individuals.get(position) == record["id"]:
            return
        self._individuals[position] = record["id"]
        row = (position, record["id"], _pack(record))
        self._submit([("INSERT OR REPLACE INTO individuals VALUES (?, ?, ?)", row)])

    def record_meta(self, name: str, value: Any) -> None:
        """Write a fact of the run, replacing an older one; returns once it is committed.

        Raises:
            InfrastructureError: If the disk did not take it.
        """
        self._submit([("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, json.dumps(value)))]).result()

    def close(self) -> None:
        """Commit what is left, and let others have the run."""
        self._queue.put(None)
        self._writer.join()
        self._reader.close()
        self._lock.close()

    def _submit(self, statements: list[tuple[str, tuple[Any, ...]]]) -> Future[None]:
        done: Future[None] = Future()
        self._queue.put((statements, done))
        return done

    def _write(self) -> None:
        connection = _connect(self.folder / JOURNAL_NAME)
        ended = False
        while not ended:
            batch = [self._queue.get()]
            with contextlib.suppress(queue.Empty):
                while True:
                    batch.append(self._queue.get_nowait())
            entries = [entry for entry in batch if entry is not None]
            ended = len(entries) < len(batch)
            self._commit(connection, entries)
        with contextlib.suppress(sqlite3.Error):  # the journal is whole without it: only a file stays behind
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def _commit(
        self, connection: sqlite3.Connection, entries: list[tuple[list[tuple[str, tuple[Any, ...]]], Future[None]]]
    ) -> None:
        try:
            if self._failure is not None:
                raise self._failure
            with connection:
                for statements, _ in entries:
                    for statement, values in statements:
                        connection.execute(statement, values)
        except sqlite3.Error as error:
            self._failure = error
            message = f"the journal in {self.folder} cannot be written: {error}; make room, then 'evo resume' it"
            for _, done in entries:
                if done.set_running_or_notify_cancel():
                    done.set_exception(InfrastructureError(message))
            return
        for _, done in entries:
            # Who was waiting may have been cancelled; what was written stays written.
            if done.set_running_or_notify_cancel():
                done.set_result(None)


class JournalReader:
    """A journal to look at: no lock, no writing, whatever its run is doing.

    Args:
        folder: The run's folder.

    Raises:
        UserError: If it holds no run, or one of a newer version.
        InfrastructureError: If the file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        path = _existing(folder)
        with _told(folder):
            self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            _check_version(self._connection, folder)
            self.meta: dict[str, Any] = {
                key: json.loads(value) for key, value in self._connection.execute("SELECT key, value FROM meta")
            }
        self._folder = folder

    def get(self, key: str) -> Effect | None:
        """The effect that is journalled under a key."""
        return _effect(self._connection, self._folder, key)

    def key_at(self, kind: str, path: str) -> str | None:
        """The key of the effect that is journalled at a path."""
        return _key_at(self._connection, kind, path)

    def individuals(self) -> list[dict[str, Any]]:
        """The records of the individuals, in canonical order."""
        with _told(self._folder):
            rows = self._connection.execute("SELECT record FROM individuals ORDER BY position")
            return [_unpack(body) for (body,) in rows]

    def effects(self) -> list[Effect]:
        """All effects, in the order of their keys."""
        with _told(self._folder):
            return list(_effects(self._connection))

    def request(self, digest: str) -> str | None:
        """The text of a request."""
        with _told(self._folder):
            row = self._connection.execute("SELECT body FROM requests WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else zlib.decompress(row[0]).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def run_folders(places: Sequence[Path]) -> list[Path]:
    """The runs that some places hold.

    Args:
        places: Folders of runs, and folders that hold such.

    Raises:
        UserError: If one of them is neither.
    """
    found: list[Path] = []
    for place in places:
        inside = (
            [place] if (place / JOURNAL_NAME).is_file() else sorted(p.parent for p in place.glob(f"*/{JOURNAL_NAME}"))
        )
        if not inside:
            raise UserError(f"{place} holds no run: give the folder of a run, or one that has such folders in it")
        found += inside
    return found


def _effects(connection: sqlite3.Connection) -> Iterator[Effect]:
    query = "SELECT key, kind, path, request, body, elapsed_seconds FROM effects"
    for key, kind, path, request, body, elapsed in connection.execute(query):
        yield Effect(key, kind, path, request, _unpack(body), elapsed)


def _effect(connection: sqlite3.Connection, folder: Path, key: str) -> Effect | None:
    with _told(folder):
        query = "SELECT kind, path, request, body, elapsed_seconds FROM effects WHERE key = ?"
        row = connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        kind, path, request, body, elapsed = row
        return Effect(key, kind, path, request, _unpack(body), elapsed)


def _key_at(connection: sqlite3.Connection, kind: str, path: str) -> str | None:
    query = "SELECT key FROM effects WHERE path = ? AND kind = ?"
    row = connection.execute(query, (path, kind)).fetchone()
    return None if row is None else str(row[0])


def _whole(connection: sqlite3.Connection) -> float:
    """See that the file is whole; the time of the last effect."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    (elapsed,) = connection.execute("SELECT max(elapsed_seconds) FROM effects").fetchone()
    return float(elapsed or 0.0)


def _existing(folder: Path) -> Path:
    path = folder / JOURNAL_NAME
    if not path.is_file():
        raise UserError(f"{folder} holds no run (no {JOURNAL_NAME}): give the folder that 'evo solve' named")
    return path


@contextlib.contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, zlib.error, json.JSONDecodeError) as error:
        raise InfrastructureError(
            f"the journal in {folder} is damaged ({error}): "
            f"'sqlite3 {folder / JOURNAL_NAME} .recover' saves what can be read"
        ) from error


def _create(folder: Path, meta: dict[str, Any]) -> None:
    """Make the file under another name first, so that a journal is there whole or not at all."""
    unfinished = folder / f"{JOURNAL_NAME}.unfinished"
    unfinished.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(unfinished)) as connection, connection:
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        rows = [(key, json.dumps(value)) for key, value in meta.items()]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    unfinished.rename(folder / JOURNAL_NAME)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _check_version(connection: sqlite3.Connection, folder: Path) -> None:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        raise UserError(
            f"the journal in {folder} has schema {version}, this evo reads schema {SCHEMA_VERSION}: "
            + ("install a newer evo" if version > SCHEMA_VERSION else "it was never finished; delete the folder")
        )


def _lock(folder: Path) -> TextIO:
    lock = (folder / "lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        lock.close()
        raise UserError(
            f"the run in {folder} is being worked on by process {owner}: wait for it, or stop it"
        ) from error
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
