from functools import partial

import numpy as np
import pytest
from matrices import assert_distribution, small_matrix

from selection import BatchLexicase, Lexicase
from selection.oracles import enumerated_probabilities
from selection.reference import batch_survivors


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_has_the_enumerated_distribution(size):
    for seed in range(12):
        errors = small_matrix(seed)
        exact = enumerated_probabilities(errors, partial(batch_survivors, size=size))
        assert_distribution(BatchLexicase(size), errors, exact, draws=5000, seed=seed)


def test_batches_of_one_are_lexicase_and_one_batch_is_the_total_error():
    errors = small_matrix(6)
    assert_distribution(BatchLexicase(1), errors, Lexicase().probabilities(errors))
    chosen = BatchLexicase(99).select(errors, 100, np.random.default_rng(0))
    assert set(errors.sum(axis=1)[chosen]) == {errors.sum(axis=1).min()}


def test_small_portions_have_the_same_distribution(monkeypatch):
    monkeypatch.setattr("selection.ordered._PAIRS_AT_ONCE", 64)
    errors = small_matrix(2)
    exact = enumerated_probabilities(errors, partial(batch_survivors, size=2))
    assert_distribution(BatchLexicase(2), errors, exact, draws=5000)


def test_infinities_of_both_signs_count_as_the_worst():
    errors = np.array([[np.inf, -np.inf], [5.0, 5.0]])
    np.testing.assert_array_equal(BatchLexicase(2).select(errors, 20, np.random.default_rng(0)), np.ones(20))


def test_size_is_checked():
    with pytest.raises(ValueError, match="batch size is 0"):
        BatchLexicase(0)
