"""Selection: who goes on.

A selector reads an error matrix `[individuals, cases]` (0 is right, smaller is better) and returns the row numbers
of the individuals chosen: `select(errors, k, rng, context) -> indices`. It knows no individuals, no files and no
global random state, so the same selector serves programs written by a language model, prompts, and genetic
programming. Only numpy is needed.
"""

from selection.age_fitness import AgeFitnessPareto
from selection.batch_lexicase import BatchLexicase
from selection.dalex import Dalex
from selection.epsilon_lexicase import EpsilonLexicase
from selection.fitness_sharing import FitnessSharing
from selection.lexi_squared import LexiSquared
from selection.lexicase import Lexicase
from selection.map_elites import MapElites
from selection.nsga2 import Nsga2
from selection.plexicase import Plexicase
from selection.rank import LinearRank
from selection.roulette import Roulette
from selection.selector import Context, Errors, Indices, ProbabilisticSelector, Probabilities, Selector
from selection.tournament import Tournament
from selection.truncation import Truncation
from selection.uniform import Uniform

SELECTORS: dict[str, type[Selector]] = {
    "age-fitness-pareto": AgeFitnessPareto,
    "batch-lexicase": BatchLexicase,
    "dalex": Dalex,
    "epsilon-lexicase": EpsilonLexicase,
    "fitness-sharing": FitnessSharing,
    "lexi-squared": LexiSquared,
    "lexicase": Lexicase,
    "map-elites": MapElites,
    "nsga2": Nsga2,
    "plexicase": Plexicase,
    "random": Uniform,
    "rank": LinearRank,
    "roulette": Roulette,
    "tournament": Tournament,
    "truncation": Truncation,
}
"""Every selector by the name used in configurations."""

__all__ = [
    "SELECTORS",
    "AgeFitnessPareto",
    "BatchLexicase",
    "Context",
    "Dalex",
    "EpsilonLexicase",
    "Errors",
    "FitnessSharing",
    "Indices",
    "LexiSquared",
    "Lexicase",
    "LinearRank",
    "MapElites",
    "Nsga2",
    "Plexicase",
    "ProbabilisticSelector",
    "Probabilities",
    "Roulette",
    "Selector",
    "Tournament",
    "Truncation",
    "Uniform",
]
