"""Replay: a search from its journal alone, without a model, and without a sandbox unless programs are to run anew."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluators.exceptions import InfrastructureError
from evaluators.execution import Execution
from evaluators.executor import Executor, SandboxExecutor
from evaluators.problem import Problem
from evaluators.program import Program
from evaluators.records import verdicts_of_record
from evo.journal_file import Effect
from evo.journal_reader import JournalReader
from evo.result import Result
from evo.run import Models
from evo.search import search
from evo.session import sampling_of
from evo.settings_sources import validated
from evo.stop import Stop, StopReason
from evo.task import Task
from operators.models.chat import ChatRequest, Completion, Price


@dataclass(frozen=True)
class Difference:
    """A program that did otherwise when it was run anew.

    Attributes:
        path: Where in the search it was executed first, as JSON text.
        before: Its verdicts then, one a case.
        now: Its verdicts now.
    """

    path: str
    before: tuple[str, ...]
    now: tuple[str, ...]


@dataclass(frozen=True)
class Replay:
    """What came of a replay.

    Attributes:
        result: As of the search itself.
        executions: How many programs were run anew.
        differences: Programs whose verdicts differ.
    """

    result: Result
    executions: int
    differences: tuple[Difference, ...]


async def replay(folder: Path, *, re_execute: bool = False) -> Replay:
    """Search again, with every answer taken from the journal; nothing is written.

    Args:
        folder: Of the run; interrupted ones are replayed as far as they came.
        re_execute: Run the programs anew, and compare their verdicts.

    Raises:
        UserError: If there is no such run, or the code asks something else than it did.
        InfrastructureError: If the journal is damaged, or the sandbox failed.
    """
    with contextlib.closing(JournalReader(folder)) as reader:
        settings = validated(reader.meta["settings"])
        task = Task.from_meta(reader.meta, settings)
        recorded = reader.meta["models"]
        models = Models(
            JournalledModel(recorded["default"]),
            sampling_of(settings.sampling),
            {operator: JournalledModel(facts) for operator, facts in recorded["by_operator"].items()},
            {operator: sampling_of(own) for operator, own in settings.samplings.items()},
        )
        executor: Executor = JournalledExecutor(reader.meta["versions"])
        if re_execute:
            executor = SandboxExecutor(workers=settings.workers, allow_weak_sandbox=settings.sandbox.allow_weak)
        journal = ReplayedJournal(folder, reader, re_execute=re_execute)
        try:
            result = await search(task, models, executor, journal)
        finally:
            await executor.close()
        return Replay(result, journal.executions, tuple(journal.differences))


class ReplayedJournal:
    """A journal that is read and never written; satisfies :class:`evo.journal.EffectStore`."""

    def __init__(self, folder: Path, reader: JournalReader, *, re_execute: bool) -> None:
        self.folder = folder
        self.elapsed_seconds = 0.0
        self.executions = 0
        self.differences: list[Difference] = []
        self._reader = reader
        self._re_execute = re_execute
        self._anew: dict[str, Effect] = {}

    def get(self, key: str) -> Effect | None:
        """The effect under a key; none of an execution that shall be done anew."""
        if key in self._anew:
            return self._anew[key]
        effect = self._reader.get(key)
        return None if effect is not None and self._re_execute and effect.kind == "execution" else effect

    def key_at(self, kind: str, path: str) -> str | None:
        """The key of the effect at a path."""
        return self._reader.key_at(kind, path)

    def meta(self, name: str) -> Any:
        """A fact of the run."""
        return self._reader.meta.get(name)

    async def record(self, effect: Effect, request_text: str | None = None) -> None:
        """Compare an execution that was done anew with the journalled one.

        Raises:
            InfrastructureError: For an answer of a model, which cannot be new here.
        """
        # With another toolchain the key differs; then the place in the search tells which execution it is.
        key = self._reader.key_at(effect.kind, effect.path)
        before = self._reader.get(effect.key) or (None if key is None else self._reader.get(key))
        if effect.kind != "execution" or before is None:
            raise InfrastructureError(f"the journal has no {effect.kind} at {effect.path}")
        self._anew[effect.key] = effect
        self.executions += 1
        verdicts = [verdicts_of_record(record) for record in (before.record, effect.record)]
        if verdicts[0] != verdicts[1]:
            self.differences.append(Difference(effect.path, verdicts[0], verdicts[1]))

    def has_individual(self, position: int, identity: str) -> bool:
        """As if: nothing is to be written."""
        return True

    def record_individual(self, position: int, record: dict[str, Any]) -> None:
        """Write nothing."""

    def individuals(self, first: int, count: int) -> list[dict[str, Any]]:
        """None: everything is made by its effects."""
        return []

    def finished_generation(self, generation: int) -> dict[str, Any] | None:
        """None: everything is made by its effects."""
        return None

    def record_generation(self, generation: int, record: dict[str, Any]) -> None:
        """Write nothing."""

    def record_meta(self, name: str, value: Any) -> None:
        """Write nothing."""


class JournalledModel:
    """Stands for the model of a run that is replayed: it is known, and cannot answer.

    Args:
        facts: Identity, price and concurrency, as the journal has them.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.identity: str = facts["identity"]
        self.price = None if facts["price"] is None else Price.from_record(facts["price"])
        self.concurrency: int = facts["concurrency"]

    async def complete(self, request: ChatRequest) -> Completion:
        """End the replay: the run was interrupted here.

        Raises:
            Stop: Always.
        """
        raise Stop(StopReason.INTERRUPTED)

    async def close(self) -> None:
        """Nothing is open."""


class JournalledExecutor:
    """Stands for the executor of a run that is replayed.

    Args:
        versions: As the journal has them.
    """

    workers = 1

    def __init__(self, versions: Mapping[str, Any]) -> None:
        self.layers: tuple[str, ...] = tuple(versions["layers"])
        self._toolchain: str = versions["toolchain"]

    def toolchain(self, language: str) -> str:
        """What the run was made with."""
        return self._toolchain

    async def run(self, program: Program, problem: Problem, cases: Any = None, **options: Any) -> Execution:
        """End the replay: the run was interrupted here.

        Raises:
            Stop: Always.
        """
        raise Stop(StopReason.INTERRUPTED)

    async def close(self) -> None:
        """Nothing is open."""
