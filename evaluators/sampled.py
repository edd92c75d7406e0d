"""Evaluations on a sample of a problem's cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluators.error_functions import build_error_function
from evaluators.execution import CaseResult, Evaluation
from evaluators.problem import Problem
from evaluators.verdict import Verdict


def spread(evaluation: Evaluation, cases: Sequence[int], problem: Problem) -> Evaluation:
    """An evaluation on some cases as one of the whole problem, with what was not run marked so.

    Args:
        evaluation: On ``cases``, in their order.
        cases: Indices of the problem's cases, ascending.
        problem: The whole.
    """
    error_function = build_error_function(problem.error_function)
    counts = [error_function.columns(case) for case in problem.cases]
    column_case = np.repeat(np.arange(len(counts)), counts)
    evaluated = np.isin(column_case, np.asarray(cases))
    errors = np.full(len(column_case), np.nan)
    errors[evaluated] = evaluation.errors
    scores = np.zeros(len(counts))
    scores[list(cases)] = evaluation.scores
    results = [CaseResult(Verdict.SKIPPED, detail="not in this generation's sample")] * len(counts)
    for index, result in zip(cases, evaluation.execution.cases, strict=True):
        results[index] = result
    execution = replace(evaluation.execution, cases=tuple(results))
    return Evaluation(execution, errors, column_case.astype(np.int64), evaluated, scores)
