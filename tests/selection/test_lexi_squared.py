import numpy as np
import pytest
from matrices import assert_distribution, medium_matrix

from selection import Context, Lexicase, LexiSquared
from selection.oracles import lexicase_probabilities


def test_size_decides_between_equals_only():
    errors = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    context = Context(sizes=np.array([5.0, 3.0, 99.0, 3.0]))
    assert_distribution(LexiSquared(), errors, np.array([0, 0.25, 0.5, 0.25]), context=context)


def test_as_last_case_classes_keep_their_probability():
    errors = medium_matrix(0)
    sizes = np.random.default_rng(0).integers(1, 4, len(errors)).astype(float)
    exact = Lexicase().probabilities(errors)
    expected = np.zeros(len(errors))
    for row in np.unique(errors, axis=0):
        members = np.flatnonzero((errors == row).all(axis=1))
        smallest = members[sizes[members] == sizes[members].min()]
        expected[smallest] = exact[members].sum() / len(smallest)
    assert_distribution(LexiSquared(), errors, expected, context=Context(sizes=sizes))


def test_shuffled_size_is_one_more_case():
    errors = medium_matrix(1)
    sizes = np.random.default_rng(1).integers(1, 4, len(errors)).astype(float)
    exact = lexicase_probabilities(np.column_stack([errors, sizes]))
    assert_distribution(LexiSquared("shuffled"), errors, exact, context=Context(sizes=sizes))


def test_sizes_are_needed_and_options_checked():
    with pytest.raises(ValueError, match=r"needs sizes.*Context\(sizes="):
        LexiSquared().select(np.ones((2, 2)), 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="use 'last' or 'shuffled'"):
        LexiSquared("first")
