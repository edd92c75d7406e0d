"""pass@k: the chance that at least one of k programs is right, with an interval over tasks.

M. Chen et al., "Evaluating Large Language Models Trained on Code", 2021 (arXiv:2107.03374), section 2.1 and equation 1.
A sample is one complete run of a system on a task, whatever it generated inside; programs inside a run are no samples.
A task without samples counts as failed wherever it is known that samples were asked for: it is never left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_ROWS = 2**22  # resampled values that are held at the same time


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """The unbiased estimate of pass@k for one task.

    Of ``n`` samples, ``c`` are correct: ``1 - C(n-c, k) / C(n, k)``, computed as a product (Chen et al. 2021,
    equation 1 and figure 3). The plug-in estimate ``1 - (1 - c/n)**k`` is biased, and not this one.

    Args:
        samples: ``n``, at least ``k``.
        correct: ``c``, from 0 to ``n``.
        k: At least 1.

    Returns:
        A number in ``[0, 1]``.

    Raises:
        ValueError: If a number is out of range; for fewer than k samples, pass@k is not defined.
    """
    if not 0 <= correct <= samples:
        raise ValueError(f"{correct} correct of {samples} samples: it must be 0 to {samples}")
    if not 1 <= k <= samples:
        raise ValueError(f"pass@{k} is not defined for {samples} sample(s): k must be 1 to {samples}")
    if samples - correct < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(samples - correct + 1, samples + 1)))


def mean_pass_at_k(counts: Sequence[tuple[int, int]], k: int) -> float:
    """Mean of pass@k over tasks.

    Args:
        counts: For each task, its samples and how many of them are correct.
        k: At least 1, and at most each task's samples.

    Raises:
        ValueError: As :func:`pass_at_k`, or if there are no tasks.
    """
    if not counts:
        raise ValueError("pass@k of no tasks is not defined")
    return float(np.mean([pass_at_k(samples, correct, k) for samples, correct in counts]))


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Its lower end.
        high: Its upper end.
        confidence: Between 0 and 1.
    """

    low: float
    high: float
    confidence: float


def bootstrap_interval(
    values: Sequence[float], rng: np.random.Generator, confidence: float = 0.95, resamples: int = 10_000
) -> Interval:
    """Percentile bootstrap interval of the mean over tasks.

    As many tasks as there are get drawn with replacement, ``resamples`` times; the interval holds the middle share of
    their means (B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7, 1979). It says
    how much the mean depends on which tasks are in the suite, not how much a task's own samples vary.

    Args:
        values: One number a task, such as its pass@k.
        rng: Draws the tasks.
        confidence: Between 0 and 1.
        resamples: At least 1.

    Raises:
        ValueError: If there are no values, or a number is out of range.
    """
    if not values:
        raise ValueError("a bootstrap needs at least one value")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, but must lie between 0 and 1, as 0.95")
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}, but must be at least 1")
    numbers = np.asarray(values, dtype=np.float64)
    step = max(1, _ROWS // len(numbers))
    means = np.concatenate(
        [
            numbers[rng.integers(len(numbers), size=(min(step, resamples - start), len(numbers)))].mean(axis=1)
            for start in range(0, resamples, step)
        ]
    )
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high), confidence)
