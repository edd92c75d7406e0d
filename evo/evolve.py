"""The loop that all systems share: choose, vary, evaluate, learn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from evo.breed import Birth, breed
from evo.individual import Individual
from evo.parents import Parents
from evo.run import Run
from evo.sampling import CaseSampling


async def evolve(
    run: Run,
    parents: Parents,
    vary: Callable[[int, tuple[Individual, ...]], Sequence[Sequence[Birth]]],
    sampling: CaseSampling,
    *,
    beam_width: int,
) -> None:
    """Evolve until the search stops.

    ::

        for generation = 1, 2, ...
            chosen   := beam_width parents
            families := vary(chosen), evaluated on their sample of the cases: the children of each parent
            parents learn of families

    Args:
        run: The run; ends the loop by raising :class:`evo.stop.Stop`.
        parents: Knows generation 0, and chooses.
        vary: Gives the births of a generation, by parent, from its number and the chosen.
        sampling: Deals cases to births.
        beam_width: How many are chosen.
    """
    for generation in itertools.count(1):
        chosen = parents.choose(beam_width, run.rng("generation", generation, "select"))
        births = vary(generation, chosen)
        dealt = sampling.deal(
            [birth for family in births for birth in family], generation, run.rng("generation", generation, "sample")
        )
        children = sampling.learn(await breed(run, dealt, generation))
        remaining = iter(children)
        parents.learn([list(itertools.islice(remaining, len(family))) for family in births], children)
