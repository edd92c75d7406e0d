"""Error matrices and comparisons that several tests of selectors share."""

import numpy as np

from selection.oracles import sampling_distance_limit, total_variation


def small_matrix(seed):
    """At most 13 x 6, of many kinds: few or many values, clones, constant cases, hopeless individuals."""
    rng = np.random.default_rng(seed)
    individuals, cases = int(rng.integers(2, 14)), int(rng.integers(1, 7))
    values = (2, 3, 5, 40)[seed % 4]
    errors = rng.integers(0, values, (individuals, cases)).astype(float)
    if seed % 4 == 3:
        errors /= 8
    if seed % 3 == 0:
        errors[-1] = errors[0]
    if seed % 5 == 0:
        errors[:, 0] = 1.0
    if seed % 7 == 0:
        errors[0] = np.inf
    return errors


def medium_matrix(seed, individuals=30, cases=12):
    """Correlated errors of programs of different skill, with a quarter of clones."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(individuals, 3)) @ rng.normal(size=(3, cases))
    errors = np.maximum(0, np.round(2 * (latent + rng.normal(size=latent.shape))))
    clones = rng.integers(0, individuals, (2, individuals // 4))
    errors[clones[0]] = errors[clones[1]]
    return errors


def shares(chosen, individuals):
    return np.bincount(chosen, minlength=individuals) / len(chosen)


def assert_distribution(selector, errors, probabilities, draws=20_000, seed=0, context=None):
    chosen = selector.select(errors, draws, np.random.default_rng(seed), context)
    observed = shares(chosen, len(errors))
    assert np.all(observed[probabilities == 0] == 0)
    distance = total_variation(observed, probabilities)
    assert distance <= sampling_distance_limit(probabilities, draws)
