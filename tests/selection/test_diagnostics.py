import numpy as np
import pytest

from selection import Lexicase
from selection.diagnostics import diagnose

ERRORS = np.array([[0.0, 2.0, 7.0], [2.0, 0.0, 7.0], [1.0, 1.0, 7.0], [0.0, 2.0, 7.0]])


def test_facts_of_a_matrix():
    facts = diagnose(ERRORS)
    assert (facts.individuals, facts.cases, facts.distinct_rows, facts.telling_cases) == (4, 3, 3, 2)
    # On the constant case everybody is best.
    assert facts.elite_rows == 3
    assert diagnose(ERRORS[:, :2]).elite_rows == 2
    assert facts.cases_used is facts.parents is facts.effective_parents is facts.entropy is None


def test_facts_of_a_selection():
    facts = diagnose(ERRORS, np.array([0, 0, 1, 3]))
    assert facts.parents == 3
    assert facts.effective_parents == pytest.approx(16 / 6)
    assert facts.entropy == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(4))
    alone = diagnose(ERRORS, np.zeros(9, dtype=np.int64))
    assert (alone.parents, alone.effective_parents, alone.entropy) == (1, 1.0, 0.0)


def test_cases_used_is_estimated():
    # One of the two telling cases settles an event; the constant one may come before it.
    facts = diagnose(ERRORS, rng=np.random.default_rng(0), events=3000)
    assert facts.cases_used == pytest.approx(4 / 3, abs=0.05)
    assert diagnose(np.ones((3, 5)), rng=np.random.default_rng(0)).cases_used == 0


def test_lexicase_keeps_more_parents_than_there_are_cases_left_out():
    errors = 1 - np.eye(20)
    facts = diagnose(errors, Lexicase().select(errors, 5000, np.random.default_rng(0)))
    assert facts.effective_parents == pytest.approx(20, rel=0.02)
    assert facts.entropy == pytest.approx(np.log(20), rel=0.01)


def test_empty_inputs():
    facts = diagnose(np.empty((0, 4)), rng=np.random.default_rng(0), events=2)
    assert (facts.individuals, facts.distinct_rows, facts.elite_rows, facts.telling_cases) == (0, 0, 0, 0)
    assert diagnose(np.empty((3, 0))).distinct_rows == 1
    assert diagnose(ERRORS, np.empty(0, dtype=np.int64)).parents is None


def test_mistakes_are_refused():
    with pytest.raises(ValueError, match="row numbers outside of 0 to 3"):
        diagnose(ERRORS, np.array([4]))
    with pytest.raises(ValueError, match="events is 0"):
        diagnose(ERRORS, events=0)
