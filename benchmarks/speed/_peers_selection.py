"""What the benchmark of selection measures against, and the matrices it measures on."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selection import Lexicase

Errors = NDArray[np.float64]
Column = NDArray[np.int64]


def synthetic_matrix(individuals: int, cases: int, seed: int, clones: float, real: bool = False) -> Errors:
    """Return errors `[individuals, cases]` of programs of four skills on cases that need them differently.

    Args:
        individuals: Rows.
        cases: Columns.
        seed: Seed of the matrix.
        clones: Share of the rows, in `[0, 1)`, that are copies of others.
        real: Whether errors are real numbers instead of small integers.
    """
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(individuals, 4)) @ rng.normal(size=(4, cases))
    noisy = skills + 0.8 * rng.normal(size=(individuals, cases))
    errors = np.abs(noisy) if real else np.maximum(0.0, np.round(2 * noisy))
    copies = rng.permutation(individuals)[: int(clones * individuals)]
    errors[copies] = errors[rng.integers(0, individuals, len(copies))]
    return errors


def evolved_matrices(generations: tuple[int, ...] = (1, 10, 40), size: int = 1000, cases: int = 200) -> list[Errors]:
    """Return the error matrices of some generations of a short genetic-programming run on fizz-buzz.

    Programs are lists of stack operations on integers, selected by lexicase selection and mutated by addition and
    deletion of operations (UMAD). The error of a case is the distance to 0, 1, 2 or 3 (neither, fizz, buzz, both),
    at most 1000.
    """
    rng = np.random.default_rng(0)
    inputs = np.concatenate([np.arange(1, 31), rng.integers(31, 10_000, cases - 30)])
    target = (inputs % 3 == 0) * 1 + (inputs % 5 == 0) * 2
    names = list(_OPERATIONS)
    population = [[names[op] for op in rng.integers(0, len(names), rng.integers(5, 40))] for _ in range(size)]
    known: dict[tuple[str, ...], Errors] = {}
    matrices = []
    for generation in range(max(generations) + 1):
        errors = np.stack([_program_errors(tuple(program), inputs, target, known) for program in population])
        if generation in generations:
            matrices.append(errors)
        parents = Lexicase().select(errors, size, rng)
        population = [_mutated(population[parent], names, rng) for parent in parents]
    return matrices


def _program_errors(
    program: tuple[str, ...], inputs: Column, target: Column, known: dict[tuple[str, ...], Errors]
) -> Errors:
    if program not in known:
        stack = [inputs]
        for name in program:
            arity, operation = _OPERATIONS[name]
            if len(stack) >= arity:
                arguments = [stack.pop() for _ in range(arity)]
                stack.append(np.clip(operation(inputs, *arguments), -(10**6), 10**6))
        known[program] = np.minimum(np.abs(stack[-1] - target), 1000).astype(np.float64)
    return known[program]


def _mutated(program: list[str], names: list[str], rng: np.random.Generator) -> list[str]:
    grown = []
    for name in program:
        added = [names[int(rng.integers(len(names)))]] if rng.random() < 0.09 else []
        grown += [name, *added] if rng.random() < 0.5 else [*added, name]
    return [name for name in grown if rng.random() >= 0.09 / 1.09]


def _choose(inputs: Column, condition: Column, yes: Column, no: Column) -> Column:
    return np.where(condition != 0, yes, no)


def _constant(value: int) -> tuple[int, Callable[..., Column]]:
    return 0, lambda inputs: np.full_like(inputs, value)


_OPERATIONS: dict[str, tuple[int, Callable[..., Column]]] = {
    "input": (0, lambda inputs: inputs),
    **{str(value): _constant(value) for value in (0, 1, 2, 3, 5)},
    "add": (2, lambda inputs, a, b: a + b),
    "subtract": (2, lambda inputs, a, b: b - a),
    "multiply": (2, lambda inputs, a, b: a * b),
    "modulo": (2, lambda inputs, a, b: b % np.where(a == 0, 1, a)),
    "equal": (2, lambda inputs, a, b: (a == b).astype(np.int64)),
    "less": (2, lambda inputs, a, b: (b < a).astype(np.int64)),
    "choose": (3, _choose),
}


def deap_individuals(errors: Errors) -> list[Any]:
    """Return individuals as a user of DEAP has them, with one fitness value a case."""
    from deap import base

    fitness = type("CaseErrors", (base.Fitness,), {"weights": (-1.0,) * errors.shape[1]})

    class Individual:
        def __init__(self, values: list[float]) -> None:
            self.fitness = fitness(values)

    return [Individual(row) for row in errors.tolist()]


def lexicase_on_lists(errors: Errors) -> Callable[[int], list[int]]:
    """Return the textbook algorithm, DEAP's, on values read once into lists: a function of the number of events."""
    values = errors.tolist()
    cases = list(range(errors.shape[1]))

    def select(k: int) -> list[int]:
        chosen = []
        for _ in range(k):
            candidates = list(range(len(values)))
            random.shuffle(cases)
            for case in cases:
                best = min(values[candidate][case] for candidate in candidates)
                candidates = [candidate for candidate in candidates if values[candidate][case] == best]
                if len(candidates) == 1:
                    break
            chosen.append(random.choice(candidates))
        return chosen

    return select
