"""Seed trees: which seed of a growing set is worked on next.

A seed is a program or prompt, known by its number: 0, 1, 2 and so on in the order of being added. A seed made from
another hangs below it; the seeds a search starts from are roots. A seed tree returns a `Visit`, the work on the seed
earns a reward, and the visit and the reward go back to the tree. Several visits may be under way at a time.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Protocol

import numpy as np


@dataclasses.dataclass(frozen=True)
class Visit:
    """One selection of a seed.

    Attributes:
        seed: The seed to work on.
        path: The seeds from the root down to it, itself included.
        probability: The probability with which it was selected, where the policy knows it, or 1.
    """

    seed: int
    path: tuple[int, ...]
    probability: float = 1.0


class SeedTree(Protocol):
    """Selects seeds, and learns from the rewards they earn."""

    def add(self, parent: int | None = None) -> int:
        """Add a seed made from `parent`, or a root, and return its number.

        Raises:
            ValueError: If there is no such parent.
        """
        ...

    def select(self, rng: np.random.Generator) -> Visit | None:
        """Select a seed, or None if none is left to be selected."""
        ...

    def update(self, visit: Visit, reward: float) -> None:
        """Credit a visit with its reward, usually in `[0, 1]`, such as the share of successes.

        Seeds made in the visit are added before this.

        Raises:
            ValueError: If the reward is no number of at least 0, or the seed unknown.
        """
        ...

    def retire(self, seed: int) -> None:
        """Never again select a seed of the branch that `seed` belongs to: its root, and all made from it.

        Raises:
            ValueError: If there is no such seed.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return the seeds and all that was learned about them, as JSON-able values, without the options."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned.

        Raises:
            ValueError: If it is none of this kind of tree.
        """
        ...


class Forest:
    """Who was made from whom, and which branches are retired: what all seed trees keep.

    A subclass names in `_columns` its lists of one number a seed, and in `_counters` its single numbers; both start
    at 0, and go with the state.
    """

    _columns: tuple[str, ...] = ()
    _counters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._parents: list[int | None] = []
        self._children: list[list[int]] = []
        self._roots: list[int] = []
        self._root_of: list[int] = []
        self._retired: set[int] = set()
        self._numbers: dict[str, list[float]] = {name: [] for name in self._columns}
        self._totals: dict[str, int] = dict.fromkeys(self._counters, 0)

    def __len__(self) -> int:
        return len(self._parents)

    def add(self, parent: int | None = None) -> int:
        """Add a seed; see `SeedTree.add`."""
        seed = len(self._parents)
        if parent is None:
            self._roots.append(seed)
            self._root_of.append(seed)
        else:
            self._check_seed(parent)
            self._children[parent].append(seed)
            self._root_of.append(self._root_of[parent])
        self._parents.append(parent)
        self._children.append([])
        for column in self._numbers.values():
            column.append(0)
        return seed

    def retire(self, seed: int) -> None:
        """Retire a branch; see `SeedTree.retire`."""
        self._check_seed(seed)
        self._retired.add(self._root_of[seed])

    def state(self) -> dict[str, Any]:
        """Return the state; see `SeedTree.state`."""
        return {
            "parents": list(self._parents),
            "retired": sorted(self._retired),
            **{name: list(column) for name, column in self._numbers.items()},
            **self._totals,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state; see `SeedTree.restore`."""
        fields = {"parents", "retired", *self._columns, *self._counters}
        if set(state) != fields:
            raise ValueError(
                f"a state of {type(self).__name__} has the fields {sorted(fields)}, and this one {sorted(state)}; "
                "restore what state() of the same kind of tree returned"
            )
        if any(len(state[name]) != len(state["parents"]) for name in self._columns):
            raise ValueError("the state's lists differ in length; restore what state() returned, unchanged")
        Forest.__post_init__(self)
        for parent in state["parents"]:
            self.add(parent)
        for root in state["retired"]:
            self.retire(root)
        self._numbers = {name: list(state[name]) for name in self._columns}
        self._totals = {name: state[name] for name in self._counters}

    def path_to(self, seed: int) -> tuple[int, ...]:
        """Return the seeds from the root down to `seed`, itself included.

        Raises:
            ValueError: If there is no such seed.
        """
        self._check_seed(seed)
        path = [seed]
        while (parent := self._parents[path[-1]]) is not None:
            path.append(parent)
        return tuple(reversed(path))

    def _active(self) -> list[int]:
        """Return the seeds whose branch is not retired."""
        return [seed for seed, root in enumerate(self._root_of) if root not in self._retired]

    def _check_seed(self, seed: int) -> None:
        if not 0 <= seed < len(self._parents):
            raise ValueError(f"there is no seed {seed}; {len(self._parents)} were added, numbered from 0")

    def _check_reward(self, visit: Visit, reward: float) -> None:
        self._check_seed(visit.seed)
        if not 0 <= reward < math.inf:
            raise ValueError(f"reward is {reward}; give a finite number of at least 0, such as the share of successes")
