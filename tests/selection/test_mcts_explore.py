import math

import numpy as np
import pytest

from selection import MctsExplore


class LiteralMcts:
    """The pseudo-code of the paper's released algorithm, line by line."""

    def __init__(self, roots):
        self.level = [0] * roots
        self.children = [[] for _ in range(roots)]
        self.visits = [0] * roots
        self.rewards = [0.0] * roots
        self.roots = list(range(roots))
        self.step = 0

    def score(self, node):
        return self.rewards[node] / (self.visits[node] + 1) + 0.5 * math.sqrt(
            2 * math.log(self.step) / (self.visits[node] + 0.01)
        )

    def select(self, rng):
        self.step += 1
        current = max(self.roots, key=self.score)
        self.path = [current]
        while len(self.children[current]) > 0:
            if rng.random() < 0.1:
                break
            current = max(self.children[current], key=self.score)
            self.path.append(current)
        for node in self.path:
            self.visits[node] += 1
        return current

    def attach(self, parent):
        self.children[parent].append(len(self.level))
        self.level.append(self.level[parent] + 1)
        self.children.append([])
        self.visits.append(0)
        self.rewards.append(0.0)

    def update(self, reward):
        chosen = self.path[-1]
        for node in self.path:
            self.rewards[node] += reward * max(0.2, 1 - 0.1 * self.level[chosen])


def test_follows_the_pseudo_code_step_by_step():
    tree, literal = MctsExplore(), LiteralMcts(4)
    for _ in range(4):
        tree.add()
    rng, same = np.random.default_rng(0), np.random.default_rng(0)
    outcomes = np.random.default_rng(1)
    deepest = 0
    for _ in range(600):
        visit = tree.select(rng)
        assert visit.seed == literal.select(same)
        assert visit.path == tuple(literal.path)
        deepest = max(deepest, len(visit.path) - 1)
        reward = float(outcomes.random() < 0.4)
        if reward:
            tree.add(visit.seed)
            literal.attach(visit.seed)
        tree.update(visit, reward)
        literal.update(reward)
    assert deepest >= 4
    assert tree.state()["rewards"] == literal.rewards
    assert tree.state()["visits"] == literal.visits


def test_the_first_selection_is_the_first_root():
    tree = MctsExplore()
    tree.add()
    tree.add()
    assert tree.select(np.random.default_rng(0)).seed == 0
    assert tree.select(np.random.default_rng(0)).seed == 1


@pytest.mark.parametrize(("reward", "second"), [(10.5, 1), (10.7, 0)])
def test_an_unvisited_seed_scores_by_its_hundredth_of_a_visit(reward, second):
    # At step 2 the unvisited root scores sqrt(2 ln 2 / 0.01) / 2 = 5.887, the visited one reward / 2 + 0.586.
    tree = MctsExplore()
    tree.add()
    tree.add()
    rng = np.random.default_rng(0)
    tree.update(tree.select(rng), reward)
    assert tree.select(rng).seed == second


def test_stop_probability_is_how_often_inner_seeds_are_selected():
    tree = MctsExplore(stop_probability=0.25)
    tree.add()
    tree.add(0)
    rng = np.random.default_rng(0)
    inner = [tree.select(rng).seed == 0 for _ in range(8000)]
    assert np.mean(inner) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("level", "share"), [(0, 1.0), (1, 0.9), (5, 0.5), (8, 0.2), (11, 0.2)])
def test_the_whole_path_earns_a_reward_reduced_by_the_depth_of_the_selected(level, share):
    tree = MctsExplore(stop_probability=0.0)
    tree.add()
    for parent in range(level):
        tree.add(parent)
    visit = tree.select(np.random.default_rng(0))
    assert visit.path == tuple(range(level + 1))
    tree.update(visit, 0.5)
    assert tree.state()["rewards"] == pytest.approx([0.5 * share] * (level + 1))


def test_a_branch_is_left_after_its_visits():
    tree = MctsExplore(max_visits=15)
    rng = np.random.default_rng(0)
    for _ in range(3):
        tree.add()
    roots = []
    while (visit := tree.select(rng)) is not None:
        roots.append(visit.path[0])
        tree.add(visit.seed)
        tree.update(visit, 1.0)
    assert [roots.count(root) for root in range(3)] == [15, 15, 15]


def test_options_are_checked():
    for options in (
        {"frequency_weight": -1},
        {"depth_penalty": -0.1},
        {"stop_probability": 1.5},
        {"reward_floor": -0.2},
        {"max_visits": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            MctsExplore(**options)
