"""What the seed trees of this package do beyond their contract."""

import json

import numpy as np
import pytest

from selection import TREES, Visit


@pytest.fixture(params=sorted(TREES))
def tree(request):
    return TREES[request.param]()


def test_paths_lead_from_the_root(tree):
    assert [tree.add(), tree.add(), tree.add(0), tree.add(2), tree.add(1)] == [0, 1, 2, 3, 4]
    assert len(tree) == 5
    assert tree.path_to(3) == (0, 2, 3)


def test_mistakes_are_told(tree):
    with pytest.raises(ValueError, match="there is no seed 0; 0 were added"):
        tree.add(0)
    tree.add()
    with pytest.raises(ValueError, match=r"reward is -0\.1; give a finite number"):
        tree.update(Visit(0, (0,)), -0.1)
    with pytest.raises(ValueError, match="has the fields"):
        tree.restore({"nodes": []})


def test_a_state_of_another_length_is_refused(tree):
    tree.add()
    tree.select(np.random.default_rng(0))
    state = json.loads(json.dumps(tree.state()))
    columns = [name for name, value in state.items() if isinstance(value, list) and name not in ("parents", "retired")]
    for name in columns:
        with pytest.raises(ValueError, match="differ in length"):
            tree.restore({**state, name: [*state[name], 0]})
