"""Drafts: programs synthesized from the problem alone; the start of every system, and the whole of best-of-n."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from evo.breed import Birth
from evo.budget import Charge
from evo.individual import Individual
from evo.place import Place
from evo.run import Run
from evo.systems.temperature import TemperatureSchedule, scheduled
from operators.synthesize import synthesize


def draft_births(run: Run, language: str, drafts: int, examples: int, schedule: TemperatureSchedule) -> Sequence[Birth]:
    """The births of generation 0.

    Args:
        run: The run; no more births than its budget has programs.
        language: To write them in.
        drafts: How many.
        examples: How many visible cases the prompt shows.
        schedule: Of their temperatures.
    """
    limit = run.budget.programs
    wanted = drafts if limit is None else min(drafts, limit)
    bound = run.bound("synthesize", language, examples) + Charge(programs=1)
    return [
        Birth(("draft", index), bound, partial(_draft, language, examples, scheduled(schedule, index, drafts)))
        for index in range(wanted)
    ]


async def _draft(language: str, examples: int, temperature: float | None, place: Place) -> list[Individual]:
    offspring = await synthesize(place, place.run.problem, language, examples=examples, temperature=temperature)
    return [await place.bear(offspring, parents=(), generation=0)]
