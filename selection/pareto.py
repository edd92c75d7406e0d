"""Pareto dominance over a few objectives: fronts and crowding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from selection.criteria import without_infinities


def dominance(objectives: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a table `[N, N]`: whether the row's individual is nowhere worse than the column's, and somewhere better.

    Args:
        objectives: Numbers `[N, objectives]`, smaller is better, without NaN.
    """
    count = len(objectives)
    nowhere_worse = np.ones((count, count), dtype=np.bool_)
    somewhere_better = np.zeros((count, count), dtype=np.bool_)
    for values in objectives.T:
        nowhere_worse &= values[:, np.newaxis] <= values
        somewhere_better |= values[:, np.newaxis] < values
    return nowhere_worse & somewhere_better


def front_numbers(objectives: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the front of each individual `[N]`: 0 for those that nobody dominates, 1 without those, and so on.

    Source: Goldberg 1989, "Genetic Algorithms in Search, Optimization, and Machine Learning", chapter 5.
    """
    # Equal individuals are on the same front, and one comparison serves them all.
    distinct, class_of = np.unique(objectives, axis=0, return_inverse=True)
    dominates = dominance(distinct)
    dominators = np.count_nonzero(dominates, axis=0)
    fronts = np.full(len(distinct), -1, dtype=np.int64)
    number = 0
    while (fronts < 0).any():
        front = np.flatnonzero((fronts < 0) & (dominators == 0))
        fronts[front] = number
        dominators -= np.count_nonzero(dominates[front], axis=0)
        number += 1
    numbers: NDArray[np.int64] = fronts[class_of.reshape(-1)]
    return numbers


def crowding_distances(objectives: NDArray[np.float64], fronts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far each individual is from its neighbours on its front `[N]`; infinite at the ends of a front.

    Source: Deb, Pratap, Agarwal, Meyarivan 2002, "A fast and elitist multiobjective genetic algorithm: NSGA-II",
    IEEE Transactions on Evolutionary Computation 6(2), section III-B.
    """
    table = without_infinities(objectives)
    distances = np.zeros(len(table))
    for front in range(int(fronts.max()) + 1 if len(fronts) else 0):
        members = np.flatnonzero(fronts == front)
        for values in table[members].T:
            order = np.argsort(values, kind="stable")
            ranked = values[order]
            spread = ranked[-1] - ranked[0]
            if spread > 0:
                distances[members[order[1:-1]]] += (ranked[2:] - ranked[:-2]) / spread
            distances[members[order[[0, -1]]]] = np.inf
    return distances
