"""``evo show``: the lineage of a run's best program, and every program with its verdicts, calls and cost."""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from evo.cli.listing import judgement_record
from evo.journal_reader import JournalReader


def show_command(folder: Path, *, programs: bool, as_json: bool) -> int:
    """Run ``evo show``; returns the exit code."""
    reader = JournalReader(folder)
    try:
        record = _record(folder, reader)
    finally:
        reader.close()
    if as_json:
        sys.stdout.write(json.dumps(record) + "\n")
    else:
        _print(record, programs=programs)
    return 0


def _record(folder: Path, reader: JournalReader) -> dict[str, Any]:
    individuals = reader.individuals()
    calls = _calls_by_path(reader)
    for individual in individuals:
        individual["calls"] = [call for path, call in calls.items() if _belongs(path, tuple(individual["path"]))]
    best = max(
        individuals, key=lambda each: (each["pass_rate"] == 1, each["mean_score"], each["pass_rate"]), default=None
    )
    return {
        "folder": str(folder),
        "problem": reader.meta["problem"]["name"],
        "settings": reader.meta["settings"],
        "versions": reader.meta["versions"],
        "models": reader.meta["models"],
        "answers": dict(sorted(Counter(call["model"] for call in calls.values()).items())),
        "stop": reader.meta.get("stop"),
        "judgement": judgement_record(folder),
        "best": None if best is None else best["id"],
        "lineage": _lineage(individuals, best),
        "individuals": individuals,
    }


def _calls_by_path(reader: JournalReader) -> dict[tuple[str | int, ...], dict[str, Any]]:
    calls = {}
    for effect in reader.effects():
        if effect.kind == "completion":
            answer = effect.record
            calls[tuple(json.loads(effect.path))] = {
                "operator": answer["operator"],
                "model": answer["model"],
                "temperature": answer["temperature"],
                "finish_reason": answer["finish_reason"],
                "latency_seconds": answer["latency_seconds"],
                **answer["usage"],
            }
    return calls


def _belongs(call: tuple[str | int, ...], individual: tuple[str | int, ...]) -> bool:
    """Whether a call was made for an individual: its own draw, or the explanation that it follows."""
    return call == individual or (call[-1:] == ("instruct",) and individual[: len(call) - 1] == call[:-1])


def _lineage(individuals: list[dict[str, Any]], best: dict[str, Any] | None) -> list[dict[str, Any]]:
    """From the first ancestor to the best individual."""
    by_id = {individual["id"]: individual for individual in individuals}
    line = []
    current = best
    while current is not None:
        line.append(current)
        current = by_id.get(current["parents"][0]) if current["parents"] else None
    return line[::-1]


def _print(record: dict[str, Any], *, programs: bool) -> None:
    out = sys.stdout.write
    settings = record["settings"]
    out(f"{record['folder']}: {record['problem']} by {settings['system']} in {settings['language']}\n")
    stop = record["stop"]
    out(f"stopped: {'not yet, or killed; go on with evo resume' if stop is None else stop['reason']}\n")
    if record["judgement"] is not None:
        out(f"hidden cases: {record['judgement']['passed']}/{record['judgement']['cases']} passed\n")
    versions = record["versions"]
    out(f"evo {versions['evo']}, {versions['toolchain']}, sandbox {', '.join(versions['layers']) or 'none'}\n")
    models = record["models"]
    for operator, facts in [("", models["default"]), *models["by_operator"].items()]:
        out(f"model{operator and ' of ' + operator}: {facts['identity']}\n")
    answered = ", ".join(
        f"{count} by {model or 'a model without a name'}" for model, count in record["answers"].items()
    )
    out(f"answers: {answered or 'none'}\n")
    out("\nlineage of the best program\n")
    for earlier, individual in itertools.pairwise([None, *record["lineage"]]):
        assert individual is not None
        if earlier is not None and individual["advice"]:
            out("    advice: " + individual["advice"].strip().replace("\n", "\n            ") + "\n")
        out(_row(individual))
        out("".join(f"    | {line}\n" for line in individual["source"].splitlines()))
    out("\nall programs, in canonical order\n")
    for individual in record["individuals"]:
        out(_row(individual))
        if programs:
            out("".join(f"    | {line}\n" for line in individual["source"].splitlines()))
    calls = [call for individual in record["individuals"] for call in individual["calls"]]
    out(f"\n{len(record['individuals'])} programs\n" if calls else "")


def _row(individual: dict[str, Any]) -> str:
    counts = Counter(individual["verdicts"])
    verdicts = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    tokens = sum(call["prompt_tokens"] + call["completion_tokens"] for call in individual["calls"])
    parents = f" of {individual['parents'][0][:8]}" if individual["parents"] else ""
    origin = f"{individual['operator']}{parents}"
    calls = f"{len(individual['calls'])} calls, {tokens} tokens"
    where = f"generation {individual['generation']}"
    score = f"score {individual['mean_score']:.3f}"
    return f"{individual['id'][:8]}  {where:<14} {origin:<20} {score}  {verdicts}  ({calls})\n"
