"""Selection: who goes on.

A selector reads an error matrix `[individuals, cases]` (0 is right, smaller is better) and returns the row numbers
of the individuals chosen: `select(errors, k, rng, context) -> indices`. It knows no individuals, no files and no
global random state, so the same selector serves programs written by a language model, prompts, and genetic
programming. Only numpy is needed.

Two kinds of things stand beside selectors: case samplers choose the cases of a generation before it is evaluated, and
seed trees choose which of a growing set of seeds is worked on next.
"""

from selection.age_fitness import AgeFitnessPareto
from selection.batch_lexicase import BatchLexicase
from selection.cohort_sampling import CohortSampling
from selection.dalex import Dalex
from selection.epsilon_lexicase import EpsilonLexicase
from selection.exp3 import Exp3
from selection.fitness_sharing import FitnessSharing
from selection.informed_down_sampling import InformedDownSampling
from selection.lexi_squared import LexiSquared
from selection.lexicase import Lexicase
from selection.map_elites import MapElites
from selection.mcts_explore import MctsExplore
from selection.nsga2 import Nsga2
from selection.plexicase import Plexicase
from selection.random_down_sampling import RandomDownSampling
from selection.rank import LinearRank
from selection.roulette import Roulette
from selection.sampler import CaseSampler, Cohort, evaluation_mask, select_in_cohorts
from selection.selector import Context, Errors, Indices, ProbabilisticSelector, Probabilities, Selector
from selection.simple_seeds import RoundRobin, UniformSeeds
from selection.tournament import Tournament
from selection.tree import SeedTree, Visit
from selection.truncation import Truncation
from selection.ucb import Ucb
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

SAMPLERS: dict[str, type[CaseSampler]] = {
    "cohort": CohortSampling,
    "informed-down-sampling": InformedDownSampling,
    "random-down-sampling": RandomDownSampling,
}
"""Every case sampler by the name used in configurations."""

TREES: dict[str, type[SeedTree]] = {
    "exp3": Exp3,
    "mcts-explore": MctsExplore,
    "random": UniformSeeds,
    "round-robin": RoundRobin,
    "ucb": Ucb,
}
"""Every seed tree by the name used in configurations."""

__all__ = [
    "SAMPLERS",
    "SELECTORS",
    "TREES",
    "AgeFitnessPareto",
    "BatchLexicase",
    "CaseSampler",
    "Cohort",
    "CohortSampling",
    "Context",
    "Dalex",
    "EpsilonLexicase",
    "Errors",
    "Exp3",
    "FitnessSharing",
    "Indices",
    "InformedDownSampling",
    "LexiSquared",
    "Lexicase",
    "LinearRank",
    "MapElites",
    "MctsExplore",
    "Nsga2",
    "Plexicase",
    "ProbabilisticSelector",
    "Probabilities",
    "RandomDownSampling",
    "Roulette",
    "RoundRobin",
    "SeedTree",
    "Selector",
    "Tournament",
    "Truncation",
    "Ucb",
    "Uniform",
    "UniformSeeds",
    "Visit",
    "evaluation_mask",
    "select_in_cohorts",
]
