"""The contract suites refuse what is broken, and name what is wrong with it; what is shown in the docs passes them."""

import asyncio
import os
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from evo.testing import (
    ScriptedModel,
    check_model,
    check_sampler,
    check_selector,
    check_tree,
)
from operators.models.chat import Completion, Usage
from selection import Exp3, InformedDownSampling, Lexicase, MctsExplore, RandomDownSampling, Tournament, Ucb, Uniform
from selection.oracles import lexicase_probabilities
from selection.sampler import Cohort
from selection.selector import validated

DOCS = Path(__file__).parents[2] / "docs" / "selection.md"


class Selector:
    """A selector that is in order: each parent is the best of two. What is broken differs from it in one thing."""

    def select(self, errors, k, rng, context=None):
        errors, context = validated(errors, k, context)
        return self.choose(errors, k, rng)

    def choose(self, errors, k, rng):
        pairs = rng.integers(0, max(1, len(errors)), (2, k))
        totals = errors.sum(axis=1)
        return np.where(totals[pairs[0]] <= totals[pairs[1]], *pairs) if k else np.empty(0, dtype=np.int64)


class Maximises(Selector):
    def choose(self, errors, k, rng):
        return super().choose(-errors, k, rng)


class FavoursTheFirst(Selector):
    def choose(self, errors, k, rng):
        pairs = np.sort(rng.integers(0, max(1, len(errors)), (2, k)), axis=0)
        totals = errors.sum(axis=1)
        return np.where(totals[pairs[0]] <= totals[pairs[1]], *pairs) if k else pairs[0]


class OwnGenerator(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, np.random.default_rng())


class FixedGenerator(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, np.random.default_rng(0))


class GlobalNumpy(Selector):
    def choose(self, errors, k, rng):
        np.random.rand()  # noqa: NPY002 - what is wrong with it
        return super().choose(errors, k, rng)


class GlobalPython(Selector):
    def choose(self, errors, k, rng):
        random.random()
        return super().choose(errors, k, rng)


class Mutates(Selector):
    def select(self, errors, k, rng, context=None):
        chosen = super().select(errors, k, rng, context)
        errors[:] = np.nan_to_num(errors)
        return chosen


class MutatesContext(Selector):
    def select(self, errors, k, rng, context=None):
        chosen = super().select(errors, k, rng, context)
        context.sizes[:] = 0
        return chosen


class SmallNumbers(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, rng).astype(np.int32)


class GivesAList(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, rng).tolist()


class IgnoresNan(Selector):
    def select(self, errors, k, rng, context=None):
        validated(errors, k, context)
        if context is not None and context.evaluated is not None:
            errors = errors[:, context.evaluated.all(axis=0)]
        return self.choose(np.nan_to_num(errors, nan=0.0, posinf=np.inf), k, rng)


class IgnoresMask(Selector):
    def select(self, errors, k, rng, context=None):
        return super().select(errors, k, rng, None)


class OutOfRange(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, rng) + 1


class Negative(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, rng) - len(errors)


class IgnoresK(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, len(errors), rng)


class ByMemory(Selector):
    def select(self, errors, k, rng, context=None):
        ours = rng if errors.flags["C_CONTIGUOUS"] else np.random.default_rng(99)
        return super().select(errors, k, ours, context)


@dataclass
class Remembers(Selector):
    calls: int = 0

    def choose(self, errors, k, rng):
        self.calls += 1
        return super().choose(errors, k, np.random.default_rng([self.calls, int(rng.integers(9))]))


class TellsOtherProbabilities(Selector):
    def probabilities(self, errors, context=None):
        return Uniform().probabilities(errors, context)


class TellsNoDistribution(Selector):
    def probabilities(self, errors, context=None):
        return np.ones(len(errors))


class Crashes(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors, k, rng)[errors.argmin(axis=1)]


class Warns(Selector):
    def choose(self, errors, k, rng):
        return super().choose(errors - errors.min(axis=0, initial=np.inf), k, rng)


class OneOrderForAll:
    """Lexicase by one order of the cases for all k parents, as some code does to be quick."""

    def select(self, errors, k, rng, context=None):
        errors, context = validated(errors, k, context)
        left = np.arange(len(errors))
        for case in rng.permutation(errors.shape[1]):
            left = left[errors[left, case] == errors[left, case].min()]
        return rng.choice(left, k) if k else np.empty(0, dtype=np.int64)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (Maximises, "errors are minimised"),
        (FavoursTheFirst, "biased by their place"),
        (OwnGenerator, "not deterministic"),
        (FixedGenerator, "biased by their place"),
        (GlobalNumpy, "drew from a global generator"),
        (GlobalPython, "drew from a global generator"),
        (Mutates, "wrote into the errors of the matrix 'infinities'"),
        (MutatesContext, r"wrote into context\.sizes"),
        (SmallNumbers, "it returned int32"),
        (GivesAList, "it returned list"),
        (IgnoresNan, "NaN counts as the worst error.*with infinity in the place of NaN it chooses otherwise"),
        (IgnoresMask, "Rows with unequal masks.*must raise a ValueError"),
        (OutOfRange, r"which is outside of \[0, 12\)"),
        (Negative, r"outside of \[0, "),
        (IgnoresK, r"k=0 of 12 individuals.*shape \(12,\), instead of \(0,\)"),
        (ByMemory, "With columns first it chooses otherwise"),
        (Remembers, "chooses otherwise after calls"),
        (TellsOtherProbabilities, r"from the distribution by probabilities\(\)"),
        (TellsNoDistribution, "is no distribution over"),
        (Crashes, r"It raised IndexError.*test_contract_suites\.py, line \d+"),
        (Warns, "It raised RuntimeWarning"),
    ],
)
def test_a_broken_selector_is_refused(broken, told):
    with pytest.raises(AssertionError, match=re.compile(f"^this selector breaks.*{told}", re.DOTALL | re.IGNORECASE)):
        check_selector(broken, seeds=(0,))


def test_a_selector_in_order_passes_and_so_does_one_that_says_what_it_is_not():
    check_selector(Selector)
    check_selector(Maximises, seeds=(0,), guided=False)
    check_selector(FavoursTheFirst, seeds=(0,), fair=False)


def test_an_oracle_finds_choices_that_are_not_independent():
    check_selector(Lexicase, seeds=(0,), oracle=lexicase_probabilities)
    with pytest.raises(AssertionError, match="its choices are not independent"):
        check_selector(OneOrderForAll, seeds=(0,), oracle=lexicase_probabilities)


def test_all_broken_rules_are_told_at_once():
    with pytest.raises(AssertionError, match=r"breaks \d rules of its contract") as refused:
        check_selector(IgnoresMask, seeds=(0,))
    lines = str(refused.value).splitlines()
    assert len(lines) >= 3
    assert all(line.startswith("- ") for line in lines[1:])


class SamplerOfOneCase(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        (cohort,) = super().cohorts(individuals, cases, rng)
        return (Cohort(cohort.individuals, cohort.cases[:1] * 0),)


class SamplerOfItsOwnMind(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        return super().cohorts(individuals, cases, np.random.default_rng())


class LosesIndividuals(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        (cohort,) = super().cohorts(individuals, cases, rng)
        return (Cohort(cohort.individuals[1:], cohort.cases),)


class NoCases(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        (cohort,) = super().cohorts(individuals, cases, rng)
        return (Cohort(cohort.individuals, cohort.cases[:0]),)


class CaseTooMany(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        (cohort,) = super().cohorts(individuals, cases, rng)
        return (Cohort(cohort.individuals, cohort.cases + 1),)


class CasesOfSmallNumbers(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        (cohort,) = super().cohorts(individuals, cases, rng)
        return (Cohort(cohort.individuals, cohort.cases.astype(np.int16)),)


class ProbesTwice(InformedDownSampling):
    def probe(self, generation, individuals, rng):
        return np.repeat(super().probe(generation, individuals, rng), 2)


class ForgetsItsState(InformedDownSampling):
    def state(self):
        return {"solved": None}


class WritesIntoErrors(RandomDownSampling):
    def observe(self, errors):
        errors[:] = 0


class TakesAnyState(RandomDownSampling):
    def restore(self, state):
        pass


class GlobalSampler(RandomDownSampling):
    def cohorts(self, individuals, cases, rng):
        random.random()
        return super().cohorts(individuals, cases, rng)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (SamplerOfOneCase, "went to case 0, instead of 5%: it is biased"),
        (SamplerOfItsOwnMind, "not deterministic"),
        (LosesIndividuals, r"For 50 individuals and 40 cases, it dealt the individuals \[1, 2"),
        (NoCases, "gave a cohort no case"),
        (CaseTooMany, r"which is outside of \[0, "),
        (CasesOfSmallNumbers, "gave cases of type int16"),
        (ProbesTwice, r"it probed \[0, 0"),
        (ForgetsItsState, r"its state\(\) lacks something"),
        (WritesIntoErrors, "wrote into the errors"),
        (TakesAnyState, r"restore\(\{'unknown': 1\}\) must raise a ValueError"),
        (GlobalSampler, "drew from a global generator"),
    ],
)
def test_a_broken_sampler_is_refused(broken, told):
    with pytest.raises(AssertionError, match=re.compile(f"^this case sampler breaks.*{told}", re.DOTALL)):
        check_sampler(broken)


class SelectsTheRetired(Ucb):
    def retire(self, seed):
        self._check_seed(seed)


class TreeOfItsOwnMind(Exp3):
    def select(self, rng):
        return super().select(np.random.default_rng())


class LosesVisits(MctsExplore):
    def state(self):
        return {**super().state(), "step": 1}


class SharesItsState(Ucb):
    def state(self):
        return {**super().state(), "visits": self._numbers["visits"]}


class TellsTheWrongChance(Exp3):
    def select(self, rng):
        visit = super().select(rng)
        return visit and replace(visit, probability=visit.probability / 2)


class StarvesTheLast(Exp3):
    def _active(self):
        return super()._active()[:-1]


class LosesThePath(MctsExplore):
    def select(self, rng):
        visit = super().select(rng)
        return visit and replace(visit, path=visit.path[-1:])


class NumbersFromOne(Ucb):
    def add(self, parent=None):
        return super().add(parent) + 1


class TakesAnyReward(Ucb):
    def _check_reward(self, visit, reward):
        self._check_seed(visit.seed)


class NotForJson(Ucb):
    def state(self):
        return {**super().state(), "retired": self._retired}


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (SelectsTheRetired, "retired its branch, .* was selected"),
        (TreeOfItsOwnMind, "not deterministic"),
        (LosesVisits, r"Restored, it visits other seeds after \d+ visits: its state\(\) lacks something"),
        (SharesItsState, "A state that was returned changed with the tree"),
        (TellsTheWrongChance, "told the probability .*: it is biased"),
        (StarvesTheLast, r"\[4\] were not tried"),
        (LosesThePath, r"told the path \(\d+,\) of seed \d+, which is \("),
        (NumbersFromOne, "numbered seed 0 as 1"),
        (TakesAnyReward, "update with the reward -0.1 must raise a ValueError"),
        (NotForJson, "raised TypeError"),
    ],
)
def test_a_broken_tree_is_refused(broken, told):
    with pytest.raises(AssertionError, match=re.compile(f"^this seed tree breaks.*{told}", re.DOTALL)):
        check_tree(broken)


def answering(**changes):
    return lambda: ScriptedModel(lambda request: replace(Completion("hello", Usage(9, 2)), **changes))


class Tasks(ScriptedModel):
    async def complete(self, request):
        self.task = asyncio.create_task(asyncio.sleep(60))
        return await super().complete(request)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (lambda: ScriptedModel(lambda _: "x", identity=""), "Its identity is ''"),
        (lambda: ScriptedModel(lambda _: "x", identity=str(time.perf_counter_ns())), "a run could not be resumed"),
        (lambda: ScriptedModel(lambda _: "x", concurrency=0), "Its concurrency is 0"),
        (lambda: ScriptedModel(lambda _: "x", price=0.5), r"Its price is 0\.5"),
        (answering(text=None), "Its text is a NoneType"),
        (answering(usage=Usage()), "counts no tokens"),
        (answering(usage=Usage(10**6, 5)), "where at most"),
        (answering(finish_reason="done"), "Its finish reason is 'done'"),
        (answering(attempts=0), "counts 0 attempts"),
        (lambda: ScriptedModel(lambda _: str(time.perf_counter_ns())), "not deterministic"),
        (lambda: Tasks(lambda _: "x"), r"1 of its tasks are still running"),
        (lambda: ScriptedModel(lambda _: 1 / 0), "ZeroDivisionError"),
    ],
)
def test_a_broken_model_is_refused(broken, told):
    with pytest.raises(AssertionError, match=re.compile(f"^this model breaks.*{told}", re.DOTALL)):
        check_model(broken, deterministic=True)


def test_a_scripted_model_keeps_the_contract():
    check_model(lambda: ScriptedModel(lambda request: f"print({request.seed})"), deterministic=True)


def test_the_docs_example_keeps_the_contract(tmp_path):
    """As an author does it: the selector and its test in files, and the test run by pytest."""
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    selector, test = blocks[0], next(block for block in blocks if "check_selector" in block)
    assert len(test.strip().splitlines()) <= 10
    (tmp_path / "best.py").write_text(selector)
    (tmp_path / "test_best.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_best.py")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(DOCS.parents[1])])}
    ended = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False, timeout=100
    )
    assert ended.returncode == 0, ended.stdout


def test_tournaments_of_all_sizes_keep_the_contract():
    for size in (1, 2, 40):
        check_selector(lambda size=size: Tournament(size), seeds=(0,), guided=size > 1)
