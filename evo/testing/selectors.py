"""The contract of selectors."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evo.testing.contract import check_rules, refusal, require
from selection.oracles import sampling_distance_limit, total_variation
from selection.selector import Context, Errors, Indices, ProbabilisticSelector, Probabilities, Selector

_DRAWS = 20_000
_EVENTS = 400
_EVENTS_OF_A_RANKING = 100


def check_selector(
    make: Callable[[], Selector],
    *,
    seeds: Sequence[int] = (0, 1, 2),
    fair: bool = True,
    guided: bool = True,
    oracle: Callable[[Errors], Probabilities] | None = None,
) -> None:
    """Check that a selector does what every selector must do.

    Args:
        make: Makes the selector, such as its class.
        seeds: Of the random generators that it is given.
        fair: Whether individuals of equal errors are equally likely; False for one that takes the first of equals.
        guided: Whether smaller errors are preferred; False for a control arm.
        oracle: The exact distribution `[N]` of one choice, for a selector that has no method ``probabilities``.

    Raises:
        AssertionError: If it does not; one line a broken rule.

    Example:
        >>> from selection import Tournament
        >>> check_selector(lambda: Tournament(size=3))
    """
    check_rules("selector", _RULES, _Subject(make, tuple(seeds), fair, guided, oracle))


def error_matrices() -> dict[str, Errors]:
    """Error matrices of every kind that a selector may meet, by a name that says what is special about them."""
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 4, (12, 6)).astype(float)
    failed = np.where(rng.random(whole.shape) < 0.3, np.inf, whole)
    unknown = np.where(rng.random(whole.shape) < 0.3, np.nan, whole)
    return {
        "integers": whole,
        "reals": rng.random((12, 6)),
        "clones": whole[rng.integers(0, 3, 12)],
        "all equal": np.ones((12, 6)),
        "one constant case": np.column_stack([whole, np.full(12, 3.0)]),
        "no cases": np.empty((12, 0)),
        "one case": whole[:, :1],
        "one individual": whole[:1],
        "one individual, no cases": np.empty((1, 0)),
        "infinities": failed,
        "all infinite": np.full((12, 6), np.inf),
        "NaN": unknown,
        "all NaN": np.full((12, 6), np.nan),
        "tiny and huge": whole * 10.0 ** rng.integers(-300, 300, (12, 6)),
        "binary": (whole > 1).astype(float),
        "beyond 255": whole * 90,
        "beyond 65535": whole * 30_000,
    }


def full_context(individuals: int, cases: int) -> Context:
    """A context in which every field is given, and tells individuals apart."""
    rng = np.random.default_rng(0)
    return Context(
        sizes=rng.integers(1, 9, individuals).astype(float),
        ages=rng.integers(0, 5, individuals).astype(float),
        costs=rng.random(individuals),
        behaviours=rng.random((individuals, 2)),
        case_weights=rng.random(cases) + 0.1,
        evaluated=np.ones((individuals, cases), dtype=bool),
    )


def level_context(individuals: int, cases: int) -> Context:
    """A context in which every field is given, and all individuals are alike."""
    alike = np.ones(individuals)
    return Context(alike, alike, alike, np.ones((individuals, 2)), np.ones(cases))


@dataclasses.dataclass(frozen=True)
class _Subject:
    make: Callable[[], Selector]
    seeds: tuple[int, ...]
    fair: bool
    guided: bool
    oracle: Callable[[Errors], Probabilities] | None

    def chosen(self, errors: Errors, k: int, seed: int, context: Context | None = None) -> Indices:
        """What a fresh selector chooses."""
        context = full_context(*errors.shape) if context is None else context
        return self.make().select(errors, k, np.random.default_rng(seed), context)

    def counts(self, errors: Errors, events: int) -> NDArray[np.int64]:
        """How often each individual is chosen, in events of a generator each, where nothing but errors differs."""
        context = level_context(*errors.shape)
        selector = self.make()
        chosen = [
            int(selector.select(errors, 1, np.random.default_rng([seed, event]), context)[0])
            for seed in self.seeds
            for event in range(events // len(self.seeds))
        ]
        return np.bincount(chosen, minlength=len(errors))


def _returns_row_numbers(subject: _Subject) -> None:
    """A selector returns k row numbers, as an int64 array."""
    for name, errors in error_matrices().items():
        for k in (0, 1, 5, 40):
            chosen = subject.chosen(errors, k, subject.seeds[0])
            where = f"Asked for k={k} of {len(errors)} individuals of the matrix {name!r}, it"
            kind = chosen.dtype if isinstance(chosen, np.ndarray) else type(chosen).__name__
            require(kind == np.int64, f"{where} returned {kind}.")
            require(chosen.shape == (k,), f"{where} returned an array of shape {chosen.shape}, instead of ({k},).")
            outside = chosen[(chosen < 0) | (chosen >= len(errors))]
            require(not outside.size, f"{where} returned {outside[:1]}, which is outside of [0, {len(errors)}).")


def _is_deterministic(subject: _Subject) -> None:
    """The same errors and the same generator give the same choice."""
    for name, errors in error_matrices().items():
        for seed in subject.seeds:
            first, second = subject.chosen(errors, 30, seed), subject.chosen(errors, 30, seed)
            require(_equal(first, second), f"It is not deterministic: on {name!r}, {_differ(first, second)}.")


def _keeps_nothing(subject: _Subject) -> None:
    """A selector keeps nothing from one call to the next."""
    matrices = error_matrices()
    selector = subject.make()
    for errors in matrices.values():
        selector.select(errors, 9, np.random.default_rng(subject.seeds[0]), full_context(*errors.shape))
    for name in ("integers", "clones", "infinities"):
        errors = matrices[name]
        used = selector.select(errors, 30, np.random.default_rng(subject.seeds[0]), full_context(*errors.shape))
        fresh = subject.chosen(errors, 30, subject.seeds[0])
        require(_equal(used, fresh), f"On {name!r}, it chooses otherwise after calls: {_differ(fresh, used)}.")


def _leaves_input_alone(subject: _Subject) -> None:
    """A selector does not change what it is given."""
    for name, errors in error_matrices().items():
        context = full_context(*errors.shape)
        before, context_before = errors.copy(), copy.deepcopy(vars(context))
        subject.chosen(errors, 9, subject.seeds[0], context)
        require(
            np.array_equal(errors, before, equal_nan=True),
            f"It wrote into the errors of the matrix {name!r}: copy them.",
        )
        for field, value in context_before.items():
            same = np.array_equal(getattr(context, field), value)
            require(same, f"It wrote into context.{field}, with the matrix {name!r}: copy it.")


def _nan_is_worst(subject: _Subject) -> None:
    """NaN counts as the worst error, like infinity."""
    errors = error_matrices()["NaN"]
    worst = np.where(np.isnan(errors), np.inf, errors)
    for seed in subject.seeds:
        first, second = subject.chosen(errors, 50, seed), subject.chosen(worst, 50, seed)
        require(
            _equal(first, second),
            f"With infinity in the place of NaN it chooses otherwise: {_differ(first, second)}. "
            "selection.selector.validated() replaces NaN.",
        )


def _layout_does_not_matter(subject: _Subject) -> None:
    """Equal numbers give equal choices, in whatever order they lie in memory, and -0 is 0."""
    errors = error_matrices()["integers"]
    forms = {"columns first": np.asfortranarray(errors), "-0 for 0": np.where(errors == 0, -0.0, errors)}
    for seed in subject.seeds:
        expected = subject.chosen(errors, 30, seed)
        for name, same in forms.items():
            chosen = subject.chosen(same, 30, seed)
            require(_equal(chosen, expected), f"With {name} it chooses otherwise: {_differ(expected, chosen)}.")


def _unevaluated_cases_are_left_out(subject: _Subject) -> None:
    """Cases that were not evaluated (context.evaluated) do not matter."""
    errors = error_matrices()["integers"]
    full = full_context(*errors.shape)
    columns = [0, 2, 5]
    evaluated = np.zeros(errors.shape, dtype=bool)
    evaluated[:, columns] = True
    assert full.case_weights is not None
    masked = dataclasses.replace(full, evaluated=evaluated)
    cut = dataclasses.replace(full, evaluated=None, case_weights=full.case_weights[columns])
    for seed in subject.seeds:
        first = subject.chosen(np.where(evaluated, errors, np.nan), 30, seed, masked)
        second = subject.chosen(errors[:, columns], 30, seed, cut)
        require(
            _equal(first, second),
            f"Masked, and cut out of the matrix, it chooses otherwise: {_differ(first, second)}. "
            "selection.selector.validated() leaves them out.",
        )


def _refuses_what_cannot_be_compared(subject: _Subject) -> None:
    """Rows that were evaluated on different cases are refused, and so is a choice among nobody."""
    errors = error_matrices()["integers"]
    mask = np.ones(errors.shape, dtype=bool)
    mask[4, 2] = False
    hint = "(selection.selector.validated() does that)"
    with refusal(f"Rows with unequal masks {hint}"):
        subject.chosen(errors, 3, 0, dataclasses.replace(full_context(*errors.shape), evaluated=mask))
    nobody = np.empty((0, 6))
    with refusal(f"k=3 of nobody {hint}"):
        subject.chosen(nobody, 3, 0)
    chosen = np.shape(subject.chosen(nobody, 0, 0))
    require(chosen == (0,), f"k=0 of nobody must be an empty array, and is one of shape {chosen}.")


def _equals_are_equally_likely(subject: _Subject) -> None:
    """Individuals of equal errors are chosen equally often, wherever they stand (unless fair=False)."""
    if not subject.fair:
        return
    three = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]])
    for name, errors in {"all equal": np.ones((6, 4)), "each three times": np.tile(three, (3, 1))}.items():
        counts = subject.counts(errors, _EVENTS)
        for row in np.unique(errors, axis=0):
            alike = counts[(errors == row).all(axis=1)]
            if alike.sum() >= _EVENTS // 10:
                uniform = np.full(len(alike), 1 / len(alike))
                distance = total_variation(alike / alike.sum(), uniform)
                require(
                    distance <= sampling_distance_limit(uniform, int(alike.sum())),
                    f"On {name!r}, equal individuals were chosen {alike.tolist()} times: it is biased by their place. "
                    "If that is meant, say fair=False.",
                )


def _better_is_likelier(subject: _Subject) -> None:
    """An individual better than all others on every case is chosen more often than the worst (unless guided=False)."""
    if not subject.guided:
        return
    errors = np.random.default_rng(subject.seeds[0]).integers(1, 9, (8, 5)).astype(float)
    for best, worst in ((0, 7), (7, 0)):
        ranked = errors.copy()
        ranked[best], ranked[worst] = 0.0, 10.0
        counts = subject.counts(ranked, _EVENTS_OF_A_RANKING)
        require(
            bool(counts[best] > counts[worst]),
            f"Of {counts.sum()} choices, {counts[best]} fell on the best and {counts[worst]} on the worst: errors are "
            "minimised. If that is meant, say guided=False.",
        )


def _probabilities_are_true(subject: _Subject) -> None:
    """The method probabilities(), or the oracle given, tells how often each individual is chosen."""
    matrices = error_matrices()
    for name in ("integers", "clones", "binary", "infinities", "no cases", "one individual", "all infinite"):
        errors = matrices[name]
        for source, probabilities in _distributions(subject, errors):
            require(
                probabilities.shape == (len(errors),)
                and bool(probabilities.min() >= 0)
                and abs(float(probabilities.sum()) - 1) < 1e-9,
                f"On {name!r}, {source} is no distribution over {len(errors)} individuals: {probabilities}.",
            )
            for seed in subject.seeds:
                chosen = subject.chosen(errors, _DRAWS, seed)
                observed = np.bincount(chosen, minlength=len(errors)) / _DRAWS
                never = np.flatnonzero((probabilities == 0) & (observed > 0))
                require(not never.size, f"On {name!r}, it chose {never.tolist()}, whose probability by {source} is 0.")
                distance = total_variation(observed, probabilities)
                limit = sampling_distance_limit(probabilities, _DRAWS)
                require(
                    distance <= limit,
                    f"On {name!r}, its choices are {distance:.3f} from the distribution by {source} (total variation "
                    f"distance; {limit:.3f} is chance): it is biased, or its choices are not independent.",
                )


def _a_search_improves(subject: _Subject) -> None:
    """A search on bit strings, in which each case is a bit, gets better (unless guided=False)."""
    rng = np.random.default_rng(subject.seeds[0])
    selector = subject.make()
    bits = rng.random((40, 32)) < 0.5
    ages = np.zeros(40)
    start = best = int((~bits).sum(axis=1).min())
    for _ in range(40):
        context = Context(
            sizes=bits.sum(axis=1).astype(float),
            ages=ages,
            costs=np.ones(40),
            behaviours=np.column_stack([bits[:, :16].mean(axis=1), bits[:, 16:].mean(axis=1)]),
            case_weights=np.ones(32),
        )
        parents = np.repeat(selector.select((~bits).astype(float), 20, rng, context), 2)
        bits = bits[parents] ^ (rng.random((40, 32)) < 0.03)
        ages = ages[parents] + 1
        best = min(best, int((~bits).sum(axis=1).min()))
    require(
        best < start or not subject.guided,
        f"After 40 generations the best string has {best} wrong bits, and had {start} at the start.",
    )


_RULES = (
    _returns_row_numbers,
    _is_deterministic,
    _keeps_nothing,
    _leaves_input_alone,
    _nan_is_worst,
    _layout_does_not_matter,
    _unevaluated_cases_are_left_out,
    _refuses_what_cannot_be_compared,
    _equals_are_equally_likely,
    _better_is_likelier,
    _probabilities_are_true,
    _a_search_improves,
)


def _distributions(subject: _Subject, errors: Errors) -> Iterator[tuple[str, Probabilities]]:
    selector = subject.make()
    if isinstance(selector, ProbabilisticSelector):
        # A ValueError is its way to say that the computation would be too long.
        with contextlib.suppress(ValueError):
            yield "probabilities()", selector.probabilities(errors, full_context(*errors.shape))
    if subject.oracle is not None:
        yield "the oracle", subject.oracle(errors)


def _equal(first: Indices, second: Indices) -> bool:
    return np.array_equal(first, second)


def _differ(first: Indices, second: Indices) -> str:
    return f"it chose {_shown(first)} and then {_shown(second)}"


def _shown(chosen: Indices) -> str:
    return f"[{', '.join(map(str, np.asarray(chosen)[:8].tolist()))}, ...]"
