"""JournalReader: a journal to look at, whatever its run is doing."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluators.exceptions import UserError
from evo.journal_file import (
    JOURNAL_NAME,
    Effect,
    check_version,
    damage_told,
    existing_journal,
    read_effect,
    read_effects,
    read_keys_at,
    unpack,
)


class JournalReader:
    """A journal to look at: no lock, no writing, whatever its run is doing.

    Args:
        folder: The run's folder.

    Raises:
        UserError: If it holds no run, or one of a newer version.
        InfrastructureError: If the file is damaged.
    """

    def __init__(self, folder: Path) -> None:
        path = existing_journal(folder)
        with damage_told(folder):
            self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            check_version(self._connection, folder)
            self.meta: dict[str, Any] = {
                key: unpack(value) for key, value in self._connection.execute("SELECT key, value FROM meta")
            }
        self._folder = folder

    def get(self, key: str) -> Effect | None:
        """The effect that is journalled under a key."""
        return read_effect(self._connection, self._folder, key)

    def key_at(self, kind: str, path: str) -> str | None:
        """The key of the effect that is journalled at a path."""
        return self._keys_at.get((kind, path))

    @cached_property
    def _keys_at(self) -> dict[tuple[str, str], str]:
        return read_keys_at(self._connection, self._folder)

    def individuals(self) -> list[dict[str, Any]]:
        """The records of the individuals, in canonical order."""
        with damage_told(self._folder):
            rows = self._connection.execute("SELECT record FROM individuals ORDER BY position")
            return [unpack(body) for (body,) in rows]

    def effects(self) -> list[Effect]:
        """All effects, in the order of their keys."""
        with damage_told(self._folder):
            return list(read_effects(self._connection))

    def request(self, digest: str) -> str | None:
        """The text of a request."""
        with damage_told(self._folder):
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
