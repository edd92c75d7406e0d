"""Scores: from verdicts to pass@k, with no task left out in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluators.pass_at_k import Interval, bootstrap_interval, pass_at_k

_SEED = 20210707


@dataclass(frozen=True)
class Score:
    """Pass@k over some tasks.

    Attributes:
        pass_at_k: Under each k that the numbers of samples allow; in ``[0, 1]``.
        intervals: Bootstrap intervals over tasks, under each k.
        tasks: How many tasks they are means over.
        correct: How many samples are right.
        samples: How many samples there are.
    """

    pass_at_k: Mapping[int, float]
    intervals: Mapping[int, Interval]
    tasks: int
    correct: int
    samples: int


def score(outcomes: Mapping[str, Sequence[bool]], ks: Sequence[int]) -> Score:
    """Pass@k of all tasks.

    A k is left out if a task that has samples has fewer than k, as HumanEval's harness does. A task without samples
    counts as failed.

    Args:
        outcomes: For each task, whether each of its samples is right.
        ks: Each at least 1.
    """
    allowed = [k for k in ks if k <= most_k(outcomes)]
    values = {k: [pass_at_k(len(row), sum(row), k) if row else 0.0 for row in outcomes.values()] for k in allowed}
    return Score(
        pass_at_k={k: float(np.mean(row)) for k, row in values.items()},
        intervals={k: bootstrap_interval(row, np.random.default_rng(_SEED)) for k, row in values.items()},
        tasks=len(outcomes),
        correct=sum(map(sum, outcomes.values())),
        samples=sum(map(len, outcomes.values())),
    )


def most_k(outcomes: Mapping[str, Sequence[bool]]) -> int:
    """The largest k that is defined: the smallest number of samples of a task that has any; 0 if none has."""
    return min((len(row) for row in outcomes.values() if row), default=0)
