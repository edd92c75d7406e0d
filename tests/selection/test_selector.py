import subprocess
import sys

import numpy as np
import pytest

from selection import SELECTORS, Context
from selection.selector import draw, validated


def test_validated_copies_and_cleans():
    errors = np.array([[np.nan, -0.0], [1.0, -np.inf]])
    clean, context = validated(errors, 1, None)
    np.testing.assert_array_equal(clean, [[np.inf, 0.0], [1.0, -np.inf]])
    assert not np.signbit(clean[0, 1])
    assert not np.shares_memory(clean, errors)
    assert context.evaluated is None


@pytest.mark.parametrize("columns", [[0, 2], [1], []])
def test_validated_cuts_to_the_evaluated_cases(columns):
    mask = np.zeros((2, 3), dtype=bool)
    mask[:, columns] = True
    errors = np.arange(6.0).reshape(2, 3)
    clean, context = validated(errors, 1, Context(case_weights=np.array([1.0, 2.0, 3.0]), evaluated=mask))
    np.testing.assert_array_equal(clean, errors[:, columns])
    np.testing.assert_array_equal(context.case_weights, np.array([1.0, 2.0, 3.0])[columns])
    assert clean.flags.c_contiguous


@pytest.mark.parametrize(
    ("errors", "k", "context", "message"),
    [
        (np.ones(3), 1, None, r"shape \(3,\).*errors\[:, np.newaxis\]"),
        (np.ones((1, 2, 3)), 1, None, "takes a matrix"),
        ([["a", "b"]], 1, None, "no array of numbers"),
        ([[1.0, 2.0], [1.0]], 1, None, "no array of numbers"),
        (np.ones((2, 2)), -1, None, "k is -1"),
        (np.ones((2, 2)), 1.5, None, "k is 1.5"),
        (np.ones((2, 2)), True, None, "k is True"),
        (np.ones((0, 2)), 1, None, "cannot select 1 of 0 individuals"),
        (np.ones((2, 2)), 1, Context(sizes=np.ones(3)), r"sizes have shape \(3,\).*number a individual, \[2\]"),
        (np.ones((2, 2)), 1, Context(ages=np.array([1.0, np.nan])), "ages hold NaN"),
        (np.ones((2, 3)), 1, Context(case_weights=np.ones(2)), r"case_weights have shape \(2,\)"),
        (np.ones((2, 2)), 1, Context(case_weights=np.zeros(2)), "at least one of them positive"),
        (np.ones((2, 2)), 1, Context(case_weights=np.array([1.0, -1.0])), "not negative"),
        (np.ones((2, 2)), 1, Context(behaviours=np.ones(2)), "behaviours have shape"),
        (np.ones((2, 2)), 1, Context(evaluated=np.ones((2, 3), dtype=bool)), "mask of evaluated cases has shape"),
        (np.ones((2, 2)), 1, Context(evaluated=np.eye(2, dtype=bool)), "individual 1 was evaluated on other cases"),
    ],
)
def test_malformed_input_is_refused(errors, k, context, message):
    with pytest.raises(ValueError, match=message):
        validated(errors, k, context)


def test_a_context_takes_lists():
    context = Context(sizes=[3, 1], evaluated=[[1, 0], [1, 0]], case_weights=[1, 2])
    assert context.sizes.dtype == context.case_weights.dtype == np.float64
    clean, cut = validated([[1, 2], [3, 4]], 1, context)
    np.testing.assert_array_equal(clean, [[1.0], [3.0]])
    np.testing.assert_array_equal(cut.case_weights, [1.0])
    with pytest.raises(ValueError, match="sizes of type list are no array of numbers"):
        Context(sizes=["large"])


def test_context_of_some_individuals():
    context = Context(sizes=np.array([1.0, 2.0, 3.0]), case_weights=np.array([5.0]))
    part = context.rows(np.array([2, 0]))
    np.testing.assert_array_equal(part.sizes, [3.0, 1.0])
    np.testing.assert_array_equal(part.case_weights, [5.0])
    assert part.ages is None


def test_draw_never_takes_the_impossible():
    chosen = draw(np.array([0.0, 0.3, 0.0, 0.7, 0.0]), 10_000, np.random.default_rng(0))
    np.testing.assert_allclose(np.bincount(chosen, minlength=5) / 10_000, [0, 0.3, 0, 0.7, 0], atol=0.02)
    assert draw(np.array([1.0]), 0, np.random.default_rng(0)).shape == (0,)


def test_names_are_kebab_case_and_classes_documented():
    for name, kind in SELECTORS.items():
        assert name == name.lower().replace("_", "-")
        assert kind.__doc__
        assert "Source" in kind.__doc__ or name == "random"


def test_importing_needs_numpy_only():
    code = "import sys, selection; print([m for m in ('numba', 'deap', 'scipy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
