"""JournalWriter: commits what a run writes to its journal.

All that is written in one turn of the event loop is one commit, and what nobody waits for goes with the next one. What
is committed survives the end of this process, ``kill -9`` too. To survive that of the machine it must be on the disk;
to wait for the disk at every commit would cost more processor time than all the rest of the journal, and hold the
search up. A thread does that, every :data:`SYNC_SECONDS` while there is anything to be brought there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluators.exceptions import InfrastructureError
from evo.journal_file import JOURNAL_NAME, connect

SYNC_SECONDS = 0.25
"""How long a committed effect may be in the system's memory alone: what a power cut can lose."""

SOON_SECONDS = 0.1
"""How long what nobody waits for may wait for the next commit."""

_COMMITS_OF_A_LOG = 500
"""After so many, what they wrote is moved from SQLite's log to its file, lest the log grow without end."""

Statement = tuple[str, tuple[Any, ...]]


class JournalWriter:
    """Writes to the journal of a run, in the order in which it is told to.

    Args:
        folder: The run's folder; its journal is there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection = connect(folder / JOURNAL_NAME)
        self._connection.execute("PRAGMA wal_autocheckpoint=0")  # the thread does it, lest a commit wait for the disk
        self._waiting: list[tuple[Sequence[Statement], asyncio.Future[None] | None]] = []
        self._awaited = False
        self._failure: InfrastructureError | None = None
        self._syncer = _Syncer(folder)

    async def write(self, statements: Sequence[Statement]) -> None:
        """Have statements executed, in one commit with whatever else is written in this turn of the event loop.

        Returns:
            As soon as they are committed. Who is cancelled meanwhile has them committed too.

        Raises:
            InfrastructureError: If the disk did not take them; from then on it takes nothing.
        """
        loop = asyncio.get_running_loop()
        if not self._awaited:
            self._awaited = True
            loop.call_soon(self._flush)
        done = loop.create_future()
        self._waiting.append((statements, done))
        await done

    def write_soon(self, statements: Sequence[Statement]) -> None:
        """Have statements executed with the next commit, or soon; a failure is told by the next :meth:`write`."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(SOON_SECONDS, self._flush)
        self._waiting.append((statements, None))

    def write_now(self, statements: Sequence[Statement]) -> None:
        """Execute statements at once, after all that waits.

        Raises:
            InfrastructureError: As :meth:`write`.
        """
        self._flush()
        self._commit(statements)

    def close(self) -> None:
        """Commit what waits, and bring everything to the disk."""
        self._flush()
        self._syncer.close()
        with contextlib.suppress(sqlite3.Error):  # the journal is whole without it: only a file stays behind
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    def _flush(self) -> None:
        entries, self._waiting, self._awaited = self._waiting, [], False
        if not entries:
            return
        try:
            self._commit([statement for statements, _ in entries for statement in statements])
        except InfrastructureError as error:
            for _, done in entries:
                if done is not None and not done.done():
                    done.set_exception(error)
            return
        for _, done in entries:
            if done is not None and not done.done():
                done.set_result(None)

    def _commit(self, statements: Sequence[Statement]) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            if self._syncer.failure is not None:
                raise self._syncer.failure
            with self._connection:
                for statement, values in statements:
                    self._connection.execute(statement, values)
        except (sqlite3.Error, OSError) as error:
            self._failure = InfrastructureError(
                f"the journal in {self._folder} cannot be written: {error}; make room, then 'evo resume' it"
            )
            raise self._failure from error
        self._syncer.committed()


class _Syncer:
    """Brings commits from the system's memory to the disk, in a thread of its own.

    Attributes:
        failure: Why the disk did not take them; None if it does.
    """

    def __init__(self, folder: Path) -> None:
        self.failure: OSError | sqlite3.Error | None = None
        self._path = folder / JOURNAL_NAME
        self._commits = self._checkpointed = 0
        self._due = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def committed(self) -> None:
        """Take note of a commit."""
        self._commits += 1
        self._due.set()

    def close(self) -> None:
        """Bring all that was committed to the disk, and end the thread."""
        self._ended.set()
        self._due.set()
        self._thread.join()

    def _work(self) -> None:
        connection = connect(self._path)
        while not self._ended.is_set():
            self._due.wait()
            self._ended.wait(SYNC_SECONDS)
            self._due.clear()
            try:
                self._sync(connection)
            except (OSError, sqlite3.Error) as error:
                self.failure = error
        connection.close()

    def _sync(self, connection: sqlite3.Connection) -> None:
        descriptor = os.open(f"{self._path}-wal", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if self._commits - self._checkpointed >= _COMMITS_OF_A_LOG:
            self._checkpointed = self._commits
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
