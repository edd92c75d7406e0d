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
        ("tournament:size=abc", "size is 'abc', but must be a whole number"),
        ("tournament:by=totl", "allowed are total_error, pass_rate, weighted"),
        ("nsga2:objectives=error", "objectives is 'error', but must be a list"),
        ("mcts-explore:frequency_weight=.nan", "finite numbers of at least 0"),
        ("ucb:exploration=.nan", "a finite number of at least 0"),
        ("nowhere.py:Mine", "selection 'nowhere.py': there is no such file"),
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


def test_a_plugin_that_cannot_be_made_is_told_with_its_own_line(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    def __init__(self, size=1):\n        self.size = size + 1\n")
    with pytest.raises(UserError, match=r"raised TypeError: .*\(mine\.py, line 3\)"):
        ranking(f"{path}:Mine:size=abc")
    with pytest.raises(UserError, match=r"no such file; write it as .*did you mean '.*mine\.py'"):
        ranking(f"{tmp_path / 'mime.py'}:Mine")
