"""``evo solve`` and ``evo resume``: run a search, and print what came of it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from evo.budget import Budget, Charge
from evo.cli.estimate import check_first_call, print_plan
from evo.cli.progress import Progress
from evo.journal_reader import run_folders
from evo.plugins import case_sampler, ranking
from evo.result import Judgement, Result
from evo.session import Session, begin, go_on
from evo.settings_sources import settings_from, validated
from evo.stop import StopReason
from evo.task import prepare


def solve_command(
    problem: str,
    options: Mapping[str, Any],
    *,
    start: Path | None,
    preset: str | None,
    config: Path | None,
    assignments: Sequence[str],
    out: Path | None,
    record: Path | None,
    reuse: Sequence[Path],
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run ``evo solve``; returns the exit code."""
    given = {key: value for key, value in options.items() if value is not None}
    settings = settings_from(preset=preset, config=config, options=given, assignments=assignments)
    ranking(settings.selection)  # wrong names are told before anything starts
    if settings.sampler is not None:
        case_sampler(settings.sampler)
    task = prepare(problem, settings, start)
    check_first_call(task)
    run_folders(reuse)  # a wrong folder is told before anything starts
    if dry_run:
        return asyncio.run(print_plan(task, record))
    budget = Budget(**settings.budget.model_dump())
    return _shown(
        budget, as_json, lambda session: begin(task, out, replace(session, record=record, reuse=tuple(reuse)))
    )


def resume_command(folder: Path, *, accept_changes: bool, as_json: bool) -> int:
    """Run ``evo resume``; returns the exit code."""
    from evo.journal_reader import JournalReader

    reader = JournalReader(folder)
    budget = Budget(**validated(reader.meta["settings"]).budget.model_dump())
    reader.close()
    return _shown(budget, as_json, lambda session: go_on(folder, replace(session, accept_changes=accept_changes)))


def replay_command(folder: Path, *, re_execute: bool, as_json: bool) -> int:
    """Run ``evo replay``; returns the exit code: 1 also if verdicts differ."""
    from evo.cli.listing import judgement_record
    from evo.replay import replay

    replayed = asyncio.run(replay(folder, re_execute=re_execute))
    judged = judgement_record(folder)
    if judged is not None:
        names = ("passed", "cases", "verdicts", "cpu_seconds")
        judgement = Judgement(**{name: judged[name] for name in names if name in judged})
        replayed = replace(replayed, result=replace(replayed.result, judgement=judgement))
    differences = [vars(difference) for difference in replayed.differences]
    if as_json:
        extra = {"executions_anew": replayed.executions, "differences": differences}
        sys.stdout.write(json.dumps(_record(replayed.result) | extra) + "\n")
    else:
        _print(replayed.result)
        if re_execute:
            sys.stdout.write(f"run anew       {replayed.executions} programs, {len(differences)} with other verdicts\n")
        for difference in replayed.differences:
            changed = [
                f"case {index}: {before} then, {now} now"
                for index, (before, now) in enumerate(zip(difference.before, difference.now, strict=True))
                if before != now
            ]
            sys.stdout.write(f"  {difference.path}: {'; '.join(changed)}\n")
    return 0 if replayed.result.solved and not differences else 1


def _shown(budget: Budget, as_json: bool, search: Callable[[Session], Coroutine[Any, Any, Result]]) -> int:
    with Progress(Console(stderr=True), budget) as progress:
        try:
            result = asyncio.run(_interruptible(search, progress))
        except (asyncio.CancelledError, KeyboardInterrupt):
            progress.say("stopped at once; what was answered is in the journal: go on with 'evo resume'")
            return 3
    if as_json:
        sys.stdout.write(json.dumps(_record(result)) + "\n")
    else:
        _print(result)
    if result.stop_reason is StopReason.INTERRUPTED:
        return 3
    return 0 if result.solved else 1


async def _interruptible(search: Callable[[Session], Coroutine[Any, Any, Result]], progress: Progress) -> Result:
    """Ctrl-C once: no new effects, paid calls are awaited. Twice, or SIGTERM: stop now. Both can be resumed."""
    interruption = asyncio.Event()
    session = Session(
        observer=progress,
        interruption=interruption,
        on_judging=lambda: progress.say("judging on the hidden cases"),
        on_fetching=progress.fetching,
        on_limiter=progress.watch,
    )
    task = asyncio.create_task(search(session))
    loop = asyncio.get_running_loop()

    def on_interrupt() -> None:
        if interruption.is_set():
            task.cancel()
        else:
            interruption.set()
            progress.say("stopping: waiting for the answers that are under way; Ctrl-C again stops at once")

    loop.add_signal_handler(signal.SIGINT, on_interrupt)
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await task
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        loop.remove_signal_handler(signal.SIGTERM)


def _record(result: Result) -> dict[str, Any]:
    judgement = None if result.judgement is None else dict(vars(result.judgement))
    source = None if result.best is None else result.best.genome.source
    return {
        **result.to_record(),
        "solved": result.solved,
        "source": source,
        "judgement": judgement,
        "accounting": result.to_accounting(),
        "folder": result.folder,
    }


def _print(result: Result) -> None:
    out = sys.stdout.write
    best = result.best
    if best is not None:
        out(f"\n{best.genome.source.encode('utf-8', 'replace').decode().rstrip()}\n\n")
        verdicts = best.judged.verdicts
        out(f"visible cases  {sum(verdict.passed for verdict in verdicts)}/{len(verdicts)} passed\n")
    if result.judgement is not None:
        judgement = result.judgement
        rest = ", ".join(f"{count} {name}" for name, count in judgement.verdicts.items() if name != "pass")
        out(f"hidden cases   {judgement.passed}/{judgement.cases} passed{f' ({rest})' if rest else ''}\n")
    out(f"stopped        {_reason(result.stop_reason)}\n")
    out(f"cost           {_cost(result.spent)}\n")
    if result.saved.calls:
        out(f"saved          {_cost(result.saved)} (answered by earlier runs)\n")
    if result.speculative.calls or result.speculative.programs:
        out(f"speculative    {_cost(result.speculative)} (under way when the search ended)\n")
    waited = f" ({result.waiting_seconds:.1f} s of it waiting for the provider)" if result.waiting_seconds > 1 else ""
    out(f"time           {result.seconds:.1f} s wall{waited}, {result.execution_cpu_seconds:.2f} s CPU in programs\n")
    if any(layer.startswith("weak") for layer in result.layers):
        out(f"SANDBOX        weak: only {', '.join(result.layers)} were active\n")
    out(f"run            {result.folder}\n")
    out(f"{'SOLVED' if result.solved else 'NOT SOLVED'}\n")


def _cost(charge: Charge) -> str:
    money = "price unknown" if charge.usd is None else f"{charge.usd:.4f} USD"
    tokens = f"{charge.prompt_tokens} + {charge.completion_tokens} tokens (prompts + answers)"
    return f"{charge.programs} programs, {charge.calls} calls, {tokens}, {money}"


def _reason(reason: StopReason) -> str:
    return {
        StopReason.SOLVED: "solved: a program passes all visible cases",
        StopReason.PROGRAMS: "the budget of programs is used",
        StopReason.TOKENS: "the budget of tokens does not cover the next call; a lower sampling.max_tokens covers more",
        StopReason.MONEY: "the budget of money does not cover the next call; a lower sampling.max_tokens covers more",
        StopReason.SECONDS: "the time is up",
        StopReason.EXHAUSTED: "the system has nothing more to try",
        StopReason.INTERRUPTED: "interrupted; go on with 'evo resume'",
        StopReason.INFRASTRUCTURE: "a model, the sandbox or the disk failed; go on with 'evo resume'",
    }[reason]
