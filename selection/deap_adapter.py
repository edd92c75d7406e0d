"""Selectors for users of DEAP, and DEAP's selection functions as selectors."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from selection.selector import Context, Errors, Indices, Selector, validated


def deap_errors(individuals: Sequence[Any]) -> Errors:
    """Return the fitnesses of DEAP individuals as an error matrix `[N, values]`.

    DEAP maximises its weighted values, so an error is the negative of one. Each fitness is read once: DEAP computes
    its values anew at every access.

    Raises:
        ValueError: If an individual has no valid fitness, or the numbers of values differ.
    """
    weighted = [individual.fitness.wvalues for individual in individuals]
    lengths = {len(values) for values in weighted}
    if 0 in lengths:
        raise ValueError("an individual has no valid fitness; evaluate all individuals before selecting")
    if len(lengths) > 1:
        raise ValueError(f"the individuals have different numbers of fitness values, {sorted(lengths)}; use one")
    return -np.array(weighted, dtype=np.float64).reshape(len(weighted), max(lengths, default=0))


def deap_context(individuals: Sequence[Any]) -> Context:
    """Return the context of DEAP individuals: their lengths as sizes, where all have one."""
    if not all(isinstance(individual, Sized) for individual in individuals):
        return Context()
    return Context(sizes=np.array([len(individual) for individual in individuals], dtype=np.float64))


def as_deap(
    selector: Selector,
    rng: np.random.Generator,
    context: Callable[[Sequence[Any]], Context] = deap_context,
) -> Callable[[Sequence[Any], int], list[Any]]:
    """Return a selector as a function that DEAP's toolbox takes.

    For instance `toolbox.register("select", as_deap(Lexicase(), numpy.random.default_rng(1)))`, and then
    `toolbox.select(population, k)`. As with DEAP's own functions, an individual selected twice is the same object
    twice: clone before variation.

    Args:
        selector: The selector.
        rng: Source of its randomness, instead of DEAP's global one.
        context: Makes the context from the individuals; by default their lengths are the sizes.
    """

    def select(individuals: Sequence[Any], k: int) -> list[Any]:
        chosen = selector.select(deap_errors(individuals), k, rng, context(individuals))
        return [individuals[index] for index in chosen]

    return select


@dataclasses.dataclass(frozen=True)
class DeapSelector:
    """One of DEAP's selection functions as a selector, for instance `DeapSelector(tools.selBest)`.

    DEAP's functions draw from Python's global generator. For the time of a call it is seeded from the generator
    given, and then put back, so that the selection is reproducible and disturbs nobody.

    Attributes:
        function: A function `(individuals, k, **options)` that returns `k` of the individuals.
        options: The options, such as `{"tournsize": 7}`.
    """

    function: Callable[..., Sequence[Any]]
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`.

        The individuals given to the function have a fitness of one value a case, minimised, and their size from the
        context as length.

        Raises:
            ValueError: If the input is malformed, or the function returns another number of individuals.
        """
        errors, context = validated(errors, k, context)
        if k == 0 or errors.shape[1] == 0:
            return rng.integers(0, max(1, len(errors)), size=k)
        individuals = _individuals(errors, context)
        before = random.getstate()
        random.seed(int(rng.integers(2**63)))
        try:
            chosen = self.function(individuals, k, **self.options)
        finally:
            random.setstate(before)
        if len(chosen) != k:
            raise ValueError(
                f"the DEAP function returned {len(chosen)} individuals instead of {k} of {len(errors)}; "
                "ask this one for no more than there are"
            )
        return np.array([individual.row for individual in chosen], dtype=np.int64)


class _Individual:
    """What DEAP's selection functions need to know of an individual."""

    def __init__(self, row: int, fitness: Any, size: int) -> None:
        self.row = row
        self.fitness = fitness
        self._size = size

    def __len__(self) -> int:
        return self._size


def _individuals(errors: Errors, context: Context) -> list[_Individual]:
    from deap import base

    fitness = type("ErrorsFitness", (base.Fitness,), {"weights": (-1.0,) * errors.shape[1]})
    sizes = np.ones(len(errors)) if context.sizes is None else context.sizes
    return [
        _Individual(row, fitness(values), int(size))
        for row, (values, size) in enumerate(zip(errors.tolist(), sizes, strict=True))
    ]
