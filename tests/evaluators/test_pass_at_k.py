"""pass@k against its definition, and the bootstrap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.pass_at_k import bootstrap_interval, mean_pass_at_k, pass_at_k


@st.composite
def counts(draw):
    samples = draw(st.integers(1, 300))
    return samples, draw(st.integers(0, samples)), draw(st.integers(1, samples))


@given(counts())
def test_it_is_the_share_of_draws_with_a_correct_sample(numbers):
    samples, correct, k = numbers
    exact = 1 - math.comb(samples - correct, k) / math.comb(samples, k)
    assert pass_at_k(samples, correct, k) == pytest.approx(exact, abs=1e-12)


@given(counts())
def test_more_correct_samples_or_a_larger_k_never_lower_it(numbers):
    samples, correct, k = numbers
    value = pass_at_k(samples, correct, k)
    assert 0 <= value <= 1
    assert correct == samples or pass_at_k(samples, correct + 1, k) >= value
    assert k == samples or pass_at_k(samples, correct, k + 1) >= value - 1e-12
    assert (value == 0) == (correct == 0)


def test_pass_at_1_is_the_share_of_correct_samples():
    assert pass_at_k(10, 3, 1) == pytest.approx(0.3)
    assert pass_at_k(5, 5, 5) == 1.0
    assert pass_at_k(200, 1, 100) == pytest.approx(0.5)
    assert pass_at_k(100_000, 1, 1) == pytest.approx(1e-5, rel=1e-9)


def test_it_is_unbiased_where_the_plug_in_estimate_is_not():
    rng, k, right = np.random.default_rng(0), 5, 0.2
    drawn = rng.binomial(10, right, size=20_000)
    truth = 1 - (1 - right) ** k
    assert np.mean([pass_at_k(10, int(correct), k) for correct in drawn]) == pytest.approx(truth, abs=0.01)
    assert np.mean(1 - (1 - drawn / 10) ** k) < truth - 0.03


@pytest.mark.parametrize("numbers", [(0, 0, 1), (3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_what_is_not_defined_is_refused(numbers):
    with pytest.raises(ValueError, match="must be"):
        pass_at_k(*numbers)


def test_mean_over_tasks():
    assert mean_pass_at_k([(2, 1), (4, 4), (1, 0)], 1) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="not defined"):
        mean_pass_at_k([(2, 1), (1, 1)], 2)
    with pytest.raises(ValueError, match="no tasks"):
        mean_pass_at_k([], 1)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(0, 9))
def test_a_bootstrap_interval_lies_between_the_extremes(values, seed):
    interval = bootstrap_interval(values, np.random.default_rng(seed), resamples=200)
    assert min(values) - 1e-12 <= interval.low <= interval.high <= max(values) + 1e-12
    assert interval == bootstrap_interval(values, np.random.default_rng(seed), resamples=200)


def test_a_bootstrap_interval_is_as_wide_as_theory_says():
    values = [1.0] * 82 + [0.0] * 82
    interval = bootstrap_interval(values, np.random.default_rng(1))
    half = 1.96 * math.sqrt(0.25 / 164)
    assert interval.low == pytest.approx(0.5 - half, abs=0.01)
    assert interval.high == pytest.approx(0.5 + half, abs=0.01)
    narrow = bootstrap_interval(values, np.random.default_rng(1), confidence=0.5)
    assert interval.low < narrow.low < narrow.high < interval.high


@pytest.mark.parametrize("arguments", [([],), ([1.0], 1.0), ([1.0], 0.5, 0)])
def test_a_bootstrap_refuses_what_it_cannot_do(arguments):
    values, *rest = arguments
    with pytest.raises(ValueError, match=r"needs|must"):
        bootstrap_interval(values, np.random.default_rng(0), *rest)
