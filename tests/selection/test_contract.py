"""Every selector, case sampler and seed tree passes its contract, with all options that change what it does."""

import numpy as np
import pytest

from evo.testing import check_sampler, check_selector, check_tree
from selection import SAMPLERS, SELECTORS, TREES, Context
from selection.oracles import lexicase_probabilities

# What takes the first of equals, or prefers nobody, has to say so.
TERMS = {"truncation": {"fair": False}, "map-elites": {"fair": False}, "random": {"guided": False}}
SELECTOR_OPTIONS = [
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
TREE_OPTIONS = [
    *[(name, {}) for name in sorted(TREES)],
    ("mcts-explore", {"max_visits": 40}),
    ("mcts-explore", {"stop_probability": 1.0, "frequency_weight": 2.0}),
    ("exp3", {"gamma": 0.5, "alpha": 1.0}),
]


def named(variant):
    return "-".join([variant[0], *map(str, variant[1].values())])


@pytest.fixture(params=SELECTOR_OPTIONS, ids=named)
def make(request):
    name, options = request.param
    if options.get("engine") == "numba":
        pytest.importorskip("numba", reason="numba, the optional engine, is not installed")
    return lambda: SELECTORS[name](**options)


def test_every_selector_keeps_its_contract(make):
    name = next(name for name, kind in SELECTORS.items() if kind is type(make()))
    check_selector(make, seeds=(7,), **TERMS.get(name, {}))


def test_lexicase_keeps_its_contract_by_the_exact_oracle():
    check_selector(SELECTORS["lexicase"], oracle=lexicase_probabilities)


def test_lists_and_whole_numbers_will_do(make):
    errors = np.random.default_rng(1).integers(0, 4, (12, 6))
    ones = np.ones(12)
    context = Context(ones, ones, ones, np.ones((12, 2)), np.ones(6))
    expected = make().select(errors.astype(float), 30, np.random.default_rng(3), context)
    for same in (errors, errors.tolist()):
        np.testing.assert_array_equal(expected, make().select(same, 30, np.random.default_rng(3), context))


@pytest.mark.parametrize("name", sorted(SAMPLERS))
def test_every_sampler_keeps_its_contract(name):
    check_sampler(SAMPLERS[name])


@pytest.mark.parametrize("variant", TREE_OPTIONS, ids=named)
def test_every_tree_keeps_its_contract(variant):
    name, options = variant
    check_tree(lambda: TREES[name](**options))
