"""Summary of a judging: pass@k in every column that the suite has, and all that a reader has to know beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.judging.judge import Judging
from benchmarks.judging.samples import Sample
from benchmarks.judging.scores import Score, most_k, score
from benchmarks.judging.verdicts import SampleVerdict
from benchmarks.suites.task import SuiteTask

_NAMED = 5
Outcomes = Mapping[str, Sequence[bool]]


def summarize(
    tasks: Sequence[SuiteTask],
    samples: Sequence[Sample],
    judging: Judging,
    *,
    ks: Sequence[int],
    has_plus: bool,
    validated: bool,
) -> dict[str, Any]:
    """The summary, as plain data.

    ``pass@k`` of the headline is over all tasks and tests (with ``validated``, over those that the suite's own solution
    passes); the columns ``base`` and ``plus``, ``all`` and ``validated`` stand beside it. Tasks without samples count
    as failed in each of them.

    Args:
        tasks: The suite.
        samples: The samples.
        judging: What came of them.
        ks: The k of pass@k.
        has_plus: Whether the suite has further tests than the base ones.
        validated: Whether the headline is the validated column.
    """
    left_out = [record.task_id for record in judging.references if len(record.failures) >= max(1, record.cases)]
    kept = [task.task_id for task in tasks if task.task_id not in set(left_out)]
    names = [task.task_id for task in tasks]

    def column(right: Callable[[SampleVerdict], bool], of: Sequence[str]) -> Score:
        rows: dict[str, list[bool]] = {name: [] for name in of}
        for judged in judging.judged:
            if judged.sample.task_id in rows:
                rows[judged.sample.task_id].append(right(judged.verdict))
        return score(rows, ks)

    whole = column(lambda verdict: verdict.passed, names)
    columns = {"all": whole, "validated": column(lambda verdict: verdict.validated_passed, kept)}
    if has_plus:
        columns = {"base": column(lambda verdict: verdict.base_passed, names), "plus": whole, **columns}
    headline = columns["validated" if validated else "all"]
    numbers = Counter(sample.task_id for sample in samples)
    missing = [name for name in names if name not in numbers]
    fewest = most_k({name: [False] * count for name, count in numbers.items()})
    extracted = sum(judged.extracted for judged in judging.judged)
    disputed = {record.task_id: dict(record.failures) for record in judging.references if record.failures}
    plural = "" if fewest == 1 else "s"
    notes = [f"pass@{k} is left out: there is a task with only {fewest} sample{plural}" for k in ks if k > fewest]
    if len(set(numbers.values())) > 1:
        notes.append(f"tasks have {min(numbers.values())} to {max(numbers.values())} samples each")
    if missing:
        named = ", ".join(missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")
        notes.append(f"counted as failed for want of a sample ({len(missing)}): {named}")
    if disputed:
        notes.append(
            f"the suite's own solution fails tests of {', '.join(disputed)}; 'validated' leaves these tests out"
        )
    if extracted:
        notes.append(f"{extracted} samples were replies with code blocks; the program was taken out of them")
    return {
        **{f"pass@{k}": value for k, value in headline.pass_at_k.items()},
        "tasks": len(tasks),
        "samples": len(samples),
        "correct": headline.correct,
        **{name: _column(column) for name, column in columns.items()},
        "headline": "validated" if validated else "all",
        "missing": missing,
        "disputed": disputed,
        "left_out": left_out,
        "samples_a_task": [min(numbers.values()), max(numbers.values())],
        "extracted": extracted,
        "executed": judging.executed,
        "reused": judging.reused,
        "verdicts": dict(Counter(judged.verdict.verdict for judged in judging.judged).most_common()),
        "notes": notes,
    }


def _column(column: Score) -> dict[str, Any]:
    return {
        **{f"pass@{k}": value for k, value in column.pass_at_k.items()},
        "intervals": {f"pass@{k}": [each.low, each.high] for k, each in column.intervals.items()},
        "tasks": column.tasks,
        "correct": column.correct,
        "samples": column.samples,
    }
