from functools import partial

import numpy as np
import pytest
from matrices import assert_distribution, medium_matrix, small_matrix

from selection import EpsilonLexicase, Lexicase
from selection.deviation import median_absolute_deviations
from selection.oracles import enumerated_probabilities, lexicase_probabilities
from selection.reference import survivors, within, within_own_deviation


def static_survivors(errors, order, tolerance):
    failed = errors > errors.min(axis=0) + tolerance
    return survivors(failed.astype(float), order)


def real_matrix(seed):
    rng = np.random.default_rng(seed)
    errors = np.abs(rng.normal(size=(int(rng.integers(3, 14)), int(rng.integers(1, 7)))))
    if seed % 3 == 0:
        errors[-1] = errors[0]
    if seed % 4 == 0:
        errors[0, 0] = np.inf
    return errors


MATRICES = [*map(small_matrix, range(12)), *map(real_matrix, range(12))]


def test_semi_dynamic_has_the_enumerated_distribution():
    for errors in MATRICES:
        rule = within(median_absolute_deviations(errors))
        exact = enumerated_probabilities(errors, partial(survivors, rule=rule))
        assert_distribution(EpsilonLexicase(), errors, exact)
        assert EpsilonLexicase().probabilities(errors) == pytest.approx(exact, abs=1e-12)


def test_static_has_the_enumerated_distribution():
    for errors in MATRICES:
        tolerance = median_absolute_deviations(errors)
        exact = enumerated_probabilities(errors, partial(static_survivors, tolerance=tolerance))
        assert_distribution(EpsilonLexicase("static"), errors, exact)
        assert EpsilonLexicase("static").probabilities(errors) == pytest.approx(exact, abs=1e-12)


def test_dynamic_has_the_enumerated_distribution():
    for errors in MATRICES:
        exact = enumerated_probabilities(errors, partial(survivors, rule=within_own_deviation))
        assert_distribution(EpsilonLexicase("dynamic"), errors, exact, draws=5000)


def test_fixed_epsilon_has_the_enumerated_distribution():
    for errors in MATRICES:
        rule = within(np.full(errors.shape[1], 0.5))
        exact = enumerated_probabilities(errors, partial(survivors, rule=rule))
        assert_distribution(EpsilonLexicase(epsilon=0.5), errors, exact)
        assert_distribution(EpsilonLexicase("dynamic", epsilon=0.5), errors, exact)


def test_the_three_variants_differ():
    errors = real_matrix(5)
    exact = [
        enumerated_probabilities(errors, partial(static_survivors, tolerance=median_absolute_deviations(errors))),
        enumerated_probabilities(errors, partial(survivors, rule=within(median_absolute_deviations(errors)))),
        enumerated_probabilities(errors, partial(survivors, rule=within_own_deviation)),
    ]
    for first in range(3):
        for second in range(first):
            assert np.abs(exact[first] - exact[second]).sum() > 0.05


def test_semi_dynamic_is_exact_on_larger_matrices():
    for seed in range(6):
        errors = medium_matrix(seed, cases=10) + np.random.default_rng(seed).random((30, 10))
        exact = lexicase_probabilities(errors, median_absolute_deviations(errors))
        assert_distribution(EpsilonLexicase(), errors, exact, draws=40_000)


def test_dynamic_in_small_portions_is_the_same_distribution(monkeypatch):
    monkeypatch.setattr("selection.ordered._PAIRS_AT_ONCE", 64)
    errors = real_matrix(7)
    exact = enumerated_probabilities(errors, partial(survivors, rule=within_own_deviation))
    assert_distribution(EpsilonLexicase("dynamic"), errors, exact, draws=1000)


def test_epsilon_zero_is_lexicase():
    errors = medium_matrix(2)
    for variant in ("static", "semi-dynamic", "dynamic"):
        selector = EpsilonLexicase(variant, epsilon=0)
        if variant == "static":
            # Static keeps all candidates where none is among the population's best.
            assert selector.probabilities(np.minimum(errors, 1)) == pytest.approx(
                Lexicase().probabilities(np.minimum(errors, 1))
            )
        else:
            assert selector.probabilities(errors) == pytest.approx(Lexicase().probabilities(errors))


def test_numba_has_the_same_distribution():
    pytest.importorskip("numba", reason="numba, the optional engine, is not installed")
    for errors in MATRICES:
        for variant in ("static", "semi-dynamic"):
            exact = EpsilonLexicase(variant).probabilities(errors)
            assert_distribution(EpsilonLexicase(variant, engine="numba"), errors, exact)


def test_options_are_checked():
    with pytest.raises(ValueError, match="use 'static', 'semi-dynamic' or 'dynamic'"):
        EpsilonLexicase("semidynamic")
    for epsilon in (-1.0, float("nan"), float("inf"), "iqr"):
        with pytest.raises(ValueError, match="epsilon is"):
            EpsilonLexicase(epsilon=epsilon)
    with pytest.raises(ValueError, match="no numba engine"):
        EpsilonLexicase("dynamic", engine="numba")
