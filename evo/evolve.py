"""The loop that all systems share: make, evaluate, select, make again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Literal

from evo.breed import Birth, breed
from evo.individual import Individual
from evo.population import Population
from evo.run import Run
from selection.selector import Selector

Replacement = Literal["comma", "plus"]


async def evolve(
    run: Run,
    population: Population,
    vary: Callable[[int, tuple[Individual, ...]], Sequence[Birth]],
    *,
    selector: Selector,
    beam_width: int,
    replacement: Replacement = "comma",
) -> None:
    """Evolve a population until the search stops.

    ::

        for generation = 1, 2, ...
            parents    := select beam_width of population
            children   := vary(parents), evaluated
            population := children                      (comma)
                        | parents + children            (plus: the parents may survive)

    Args:
        run: The run; ends the loop by raising :class:`evo.stop.Stop`.
        population: Generation 0.
        vary: Gives the births of a generation from its number and parents.
        selector: Chooses parents by the error matrix.
        beam_width: How many parents.
        replacement: Who is selected from next. Comma: the children alone, as in the released SEIDR. Plus: the
            distinct parents too (Beyer and Schwefel, Evolution strategies, Natural Computing 1, 2002, section 2).
    """
    for generation in itertools.count(1):
        parents = population.select(selector, beam_width, run.rng("generation", generation, "select"))
        children = await breed(run, vary(generation, parents), generation)
        elite = Population(tuple({parent.id: parent for parent in parents}.values()))
        population = elite + children if replacement == "plus" else children
