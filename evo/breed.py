"""Breeding: many births at once, committed in one canonical order.

A birth makes one child: its calls, its executions, and its redraws. Births start in the order in which they are
given, as far as budget and concurrency allow, and end in any order. They are committed in the order in which they
were given, and the search stops in the middle of a generation as soon as the committed part of it says so. What was
under way beyond that point is journalled, and counted as speculative.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from evo.budget import Account, Budget, Charge
from evo.events import GenerationStarted, ToldAgain
from evo.finished import FinishedBirth, finished_births, generation_to_record
from evo.individual import Individual
from evo.place import Place
from evo.population import Population
from evo.run import Run
from evo.stop import Stop, StopReason
from operators.models.chat import PathPart


@dataclass(frozen=True)
class Birth:
    """How to make one child.

    Attributes:
        path: Its place in the search.
        bound: The most that it can cost.
        make: Makes it. Returns all programs that were made on the way; the last of them is the child.
        cases: Indices of the visible cases that it is run on; None for all.
    """

    path: tuple[PathPart, ...]
    bound: Charge
    make: Callable[[Place], Awaitable[Sequence[Individual]]]
    cases: tuple[int, ...] | None = None


@dataclass
class _Slot:
    number: int
    outcome: asyncio.Future[Sequence[Individual]]
    account: Account | None = None
    task: asyncio.Task[Sequence[Individual]] | None = None

    @property
    def spent(self) -> Charge:
        """What it has cost so far."""
        return Charge() if self.account is None else self.account.spent


async def breed(run: Run, births: Sequence[Birth], generation: int) -> Population:
    """Make a generation.

    Args:
        run: The run.
        births: In canonical order.
        generation: Its number; 0 for drafts.

    Returns:
        One child a birth, in canonical order.

    Raises:
        Stop: If the search is over.
        InfrastructureError: If a model or the sandbox failed.
    """
    run.observer(GenerationStarted(generation, len(births)))
    run.learn_known()
    first = run.births
    run.births += len(births)
    before = await finished_births(run, generation, [birth.cases for birth in births])
    if before is not None:
        return _told_again(run, before, first)
    loop = asyncio.get_running_loop()
    slots = [_Slot(first + index, loop.create_future()) for index in range(len(births))]
    starter = asyncio.create_task(_start(run, births, slots))
    finished: list[FinishedBirth] = []
    settled = 0
    try:
        for slot in slots:
            run.check_deadline()
            try:
                individuals = await slot.outcome
            finally:
                if slot.outcome.done():
                    _settle(run, slot)
                    settled += 1
            for individual in individuals:
                run.commit(individual)
            finished.append(FinishedBirth(individuals, slot.spent))
            _check_programs(run)
    except Stop as stop:
        await _wind_up(run, starter, slots[settled:], stop.reason, patient=not run.free_of_charge)
        raise
    except asyncio.CancelledError:
        await _wind_up(run, starter, slots[settled:], StopReason.INTERRUPTED, patient=False)
        raise
    except BaseException:
        await _wind_up(run, starter, slots[settled:], StopReason.INFRASTRUCTURE, patient=not run.free_of_charge)
        raise
    run.journal.record_generation(generation, generation_to_record(finished, run.circumstances))
    return Population(tuple(birth.individuals[-1] for birth in finished))


def _told_again(run: Run, births: Sequence[FinishedBirth], first: int) -> Population:
    run.observer(ToldAgain(sum((birth.spent for birth in births), Charge())))
    for number, birth in enumerate(births, first):
        run.check_deadline()
        run.admission.settle(number, birth.spent)
        for individual in birth.individuals:
            run.commit(individual)
        _check_programs(run)
    return Population(tuple(birth.individuals[-1] for birth in births))


async def adopt(run: Run, individual: Individual) -> Population:
    """Begin with a program that was there before the search, which costs nothing of its budget.

    Raises:
        Stop: If it solves the problem.
    """
    run.commit(individual)
    return Population((individual,))


def free_place(run: Run) -> Place:
    """A place at the root of the search that may spend nothing but executions."""
    return Place(run, Account(Budget(programs=0, tokens=0, usd=0.0)))


async def _start(run: Run, births: Sequence[Birth], slots: Sequence[_Slot]) -> None:
    window = asyncio.Semaphore(run.window)
    for birth, slot in zip(births, slots, strict=True):
        await window.acquire()
        try:
            run.go_on()
            slot.account = await run.admission.admit(slot.number, birth.bound)
        except Stop as stop:
            slot.outcome.set_exception(stop)
            return
        place = Place(run, slot.account, birth.path, birth.cases)
        slot.task = asyncio.create_task(_make(birth, place))
        slot.task.add_done_callback(lambda task, slot=slot: _hand_over(task, slot, window))  # type: ignore[misc]


async def _make(birth: Birth, place: Place) -> Sequence[Individual]:
    return await birth.make(place)


def _hand_over(task: asyncio.Task[Sequence[Individual]], slot: _Slot, window: asyncio.Semaphore) -> None:
    window.release()
    if slot.outcome.done():
        return
    if task.cancelled():
        slot.outcome.cancel()
    elif (error := task.exception()) is not None:
        slot.outcome.set_exception(error)
    else:
        slot.outcome.set_result(task.result())


def _settle(run: Run, slot: _Slot) -> None:
    if slot.account is not None:
        run.admission.settle(slot.number, slot.account.spent)


def _check_programs(run: Run) -> None:
    limit = run.budget.programs
    if limit is not None and run.admission.settled.programs >= limit:
        raise Stop(StopReason.PROGRAMS)


async def _wind_up(
    run: Run, starter: asyncio.Task[None], slots: Sequence[_Slot], reason: StopReason, *, patient: bool
) -> None:
    """End the births that are under way: no new effects; calls that are paid for are awaited and journalled."""
    run.stopping = run.stopping or reason
    starter.cancel()
    tasks = [slot.task for slot in slots if slot.task is not None]
    if not patient:
        for task in tasks:
            task.cancel()
    await asyncio.gather(starter, *tasks, return_exceptions=True)
    for slot in slots:
        if slot.account is not None:
            run.speculative += slot.account.spent
        if slot.outcome.done() and not slot.outcome.cancelled():
            slot.outcome.exception()  # it was seen: the search ended before its turn came
