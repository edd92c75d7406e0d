"""The contract of seed trees and bandits."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from evo.testing.contract import check_rules, refusal, require
from selection.tree import SeedTree, Visit

_SELECTIONS = 1000


def check_tree(make: Callable[[], SeedTree], *, seeds: Sequence[int] = (0, 1, 2)) -> None:
    """Check that a seed tree or a bandit does what every one must do.

    Args:
        make: Makes a fresh one without seeds, such as its class.
        seeds: Of the random generators that it is given.

    Raises:
        AssertionError: If it does not; one line a broken rule.

    Example:
        >>> from selection import Ucb
        >>> check_tree(lambda: Ucb(exploration=0.5))
    """
    check_rules("seed tree", _RULES, _Subject(make, tuple(seeds)))


@dataclass(frozen=True)
class _Subject:
    make: Callable[[], SeedTree]
    seeds: tuple[int, ...]

    def rooted(self, roots: int) -> SeedTree:
        """A tree with so many seeds to begin with."""
        tree = self.make()
        for _ in range(roots):
            tree.add()
        return tree


@dataclass
class _Search:
    """A search over scripted rewards: every other visit makes a child; seed 1 and all made from it are good."""

    tree: SeedTree
    paths: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, parent: int | None = None) -> int:
        seed = self.tree.add(parent)
        require(
            seed == len(self.paths), f"It numbered seed {len(self.paths)} as {seed}: seeds are numbered as they come."
        )
        self.paths.append((*(() if parent is None else self.paths[parent]), seed))
        return seed

    def grow(self, rounds: int, rng: np.random.Generator) -> list[Visit]:
        while len(self.paths) < 3:
            self.add()
        visits = []
        for number in range(rounds):
            visit = self.tree.select(rng)
            if visit is None:
                break
            visits.append(visit)
            if number % 2:
                self.add(visit.seed)
            self.tree.update(visit, 0.8 if visit.path[0] == 1 else 0.1)
        return visits


def _visits_lead_to_seeds(subject: _Subject) -> None:
    """A visit names a seed that was added, the path from its root to it, and a probability above 0 and at most 1."""
    for seed in subject.seeds:
        search = _Search(subject.make())
        for parent in (None, None, 0, 2, 1):
            search.add(parent)
        for visit in search.grow(60, np.random.default_rng(seed)):
            require(0 <= visit.seed < len(search.paths), f"It selected seed {visit.seed} of {len(search.paths)}.")
            right = search.paths[visit.seed]
            require(visit.path == right, f"It told the path {visit.path} of seed {visit.seed}, which is {right}.")
            require(0 < visit.probability <= 1, f"It told the probability {visit.probability}.")


def _is_deterministic(subject: _Subject) -> None:
    """The same seeds, rewards and generator give the same visits."""
    for seed in subject.seeds:
        first, second = (_Search(subject.make()).grow(200, np.random.default_rng(seed)) for _ in range(2))
        require(
            first == second,
            f"It is not deterministic: two searches with seed {seed} part after {_same(first, second)}.",
        )


def _state_is_restored(subject: _Subject) -> None:
    """A fresh tree, or a used one, goes on from a state that went through JSON as the first one would."""
    for seed in subject.seeds:
        first = _Search(subject.make())
        first.grow(77, np.random.default_rng(seed))
        state = first.tree.state()
        text = json.dumps(state)
        used = subject.rooted(2)
        used.select(np.random.default_rng(seed))
        for name, other in (("a fresh tree", subject.make()), ("a used tree", used)):
            other.restore(json.loads(text))
            told = json.dumps(other.state())
            require(told == text, f"Restored in {name}, its state is another one: {_shown(told)}, not {_shown(text)}.")
        fresh = _Search(subject.make(), list(first.paths))
        fresh.tree.restore(json.loads(text))
        on, anew = (each.grow(100, np.random.default_rng(seed + 1)) for each in (first, fresh))
        require(on == anew, f"Restored, it visits other seeds after {_same(on, anew)}: its state() lacks something.")
        require(json.dumps(state) == text, "A state that was returned changed with the tree: return copies.")


def _nobody_of_nobody(subject: _Subject) -> None:
    """A tree without seeds selects None."""
    visit = subject.make().select(np.random.default_rng(subject.seeds[0]))
    require(visit is None, f"It selected {visit}.")


def _every_seed_is_tried(subject: _Subject) -> None:
    """Of seeds that earn the same, every one is tried."""
    for seed in subject.seeds:
        tree = subject.rooted(5)
        rng = np.random.default_rng(seed)
        visited: Counter[int] = Counter()
        for _ in range(100):
            visit = tree.select(rng)
            if visit is None:
                break
            visited[visit.seed] += 1
            tree.update(visit, 0.5)
        missed = sorted(set(range(5)) - set(visited))
        require(not missed, f"Of 5 seeds, {missed} were not tried in {visited.total()} visits, by seed {seed}.")


def _probabilities_are_true(subject: _Subject) -> None:
    """The probability that a visit tells is that of its selection (1 stands for not known)."""
    search = _Search(subject.make())
    search.grow(12, np.random.default_rng(subject.seeds[0]))
    state = json.dumps(search.tree.state())
    told: dict[int, float] = {}
    visited: Counter[int] = Counter()
    for number in range(_SELECTIONS):
        tree = subject.make()
        tree.restore(json.loads(state))
        visit = tree.select(np.random.default_rng([subject.seeds[0], number]))
        if visit is None or visit.probability == 1:
            return
        told[visit.seed] = visit.probability
        visited[visit.seed] += 1
    for seed, probability in told.items():
        share = visited[seed] / _SELECTIONS
        margin = 4 * math.sqrt(probability * (1 - probability) / _SELECTIONS) + 1 / _SELECTIONS
        require(
            abs(share - probability) <= margin,
            f"It selected seed {seed} in {share:.1%} of {_SELECTIONS} selections, and told the probability "
            f"{probability:.1%}: it is biased, or tells the wrong one.",
        )


def _retired_branches_are_left_alone(subject: _Subject) -> None:
    """Seeds of a retired branch are never selected again; None is, when all are retired."""
    for seed in subject.seeds:
        rng = np.random.default_rng(seed)
        search = _Search(subject.make())
        search.grow(60, rng)
        search.tree.retire(search.add(search.add(1)))
        again = [visit.path for visit in search.grow(60, rng) if visit.path[0] == 1]
        require(not again, f"After seed {len(search.paths)} retired its branch, {again[:1]} was selected.")
        search.tree.retire(0)
        search.tree.retire(2)
        visit = search.tree.select(rng)
        require(visit is None, f"All branches are retired, and it selected {visit}.")


def _several_visits_may_be_under_way(subject: _Subject) -> None:
    """Several visits may be under way at a time, and be credited in any order."""
    rng = np.random.default_rng(subject.seeds[0])
    tree = subject.rooted(3)
    visits = [visit for visit in (tree.select(rng) for _ in range(6)) if visit is not None]
    require(bool(visits), "It selected nobody of three seeds.")
    for visit in reversed(visits):
        tree.add(visit.seed)
        tree.update(visit, 1.0)
    json.dumps(tree.state())


def _refuses_nonsense(subject: _Subject) -> None:
    """Seeds that were not added, rewards that are none, and states of something else are refused."""
    with refusal("add(0) to a tree without seeds"):
        subject.make().add(0)
    tree = subject.rooted(1)
    for reward in (-0.1, math.nan, math.inf):
        with refusal(f"update with the reward {reward}"):
            tree.update(Visit(0, (0,)), reward)
    with refusal("update of seed 7 of 1"):
        tree.update(Visit(7, (7,)), 0.5)
    with refusal("retire of seed 4 of 1"):
        tree.retire(4)
    with refusal("restore({'unknown': []})"):
        tree.restore({"unknown": []})


_RULES = (
    _visits_lead_to_seeds,
    _is_deterministic,
    _state_is_restored,
    _nobody_of_nobody,
    _every_seed_is_tried,
    _probabilities_are_true,
    _retired_branches_are_left_alone,
    _several_visits_may_be_under_way,
    _refuses_nonsense,
)


def _same(first: Sequence[Visit], second: Sequence[Visit]) -> str:
    count = next((n for n, (one, two) in enumerate(zip(first, second, strict=False)) if one != two), len(first))
    return f"{count} visits"


def _shown(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
