"""What each case sampler does beyond its contract."""

import numpy as np
import pytest

from selection import (
    SAMPLERS,
    CohortSampling,
    Context,
    InformedDownSampling,
    Lexicase,
    RandomDownSampling,
    evaluation_mask,
    select_in_cohorts,
)
from selection.sampler import Cohort


@pytest.fixture(params=sorted(SAMPLERS))
def sampler(request):
    return SAMPLERS[request.param]()


def test_executions_are_really_saved(sampler):
    mask = evaluation_mask(sampler.cohorts(50, 40, np.random.default_rng(0)), 50, 40)
    assert mask.sum() == 50 * 40 / 10


def test_other_samples_over_time(sampler):
    rng = np.random.default_rng(1)
    masks = [evaluation_mask(sampler.cohorts(20, 40, rng), 20, 40) for _ in range(2)]
    assert (masks[0] != masks[1]).any()


def test_a_search_with_the_sampler_solves_its_problem_with_a_fifth_of_the_executions(sampler):
    """Bit strings, each case a bit; errors that were not executed are poisoned."""
    rng = np.random.default_rng(5)
    bits = rng.random((60, 30)) < 0.5
    executions = 0
    for generation in range(120):
        errors = (~bits).astype(float)
        probed = sampler.probe(generation, 60, rng)
        sampler.observe(errors[probed])
        cohorts = sampler.cohorts(60, 30, rng)
        mask = evaluation_mask(cohorts, 60, 30)
        executions += mask.sum() + len(probed) * 30
        parents = select_in_cohorts(
            Lexicase(), np.where(mask, errors, np.nan), cohorts, 60, rng, Context(evaluated=mask)
        )
        bits = bits[parents] ^ (rng.random((60, 30)) < 0.01)
    assert bits.mean() > 0.75
    assert executions < 0.2 * 120 * 60 * 30


def test_rates():
    rng = np.random.default_rng(0)
    for rate, size in [(0.05, 10), (0.001, 1), (1.0, 200), (0.5, 100)]:
        for kind in (RandomDownSampling, InformedDownSampling):
            assert len(kind(rate).cohorts(4, 200, rng)[0].cases) == size
    for rate in (0.0, 1.1, float("nan")):
        for kind in (RandomDownSampling, InformedDownSampling):
            with pytest.raises(ValueError, match="rate is"):
                kind(rate)


def test_cohorts_cover_every_case_once():
    cohorts = CohortSampling(4).cohorts(10, 22, np.random.default_rng(0))
    assert sorted(len(cohort.individuals) for cohort in cohorts) == [2, 2, 3, 3]
    np.testing.assert_array_equal(np.sort(np.concatenate([c.cases for c in cohorts])), np.arange(22))
    with pytest.raises(ValueError, match="count is 0"):
        CohortSampling(0)


def test_informed_sample_takes_one_case_of_each_kind():
    """Cases 0-9, 10-19 and 20-29 are each solved by the same probed individuals."""
    solved = np.repeat(np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0]]), 10, axis=1)
    sampler = InformedDownSampling(rate=0.1)
    sampler.observe(1.0 - solved)
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert sorted(sampler.cohorts(5, 30, rng)[0].cases // 10) == [0, 1, 2]


def test_informed_sample_goes_farthest_first():
    # Distances: 0-1 is 1, 0-2 is 4, 1-2 is 3.
    solved = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]])
    sampler = InformedDownSampling(rate=2 / 3)
    sampler.observe(1.0 - solved)
    samples = {tuple(sampler.cohorts(1, 3, np.random.default_rng(seed))[0].cases) for seed in range(40)}
    assert samples == {(0, 2), (1, 2)}


def test_informed_probes_now_and_then():
    sampler = InformedDownSampling(probes=7, interval=5)
    rng = np.random.default_rng(0)
    assert [len(sampler.probe(generation, 50, rng)) for generation in range(7)] == [7, 0, 0, 0, 0, 7, 0]
    np.testing.assert_array_equal(sampler.probe(0, 3, rng), [0, 1, 2])
    with pytest.raises(ValueError, match="probes and interval"):
        InformedDownSampling(interval=0)
    sampler.observe(np.ones((2, 6)))
    with pytest.raises(ValueError, match="6 cases were observed, and a sample of 8"):
        sampler.cohorts(5, 8, rng)


def test_selection_in_cohorts_stays_inside_and_shares_fairly():
    cohorts = (Cohort(np.arange(0, 30), np.arange(0, 3)), Cohort(np.arange(30, 40), np.arange(3, 5)))
    errors = np.random.default_rng(0).random((40, 5))
    mask = evaluation_mask(cohorts, 40, 5)
    poisoned = np.where(mask, errors, np.nan)
    rng = np.random.default_rng(1)
    for k in (0, 1, 4, 7, 40, 100):
        chosen = select_in_cohorts(Lexicase(), poisoned, cohorts, k, rng, Context(evaluated=mask))
        assert chosen.shape == (k,)
        assert abs(np.count_nonzero(chosen < 30) - 0.75 * k) < 1
    best = [errors[:30, case].argmin() for case in range(3)] + [30 + errors[30:, case].argmin() for case in (3, 4)]
    assert set(select_in_cohorts(Lexicase(), poisoned, cohorts, 400, rng)) == set(best)
    with pytest.raises(ValueError, match="the cohorts have no individuals"):
        select_in_cohorts(Lexicase(), np.empty((0, 5)), (Cohort(np.arange(0), np.arange(5)),), 1, rng)


def test_selection_in_cohorts_refuses_what_was_not_evaluated():
    cohorts = (Cohort(np.arange(4), np.arange(3)),)
    mask = np.ones((4, 3), dtype=bool)
    mask[2, 1] = False
    with pytest.raises(ValueError, match="individual 2 was evaluated on other cases"):
        select_in_cohorts(Lexicase(), np.ones((4, 3)), cohorts, 2, np.random.default_rng(0), Context(evaluated=mask))
