"""``--dry-run``: what would run, what it may cost, and the first prompt."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from evaluators.exceptions import UserError
from evo.run import Models, Operator
from evo.search import check_prices
from evo.session import Session, opened_models, sampling_of
from evo.settings import Settings
from evo.task import Task
from operators.bounds import token_bound
from operators.models.chat import ChatRequest
from operators.synthesize import synthesize_messages

_CHARACTERS_PER_TOKEN = 4


def check_first_call(task: Task) -> None:
    """Refuse a budget of tokens that does not cover even the first draft.

    Raises:
        UserError: If it is so.
    """
    settings, limit = task.settings, task.settings.budget.tokens
    if limit is None or task.start is not None:
        return
    messages = synthesize_messages(task.problem, settings.language, _examples(settings))
    sampling = sampling_of(settings.samplings.get("synthesize", settings.sampling))
    most = ChatRequest(messages, sampling, 0, (), "synthesize").token_bound
    if most > limit:
        raise UserError(
            f"budget.tokens is {limit}, and the first call may take {most} tokens, {sampling.max_tokens} of them for "
            f"the answer: type --budget-tokens {most} or more, or lower sampling.max_tokens"
        )


def _examples(settings: Settings) -> int:
    return settings.seidr.examples if settings.system == "seidr" else settings.best_of_n.examples


async def print_plan(task: Task, record: Path | None = None) -> int:
    """Print the plan of a search; asks no model, runs no program and writes nothing. Returns the exit code.

    Args:
        task: The search.
        record: File that its answers would be recorded in.

    Raises:
        UserError: If the search could not begin.
    """
    async with opened_models(task.settings, Session(record=record, will_ask=False)) as models:
        check_prices(task.settings, models)
        _print_plan(task, models)
    return 0


def _print_plan(task: Task, models: Models) -> None:
    settings = task.settings
    out = sys.stdout.write
    out(f"problem    {task.problem.name} ({task.problem.mode}, {len(task.problem.cases)} visible cases)\n")
    out(f"system     {settings.system}, {settings.language}, selection {settings.selection}, seed {settings.seed}\n")
    for line in _parameters(settings):
        out(f"           {line}\n")
    budget = {name: value for name, value in settings.budget.model_dump().items() if value is not None}
    out(f"budget     {json.dumps(budget)}\n")
    examples = _examples(settings)
    first = synthesize_messages(task.problem, settings.language, examples)
    for name, count in most_calls(settings, with_drafts=task.start is None).items():
        model, sampling = models.of(name)
        bound = token_bound(name, task.problem, settings.language, max_tokens=sampling.max_tokens, examples=examples)
        likely = sum(len(message.content) for message in first) // _CHARACTERS_PER_TOKEN + sampling.max_tokens // 3
        cost = "price unknown"
        if model.price is not None:
            money = model.price.cost_of(likely * 2 // 3, likely // 3) * count
            cost = f"about {money:.4f} USD"
        tokens = f"about {count * likely} tokens likely, {count * bound} at most"
        out(f"{name:<11}at most {count} calls of {model.identity}, {tokens}, {cost}\n")
    if task.start is not None:
        out("start      the given program is executed first; the first prompt depends on what it does\n")
        return
    out("\nthe first prompt:\n")
    for message in first:
        out(f"\n[{message.role}]\n{message.content}\n")


def most_calls(settings: Settings, *, with_drafts: bool) -> dict[Operator, int]:
    """Most calls of each operator within the budget of programs; of ever so many if that is not limited.

    Args:
        settings: All settings.
        with_drafts: Whether the search begins with drafts.
    """
    programs = settings.budget.programs
    if settings.system == "best-of-n":
        return {"synthesize": settings.best_of_n.n or programs or 0}
    seidr = settings.seidr
    drafts = seidr.drafts if with_drafts else 0
    total = programs if programs is not None else drafts + seidr.beam_width * seidr.explanations * seidr.repairs
    drafts = min(drafts, total)
    repairs = total - drafts
    explanations = -(-repairs // seidr.repairs) if seidr.explain == "model" else 0
    counts: dict[Operator, int] = {"synthesize": drafts, "instruct": explanations, "debug": repairs}
    return {name: count for name, count in counts.items() if count}


def _parameters(settings: Settings) -> list[str]:
    chosen = settings.seidr if settings.system == "seidr" else settings.best_of_n
    pairs = [f"{name} {value}" for name, value in vars(chosen).items()]
    return [", ".join(pairs[index : index + 5]) for index in range(0, len(pairs), 5)]
