"""Selectors by name, with options, and from a user's own file."""

import numpy as np
import pytest

from evaluators.exceptions import UserError
from evo.plugins import ranking
from selection.tournament import Tournament


def test_options_stand_behind_the_name():
    assert ranking("tournament:size=3") == Tournament(size=3)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("lexicas", "did you mean 'lexicase'"),
        ("tournament:sise=3", "did you mean 'size'"),
        ("tournament:size=0", "tournament:size=0"),
        ("tournament:size=3,x", "name=value"),
        ("nowhere.py:Mine", "no file nowhere.py"),
        ("no_such_module:Mine", "no module 'no_such_module'"),
        ("math:pj", "did you mean 'pi'"),
        ("math:pi", "must be a class or a function"),
    ],
)
def test_a_wrong_name_is_told(spec, told):
    with pytest.raises(UserError, match=told):
        ranking(spec)


def test_a_users_own_file(tmp_path, searched):
    path = tmp_path / "mine.py"
    path.write_text(
        "import numpy as np\n"
        "class Last:\n"
        "    def __init__(self, offset=1):\n"
        "        self.offset = offset\n"
        "    def select(self, errors, k, rng, context=None):\n"
        "        return np.full(k, len(errors) - self.offset)\n"
    )
    mine = ranking(f"{path}:Last:offset=2")
    assert mine.select(np.zeros((5, 2)), 2, np.random.default_rng(0)).tolist() == [3, 3]
    result = searched(selection=f"{path}:Last", budget__programs=12, seidr__arity=2)
    assert len(result.individuals) == 12


def test_a_selector_without_select_is_told(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("class Empty:\n    pass\n")
    with pytest.raises(UserError, match="no method 'select'"):
        ranking(f"{path}:Empty")
