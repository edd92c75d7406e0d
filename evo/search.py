"""Search: a task from its start, or from its journal, to its result."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import Executor
from evo.budget import Budget, Charge
from evo.events import Observer, SearchEnded, unobserved
from evo.individual import Individual
from evo.journal import EffectStore
from evo.journal_reader import JournalReader
from evo.plugins import case_sampler, ranking
from evo.population import best
from evo.result import Result
from evo.run import Models, Run
from evo.settings import Settings
from evo.stop import Stop, StopReason
from evo.systems.best_of_n import best_of_n
from evo.systems.seidr import seidr
from evo.task import Task


async def search(
    task: Task,
    models: Models,
    executor: Executor,
    journal: EffectStore,
    *,
    observer: Observer = unobserved,
    interruption: asyncio.Event | None = None,
    circumstances: str = "",
    accept_changes: bool = False,
    reuse: Sequence[JournalReader] = (),
) -> Result:
    """Search until the run stops.

    Args:
        task: What for, and how.
        models: Who answers.
        executor: Who runs programs.
        journal: Fresh, or of an earlier session of the same task.
        observer: Told of every step.
        interruption: Set from outside to start no new effects, and await those that are paid for.
        circumstances: Digest of all that the search depends on beside its effects.
        accept_changes: Go on although a request differs from the journalled one.
        reuse: Earlier runs whose answers to equal requests are taken.

    Returns:
        The result, not judged yet.

    Raises:
        UserError: If the settings cannot work, or a resumed run diverges.
        InfrastructureError: If a model or the sandbox failed; the journal can be resumed.
    """
    settings = task.settings
    budget = Budget(**settings.budget.model_dump())
    check_prices(settings, models)
    run = Run(
        task.problem,
        models,
        executor,
        journal,
        budget=budget,
        seed=settings.seed,
        observer=observer,
        circumstances=circumstances,
        accept_changes=accept_changes,
        reuse=reuse,
    )
    watcher = asyncio.create_task(_interrupt(run, interruption)) if interruption is not None else None
    reason = StopReason.EXHAUSTED
    try:
        async with asyncio.timeout(run.seconds_left):
            await _system(run, task)
    except Stop as stop:
        reason = stop.reason
    except TimeoutError:
        reason = StopReason.SECONDS
    except (InfrastructureError, asyncio.CancelledError) as error:
        interrupted = isinstance(error, asyncio.CancelledError)
        _record_stop(run, StopReason.INTERRUPTED if interrupted else StopReason.INFRASTRUCTURE)
        raise
    finally:
        if watcher is not None:
            watcher.cancel()
        await run.close()
    _record_stop(run, reason)
    observer(SearchEnded(reason))
    return _result(run, task, reason)


async def _system(run: Run, task: Task) -> None:
    settings = task.settings
    if settings.system == "best-of-n":
        await best_of_n(run, settings.language, settings.best_of_n)
    else:
        sampler = None if settings.sampler is None else case_sampler(settings.sampler)
        await seidr(run, settings.language, settings.seidr, ranking(settings.selection), task.start, sampler)


async def _interrupt(run: Run, interruption: asyncio.Event) -> None:
    await interruption.wait()
    run.stopping = StopReason.INTERRUPTED


def _record_stop(run: Run, reason: StopReason) -> None:
    stop = {
        "reason": reason.value,
        "committed": len(run.committed),
        "seconds": run.elapsed_seconds(),
        "waiting_seconds": run.waiting_seconds(),
    }
    run.journal.record_meta("stop", stop)


def check_prices(settings: Settings, models: Models) -> None:
    """Refuse a budget of money for models whose price is not known.

    Raises:
        UserError: If it is so.
    """
    unpriced = [model.identity for model in models.all() if model.price is None]
    if settings.budget.usd is not None and unpriced:
        raise UserError(
            f"--budget-usd needs a price, and that of {unpriced[0]!r} is unknown: set it with --set "
            "price.input_usd_per_million=... --set price.output_usd_per_million=..., or use --budget-tokens"
        )


def _result(run: Run, task: Task, reason: StopReason) -> Result:
    individuals = tuple(run.committed)
    distinct: dict[str, Individual] = {each.genome.digest: each for each in individuals}
    settled = run.admission.settled
    # A program counts when it has its place among the individuals; one whose birth was broken off was speculative.
    programs = sum(each.operator != "start" for each in individuals)
    return Result(
        problem=task.problem.name,
        system=task.settings.system,
        stop_reason=reason,
        best=best(individuals),
        individuals=individuals,
        spent=replace(settled, programs=programs),
        speculative=run.speculative + Charge(programs=settled.programs - programs),
        saved=run.saved,
        generations=1 + max((each.generation for each in individuals), default=-1),
        executions=len(distinct),
        layers=run.executor.layers,
        seconds=run.elapsed_seconds(),
        waiting_seconds=run.waiting_seconds(),
        execution_cpu_seconds=sum(each.judged.execution.cpu_seconds for each in distinct.values()),
        folder=str(run.journal.folder),
    )
