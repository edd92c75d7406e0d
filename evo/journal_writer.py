"""JournalWriter: the one thread that writes a journal.

It commits all that has gathered while the last commit was on its way (group commit). What is committed survives the
end of this process, ``kill -9`` too. To survive that of the machine it must be on the disk; to wait for the disk at
every commit would cost more processor time than all the rest of the journal, so that is done every
:data:`SYNC_SECONDS` while there is anything to be brought there.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from evaluators.exceptions import InfrastructureError
from evo.journal_file import JOURNAL_NAME, connect

SYNC_SECONDS = 0.25
"""How long a committed effect may be in the system's memory alone: what a power cut can lose."""

Statement = tuple[str, tuple[Any, ...]]
_Entry = tuple[Sequence[Statement], "Future[None]"]


class JournalWriter:
    """Writes to the journal of a run, in the order in which it is told to.

    Args:
        folder: The run's folder; its journal is there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._queue: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._failure: sqlite3.Error | OSError | None = None
        self._unsynced_since: float | None = None
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
        self._thread.start()

    def submit(self, statements: Sequence[Statement]) -> Future[None]:
        """Have statements executed in one commit.

        Returns:
            Done as soon as they are committed; fails with :class:`InfrastructureError` if the disk did not take them,
            and from then on so does everything.
        """
        done: Future[None] = Future()
        self._queue.put((statements, done))
        return done

    def close(self) -> None:
        """Commit what is left, bring it to the disk, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _write(self) -> None:
        connection = connect(self._folder / JOURNAL_NAME)
        ended = False
        while not ended:
            gathered = self._gathered()
            entries = [entry for entry in gathered if entry is not None]
            ended = len(entries) < len(gathered)
            self._commit(connection, entries)
            if ended or self._seconds_to_sync() == 0:
                self._sync()
        with contextlib.suppress(sqlite3.Error):  # the journal is whole without it: only a file stays behind
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def _gathered(self) -> list[_Entry | None]:
        """All that waits to be written; nothing if it is time to sync before anything comes."""
        gathered: list[_Entry | None] = []
        with contextlib.suppress(queue.Empty):
            gathered.append(self._queue.get(timeout=self._seconds_to_sync()))
            while True:
                gathered.append(self._queue.get_nowait())
        return gathered

    def _commit(self, connection: sqlite3.Connection, entries: Sequence[_Entry]) -> None:
        if not entries:
            return
        try:
            if self._failure is not None:
                raise self._failure
            with connection:
                for statements, _ in entries:
                    for statement, values in statements:
                        connection.execute(statement, values)
        except (sqlite3.Error, OSError) as error:
            self._failure = error
            message = f"the journal in {self._folder} cannot be written: {error}; make room, then 'evo resume' it"
            for _, done in entries:
                if done.set_running_or_notify_cancel():
                    done.set_exception(InfrastructureError(message))
            return
        if self._unsynced_since is None:
            self._unsynced_since = time.monotonic()
        for _, done in entries:
            # Who was waiting may have been cancelled; what was written stays written.
            if done.set_running_or_notify_cancel():
                done.set_result(None)

    def _seconds_to_sync(self) -> float | None:
        """Time until a sync is due; None if there is nothing that is not on the disk."""
        if self._unsynced_since is None:
            return None
        return max(0.0, self._unsynced_since + SYNC_SECONDS - time.monotonic())

    def _sync(self) -> None:
        if self._unsynced_since is None:
            return
        self._unsynced_since = None
        try:
            descriptor = os.open(self._folder / f"{JOURNAL_NAME}-wal", os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._failure = error  # the next effect that is to be written says so
