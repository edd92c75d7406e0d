"""Epsilon-lexicase selection, for errors that are seldom exactly equal."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from selection.deviation import median_absolute_deviations
from selection.lexicase import Engine, check_engine, select_within
from selection.selector import Context, Errors, Indices, Probabilities, validated

Variant = Literal["static", "semi-dynamic", "dynamic"]


@dataclasses.dataclass(frozen=True)
class EpsilonLexicase:
    """Epsilon-lexicase selection: lexicase selection in which a case keeps those close to the best.

    The variants differ in where the best and the tolerance epsilon come from:

    - static: both from the population. A case then only says passed or failed, and where all candidates failed it
      keeps them all.
    - semi-dynamic: the best among the candidates still there, epsilon from the population.
    - dynamic: both from the candidates still there. By far the slowest: it needs the order of all cases.

    Source: La Cava, Spector, Danai 2016, "Epsilon-lexicase selection for regression", GECCO; La Cava, Helmuth,
    Spector, Moore 2019, "A probabilistic and multi-objective analysis of lexicase selection and epsilon-lexicase
    selection", Evolutionary Computation 27(3), arXiv 1709.05394.

    Attributes:
        variant: One of the three above.
        epsilon: "mad" for each case's median absolute deviation (of the finite errors), or a fixed number of at
            least 0, in errors. With a fixed number semi-dynamic and dynamic are the same.
        engine: As for `selection.lexicase.Lexicase`; the dynamic variant has numpy only.

    Raises:
        ValueError: If an option is out of its range.
    """

    variant: Variant = "semi-dynamic"
    epsilon: Literal["mad"] | float = "mad"
    engine: Engine = "numpy"

    def __post_init__(self) -> None:
        if self.variant not in ("static", "semi-dynamic", "dynamic"):
            raise ValueError(f"variant is {self.variant!r}; use 'static', 'semi-dynamic' or 'dynamic'")
        if self.epsilon != "mad" and (isinstance(self.epsilon, str) or not 0 <= self.epsilon < np.inf):
            raise ValueError(f"epsilon is {self.epsilon!r}; use 'mad', or a number of at least 0")
        if self._by_order and self.engine == "numba":
            raise ValueError("dynamic epsilon-lexicase with 'mad' has no numba engine; use engine='numpy'")
        check_engine(self.engine)

    @property
    def _by_order(self) -> bool:
        return self.variant == "dynamic" and self.epsilon == "mad"

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        if k == 0:
            return np.empty(0, dtype=np.int64)
        if self._by_order:
            from selection.ordered import select_dynamic

            return select_dynamic(errors, k, rng)
        return select_within(*self._problem(errors), k, rng, self.engine)

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return the exact probability `[N]` of each individual; see `selection.oracles`.

        Raises:
            ValueError: If the matrix is too large for that or malformed, or the variant is dynamic.
        """
        from selection.oracles import lexicase_probabilities

        if self._by_order:
            raise ValueError(
                "probabilities of dynamic epsilon-lexicase depend on the whole order of cases and are not computed; "
                "use oracles.enumerated_probabilities on a small matrix, or another variant"
            )
        errors, context = validated(errors, 1, context)
        return lexicase_probabilities(*self._problem(errors))

    def _problem(self, errors: Errors) -> tuple[Errors, NDArray[np.float64] | None]:
        """Return the errors and tolerances that lexicase filtering runs on."""
        if self.epsilon == "mad":
            epsilon = median_absolute_deviations(errors)
        else:
            epsilon = np.full(errors.shape[1], float(self.epsilon))
        if self.variant == "static":
            failed = errors > errors.min(axis=0) + epsilon
            return failed.astype(np.float64), None
        return errors, epsilon
