"""Journal: every effect of a run, in one SQLite file, written before the search sees it.

An effect is a model's answer or an execution. It stands under a key that the search fixes in advance, so a run that
is started again finds each answer that it already has, in whatever order it asks.

An effect is committed (:mod:`evo.journal_writer`) before the search sees it: whatever a search has seen, its journal
holds.
"""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TextIO

from evaluators.exceptions import InfrastructureError, UserError
from evo.journal_file import (
    JOURNAL_NAME,
    Effect,
    check_version,
    check_whole,
    compressed,
    connect,
    create_file,
    damage_told,
    existing_journal,
    lock_run,
    migrate,
    pack,
    read_effect,
    read_generation,
    read_individuals,
    read_keys_at,
    unpack,
)
from evo.journal_writer import JournalWriter, Statement


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

    def has_individual(self, position: int, identity: str) -> bool:
        """Whether this very individual is kept at this place of the canonical order already."""
        ...

    def record_individual(self, position: int, record: dict[str, Any]) -> None:
        """Keep an individual of the canonical order."""
        ...

    def individuals(self, first: int, count: int) -> list[dict[str, Any]]:
        """The records of individuals that follow each other in the canonical order."""
        ...

    def finished_generation(self, generation: int) -> dict[str, Any] | None:
        """What is kept of a generation that was finished; see :mod:`evo.finished`."""
        ...

    def record_generation(self, generation: int, record: dict[str, Any]) -> None:
        """Keep what a generation came to."""
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
        # The keys alone are kept in memory, so that what is not there is known without a query.
        self._keys = {key for (key,) in connection.execute("SELECT key FROM effects")}
        self._resumed = bool(self._keys)
        self._individuals = dict(connection.execute("SELECT position, id FROM individuals"))
        self._checked_elapsed = check_whole(connection)
        self._writer = JournalWriter(folder)

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
        if any(folder.glob(f"*/{JOURNAL_NAME}")) or folder.resolve() == Path.cwd():
            raise UserError(f"--out {folder} is no folder for one run: name a new one, such as {folder / 'run1'}")
        if (folder / JOURNAL_NAME).exists():
            raise UserError(f"{folder} already holds a run: go on with 'evo resume {folder}', or choose another --out")
        lock = lock_run(folder)
        try:
            create_file(folder, meta)
            connection = connect(folder / JOURNAL_NAME)
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
        existing_journal(folder)
        lock = lock_run(folder)
        try:
            with damage_told(folder):
                connection = connect(folder / JOURNAL_NAME)
                check_version(connection, folder)
                migrate(connection)
                return cls(folder, connection, lock)
        except (UserError, InfrastructureError):
            lock.close()
            raise

    def get(self, key: str) -> Effect | None:
        """The effect that is journalled under a key."""
        return read_effect(self._reader, self.folder, key) if key in self._keys else None

    def key_at(self, kind: str, path: str) -> str | None:
        """The key of the effect that an earlier session journalled at a path; None in a run that was never resumed."""
        return self._keys_at.get((kind, path)) if self._resumed else None

    @cached_property
    def _keys_at(self) -> dict[tuple[str, str], str]:
        return read_keys_at(self._reader, self.folder)

    def meta(self, name: str) -> Any:
        """A fact of the run; None if it was not recorded."""
        row = self._reader.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
        return None if row is None else unpack(row[0])

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
        statements: list[Statement] = []
        if request_text is not None and effect.request not in self._requests:
            self._requests.add(str(effect.request))
            body = compressed(request_text.encode("utf-8", "surrogatepass"))
            statements.append(("INSERT OR IGNORE INTO requests VALUES (?, ?)", (effect.request, body)))
        row = (effect.key, effect.kind, effect.path, effect.request, pack(effect.record), effect.elapsed_seconds)
        statements.append(("INSERT OR REPLACE INTO effects VALUES (?, ?, ?, ?, ?, ?)", row))
        await self._writer.write(statements)
        self._keys.add(effect.key)

    def has_individual(self, position: int, identity: str) -> bool:
        """Whether this very individual stands at this place of the canonical order already."""
        return self._individuals.get(position) == identity

    def record_individual(self, position: int, record: dict[str, Any]) -> None:
        """Write an individual of the canonical order; does not wait for the commit."""
        self._individuals[position] = record["id"]
        row = (position, record["id"], pack(record))
        self._writer.write_soon([("INSERT OR REPLACE INTO individuals VALUES (?, ?, ?)", row)])

    def individuals(self, first: int, count: int) -> list[dict[str, Any]]:
        """The records of individuals that follow each other in the canonical order; fewer if there are not so many."""
        return read_individuals(self._reader, self.folder, first, count)

    def finished_generation(self, generation: int) -> dict[str, Any] | None:
        """What an earlier session wrote of a generation that it finished."""
        return read_generation(self._reader, self.folder, generation) if self._resumed else None

    def record_generation(self, generation: int, record: dict[str, Any]) -> None:
        """Write what a generation came to, after its individuals; does not wait for the commit."""
        self._writer.write_soon([("INSERT OR REPLACE INTO generations VALUES (?, ?)", (generation, pack(record)))])

    def record_meta(self, name: str, value: Any) -> None:
        """Write a fact of the run, replacing an older one; returns once it is committed.

        Raises:
            InfrastructureError: If the disk did not take it.
        """
        self._writer.write_now([("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, pack(value)))])

    def close(self) -> None:
        """Commit what is left, and let others have the run."""
        self._writer.close()
        self._reader.close()
        self._lock.close()
