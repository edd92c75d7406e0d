"""``evo runs`` and ``evo export``: many runs at a glance, and one run as JSON lines."""

from __future__ import annotations

import contextlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from evaluators.exceptions import EvoError, UserError
from evaluators.languages import language
from evo.budget import Charge
from evo.journal_reader import JournalReader, run_folders
from operators.models.chat import Price, Usage


def runs_command(folder: Path, *, as_json: bool) -> int:
    """Run ``evo runs``; returns the exit code."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: give one that holds runs (the default is 'runs')")
    rows = [summary(path) for path in run_folders([folder])]
    if as_json:
        sys.stdout.write("".join(json.dumps(row) + "\n" for row in rows))
        return 0
    for row in rows:
        if "error" in row:
            sys.stdout.write(f"{row['folder']}  {row['error']}\n")
            continue
        money = "price unknown" if row["usd"] is None else f"{row['usd']:.4f} USD"
        score = f"best score {row['best_score']:.3f}"
        sys.stdout.write(
            f"{row['folder']}  {row['problem']}  {row['system']}  {row['language']}  {row['state']}  "
            f"{row['programs']} programs  {row['calls']} calls  {row['tokens']} tokens  {money}  {score}\n"
        )
    return 0


def summary(folder: Path) -> dict[str, Any]:
    """What a list of runs says of one; of a damaged one, what is wrong with it."""
    try:
        with contextlib.closing(JournalReader(folder)) as reader:
            individuals = reader.individuals()
            spent = paid(reader)
            stop = reader.meta.get("stop")
            scores = [each["mean_score"] for each in individuals]
            return {
                "folder": str(folder),
                "problem": reader.meta["problem"]["name"],
                "system": reader.meta["settings"]["system"],
                "language": reader.meta["settings"]["language"],
                "state": _state(folder, None if stop is None else stop["reason"]),
                "programs": sum(each["operator"] != "start" for each in individuals),
                "calls": spent.calls,
                "tokens": spent.tokens,
                "usd": spent.usd,
                "best_score": max(scores, default=0.0),
            }
    except EvoError as error:
        return {"folder": str(folder), "error": str(error)}


def _state(folder: Path, reason: str | None) -> str:
    judged = judgement_record(folder)
    if reason is None:
        return "unfinished"
    return "solved visible cases alone" if reason == "solved" and judged and not judged["solved"] else reason


def judgement_record(folder: Path) -> dict[str, Any] | None:
    """What the judge wrote of a run; None if it has not judged.

    Raises:
        UserError: If the file is damaged.
    """
    path = folder / "judge.json"
    if not path.exists():
        return None
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
        _ = record["passed"], record["cases"], record["verdicts"], record["solved"]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} is damaged: delete it, and 'evo resume {folder}' has the program judged anew"
        ) from error
    return record


def paid(reader: JournalReader) -> Charge:
    """What all answers in a journal have cost, speculative ones included."""
    recorded = reader.meta["models"]
    total = Charge()
    for effect in reader.effects():
        if effect.kind == "completion":
            facts = recorded["by_operator"].get(effect.record["operator"], recorded["default"])
            price = None if facts["price"] is None else Price.from_record(facts["price"])
            total += Charge.for_call(Usage(**effect.record["usage"]), price, effect.record["model"])
    return total


def export_command(folder: Path, out: Path | None) -> int:
    """Run ``evo export``; returns the exit code."""
    with contextlib.closing(JournalReader(folder)) as reader:
        out = folder / "export" if out is None else out
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"--out {out}: no folder can be made there ({error.strerror})") from error
        individuals = reader.individuals()
        effects = reader.effects()
        _write_lines(out / "individuals.jsonl", individuals)
        _write_lines(out / "evaluations.jsonl", [_row(effect) for effect in effects if effect.kind == "execution"])
        calls = []
        for effect in effects:
            if effect.kind == "completion":
                text = None if effect.request is None else reader.request(effect.request)
                calls.append({**_row(effect), "messages": None if text is None else json.loads(text)})
        _write_lines(out / "calls.jsonl", calls)
        best = max(individuals, key=lambda each: (each["pass_rate"] == 1, each["mean_score"]), default=None)
        if best is not None:
            ending = Path(language(best["language"]).source_name).suffix
            (out / f"best{ending}").write_bytes(best["source"].encode("utf-8", "surrogatepass"))
    counts = Counter(effect.kind for effect in effects)
    sys.stdout.write(
        f"{out}: {len(individuals)} individuals, {counts['execution']} evaluations, {counts['completion']} calls\n"
    )
    return 0


def _row(effect: Any) -> dict[str, Any]:
    return {
        "key": effect.key,
        "path": json.loads(effect.path),
        **effect.record,
        "elapsed_seconds": effect.elapsed_seconds,
    }


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
