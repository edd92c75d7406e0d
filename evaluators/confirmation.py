"""Confirmation: a program that passed with all cases in one process passes again with a fresh process a case.

Cases in one process are many times faster, and enough for the many programs that fail. But a program may keep something
from case to case and pass by it, so that whatever passes all its cases is run once more: each case in a process of its
own, in an order that the program's digest fixes and its author could not foresee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from evaluators.execution import CaseResult, Execution
from evaluators.program import Program
from evaluators.verdict import Verdict

MAX_CONFIRMED_CASES = 100
"""How many cases are confirmed; of more, as a judge has them, these are a sample that the program's digest draws.

A fresh process costs about as much as 300 cases in a shared one. A program that passes by what it keeps must do so in
most of its cases to be worth anything, and then the chance that a sample of this size misses it is nil.
"""


def cases_to_confirm(program: Program, count: int) -> tuple[int, ...]:
    """Which cases to confirm, in the order to run them in: indices, all of them up to :data:`MAX_CONFIRMED_CASES`.

    Args:
        program: Its digest alone decides, so that the answer is the same on every machine.
        count: Number of cases.
    """
    drawn = sorted(range(count), key=lambda index: sha256(f"{program.digest} {index}".encode()).digest())
    return tuple(drawn[:MAX_CONFIRMED_CASES])


def with_disagreements(
    shared: Execution, fresh: Execution, confirmed: Sequence[int], verdicts: Sequence[Verdict]
) -> Execution:
    """Put what fresh processes did in the place of passes that they do not confirm.

    Args:
        shared: All cases, all passed.
        fresh: The confirmed ones, with a process each.
        confirmed: Their indices.
        verdicts: Theirs, after the comparison.
    """
    cases = list(shared.cases)
    for index, result, verdict in zip(confirmed, fresh.cases, verdicts, strict=True):
        if not verdict.passed:
            cases[index] = replace(result, detail=_disagreement(result, verdict))
    return replace(
        shared,
        cases=tuple(cases),
        cpu_seconds=shared.cpu_seconds + fresh.cpu_seconds,
        wall_seconds=shared.wall_seconds + fresh.wall_seconds,
    )


def _disagreement(result: CaseResult, verdict: Verdict) -> str:
    told = f"{verdict}: {result.detail}" if result.detail else str(verdict)
    return f"passes only after other cases in the same process, and in a fresh one ends with {told}"
