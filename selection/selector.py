"""What a selector is, what it may be told beside the errors, and the one place where its input is checked."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Errors = NDArray[np.float64]
"""An error matrix `[N, T]`: one row an individual, one column a case; 0 is right, smaller is better."""

Indices = NDArray[np.int64]
"""Row numbers of selected individuals `[k]`, each in `[0, N)`; an individual may occur more than once."""

Probabilities = NDArray[np.float64]
"""The probability `[N]` that one selection event chooses each individual; sums to 1."""


@dataclasses.dataclass(frozen=True, eq=False)
class Context:
    """What a selector may use beside the errors. Every field is optional.

    Attributes:
        sizes: Size of each individual `[N]`, such as nodes, genes or characters; smaller is better.
        ages: Age of each individual's oldest ancestor `[N]`, in generations; smaller is better.
        costs: Cost of each individual `[N]`, such as seconds or tokens; smaller is better.
        behaviours: Behaviour descriptor of each individual `[N, B]`, for quality-diversity selection.
        case_weights: Weight of each case `[T]`, not negative, at least one of them positive.
        evaluated: Which errors were really measured `[N, T]`; the rows must be equal, and the columns that
            were not evaluated are left out of the selection.
    """

    sizes: NDArray[np.float64] | None = None
    ages: NDArray[np.float64] | None = None
    costs: NDArray[np.float64] | None = None
    behaviours: NDArray[np.float64] | None = None
    case_weights: NDArray[np.float64] | None = None
    evaluated: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                kind = np.bool_ if field.name == "evaluated" else np.float64
                # Lists and other numbers will do; a frozen dataclass is set this way.
                object.__setattr__(self, field.name, _as_numbers(value, kind, field.name))

    def require(self, field: str, user: str) -> NDArray[np.float64]:
        """Return a field that `user` cannot do without.

        Raises:
            ValueError: If the field was not given.
        """
        value: NDArray[np.float64] | None = getattr(self, field)
        if value is None:
            raise ValueError(f"{user} needs {field}, and none were given; pass context=Context({field}=...)")
        return value

    def rows(self, indices: Indices) -> Context:
        """Return the context of some of the individuals, in the order of `indices`."""
        fields = ("sizes", "ages", "costs", "behaviours", "evaluated")
        given = {field: getattr(self, field) for field in fields}
        return dataclasses.replace(
            self, **{field: value[indices] for field, value in given.items() if value is not None}
        )


class Selector(Protocol):
    """Chooses who goes on.

    A selector is a value without state: all that may differ between two calls comes in by the arguments.
    """

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals.

        Args:
            errors: Error matrix `[N, T]`, minimised. NaN counts as the worst error; infinities are in order.
                Without cases (`T = 0`) nobody is better than another.
            k: How many to choose; may be larger than `N`.
            rng: The only source of randomness.
            context: What else is known of the individuals and cases.

        Returns:
            Row numbers `int64[k]`.

        Raises:
            ValueError: If the input is malformed, or `k > 0` of nobody are asked for.
        """
        ...


@runtime_checkable
class ProbabilisticSelector(Selector, Protocol):
    """A selector whose `k` choices are independent draws from a distribution that can be computed."""

    def probabilities(self, errors: Errors, context: Context | None = None) -> Probabilities:
        """Return the exact probability `[N]` that one selection event chooses each individual.

        Raises:
            ValueError: If the input is malformed, or the computation would be too long.
        """
        ...


def validated(errors: ArrayLike, k: int, context: Context | None) -> tuple[Errors, Context]:
    """Check a selector's input, and bring it into the form that selection code may rely on.

    Args:
        errors: Error matrix `[N, T]`, anything numpy can read as numbers.
        k: How many individuals are asked for.
        context: Context of the individuals, or None.

    Returns:
        The evaluated columns of the errors, C-contiguous float64 with NaN replaced by infinity and -0 by 0 (never
        the caller's array, so it may be written to), and the context cut to the same columns.

    Raises:
        ValueError: Saying what was given, what is allowed, and what to do.
    """
    matrix = _as_matrix(errors)
    _check_count(k, len(matrix))
    context = Context() if context is None else context
    _check_context(context, *matrix.shape)
    if context.evaluated is not None and context.evaluated.size:
        columns = context.evaluated[0]
        weights = None if context.case_weights is None else context.case_weights[columns]
        context = dataclasses.replace(context, case_weights=weights, evaluated=None)
        matrix = matrix[:, columns]
    # Adding 0 copies, and turns -0.0 into 0.0, so that equal rows are equal bytes.
    matrix = np.add(matrix, 0.0, order="C")
    np.copyto(matrix, np.inf, where=np.isnan(matrix))
    return matrix, context


def _as_numbers(values: ArrayLike, kind: type[np.generic], name: str) -> NDArray[Any]:
    try:
        return np.asarray(values, dtype=kind)
    except (TypeError, ValueError) as problem:
        raise ValueError(
            f"{name} of type {type(values).__name__} are no array of numbers ({problem}); pass a numpy array"
        ) from problem


def _as_matrix(errors: ArrayLike) -> NDArray[np.float64]:
    matrix: NDArray[np.float64] = _as_numbers(errors, np.float64, "errors")
    if matrix.ndim != 2:
        raise ValueError(
            f"errors have shape {matrix.shape}; a selector takes a matrix [individuals, cases]: "
            "give one row an individual, with errors[:, np.newaxis] if there is a single error each"
        )
    return matrix


def _check_count(k: int, individuals: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise ValueError(f"k is {k!r}; it is the number of individuals to select, an integer of at least 0")
    if k > 0 and individuals == 0:
        raise ValueError(f"cannot select {k} of 0 individuals; pass at least one row of errors, or k=0")


def _check_context(context: Context, individuals: int, cases: int) -> None:
    for field in ("sizes", "ages", "costs"):
        _check_vector(getattr(context, field), field, individuals, "individual")
    _check_vector(context.case_weights, "case_weights", cases, "case")
    weights = context.case_weights
    if weights is not None and cases and (np.any(~(weights >= 0)) or not 0 < np.sum(weights) < np.inf):
        raise ValueError("case_weights must be finite and not negative, and at least one of them positive")
    behaviours = context.behaviours
    if behaviours is not None and (np.ndim(behaviours) != 2 or len(behaviours) != individuals):
        raise ValueError(
            f"behaviours have shape {np.shape(behaviours)}; give one row an individual, [{individuals}, descriptors]"
        )
    evaluated = context.evaluated
    if evaluated is None:
        return
    if np.shape(evaluated) != (individuals, cases):
        raise ValueError(
            f"the mask of evaluated cases has shape {np.shape(evaluated)}, and the errors {(individuals, cases)}; "
            "give one truth value an error"
        )
    unequal = np.flatnonzero((evaluated != evaluated[:1]).any(axis=1))
    if unequal.size:
        raise ValueError(
            f"individual {unequal[0]} was evaluated on other cases than individual 0, so their errors cannot be "
            "compared; evaluate everyone on the same cases (no early stop), or select within each cohort"
        )


def _check_vector(values: NDArray[np.float64] | None, name: str, length: int, of: str) -> None:
    if values is None:
        return
    if np.shape(values) != (length,):
        raise ValueError(f"{name} have shape {np.shape(values)}; give one number a {of}, [{length}]")
    if np.isnan(values).any():
        raise ValueError(f"{name} hold NaN; give a number for each {of} (infinity is allowed)")


def draw(probabilities: Probabilities, k: int, rng: np.random.Generator) -> Indices:
    """Draw `k` individuals independently from a distribution `[N]`; the numbers need not sum to 1 exactly."""
    upto = np.cumsum(probabilities)
    # A ticket is below the total, and finds the first whose cumulated probability exceeds it: never one of 0.
    tickets = rng.random(k) * upto[-1] if k else np.empty(0)
    places = np.searchsorted(upto, tickets, side="right")
    # Rounding may lift a ticket onto the total itself.
    last = int(np.flatnonzero(probabilities)[-1]) if k else 0
    chosen: Indices = np.minimum(places, last)
    return chosen
