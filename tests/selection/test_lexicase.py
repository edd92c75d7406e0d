from functools import partial

import numpy as np
import pytest
from matrices import assert_distribution, medium_matrix, shares, small_matrix

from selection import Lexicase, Tournament
from selection.oracles import (
    enumerated_probabilities,
    lexicase_probabilities,
    sampling_distance_limit,
    total_variation,
)
from selection.reference import survivors


def test_choices_have_the_enumerated_distribution():
    for seed in range(20):
        errors = small_matrix(seed)
        assert_distribution(Lexicase(), errors, enumerated_probabilities(errors, survivors), seed=seed)


def test_choices_have_the_exact_distribution_on_larger_matrices():
    for seed in range(20):
        errors = medium_matrix(seed)
        assert_distribution(Lexicase(), errors, lexicase_probabilities(errors), draws=40_000, seed=seed)


def test_the_comparison_tells_another_selection_apart():
    errors = medium_matrix(0)
    exact = lexicase_probabilities(errors)
    chosen = Tournament().select(errors, 40_000, np.random.default_rng(0))
    assert total_variation(shares(chosen, len(errors)), exact) > 10 * sampling_distance_limit(exact, 40_000)


def test_agrees_with_the_literal_algorithm_on_a_matrix_beyond_counting():
    errors = medium_matrix(3, individuals=120, cases=80)
    rng = np.random.default_rng(0)
    literal = [rng.choice(survivors(errors, rng.permutation(80))) for _ in range(1500)]
    fast = Lexicase().select(errors, 40_000, rng)
    first, second = shares(literal, 120), shares(fast, 120)
    # The slow sample's own distance dominates; its distribution is taken from the large one.
    assert total_variation(first, second) < sampling_distance_limit(second, 1500)


def test_events_are_independent():
    """Equal neighbours occur as often as independent draws make them."""
    errors = medium_matrix(1)
    exact = lexicase_probabilities(errors)
    chosen = Lexicase().select(errors, 40_000, np.random.default_rng(1))
    expected = np.sum(exact**2)
    spread = np.sqrt(expected * (1 - expected) / 40_000)
    for lag in (1, 2, 7):
        observed = np.mean(chosen[lag:] == chosen[:-lag])
        assert abs(observed - expected) < 5 * spread


def test_a_specialist_is_chosen_in_spite_of_its_total():
    errors = np.array([[0.0, 90.0, 90.0], [1.0, 1.0, 1.0]])
    assert Lexicase().probabilities(errors) == pytest.approx([1 / 3, 2 / 3])


def test_clones_share_the_probability_of_one():
    errors = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    assert Lexicase().probabilities(errors) == pytest.approx([1 / 2, 1 / 6, 1 / 6, 1 / 6])


def test_more_events_than_fit_at_once(monkeypatch):
    monkeypatch.setattr("selection.filtering._PAIRS_AT_ONCE", 64)
    monkeypatch.setattr("selection.filtering._VALUES_AT_ONCE", 32)
    errors = medium_matrix(2)
    assert_distribution(Lexicase(), errors, lexicase_probabilities(errors), draws=1000)


@pytest.mark.parametrize("worthwhile", [0.0, 0.9])
def test_when_to_stop_drawing_blindly_does_not_change_the_distribution(monkeypatch, worthwhile):
    monkeypatch.setattr("selection.filtering._WORTHWHILE", worthwhile)
    errors = medium_matrix(4) if worthwhile else np.minimum(medium_matrix(4)[:, :6], 1)
    assert_distribution(Lexicase(), errors, lexicase_probabilities(errors), draws=5000)


def test_many_candidates_are_reduced_alike(monkeypatch):
    monkeypatch.setattr("selection.filtering._FEW", 1)
    errors = medium_matrix(5)
    assert_distribution(Lexicase(), errors, lexicase_probabilities(errors))


def test_probabilities_refuse_what_takes_too_long():
    errors = np.random.default_rng(0).integers(0, 2, (60, 200)).astype(float)
    with pytest.raises(ValueError, match=r"more than 500 sets .* raise most_sets"):
        lexicase_probabilities(errors, most_sets=500)


def test_numba_has_the_same_distribution():
    pytest.importorskip("numba", reason="numba, the optional engine, is not installed")
    compiled = Lexicase(engine="numba")
    for seed in range(20):
        errors = small_matrix(seed)
        assert_distribution(compiled, errors, enumerated_probabilities(errors, survivors), seed=seed)
        errors = medium_matrix(seed)
        assert_distribution(compiled, errors, lexicase_probabilities(errors), draws=40_000, seed=seed)


def test_engine_is_checked(monkeypatch):
    with pytest.raises(ValueError, match="use 'numpy' or 'numba'"):
        Lexicase(engine="cupy")
    monkeypatch.setattr("importlib.util.find_spec", partial(lambda result, name: result, None))
    with pytest.raises(ValueError, match="pip install numba"):
        Lexicase(engine="numba")
