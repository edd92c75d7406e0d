"""Run: the one way from a search to the world outside it.

A system is deterministic given two effects: a model's answer, and an execution. Both go through here: to the
journal first, which may hold the answer already, and only then to the model or the sandbox.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np

from evaluators.evaluate import ExecutionKeys, evaluate
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.execution import Evaluation, without_outputs
from evaluators.executor import Executor
from evaluators.problem import Problem
from evaluators.program import Program
from evaluators.records import evaluation_from_record, evaluation_to_record
from evaluators.sampled import spread
from evo.budget import Admission, Budget, Charge
from evo.completions import completion_from_record, completion_to_record, request_text
from evo.events import CallEnded, CallStarted, Committed, Observer, unobserved
from evo.individual import Individual
from evo.journal import EffectStore
from evo.journal_file import Effect
from evo.journal_reader import JournalReader
from evo.place import path_text
from evo.records import individual_to_record
from evo.stop import Stop, StopReason
from evo.working_time import WorkingTime
from operators.bounds import token_bound
from operators.models.chat import ChatModel, ChatRequest, Completion, PathPart, Sampling

Operator = Literal["synthesize", "instruct", "debug"]


@dataclass(frozen=True)
class Models:
    """Which model answers which operator, and how its answers are drawn.

    Attributes:
        default: For every operator that is not named.
        sampling: For every operator that is not named.
        by_operator: Models of their own.
        sampling_by_operator: Sampling of their own.
    """

    default: ChatModel
    sampling: Sampling = Sampling()
    by_operator: Mapping[str, ChatModel] = field(default_factory=lambda: MappingProxyType({}))
    sampling_by_operator: Mapping[str, Sampling] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, operator: str) -> tuple[ChatModel, Sampling]:
        """Model and sampling of an operator."""
        return self.by_operator.get(operator, self.default), self.sampling_by_operator.get(operator, self.sampling)

    def all(self) -> tuple[ChatModel, ...]:
        """Each model once."""
        return tuple({id(model): model for model in (self.default, *self.by_operator.values())}.values())


class Run:
    """One search under way.

    Args:
        problem: What is searched for; without hidden cases.
        models: Who answers.
        executor: Who runs programs.
        journal: Where every effect is kept.
        budget: What may be spent.
        seed: Root of all randomness.
        observer: Told of every step.
        circumstances: Digest of the task and of all else that the search depends on beside its effects; generations
            that were finished under the same are told again without their effects.
        accept_changes: Go on with a resumed run although a request differs from the journalled one.
        reuse: Earlier runs whose answers to equal requests are taken, and not paid for again.
    """

    def __init__(
        self,
        problem: Problem,
        models: Models,
        executor: Executor,
        journal: EffectStore,
        *,
        budget: Budget | None = None,
        seed: int = 0,
        observer: Observer = unobserved,
        circumstances: str = "",
        accept_changes: bool = False,
        reuse: Sequence[JournalReader] = (),
    ) -> None:
        self.problem = problem
        self.models = models
        self.executor = executor
        self.journal = journal
        self.budget = budget or Budget()
        self.seed = seed
        self.observer = observer
        self.circumstances = circumstances
        self.accept_changes = accept_changes
        self.reuse = reuse
        self.saved = Charge()
        self.admission = Admission(self.budget)
        self.committed: list[Individual] = []
        self.known: set[str] = set()
        self.speculative = Charge()
        self.births = 0
        self._learned = 0
        self.stopping: StopReason | None = None
        self._asked: set[tuple[PathPart, ...]] = set()
        self._executing: dict[str, asyncio.Task[Evaluation]] = {}
        self._calls = {id(model): asyncio.Semaphore(model.concurrency) for model in models.all()}
        self._toolchains: dict[str, str] = {}
        self._execution_keys = ExecutionKeys(problem)
        self._recorded_stop = journal.meta("stop")
        recorded_seconds = 0.0 if self._recorded_stop is None else self._recorded_stop["seconds"]
        self._elapsed_before = max(journal.elapsed_seconds, recorded_seconds)
        self._started = time.monotonic()
        self.working_time = WorkingTime()
        self._waiting_before = 0.0 if self._recorded_stop is None else self._recorded_stop.get("waiting_seconds", 0.0)

    @property
    def window(self) -> int:
        """How many births may be under way: enough to keep model and executor busy, no more than is useful."""
        calls = sum(model.concurrency for model in self.models.all())
        return calls if calls == 1 else calls + self.executor.workers

    @property
    def free_of_charge(self) -> bool:
        """Whether an answer that nobody waits for costs nothing, so that it can be given up."""
        prices = [model.price for model in self.models.all()]
        return all(price is not None and price.is_free for price in prices)

    def elapsed_seconds(self) -> float:
        """Wall time of the search, earlier sessions of it included."""
        return self._elapsed_before + time.monotonic() - self._started

    def waiting_seconds(self) -> float:
        """The part of it in which all that was done was to wait for a provider, earlier sessions included."""
        return float(self._waiting_before + self.working_time.waiting_seconds)

    def seed_at(self, *path: PathPart) -> int:
        """A 31-bit seed of a path's own, which every provider accepts."""
        return int.from_bytes(self._digest(path)[:4], "big") >> 1

    def rng(self, *path: PathPart) -> np.random.Generator:
        """A random generator of a path's own: equal for equal seed and path."""
        return np.random.Generator(np.random.PCG64(int.from_bytes(self._digest(path), "big")))

    def _digest(self, path: tuple[PathPart, ...]) -> bytes:
        return hashlib.sha256(json.dumps([self.seed, path]).encode()).digest()

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens or money are limited, so that a birth must say beforehand what it may cost."""
        return self.budget.tokens is not None or self.budget.usd is not None

    def bound(
        self, operator: Operator, language: str, examples: int, parent: Individual | None = None, report: str = ""
    ) -> Charge:
        """The most that one call of an operator can cost; of interest only where tokens or money are limited.

        Args:
            operator: Whose model and sampling.
            language: Of the programs.
            examples: How many visible cases its prompt shows.
            parent: The program that it is shown.
            report: What is said of that program's failures.
        """
        if not self.counts_tokens:
            return Charge(calls=1)
        _, sampling = self.models.of(operator)
        tokens = token_bound(
            operator,
            self.problem,
            language,
            max_tokens=sampling.max_tokens,
            examples=examples,
            program=None if parent is None else parent.genome,
            report=report,
        )
        return self.most(operator, tokens - sampling.max_tokens)

    def most(self, operator: str, prompt_tokens: int) -> Charge:
        """The most that a call can cost whose prompt has at most so many tokens."""
        model, sampling = self.models.of(operator)
        usd = None if model.price is None else model.price.cost_of(prompt_tokens, sampling.max_tokens)
        return Charge(0, 1, prompt_tokens, sampling.max_tokens, usd)

    async def complete(self, request: ChatRequest, model: ChatModel) -> Completion:
        """Answer a request, from the journal if it is there; see :meth:`evo.place.Place.complete`.

        Raises:
            ValueError: If the search asks twice at one path.
            UserError: If a resumed run asks something else than it did before.
        """
        if request.path in self._asked:
            raise ValueError(f"path {request.path} was used twice: give every call a place of its own with .at(...)")
        self._asked.add(request.path)
        self.go_on()
        key = request.key(model.identity)
        effect = self.journal.get(key) or await self._reused(key)
        if effect is None:
            self._refuse_divergence(request, key)
            async with self._calls[id(model)]:
                self.go_on()
                self.observer(CallStarted(request.operator, request.path))
                completion = await self._answer(request, model)
            text = request_text(request)
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            record = completion_to_record(completion, request)
            path = path_text(request.path)
            await self.journal.record(
                Effect(key, "completion", path, digest, record, self.elapsed_seconds()), request_text=text
            )
        else:
            completion = completion_from_record(effect.record)
        self.observer(CallEnded(request.operator, request.path, completion, effect is not None))
        return completion

    async def _answer(self, request: ChatRequest, model: ChatModel) -> Completion:
        asked = self.working_time.now()
        try:
            completion = await model.complete(request)
        except InfrastructureError:
            self.working_time.failed(asked)
            raise
        self.working_time.answered(asked, completion.waiting_seconds)
        return completion

    async def execute(
        self, program: Program, path: tuple[PathPart, ...], cases: tuple[int, ...] | None = None
    ) -> Evaluation:
        """Evaluate a program; see :meth:`evo.place.Place.execute`."""
        if cases is not None and len(cases) < len(self.problem.cases):
            sample = replace(self.problem, cases=tuple(self.problem.cases[index] for index in cases))
            evaluation = await self._evaluated(program, path, sample, ExecutionKeys(sample))
            if not evaluation.solved:
                return spread(evaluation, cases, self.problem)
        return await self._evaluated(program, path, self.problem, self._execution_keys)

    async def _evaluated(
        self, program: Program, path: tuple[PathPart, ...], problem: Problem, keys: ExecutionKeys
    ) -> Evaluation:
        language = program.language
        if language not in self._toolchains:
            self._toolchains[language] = self.executor.toolchain(language)
        key = keys.of(program, self._toolchains[language])
        if key not in self._executing:
            effect = self.journal.get(key) or await self._reused(key)
            if effect is not None:
                return evaluation_from_record(effect.record)
            task = asyncio.create_task(self._execute(key, program, path, problem))
            task.add_done_callback(partial(self._executed, key))
            self._executing[key] = task
        return await asyncio.shield(self._executing[key])

    def _executed(self, key: str, task: asyncio.Task[Evaluation]) -> None:
        # The journal has it now: nothing is kept twice. A failure is raised where it is waited for; whoever waited may
        # have been stopped, and then it is seen here.
        self._executing.pop(key, None)
        if not task.cancelled():
            task.exception()

    async def _execute(self, key: str, program: Program, path: tuple[PathPart, ...], problem: Problem) -> Evaluation:
        self.go_on()
        begun = self.working_time.now()
        evaluation = await evaluate(self.executor, program, problem)
        self.working_time.executed(begun)
        record = evaluation_to_record(evaluation)
        await self.journal.record(Effect(key, "execution", path_text(path), None, record, self.elapsed_seconds()))
        # What a search sees is what a replay will see: the record, with its outputs capped.
        return evaluation_from_record(record)

    async def _reused(self, key: str) -> Effect | None:
        """An effect of an earlier run, copied into this one's journal."""
        for reader in self.reuse:
            effect = reader.get(key)
            if effect is None:
                continue
            text = None if effect.request is None else reader.request(effect.request)
            copied = replace(effect, elapsed_seconds=self.elapsed_seconds())
            await self.journal.record(copied, request_text=text)
            if effect.kind == "completion":
                answer = completion_from_record(effect.record)
                self.saved += Charge.for_call(answer.usage, self.models.default.price, answer.model)
            return copied
        return None

    def learn_known(self) -> None:
        """Take in what has been committed as known: a generation is compared with those before it, not with itself."""
        self.known.update(individual.genome.digest for individual in self.committed[self._learned :])
        self._learned = len(self.committed)

    def go_on(self) -> None:
        """See that new effects may still start.

        Raises:
            Stop: If the run is ending.
        """
        if self.stopping is not None:
            raise Stop(self.stopping)

    def commit(self, individual: Individual) -> None:
        """Give an individual its place in the canonical order.

        Raises:
            Stop: If that ends the search.
        """
        position = len(self.committed)
        # What it printed stays in the journal, and with whoever is selected from; here it would only take room.
        self.committed.append(replace(individual, evaluation=without_outputs(individual.judged)))
        if not self.journal.has_individual(position, individual.id):
            self.journal.record_individual(position, individual_to_record(individual))
        self.observer(Committed(individual, position))
        if individual.judged.solved:
            raise Stop(StopReason.SOLVED)

    def check_deadline(self) -> None:
        """Stop where an earlier session of this run stopped because its time was up.

        Raises:
            Stop: If it did so here.
        """
        stop = self._recorded_stop
        limit = self.budget.seconds
        if stop is None or limit is None or stop["reason"] != StopReason.SECONDS.value:
            return
        if self._elapsed_before >= limit and len(self.committed) >= stop["committed"]:
            raise Stop(StopReason.SECONDS)

    @property
    def seconds_left(self) -> float | None:
        """Wall time that is left; None if there is no limit, or a finished run is only told again."""
        if self.budget.seconds is None:
            return None
        left = self.budget.seconds - self.elapsed_seconds()
        told_again = self._recorded_stop is not None and self._recorded_stop["reason"] == StopReason.SECONDS.value
        return None if left <= 0 and told_again else max(0.0, left)

    async def close(self) -> None:
        """Give up executions that nobody waits for any more."""
        running = [task for task in self._executing.values() if not task.done()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _refuse_divergence(self, request: ChatRequest, key: str) -> None:
        earlier = self.journal.key_at("completion", path_text(request.path))
        if earlier is None or earlier == key or self.accept_changes:
            return
        raise UserError(
            f"this run asked something else at {path_text(request.path)} ({request.operator}) before: a prompt, a "
            "setting, the model or the code has changed since; go on from here with --accept-changes, or start anew"
        )
