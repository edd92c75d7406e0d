"""Judge: all samples of a file, in parallel, with every finished verdict kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from benchmarks.judging.official_tests import OfficialTests, learn_official_tests, task_digest
from benchmarks.judging.samples import ReadProgram, Sample, raw_program, tasks_by_id
from benchmarks.judging.verdict_file import ReferenceRecord, VerdictFile
from benchmarks.judging.verdicts import SampleVerdict, judge_program, judging_digest
from benchmarks.suites.task import SuiteTask
from evaluators.executor import Executor


@dataclass(frozen=True)
class Judged:
    """A sample and its verdict.

    Attributes:
        sample: The sample.
        program: The program that was judged, a whole one.
        extracted: Whether the text was changed to get at the program.
        verdict: The verdict.
    """

    sample: Sample
    program: str
    extracted: bool
    verdict: SampleVerdict


@dataclass(frozen=True)
class Judging:
    """What came of it.

    Attributes:
        judged: In the order of the samples.
        references: Of every task that has samples, in the suite's order.
        reused: How many verdicts were there before.
        executed: How many programs were run; equal ones are run once.
    """

    judged: tuple[Judged, ...]
    references: tuple[ReferenceRecord, ...]
    reused: int
    executed: int


Observer = Callable[[int, int], None]
"""Takes how many samples have a verdict, and how many of these passed, each time that these numbers grow."""


@dataclass(frozen=True)
class _Program:
    source: str
    extracted: bool
    key: str


async def judge_samples(
    executor: Executor,
    tasks: Sequence[SuiteTask],
    samples: Sequence[Sample],
    file: VerdictFile,
    *,
    seconds: float,
    read_program: ReadProgram = raw_program,
    observer: Observer = lambda done, passed: None,
) -> Judging:
    """Judge samples that have no verdict yet, and the suite's own solutions beside them.

    Args:
        executor: Runs programs, as many at a time as it has workers.
        tasks: The suite.
        samples: Each of a task of the suite.
        file: Has finished verdicts, and takes new ones.
        seconds: Processor time that a program has for all tests of its task.
        read_program: Finds the program in a sample.
        observer: Is told how far it has come.

    Raises:
        InfrastructureError: If the sandbox or the disk failed; finished verdicts are in the file.
    """
    by_id = tasks_by_id(tasks)
    digests = {task.task_id: task_digest(task) for task in tasks}
    programs = [_program(sample, by_id[sample.task_id], digests, seconds, executor, read_program) for sample in samples]
    numbered = {sample.task_id for sample in samples}
    attempted = [task for task in tasks if task.task_id in numbered]
    waiting: dict[str, list[int]] = {}
    done = passed = 0

    def settle(index: int, verdict: SampleVerdict) -> None:
        nonlocal done, passed
        sample, program = samples[index], programs[index]
        if not file.has_line(sample.task_id, sample.number, program.key):
            file.add_verdict(sample.task_id, sample.number, program.key, verdict, program.extracted)
        done, passed = done + 1, passed + verdict.passed

    for index, program in enumerate(programs):
        known = file.verdicts.get(program.key)
        if known is not None:
            settle(index, known)
        else:
            waiting.setdefault(program.key, []).append(index)
    reused = done
    observer(done, passed)
    gates = _Gates(executor, file, digests)

    async def judge(key: str) -> None:
        first = waiting[key][0]
        tests = await gates.tests(by_id[samples[first].task_id])
        verdict = await judge_program(executor, tests, programs[first].source, seconds)
        for index in waiting[key]:
            settle(index, verdict)
        observer(done, passed)

    try:
        await _all(executor.workers, [partial(judge, key) for key in waiting])
        await _all(executor.workers, [partial(gates.record, task) for task in attempted])
    finally:
        await gates.close()
    return Judging(
        judged=tuple(
            Judged(sample, program.source, program.extracted, file.verdicts[program.key])
            for sample, program in zip(samples, programs, strict=True)
        ),
        references=tuple([await gates.record(task) for task in attempted]),
        reused=reused,
        executed=len(waiting),
    )


class _Gates:
    """The reference gate of each task, when it is first needed."""

    def __init__(self, executor: Executor, file: VerdictFile, digests: Mapping[str, str]) -> None:
        self._executor = executor
        self._file = file
        self._digests = digests
        self._tests: dict[str, asyncio.Task[OfficialTests]] = {}

    async def tests(self, task: SuiteTask) -> OfficialTests:
        """The official tests of a task."""
        if task.task_id not in self._tests:
            self._tests[task.task_id] = asyncio.ensure_future(self._learn(task))
        return await asyncio.shield(self._tests[task.task_id])

    async def record(self, task: SuiteTask) -> ReferenceRecord:
        """What the suite's own solution fails."""
        key = self._key(task)
        if key not in self._file.references:
            await self.tests(task)
        return self._file.references[key]

    async def _learn(self, task: SuiteTask) -> OfficialTests:
        tests, gate = await learn_official_tests(self._executor, task)
        if self._key(task) not in self._file.references:
            self._file.add_reference(ReferenceRecord(task.task_id, self._key(task), gate.failures, tests.count))
        return tests

    async def close(self) -> None:
        """Give up what is under way."""
        for learning in self._tests.values():
            learning.cancel()
        await asyncio.gather(*self._tests.values(), return_exceptions=True)

    def _key(self, task: SuiteTask) -> str:
        toolchain = self._executor.toolchain(task.language)
        return sha256(f"{self._digests[task.task_id]} {toolchain}".encode()).hexdigest()


def _program(
    sample: Sample,
    task: SuiteTask,
    digests: Mapping[str, str],
    seconds: float,
    executor: Executor,
    read_program: ReadProgram,
) -> _Program:
    source = read_program(sample, task)
    digest = sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    key = judging_digest(digests[task.task_id], digest, seconds, executor.toolchain(task.language))
    return _Program(source, source != raw_program(sample, task), key)


async def _all(workers: int, jobs: Sequence[Callable[[], Coroutine[Any, Any, Any]]]) -> None:
    """Do all jobs in their order, twice as many at a time as there are workers, so that none of these waits."""
    left = iter(jobs)

    async def work() -> None:
        for job in left:
            await job()

    runners = [asyncio.ensure_future(work()) for _ in range(min(2 * workers, len(jobs)))]
    try:
        await asyncio.gather(*runners)
    finally:
        for runner in runners:
            runner.cancel()
        await asyncio.gather(*runners, return_exceptions=True)
