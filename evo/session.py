"""Session: opens what a search needs, runs it, has it judged, and writes down what came of it."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import Executor, SandboxExecutor
from evaluators.languages import language
from evo.circumstances import circumstances_of, digest_of
from evo.events import Observer, unobserved
from evo.journal import Journal
from evo.journal_reader import JournalReader, run_folders
from evo.judge import judge
from evo.result import Result
from evo.run import Models
from evo.search import check_prices, search
from evo.settings import EndpointSettings, PriceSettings, SamplingSettings, Settings
from evo.settings_sources import validated
from evo.stop import StopReason
from evo.task import Task
from operators.models.catalog import open_model
from operators.models.chat import ChatModel, Price, Sampling
from operators.models.fallback import FallbackModel
from operators.models.limiter import AdaptiveLimiter
from operators.models.recorded import Recorder
from operators.models.weights import FetchProgress


@dataclass(frozen=True)
class Session:
    """How a search is run, apart from the search itself.

    Attributes:
        observer: Told of every step.
        interruption: Set from outside to start no new effects.
        model: A model made in Python, instead of the one that the settings name.
        executor: An executor made in Python, instead of the sandbox.
        record: File to record the model's answers in, as a cassette.
        accept_changes: Go on although a request differs from the journalled one.
        reuse: Folders of earlier runs, or folders that hold such: their answers to equal requests are taken.
        judged: Whether the judge opens the hidden cases at the end.
        on_judging: Called when the judge begins.
        on_fetching: Told how far the fetching of the embedded model's weights has come.
        on_limiter: Given the limiter of each endpoint, which tells who waits for what.
        will_ask: Whether models will be asked; where they are only looked at, a key may be missing.
    """

    observer: Observer = unobserved
    interruption: asyncio.Event | None = None
    model: ChatModel | None = None
    executor: Executor | None = None
    record: Path | None = None
    accept_changes: bool = False
    reuse: tuple[Path, ...] = ()
    judged: bool = True
    on_judging: Callable[[], None] = lambda: None
    on_fetching: Callable[[FetchProgress], None] | None = None
    on_limiter: Callable[[AdaptiveLimiter], None] | None = None
    will_ask: bool = True


async def begin(task: Task, folder: Path | None = None, session: Session | None = None) -> Result:
    """Search for the first time.

    Args:
        task: What for, and how.
        folder: Of the run; None for a new one in ``runs/``.
        session: How it is run.

    Raises:
        UserError: If anything is wrong with the input; nothing has been paid for then.
        InfrastructureError: If a model, the sandbox or the disk failed; the run can be resumed.
    """
    session = session or Session()
    run_folders(session.reuse)  # before this run's own folder is there
    async with _opened(task, session) as (models, executor):
        circumstances = circumstances_of(task, models, executor)
        check_prices(task.settings, models)
        meta = task.to_meta() | circumstances
        with contextlib.closing(Journal.create(folder or _new_folder(task.problem.name), meta)) as journal:
            return await _searched(task, models, executor, journal, session)


async def go_on(folder: Path, session: Session | None = None) -> Result:
    """Search on, from what the journal of a run holds.

    Raises:
        UserError: If there is no such run, or it would ask something else now.
        InfrastructureError: As :func:`begin`.
    """
    session = session or Session()
    with contextlib.closing(Journal.resume(folder)) as journal:
        names = ("problem", "problem_digest", "reference", "settings", "start")
        meta = {name: journal.meta(name) for name in names}
        task = Task.from_meta(meta, validated(meta["settings"]))
        async with _opened(task, session) as (models, executor):
            return await _searched(task, models, executor, journal, session)


async def _searched(task: Task, models: Models, executor: Executor, journal: Journal, session: Session) -> Result:
    with contextlib.ExitStack() as stack:
        reuse = [stack.enter_context(contextlib.closing(JournalReader(path))) for path in run_folders(session.reuse)]
        try:
            result = await search(
                task,
                models,
                executor,
                journal,
                observer=session.observer,
                interruption=session.interruption,
                circumstances=digest_of(task.to_meta() | circumstances_of(task, models, executor)),
                accept_changes=session.accept_changes,
                reuse=reuse,
            )
        except InfrastructureError as error:
            error.add_note(f"what was answered is kept: go on with 'evo resume {journal.folder}'")
            raise
    _write(journal.folder, result, task)
    if session.judged and result.best is not None and result.stop_reason is not StopReason.INTERRUPTED:
        session.on_judging()
        result = replace(result, judgement=await judge(task, result.best.genome.source))
        if result.judgement is not None:
            _write_json(journal.folder / "judge.json", vars(result.judgement) | {"solved": result.solved})
    return result


def _write(folder: Path, result: Result, task: Task) -> None:
    _write_json(folder / "result.json", result.to_record())
    _write_json(folder / "accounting.json", result.to_accounting())
    if result.best is not None:
        ending = Path(language(task.settings.language).source_name).suffix
        source = result.best.genome.source.encode("utf-8", "surrogatepass")
        (folder / f"best{ending}").write_bytes(source)


def _write_json(path: Path, record: dict[str, Any]) -> None:
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


@contextlib.asynccontextmanager
async def _opened(task: Task, session: Session) -> AsyncIterator[tuple[Models, Executor]]:
    settings = task.settings
    executor = session.executor or SandboxExecutor(
        workers=settings.workers, allow_weak_sandbox=settings.sandbox.allow_weak
    )
    try:
        # A missing compiler or a weak sandbox is told before a model is asked.
        executor.toolchain(settings.language)
        async with opened_models(settings, session) as models:
            yield models, executor
    finally:
        if session.executor is None:
            await executor.close()


@contextlib.asynccontextmanager
async def opened_models(settings: Settings, session: Session) -> AsyncIterator[Models]:
    """Open the models that the settings name, and close them at the end.

    Raises:
        UserError: If a model is not known, or its key is missing.
    """
    names = [settings.model] if session.model is None else []
    names += [name for name in settings.models.by_operator.values() if name not in names]
    async with contextlib.AsyncExitStack() as stack:
        opened: dict[str, ChatModel] = {}
        for name in names:
            opened[name] = await _open(name, settings.endpoint, settings.price, settings, session)
            stack.push_async_callback(opened[name].close)
        default = opened[settings.model] if session.model is None else session.model
        fallback = settings.models.fallback
        if fallback is not None:
            endpoint = settings.endpoint
            if fallback.base_url is not None:
                # Another provider: it gets no key and no header of the first one's.
                own = fallback.model_dump(include={"base_url", "key_variable", "headers"})
                endpoint = endpoint.model_copy(update=own | {"quirks": {}})
            second = await _open(fallback.model, endpoint, fallback.price, settings, session)
            stack.push_async_callback(second.close)
            rest_seconds = fallback.rest_seconds
            default = FallbackModel(default, second, rest_seconds=rest_seconds)
            opened = {name: FallbackModel(each, second, rest_seconds=rest_seconds) for name, each in opened.items()}
        if session.record is not None:
            if settings.models.by_operator:
                raise UserError("--record takes the answers of one model: leave out the 'models' of single operators")
            dumped = settings.model_dump(mode="json")
            default = Recorder(default, session.record, settings=dumped, writes=session.will_ask)
            stack.push_async_callback(default.close)
        yield Models(
            default,
            sampling_of(settings.sampling),
            {operator: opened[name] for operator, name in settings.models.by_operator.items()},
            {operator: sampling_of(own) for operator, own in settings.samplings.items()},
        )


async def _open(
    name: str, endpoint: EndpointSettings, price: PriceSettings | None, settings: Settings, session: Session
) -> ChatModel:
    return await open_model(
        name,
        concurrency=settings.concurrency,
        base_url=endpoint.base_url,
        headers={header: _expanded(header, value) for header, value in endpoint.headers.items()},
        timeout_seconds=endpoint.timeout_seconds,
        connect_seconds=endpoint.connect_seconds,
        max_retries=endpoint.max_retries,
        key_variable=endpoint.key_variable,
        quirks=endpoint.quirks or None,
        price=None if price is None else Price(**price.model_dump(), source="the settings of this run"),
        slots=settings.embedded.slots,
        context_tokens=settings.embedded.context_tokens,
        threads=settings.embedded.threads,
        progress=session.on_fetching,
        on_limiter=session.on_limiter,
        will_be_asked=session.will_ask,
    )


def _expanded(header: str, value: str) -> str:
    def variable(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise UserError(f"endpoint.headers.{header} names {found[0]}, which is not set: export {found[1]}=...")
        return os.environ[found[1]]

    return re.sub(r"\$\{(\w+)\}", variable, value)


def sampling_of(settings: SamplingSettings) -> Sampling:
    """The sampling that settings describe."""
    return Sampling(**settings.model_dump())


def _new_folder(name: str) -> Path:
    now = datetime.datetime.now(tz=datetime.UTC).astimezone()
    stem = Path("runs") / f"{name}-{now:%Y%m%d-%H%M%S}"
    number = 1
    while True:
        folder = stem if number == 1 else stem.with_name(f"{stem.name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise UserError(f"{folder} cannot be made ({error.strerror}): choose a folder with --out") from error
        else:
            return folder
