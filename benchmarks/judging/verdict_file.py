"""The file of verdicts: each is appended as soon as it is made, so that nothing finished is made twice.

JSON lines, each with a ``kind``: ``header`` (suite, dataset, limits, versions), ``reference`` (a task's own solution:
what it fails, and why), ``verdict`` (one a sample, under a key of all that it depends on) and ``summary``. A file may
be cut off at any byte: what is not a whole line at its end is dropped, and told.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.judging.verdicts import SampleVerdict
from benchmarks.suites.records import parse_json_text
from evaluators.exceptions import InfrastructureError, UserError

FILE_VERSION = 1

_SAME = ("suite", "language", "dataset_digest")
_FIELDS = tuple(field.name for field in fields(SampleVerdict))


@dataclass(frozen=True)
class ReferenceRecord:
    """What is kept of a task's reference gate.

    Attributes:
        task_id: The task.
        key: Digest of the task and the toolchain.
        failures: Names of the tests that the suite's own solution fails, each with the reason.
        cases: How many tests there are.
    """

    task_id: str
    key: str
    failures: tuple[tuple[str, str], ...]
    cases: int


class VerdictFile:
    """An open file of verdicts; nobody else can write to it meanwhile.

    Args:
        path: The file; it is made if it is not there.
        header: Facts of this session; those of :data:`_SAME` must be those of earlier ones.

    Attributes:
        verdicts: Finished ones under their keys.
        references: Gates of tasks under their keys.
        dropped_bytes: Length of what was cut off at the end.

    Raises:
        UserError: If the file belongs to something else, is in use, is damaged, or cannot be written.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        self.verdicts: dict[str, SampleVerdict] = {}
        self.references: dict[str, ReferenceRecord] = {}
        self.dropped_bytes = 0
        self._written: set[tuple[str, int, str]] = set()
        try:
            self._file = path.open("ab+", buffering=0)
        except OSError as error:
            raise UserError(f"{path} cannot be written ({error.strerror}): choose another with --out FILE") from error
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UserError(
                    f"{path} is in use by another 'evo judge': wait for it, or choose --out FILE"
                ) from error
            self._read(header)
            self._append({"kind": "header", "version": FILE_VERSION, **header})
        except BaseException:
            self._file.close()
            raise

    def has_line(self, task_id: str, number: int, key: str) -> bool:
        """Whether the sample's verdict stands in the file, and not only that of an equal one."""
        return (task_id, number, key) in self._written

    def add_verdict(self, task_id: str, number: int, key: str, verdict: SampleVerdict, extracted: bool) -> None:
        """Append one sample's verdict.

        Raises:
            InfrastructureError: If the disk fails; what was appended before stays.
        """
        self.verdicts[key] = verdict
        self._written.add((task_id, number, key))
        facts = {"kind": "verdict", "task_id": task_id, "sample": number, **asdict(verdict)}
        self._append({**facts, "extracted": extracted, "key": key})

    def add_reference(self, record: ReferenceRecord) -> None:
        """Append what became of a task's own solution; raises as :meth:`add_verdict`."""
        self.references[record.key] = record
        self._append({"kind": "reference", **asdict(record)})

    def add_summary(self, summary: dict[str, Any]) -> None:
        """Append the outcome; raises as :meth:`add_verdict`."""
        self._append({"kind": "summary", **summary})

    def close(self) -> None:
        """Close it, and let others write."""
        self._file.close()

    def _append(self, record: dict[str, Any]) -> None:
        line = (json.dumps(record) + "\n").encode()
        try:
            written = self._file.write(line)
        except OSError as error:
            raise InfrastructureError(f"{self.path} cannot be written: {error.strerror}; run it again later") from error
        if written != len(line):
            raise InfrastructureError(f"{self.path} cannot be written: the disk is full; run it again later")

    def _read(self, header: dict[str, Any]) -> None:
        self._file.seek(0)
        end = 0
        for number, line in enumerate(self._lines(), 1):
            if not line.endswith(b"\n"):
                break
            end += len(line)
            self._take(line, f"{self.path}, line {number}", number == 1, header)
        self.dropped_bytes = self._file.seek(0, os.SEEK_END) - end
        if self.dropped_bytes:
            self._file.truncate(end)

    def _lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            yield from file

    def _take(self, line: bytes, where: str, first: bool, header: dict[str, Any]) -> None:
        damaged = f"{where}: no line of a file of verdicts: delete the line, or choose another file with --out FILE"
        try:
            record = parse_json_text(line.decode(), where)
        except (UnicodeDecodeError, UserError) as error:
            raise UserError(damaged) from error
        kind = record.get("kind") if isinstance(record, dict) else None
        if kind not in ("header", "reference", "verdict", "summary") or (first and kind != "header"):
            raise UserError(damaged)
        if kind == "header":
            if record.get("version") != FILE_VERSION:
                raise UserError(f"{where}: written by another version of evo: choose another file with --out FILE")
            for name in _SAME:
                if record.get(name) != header[name]:
                    raise UserError(
                        f"{self.path} holds verdicts for {name} {record.get(name)!r}, and these are for "
                        f"{header[name]!r}: choose another file with --out FILE"
                    )
            return
        try:
            if kind == "verdict":
                self.verdicts[record["key"]] = SampleVerdict(**{name: record[name] for name in _FIELDS})
                self._written.add((record["task_id"], record["sample"], record["key"]))
            elif kind == "reference":
                failures = tuple((name, reason) for name, reason in record["failures"])
                made = ReferenceRecord(record["task_id"], record["key"], failures, record["cases"])
                self.references[made.key] = made
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(damaged) from error
