import random

import numpy as np
import pytest

from selection import SELECTORS, Context, Lexicase, LexiSquared, Tournament
from selection.deap_adapter import DeapSelector, as_deap, deap_errors

base = pytest.importorskip("deap.base", reason="deap is not installed")
tools = pytest.importorskip("deap.tools", reason="deap is not installed")


class Errors(base.Fitness):
    weights = (-1.0,) * 4


class Mixed(base.Fitness):
    weights = (-1.0, 2.0)


class Individual(list):
    def __init__(self, genes, values, fitness=Errors):
        super().__init__(genes)
        self.fitness = fitness(values)


def population(errors, rng):
    return [Individual([0] * int(rng.integers(1, 5)), row) for row in errors.tolist()]


ERRORS = np.random.default_rng(0).integers(0, 3, (20, 4)).astype(float)


@pytest.mark.parametrize("name", sorted(set(SELECTORS) - {"map-elites", "age-fitness-pareto"}))
def test_every_selector_works_in_a_toolbox(name):
    toolbox = base.Toolbox()
    individuals = population(ERRORS, np.random.default_rng(0))
    toolbox.register("select", as_deap(SELECTORS[name](), np.random.default_rng(1)))
    chosen = toolbox.select(individuals, 10)
    context = Context(sizes=np.array([len(individual) for individual in individuals], dtype=float))
    expected = SELECTORS[name]().select(ERRORS, 10, np.random.default_rng(1), context)
    assert [id(individual) for individual in chosen] == [id(individuals[index]) for index in expected]


def test_ages_and_behaviours_come_from_a_context_of_the_users():
    individuals = population(ERRORS, np.random.default_rng(0))
    select = as_deap(
        SELECTORS["age-fitness-pareto"](),
        np.random.default_rng(0),
        lambda chosen: Context(ages=np.arange(len(chosen), dtype=float)),
    )
    assert len(select(individuals, 7)) == 7


def test_values_are_read_once():
    reads = []

    class Counting(Errors):
        def getValues(self):  # noqa: N802 (DEAP's name)
            reads.append(1)
            return super().getValues()

        values = property(getValues, Errors.setValues, Errors.delValues)

    individuals = [Individual([1], row, Counting) for row in ERRORS.tolist()]
    as_deap(Lexicase(), np.random.default_rng(0))(individuals, 50)
    assert not reads


def test_weights_tell_what_is_minimised():
    individuals = [Individual([1], values, Mixed) for values in ((1.0, 5.0), (2.0, 3.0))]
    np.testing.assert_array_equal(deap_errors(individuals), [[1.0, -10.0], [2.0, -6.0]])
    chosen = as_deap(Lexicase(), np.random.default_rng(0))(individuals, 9)
    assert all(individual is individuals[0] for individual in chosen)


def test_individuals_without_length_or_fitness():
    class Bare:
        fitness = Errors((1.0, 2.0, 3.0, 4.0))

    assert len(as_deap(Lexicase(), np.random.default_rng(0))([Bare(), Bare()], 3)) == 3
    with pytest.raises(ValueError, match="needs sizes"):
        as_deap(LexiSquared(), np.random.default_rng(0))([Bare()], 1)
    unevaluated = Individual([1], ())
    with pytest.raises(ValueError, match="no valid fitness"):
        as_deap(Lexicase(), np.random.default_rng(0))([unevaluated], 1)
    with pytest.raises(ValueError, match="different numbers of fitness values"):
        deap_errors([Individual([1], (1.0,) * 4), Individual([1], (1.0, 1.0), Mixed)])
    with pytest.raises(ValueError, match="of 0 individuals"):
        as_deap(Lexicase(), np.random.default_rng(0))([], 1)


DEAP_FUNCTIONS = {
    "selBest": {},
    "selRandom": {},
    "selTournament": {"tournsize": 3},
    "selLexicase": {},
    "selAutomaticEpsilonLexicase": {},
    "selEpsilonLexicase": {"epsilon": 0.5},
    "selNSGA2": {},
    "selDoubleTournament": {"fitness_size": 3, "parsimony_size": 1.4, "fitness_first": True},
}


@pytest.mark.parametrize("name", sorted(DEAP_FUNCTIONS))
def test_deap_functions_are_selectors(name):
    selector = DeapSelector(getattr(tools, name), DEAP_FUNCTIONS[name])
    context = Context(sizes=np.arange(1.0, 21.0))
    state = random.getstate()
    first = selector.select(ERRORS, 8, np.random.default_rng(1), context)
    second = selector.select(ERRORS, 8, np.random.default_rng(1), context)
    np.testing.assert_array_equal(first, second)
    assert first.dtype == np.int64
    assert np.all((first >= 0) & (first < 20))
    assert random.getstate() == state


def test_deap_lexicase_has_our_distribution():
    draws = 4000
    chosen = DeapSelector(tools.selLexicase).select(ERRORS, draws, np.random.default_rng(0))
    observed = np.bincount(chosen, minlength=20) / draws
    assert observed == pytest.approx(Lexicase().probabilities(ERRORS), abs=0.04)


def test_deap_best_is_lexicographic_and_not_the_total():
    errors = np.array([[0.0, 9.0], [1.0, 0.0]])
    assert DeapSelector(tools.selBest).select(errors, 1, np.random.default_rng(0)) == [0]
    assert Tournament(20).select(errors, 1, np.random.default_rng(0)) == [1]


def test_deap_selector_edges():
    selector = DeapSelector(tools.selLexicase)
    assert selector.select(np.empty((0, 3)), 0, np.random.default_rng(0)).shape == (0,)
    assert selector.select(np.empty((4, 0)), 5, np.random.default_rng(0)).shape == (5,)
    assert set(selector.select(np.array([[np.nan], [1.0]]), 9, np.random.default_rng(0))) == {1}
    with pytest.raises(ValueError, match="returned 2 individuals instead of 5"):
        DeapSelector(tools.selBest).select(np.ones((2, 3)), 5, np.random.default_rng(0))


def test_python_generator_is_put_back_after_a_failure():
    def fails(individuals, k):
        random.random()
        raise RuntimeError("no")

    state = random.getstate()
    with pytest.raises(RuntimeError, match="no"):
        DeapSelector(fails).select(ERRORS, 1, np.random.default_rng(0))
    assert random.getstate() == state
