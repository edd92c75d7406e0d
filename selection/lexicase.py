"""Lexicase selection."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from selection.filtering import prepare, select_by_filtering
from selection.selector import Context, Errors, Indices, Probabilities, validated

Engine = Literal["numpy", "numba"]


@dataclasses.dataclass(frozen=True)
class Lexicase:
    """Lexicase selection: for each parent, filter the population by one case after another, in random order.

    Each case keeps only those with the smallest error among the ones still there, until one individual (or one
    error vector) is left; of equal ones a random one is taken. The events are exact and independent. How they are
    run fast is told in `selection.filtering`.

    Source: Spector 2012, "Assessment of problem modality by differential performance of lexicase selection in
    genetic programming"; Helmuth, Spector, Matheson 2015, "Solving uncompromising problems with lexicase
    selection", IEEE Transactions on Evolutionary Computation 19(5).

    Attributes:
        engine: "numpy", or "numba" for compiled code if numba is installed. Both have the same distribution, but
            equal seeds give different choices, so an engine is never chosen for you.

    Raises:
        ValueError: If the engine is unknown, or not installed.
    """

    engine: Engine = "numpy"

    def __post_init__(self) -> None:
        check_engine(self.engine)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        return select_within(errors, None, k, rng, self.engine)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return the exact probability `[N]` of each individual; see `selection.oracles`.

        Raises:
            ValueError: If the matrix is too large for that, or malformed.
        """
        from selection.oracles import lexicase_probabilities

        errors, context = validated(errors, 1, context)
        return lexicase_probabilities(errors)


def check_engine(engine: str) -> None:
    """Raise ValueError unless the engine is known and installed."""
    if engine not in ("numpy", "numba"):
        raise ValueError(f"engine is {engine!r}; use 'numpy' or 'numba'")
    if engine == "numba":
        from importlib.util import find_spec

        if find_spec("numba") is None:
            raise ValueError("engine is 'numba', which is not installed; pip install numba, or use 'numpy'")


def select_within(
    errors: Errors,
    tolerance: NDArray[np.float64] | None,
    k: int,
    rng: np.random.Generator,
    engine: Engine,
) -> Indices:
    """Run `k` events on validated errors, each case keeping those within its tolerance of the best candidate."""
    if k == 0:
        return np.empty(0, dtype=np.int64)
    problem = prepare(errors, tolerance)
    if problem is None:
        return rng.integers(0, len(errors), size=k)
    if engine == "numba":
        from selection.compiled import select_compiled

        return select_compiled(problem, k, rng)
    return select_by_filtering(problem, k, rng)
