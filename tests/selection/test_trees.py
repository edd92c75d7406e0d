"""What every seed tree must do, whatever it selects by."""

import json

import numpy as np
import pytest

from selection import TREES, Visit


@pytest.fixture(params=sorted(TREES))
def tree(request):
    return TREES[request.param]()


def grown(tree, rounds, seed=0):
    """A search over scripted rewards: odd visits make a child, seed 1 and all made from it are the good ones."""
    rng = np.random.default_rng(seed)
    if not len(tree):
        for _ in range(3):
            tree.add()
    visits = []
    for number in range(rounds):
        visit = tree.select(rng)
        visits.append(visit)
        if number % 2:
            tree.add(visit.seed)
        tree.update(visit, 0.8 if visit.path[0] == 1 else 0.1)
    return visits


def test_seeds_are_numbered_and_paths_lead_to_them(tree):
    assert [tree.add(), tree.add(), tree.add(0), tree.add(2), tree.add(1)] == [0, 1, 2, 3, 4]
    assert len(tree) == 5
    assert tree.path_to(3) == (0, 2, 3)
    for visit in grown(tree, 50):
        assert visit.path == tree.path_to(visit.seed)
        assert visit.path[-1] == visit.seed
        assert 0 < visit.probability <= 1


def test_a_whole_search_is_reproducible(tree):
    assert grown(tree, 200) == grown(type(tree)(), 200)


def test_state_goes_through_json_in_the_middle_of_a_search(tree):
    grown(tree, 77)
    other = type(tree)()
    other.restore(json.loads(json.dumps(tree.state())))
    assert other.state() == tree.state()
    assert grown(tree, 100, seed=1) == grown(other, 100, seed=1)


def test_a_saved_state_does_not_change_with_the_tree(tree):
    grown(tree, 20)
    state = tree.state()
    before = json.dumps(state)
    grown(tree, 20)
    assert json.dumps(state) == before


def test_an_empty_tree_selects_nothing(tree):
    assert tree.select(np.random.default_rng(0)) is None


def test_every_seed_is_tried(tree):
    for _ in range(5):
        tree.add()
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(100):
        visit = tree.select(rng)
        seen.add(visit.seed)
        tree.update(visit, 0.5)
    assert seen == set(range(5))


def test_retired_branches_are_left_alone(tree):
    grown(tree, 60)
    tree.retire(tree.add(tree.add(1)))
    assert 1 not in {visit.path[0] for visit in grown(tree, 60)}
    tree.retire(0)
    tree.retire(2)
    assert tree.select(np.random.default_rng(0)) is None


def test_several_visits_may_be_under_way(tree):
    rng = np.random.default_rng(0)
    for _ in range(3):
        tree.add()
    visits = [tree.select(rng) for _ in range(6)]
    for visit in reversed(visits):
        tree.add(visit.seed)
        tree.update(visit, 1.0)
    assert tree.select(rng) is not None


def test_mistakes_are_refused(tree):
    with pytest.raises(ValueError, match="there is no seed 0; 0 were added"):
        tree.add(0)
    tree.add()
    for reward in (-0.1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="reward is"):
            tree.update(Visit(0, (0,)), reward)
    with pytest.raises(ValueError, match="there is no seed 7"):
        tree.update(Visit(7, (7,)), 0.5)
    with pytest.raises(ValueError, match="there is no seed 4"):
        tree.retire(4)
    with pytest.raises(ValueError, match="has the fields"):
        tree.restore({"nodes": []})
