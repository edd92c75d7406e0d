"""How much runs agree with one another, and how varied the candidates of one run are.

The measures of the stability analysis of CodeCoR ("CodeCoR: An LLM-Based Self-Reflective Multi-Agent Framework for Code
Generation", section 7.5). The paper gives no formulas; these are ours, and say what is counted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from evaluators.python_text import read_python

_WORD = re.compile(r"\w+|[^\w\s]")


def jaccard(one: Set[Hashable], other: Set[Hashable]) -> float | None:
    """Size of the intersection of two sets over the size of their union.

    Returns:
        A number in ``[0, 1]``; None if both are empty.
    """
    union = len(one | other)
    return len(one & other) / union if union else None


@dataclass(frozen=True)
class KeptSets:
    """Result of :func:`kept_set_jaccard`.

    Attributes:
        mean: In ``[0, 1]``; None if no pair of runs kept anything.
        skipped_pairs: Pairs of runs that both kept nothing, and so count neither for nor against.
    """

    mean: float | None
    skipped_pairs: int


def kept_set_jaccard(runs: Mapping[str, Sequence[Set[Hashable]]]) -> KeptSets:
    """How much of what runs kept after pruning is the same: Jaccard, mean over pairs of runs, then over tasks.

    Args:
        runs: For each task, what each run kept, in normal form (:func:`plan_form`, :func:`assertion_form`,
            :func:`code_form`).
    """
    means, skipped = [], 0
    for kept in runs.values():
        overlaps = [jaccard(one, other) for one, other in combinations(kept, 2)]
        defined = [overlap for overlap in overlaps if overlap is not None]
        skipped += len(overlaps) - len(defined)
        if defined:
            means.append(sum(defined) / len(defined))
    return KeptSets(sum(means) / len(means) if means else None, skipped)


def plan_form(text: str) -> str:
    """Normal form of a plan, or of any other text: white space folded to single blanks."""
    return " ".join(text.split())


def assertion_form(source: str) -> str:
    """Normal form of an assertion: as Python writes it, without comments; a text that does not parse, as a plan."""
    read = read_python(source.strip())
    return plan_form(source) if read is None else read.text


def code_form(source: str) -> str:
    """Normal form of a program: without comments and docstrings; a text that does not parse, as a plan."""
    read = read_python(source)
    return plan_form(source) if read is None else ast.dump(read.tree)


def pass_agreement(runs: Mapping[str, Sequence[bool]]) -> float | None:
    """Share of pairs of runs of the same task that both pass or both fail, all tasks' pairs counted alike.

    Args:
        runs: For each task, whether each run passed.

    Returns:
        A number in ``[0, 1]``; None if no task has two runs.
    """
    pairs = [one == other for outcomes in runs.values() for one, other in combinations(outcomes, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def unanimity(runs: Mapping[str, Sequence[bool]]) -> float | None:
    """Share of tasks with at least two runs whose runs all pass or all fail; None if there are none."""
    unanimous = [len(set(outcomes)) == 1 for outcomes in runs.values() if len(outcomes) > 1]
    return sum(unanimous) / len(unanimous) if unanimous else None


def fleiss_kappa(runs: Mapping[str, Sequence[bool]]) -> float | None:
    """Agreement of runs on pass or fail beyond what chance gives: 1 is perfect, 0 is chance, below 0 is less.

    J. L. Fleiss, "Measuring Nominal Scale Agreement among Many Raters", Psychological Bulletin 76, 1971.

    Args:
        runs: For each task, whether each run passed; as many runs for every task, at least two.

    Returns:
        At most 1; None if all runs of all tasks have the same outcome, as no agreement beyond chance is possible then.

    Raises:
        ValueError: If there are no tasks, or they have different numbers of runs, or fewer than two.
    """
    numbers = {len(outcomes) for outcomes in runs.values()}
    if len(numbers) != 1 or min(numbers) < 2:
        raise ValueError(f"tasks have {sorted(numbers)} runs: kappa needs the same number for all, at least 2")
    count = numbers.pop()
    observed = sum(
        (sum(outcomes) * (sum(outcomes) - 1) + (count - sum(outcomes)) * (count - sum(outcomes) - 1))
        / (count * (count - 1))
        for outcomes in runs.values()
    ) / len(runs)
    passing = sum(map(sum, runs.values())) / (count * len(runs))
    by_chance = passing**2 + (1 - passing) ** 2
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def word_overlap(one: str, other: str) -> float:
    """Similarity of two texts: Jaccard of their sets of words and signs; 1 if both are empty."""
    overlap = jaccard(set(_WORD.findall(one)), set(_WORD.findall(other)))
    return 1.0 if overlap is None else overlap


def sequence_overlap(one: str, other: str) -> float:
    """Similarity of two texts: twice the characters in matching blocks over all of both (Ratcliff and Obershelp 1988).

    It takes time that grows with the product of the lengths; it is made symmetric by taking the smaller of the two
    orders, which ``difflib`` may answer differently.
    """
    ratios = [SequenceMatcher(None, *pair, autojunk=False).ratio() for pair in ((one, other), (other, one))]
    return min(ratios)


def diversity(candidates: Sequence[str], similarity: Callable[[str, str], float] = word_overlap) -> float | None:
    """One minus the mean similarity of all pairs of a task's candidates, as generated, before any pruning.

    Args:
        candidates: Texts of one task's pool.
        similarity: Of two texts, in ``[0, 1]``: :func:`word_overlap`, :func:`sequence_overlap` or another one.

    Returns:
        A number in ``[0, 1]``; None for fewer than two candidates.
    """
    pairs = [similarity(one, other) for one, other in combinations(candidates, 2)]
    return 1 - sum(pairs) / len(pairs) if pairs else None


def unique_assertion_ratio(assertions: Sequence[str]) -> float | None:
    """Different assertions over all assertions of a task's pool, as generated, compared in normal form.

    Returns:
        A number in ``(0, 1]``; None for an empty pool.
    """
    return len(set(map(assertion_form, assertions))) / len(assertions) if assertions else None
