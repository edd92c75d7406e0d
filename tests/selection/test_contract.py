"""What every selector of the table must do, whatever it selects by."""

import numpy as np
import pytest

from selection import SELECTORS, Context, ProbabilisticSelector
from selection.oracles import sampling_distance_limit, total_variation

RNG_SEED = 7
VARIANTS = [
    *[(name, {}) for name in sorted(SELECTORS)],
    ("epsilon-lexicase", {"variant": "static"}),
    ("epsilon-lexicase", {"variant": "dynamic"}),
    ("epsilon-lexicase", {"epsilon": 0.5}),
    ("lexi-squared", {"size_as": "shuffled"}),
    ("tournament", {"replacement": False}),
    ("tournament", {"by": "pass_rate"}),
    ("tournament", {"by": "weighted"}),
    ("truncation", {"by": "pass_rate"}),
    ("rank", {"by": "weighted"}),
    ("roulette", {"fitness": "adjusted"}),
    ("nsga2", {"objectives": ("error", "age", "cost"), "mode": "survival"}),
    ("age-fitness-pareto", {"mode": "survival"}),
    ("age-fitness-pareto", {"size": 4}),
    ("map-elites", {"bins": 3, "ranges": ((0.0, 1.0), (-1.0, 1.0))}),
    ("dalex", {"spread": 300.0}),
    ("plexicase", {"alpha": 2.0}),
    ("batch-lexicase", {"size": 100}),
    ("lexicase", {"engine": "numba"}),
    ("lexi-squared", {"engine": "numba"}),
    ("epsilon-lexicase", {"engine": "numba"}),
    ("epsilon-lexicase", {"engine": "numba", "variant": "static"}),
]


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join([variant[0], *map(str, variant[1].values())]))
def selector(request):
    name, options = request.param
    if options.get("engine") == "numba":
        pytest.importorskip("numba", reason="numba, the optional engine, is not installed")
    return SELECTORS[name](**options)


def context_of(individuals, cases, seed=0):
    rng = np.random.default_rng(seed)
    return Context(
        sizes=rng.integers(1, 9, individuals).astype(float),
        ages=rng.integers(0, 5, individuals).astype(float),
        costs=rng.random(individuals),
        behaviours=rng.random((individuals, 2)),
        case_weights=rng.random(cases) + 0.1,
        evaluated=np.ones((individuals, cases), dtype=bool),
    )


def matrices():
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 4, (12, 6)).astype(float)
    cloned = whole[rng.integers(0, 3, 12)]
    failed = whole.copy()
    failed[rng.random(whole.shape) < 0.3] = np.inf
    unknown = whole.copy()
    unknown[rng.random(whole.shape) < 0.3] = np.nan
    return {
        "integers": whole,
        "reals": rng.random((12, 6)),
        "clones": cloned,
        "all equal": np.ones((12, 6)),
        "one constant case": np.column_stack([whole, np.full(12, 3.0)]),
        "no cases": np.empty((12, 0)),
        "one case": whole[:, :1],
        "one individual": whole[:1],
        "one individual, no cases": np.empty((1, 0)),
        "infinities": failed,
        "all infinite": np.full((12, 6), np.inf),
        "nan": unknown,
        "all nan": np.full((12, 6), np.nan),
        "tiny and huge": whole * 10.0 ** rng.integers(-300, 300, (12, 6)),
        "binary": (whole > 1).astype(float),
        "beyond 255": whole * 90,
        "beyond 65535": whole * 30_000,
    }


@pytest.mark.parametrize("kind", sorted(matrices()))
@pytest.mark.filterwarnings("error")
def test_returns_row_numbers(selector, kind):
    errors = matrices()[kind]
    for k in (0, 1, 5, 40):
        chosen = selector.select(errors, k, np.random.default_rng(RNG_SEED), context_of(*errors.shape))
        assert chosen.dtype == np.int64
        assert chosen.shape == (k,)
        assert np.all((chosen >= 0) & (chosen < len(errors)))


@pytest.mark.parametrize("kind", ["integers", "nan", "infinities"])
def test_same_seed_same_choice_and_input_untouched(selector, kind):
    errors = matrices()[kind]
    context = context_of(*errors.shape)
    before = errors.copy()
    first = selector.select(errors, 30, np.random.default_rng(3), context)
    second = selector.select(errors, 30, np.random.default_rng(3), context)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(errors, before)


def test_global_generator_is_left_alone(selector):
    errors = matrices()["integers"]
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (the global state is the point)
    selector.select(errors, 9, np.random.default_rng(3), context_of(*errors.shape))
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_nan_is_the_worst_error(selector):
    errors = matrices()["nan"]
    worst = np.where(np.isnan(errors), np.inf, errors)
    context = context_of(*errors.shape)
    first = selector.select(errors, 50, np.random.default_rng(3), context)
    second = selector.select(worst, 50, np.random.default_rng(3), context)
    np.testing.assert_array_equal(first, second)


def test_memory_layout_and_number_type_do_not_matter(selector):
    errors = matrices()["integers"]
    context = context_of(*errors.shape)
    expected = selector.select(errors, 30, np.random.default_rng(3), context)
    for same in (np.asfortranarray(errors), errors.astype(np.int32), errors.tolist(), errors * 1.0 - 0.0):
        np.testing.assert_array_equal(expected, selector.select(same, 30, np.random.default_rng(3), context))


def test_negative_zero_is_zero(selector):
    errors = matrices()["integers"]
    context = context_of(*errors.shape)
    signed = np.where(errors == 0, -0.0, errors)
    np.testing.assert_array_equal(
        selector.select(errors, 30, np.random.default_rng(3), context),
        selector.select(signed, 30, np.random.default_rng(3), context),
    )


def test_cases_not_evaluated_are_left_out(selector):
    errors = matrices()["integers"]
    full = context_of(*errors.shape)
    evaluated = np.zeros(errors.shape, dtype=bool)
    evaluated[:, [0, 2, 5]] = True
    masked = Context(full.sizes, full.ages, full.costs, full.behaviours, full.case_weights, evaluated)
    cut = Context(full.sizes, full.ages, full.costs, full.behaviours, full.case_weights[[0, 2, 5]])
    np.testing.assert_array_equal(
        selector.select(np.where(evaluated, errors, np.nan), 30, np.random.default_rng(3), masked),
        selector.select(errors[:, [0, 2, 5]], 30, np.random.default_rng(3), cut),
    )


def test_refuses_unequal_masks_and_empty_populations(selector):
    errors = matrices()["integers"]
    context = context_of(*errors.shape)
    mask = np.ones(errors.shape, dtype=bool)
    mask[4, 2] = False
    uneven = Context(context.sizes, context.ages, context.costs, context.behaviours, context.case_weights, mask)
    with pytest.raises(ValueError, match="individual 4 was evaluated on other cases"):
        selector.select(errors, 3, np.random.default_rng(0), uneven)
    nobody = np.empty((0, 6))
    with pytest.raises(ValueError, match="cannot select 3 of 0 individuals"):
        selector.select(nobody, 3, np.random.default_rng(0), context_of(0, 6))
    assert selector.select(nobody, 0, np.random.default_rng(0), context_of(0, 6)).shape == (0,)


@pytest.mark.parametrize("kind", ["integers", "clones", "infinities", "no cases", "one individual", "all infinite"])
def test_probabilities_are_those_of_the_choices(selector, kind):
    if not isinstance(selector, ProbabilisticSelector):
        assert not hasattr(selector, "probabilities")
        return
    errors = matrices()[kind]
    context = context_of(*errors.shape)
    if getattr(selector, "variant", "") == "dynamic":
        with pytest.raises(ValueError, match="not computed"):
            selector.probabilities(errors, context)
        return
    probabilities = selector.probabilities(errors, context)
    assert probabilities.shape == (len(errors),)
    assert probabilities.min() >= 0
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    draws = 20_000
    chosen = selector.select(errors, draws, np.random.default_rng(11), context)
    observed = np.bincount(chosen, minlength=len(errors)) / draws
    assert np.all(observed[probabilities == 0] == 0)
    assert total_variation(observed, probabilities) <= sampling_distance_limit(probabilities, draws)


def test_a_scripted_search_makes_progress(selector):
    """Bit strings, each case a bit: forty generations of mutants must leave random strings behind."""
    rng = np.random.default_rng(5)
    bits = rng.random((40, 16)) < 0.5
    ages = np.zeros(40)
    start = best = (~bits).sum(axis=1).min()
    for _ in range(40):
        errors = (~bits).astype(float)
        context = Context(
            sizes=bits.sum(axis=1).astype(float),
            ages=ages,
            costs=np.ones(40),
            behaviours=np.column_stack([bits[:, :8].mean(axis=1), bits[:, 8:].mean(axis=1)]),
            case_weights=np.ones(16),
        )
        parents = selector.select(errors, 40, rng, context)
        bits = bits[parents] ^ (rng.random((40, 16)) < 0.03)
        ages = ages[parents] + 1
        best = min(best, (~bits).sum(axis=1).min())
    unguided = isinstance(selector, SELECTORS["random"])
    assert best < start or unguided
