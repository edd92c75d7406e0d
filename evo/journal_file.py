"""The file of a journal: its tables, and reading, locking and checking it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from evaluators.exceptions import InfrastructureError, UserError, near_file

SCHEMA_VERSION = 2
JOURNAL_NAME = "journal.sqlite"

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE requests (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE effects (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, request TEXT, body BLOB NOT NULL,
    elapsed_seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE individuals (position INTEGER PRIMARY KEY, id TEXT NOT NULL, record BLOB NOT NULL);
CREATE TABLE generations (generation INTEGER PRIMARY KEY, record BLOB NOT NULL);
"""

_MIGRATIONS = {
    1: "CREATE TABLE generations (generation INTEGER PRIMARY KEY, record BLOB NOT NULL); DROP INDEX effects_by_path;",
}
"""What makes a file of the next version out of one of this version."""


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


_SHORT_BYTES = 16_384
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def compressed(text: bytes) -> bytes:
    """A text as it stands in a row: compressed, and so with a checksum.

    In a small window where the text is short: to set the usual one up takes ten times as long as all the rest.
    """
    window_bits, memory_level = (12, 3) if len(text) < _SHORT_BYTES else (zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL)
    compressor = zlib.compressobj(1, zlib.DEFLATED, window_bits, memory_level)
    return compressor.compress(text) + compressor.flush()


def pack(record: Any) -> bytes:
    """Plain data as it stands in a row: JSON, compressed."""
    return compressed(_ENCODER.encode(record).encode())


def unpack(body: bytes) -> Any:
    """The plain data of a row."""
    return json.loads(zlib.decompress(body))


def read_effects(connection: sqlite3.Connection) -> Iterator[Effect]:
    """All effects, in the order of their keys."""
    query = "SELECT key, kind, path, request, body, elapsed_seconds FROM effects"
    for key, kind, path, request, body, elapsed in connection.execute(query):
        yield Effect(key, kind, path, request, unpack(body), elapsed)


def read_effect(connection: sqlite3.Connection, folder: Path, key: str) -> Effect | None:
    """The effect under a key; None if there is none."""
    with damage_told(folder):
        query = "SELECT kind, path, request, body, elapsed_seconds FROM effects WHERE key = ?"
        row = connection.execute(query, (key,)).fetchone()
        if row is None:
            return None
        kind, path, request, body, elapsed = row
        return Effect(key, kind, path, request, unpack(body), elapsed)


def read_keys_at(connection: sqlite3.Connection, folder: Path) -> dict[tuple[str, str], str]:
    """The keys of all effects, by their kind and path."""
    with damage_told(folder):
        return {(kind, path): key for kind, path, key in connection.execute("SELECT kind, path, key FROM effects")}


def read_individuals(connection: sqlite3.Connection, folder: Path, first: int, count: int) -> list[dict[str, Any]]:
    """The records of individuals from a position on."""
    with damage_told(folder):
        query = "SELECT record FROM individuals WHERE position >= ? AND position < ? ORDER BY position"
        return [unpack(record) for (record,) in connection.execute(query, (first, first + count))]


def read_generation(connection: sqlite3.Connection, folder: Path, generation: int) -> dict[str, Any] | None:
    """The record of a finished generation; None if there is none."""
    with damage_told(folder):
        query = "SELECT record FROM generations WHERE generation = ?"
        row = connection.execute(query, (generation,)).fetchone()
        found: dict[str, Any] | None = None if row is None else unpack(row[0])
        return found


def check_whole(connection: sqlite3.Connection) -> float:
    """See that the file is whole; the time of the last effect."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    (elapsed,) = connection.execute("SELECT max(elapsed_seconds) FROM effects").fetchone()
    return float(elapsed or 0.0)


def existing_journal(folder: Path) -> Path:
    """The path of a run's journal.

    Raises:
        UserError: If there is none.
    """
    path = folder / JOURNAL_NAME
    if not path.is_file():
        near = "" if folder.exists() else near_file(str(folder))
        raise UserError(f"{folder} holds no run (no {JOURNAL_NAME}): give the folder that 'evo solve' named{near}")
    return path


@contextlib.contextmanager
def damage_told(folder: Path) -> Iterator[None]:
    """Turn the errors of a damaged file into :class:`InfrastructureError`."""
    try:
        yield
    except (sqlite3.DatabaseError, zlib.error, json.JSONDecodeError) as error:
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            raise UserError(f"{folder} is read-only, and its journal must be written: copy it first") from error
        raise InfrastructureError(
            f"the journal in {folder} is damaged ({error}): "
            f"'sqlite3 {folder / JOURNAL_NAME} .recover' saves what can be read"
        ) from error


def create_file(folder: Path, meta: dict[str, Any]) -> None:
    """Make the file under another name first, so that a journal is there whole or not at all."""
    unfinished = folder / f"{JOURNAL_NAME}.unfinished"
    unfinished.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(unfinished)) as connection, connection:
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        rows = [(key, pack(value)) for key, value in meta.items()]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    unfinished.rename(folder / JOURNAL_NAME)


def connect(path: Path) -> sqlite3.Connection:
    """Open the file for one thread or the other; what is committed survives the process."""
    connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def check_version(connection: sqlite3.Connection, folder: Path) -> None:
    """See that the file is of this version, or of an older one.

    Raises:
        UserError: If it is of a newer one, or of none.
    """
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if not 0 < version <= SCHEMA_VERSION:
        raise UserError(
            f"the journal in {folder} has schema {version}, this evo reads schema {SCHEMA_VERSION}: "
            + ("install a newer evo" if version > SCHEMA_VERSION else "it was never finished; delete the folder")
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file of an older version up to this one, whole or not at all."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    steps = "".join(_MIGRATIONS[step] for step in range(version, SCHEMA_VERSION))
    connection.executescript(f"BEGIN; {steps} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")


def lock_run(folder: Path) -> TextIO:
    """Take the run for this process, until the handle is closed.

    Raises:
        UserError: If another process has it.
    """
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
