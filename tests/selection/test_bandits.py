import math

import numpy as np
import pytest

from selection import Exp3, RoundRobin, Ucb, UniformSeeds, Visit


def play(tree, chances, rounds, seed=0):
    rng = np.random.default_rng(seed)
    for _ in chances:
        tree.add()
    counts = np.zeros(len(chances))
    for _ in range(rounds):
        visit = tree.select(rng)
        counts[visit.seed] += 1
        tree.update(visit, float(rng.random() < chances[visit.seed]))
    return counts / rounds


@pytest.mark.parametrize("tree", [Ucb(0.5), Exp3(alpha=0.3)])
def test_the_best_seed_is_found(tree):
    shares = play(tree, [0.1, 0.2, 0.8, 0.3], 2000)
    assert shares[2] > 0.6


def test_uniform_seeds_do_not_learn():
    assert play(UniformSeeds(), [0.1, 0.9], 4000) == pytest.approx([0.5, 0.5], abs=0.03)


def test_ucb_follows_its_formula():
    tree = Ucb(exploration=0.7)
    rewards, visits = [0.0] * 3, [0] * 3
    for _ in range(3):
        tree.add()
    outcomes = np.random.default_rng(0)
    for step in range(1, 200):
        scores = [
            rewards[seed] / (visits[seed] + 1) + 0.7 * math.sqrt(2 * math.log(step) / (visits[seed] + 1))
            for seed in range(3)
        ]
        visit = tree.select(np.random.default_rng(0))
        assert visit.seed == scores.index(max(scores))
        reward = float(outcomes.random())
        visits[visit.seed] += 1
        rewards[visit.seed] += reward
        tree.update(visit, reward)


def test_exp3_follows_its_formula():
    tree = Exp3(gamma=0.1, alpha=2.0)
    weights = np.ones(3)
    for _ in range(3):
        tree.add()
    rng = np.random.default_rng(0)
    for _ in range(100):
        chances = 0.9 * weights / weights.sum() + 0.1 / 3
        visit = tree.select(rng)
        assert visit.probability == pytest.approx(chances[visit.seed])
        reward = float(rng.random())
        weights[visit.seed] *= math.exp(-2.0 * (1 - reward) / (chances[visit.seed] * 3))
        tree.update(visit, reward)


def test_exp3_selects_with_its_probabilities():
    tree = Exp3(gamma=0.2, alpha=1.0)
    tree.add()
    tree.add()
    tree.update(Visit(0, (0,), 0.5), 0.0)
    rng = np.random.default_rng(0)
    visits = [tree.select(rng) for _ in range(8000)]
    expected = next(visit.probability for visit in visits if visit.seed == 0)
    assert np.mean([visit.seed == 0 for visit in visits]) == pytest.approx(expected, abs=0.02)


def test_exp3_does_not_underflow_in_long_runs():
    tree = Exp3()
    for _ in range(3):
        tree.add()
    rng = np.random.default_rng(0)
    for _ in range(3000):
        visit = tree.select(rng)
        tree.update(visit, 0.0)
    assert min(tree.state()["logarithms"]) < -1000
    assert 0 < tree.select(rng).probability <= 1


def test_exp3_takes_rewards_up_to_one():
    tree = Exp3()
    tree.add()
    with pytest.raises(ValueError, match="rewards from 0 to 1"):
        tree.update(Visit(0, (0,)), 1.5)
    with pytest.raises(ValueError, match="gamma and alpha"):
        Exp3(gamma=0.0)
    with pytest.raises(ValueError, match="exploration is"):
        Ucb(-1.0)


def test_round_robin_walks_backwards_from_the_newest():
    tree = RoundRobin()
    rng = np.random.default_rng(0)
    for _ in range(3):
        tree.add()
    order = [tree.select(rng).seed for _ in range(5)]
    assert order == [0, 2, 1, 0, 2]
    tree.add(2)
    assert [tree.select(rng).seed for _ in range(4)] == [1, 0, 3, 2]


def test_round_robin_passes_over_the_retired():
    tree = RoundRobin()
    for _ in range(4):
        tree.add()
    tree.retire(0)
    tree.retire(2)
    assert [tree.select(np.random.default_rng(0)).seed for _ in range(4)] == [1, 3, 1, 3]
