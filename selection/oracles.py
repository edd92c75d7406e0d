"""Exact selection probabilities, by counting: what statistical tests of selectors compare with.

`enumerated_probabilities` goes through all orders of the cases, for tiny matrices and any rule.
`lexicase_probabilities` goes through the sets of candidates that can be reached, for medium ones. Neither is quick in
general, and nothing is: computing these probabilities is NP-hard (Dolson 2023, arXiv 2301.06724).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from selection.distinct import classes_of_equal_rows
from selection.selector import Errors, Indices, Probabilities, validated

_MOST_ORDERS = math.factorial(8)


def enumerated_probabilities(errors: Errors, survivors: Callable[[Errors, Sequence[int]], Indices]) -> Probabilities:
    """Return the probability `[N]` of each individual, as the mean over all orders of the cases.

    Args:
        errors: Errors `[N, T]` with at most 8 cases.
        survivors: Who is left after the cases in an order, each as likely as the other; see `selection.reference`.

    Raises:
        ValueError: If there are more than 8 cases, or the matrix is malformed.
    """
    errors, _ = validated(errors, 1, None)
    cases = errors.shape[1]
    if math.factorial(cases) > _MOST_ORDERS:
        raise ValueError(f"{cases} cases have too many orders to go through; use at most 8")
    probabilities = np.zeros(len(errors))
    for order in itertools.permutations(range(cases)):
        left = survivors(errors, order)
        probabilities[left] += 1 / len(left)
    return probabilities / math.factorial(cases)


def lexicase_probabilities(
    errors: Errors, tolerance: NDArray[np.float64] | None = None, most_sets: int = 20_000
) -> Probabilities:
    """Return the probability `[N]` that lexicase selection chooses each individual.

    The probability of a set of candidates flows to the sets that the cases filter from it, the larger sets first.

    Args:
        errors: Errors `[N, T]`, minimised.
        tolerance: How much worse than the best candidate passes each case `[T]`; None for not at all. (With a
            tolerance this is semi-dynamic epsilon-lexicase. For static, give its table of failures as errors.)
        most_sets: Give up after so many sets.

    Raises:
        ValueError: If more sets can be reached, or the matrix is malformed.
    """
    errors, _ = validated(errors, 1, None)
    classes = classes_of_equal_rows(errors)
    rows = errors[classes.representatives]
    allowed = np.zeros(errors.shape[1]) if tolerance is None else tolerance
    chances = np.zeros(len(rows))
    # The sets by their size, each with the probability that an event comes through it.
    reached: list[dict[tuple[int, ...], float]] = [{} for _ in range(len(rows) + 1)]
    reached[len(rows)][tuple(range(len(rows)))] = 1.0
    count = 1
    for size in range(len(rows), 0, -1):
        for members, probability in reached[size].items():
            candidates = np.array(members)
            passing = rows[candidates] <= rows[candidates].min(axis=0) + allowed
            filtering = passing[:, ~passing.all(axis=0)]
            if filtering.shape[1] == 0:
                weights = classes.sizes[candidates]
                chances[candidates] += probability * weights / weights.sum()
                continue
            kinds, numbers = np.unique(filtering, axis=1, return_counts=True)
            for kind, number in zip(kinds.T, numbers, strict=True):
                left = tuple(candidates[kind].tolist())
                count += left not in reached[len(left)]
                before = reached[len(left)].get(left, 0.0)
                reached[len(left)][left] = before + probability * number / filtering.shape[1]
            if count > most_sets:
                raise ValueError(
                    f"more than {most_sets} sets of candidates can be reached in this matrix of shape {errors.shape}; "
                    "raise most_sets, or estimate the probabilities from many selections"
                )
        reached[size].clear()
    probabilities: Probabilities = (chances / classes.sizes)[classes.class_of]
    return probabilities


def total_variation(first: Probabilities, second: Probabilities) -> float:
    """Return the total variation distance of two distributions over the same individuals, in `[0, 1]`."""
    return float(np.abs(np.asarray(first) - np.asarray(second)).sum() / 2)


def sampling_distance_limit(probabilities: Probabilities, draws: int, risk: float = 1e-4) -> float:
    """Return a total variation distance that an honest sample exceeds with at most the given probability.

    It is the mean distance of a sample from its distribution (by the normal approximation of each count, which errs
    on the large side) plus a margin by McDiarmid's inequality: one draw changes the distance by at most `1 / draws`.

    Args:
        probabilities: The distribution `[N]`.
        draws: Independent draws in the sample, at least 1.
        risk: Probability, above 0, that an honest sample lies farther off.
    """
    deviations = np.sqrt(np.maximum(probabilities * (1 - probabilities), 0) / draws)
    mean = np.sqrt(2 / np.pi) * deviations.sum() / 2
    return float(mean + np.sqrt(-np.log(risk) / (2 * draws)))
