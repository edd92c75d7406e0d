"""SEIDR: synthesize, execute, instruct, debug, rank.

Liventsev, Grishina, Harma and Moonen, "Fully Autonomous Programming with Large Language Models", GECCO 2023
(arXiv 2304.10423), and Grishina et al., "Fully Autonomous Programming using Iterative Multi-Agent Debugging with
Large Language Models", TELO 2025 (arXiv 2503.07693)::

    population := drafts programs, SYNTHESIZEd from the description and some examples
    EXECUTE each; stop at the first that passes all visible cases
    for generation = 1, 2, ... until the budget is used
        parents := RANK population: beam_width selections (lexicase, tournament or truncation)
        for each parent
            explanations times: INSTRUCT: what is wrong with it?
                repairs times:  DEBUG: change it so
        EXECUTE each child; stop at the first that passes all visible cases
        population := children (comma), or parents and children (plus)

The tree arity N of the papers is the shorthand drafts = beam_width = repairs = N. N = 1 is one chain of repairs;
N >= the budget is resampling without repair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

from evaluators.program import Program
from evo.breed import Birth, adopt, breed, free_place
from evo.budget import Charge
from evo.evolve import evolve
from evo.individual import Individual
from evo.once import Once
from evo.parents import parents_by
from evo.place import Place
from evo.run import Run
from evo.sampling import CaseSampling
from evo.systems.drafts import draft_births
from evo.systems.temperature import TemperatureSchedule, raised, scheduled
from operators.debug import debug
from operators.instruct import instruct, static_report
from operators.offspring import Advice
from selection.sampler import CaseSampler
from selection.selector import Selector
from selection.tree import SeedTree


@dataclass(frozen=True)
class SeidrSettings:
    """Parameters of SEIDR.

    Attributes:
        drafts: Programs synthesized at the start.
        beam_width: Selections a generation; a program may be selected more than once.
        explanations: Explanations a selected program.
        repairs: Repairs an explanation.
        replacement: ``comma``: children replace their parents, as in the released code. ``plus``: parents may survive.
        explain: ``model``: a model says what is wrong. ``static``: the failing case itself is the explanation, no call.
        failing_cases: How many failing cases explanation and repair are shown, the worst first.
        examples: How many visible cases the first prompt shows.
        temperature: ``rising``: the i-th of n siblings is drawn at i/(n+1), a single one at 0, as in the released
            code. ``constant``: all at the configured sampling temperature.
        redraws: How often a repair that equals a known program is drawn again, each time at a higher temperature.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    drafts: int = 4
    beam_width: int = 4
    explanations: int = 1
    repairs: int = 4
    replacement: Literal["comma", "plus"] = "comma"
    explain: Literal["model", "static"] = "model"
    failing_cases: int = 1
    examples: int = 5
    temperature: TemperatureSchedule = "rising"
    redraws: int = 2

    def __post_init__(self) -> None:
        for name in ("drafts", "beam_width", "explanations", "repairs", "failing_cases"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, and must be at least 1")
        for name in ("examples", "redraws"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}, and must be at least 0")

    def with_arity(self, arity: int) -> SeidrSettings:
        """The settings of a tree of arity N: drafts = beam width = repairs = N."""
        return replace(self, drafts=arity, beam_width=arity, repairs=arity)


async def seidr(
    run: Run,
    language: str,
    settings: SeidrSettings,
    ranking: Selector | SeedTree,
    start: Program | None = None,
    sampler: CaseSampler | None = None,
) -> None:
    """Search by SEIDR; ends by raising :class:`evo.stop.Stop`.

    Args:
        run: The run.
        language: To write programs in.
        settings: Parameters.
        ranking: A selector over the population, or a seed tree over all programs that were found.
        start: A program to be repaired, instead of drafts.
        sampler: Chooses the cases that each generation is run on; None for all.
    """
    sampling = CaseSampling(run.problem, sampler)
    if start is None:
        drafts = draft_births(run, language, settings.drafts, settings.examples, settings.temperature)
        dealt = sampling.deal(drafts, 0, run.rng("generation", 0, "sample"))
        population = sampling.learn(await breed(run, dealt, generation=0))
    else:
        population = await adopt(run, await started(run, start))

    def repairs(generation: int, parents: tuple[Individual, ...]) -> Sequence[Sequence[Birth]]:
        families = []
        for number, parent in enumerate(parents):
            births: list[Birth] = []
            for explanation in range(settings.explanations):
                path = ("generation", generation, "parent", number, "explanation", explanation)
                explain = Once(partial(_explain, settings, parent, explanation))
                for repair in range(settings.repairs):
                    bound = _bound(run, settings, parent, explains=repair == 0)
                    make = partial(_repair, settings, generation, parent, explain, repair)
                    births.append(Birth((*path, "repair", repair), bound, make))
            families.append(births)
        return families

    parents = parents_by(ranking, population, keep_parents=settings.replacement == "plus")
    await evolve(run, parents, repairs, sampling, beam_width=settings.beam_width)


async def started(run: Run, program: Program) -> Individual:
    """The individual of a program that was there before the search."""
    place = free_place(run).at("start")
    return Individual(program, (), "start", 0, place.path, evaluation=await place.execute(program))


async def _explain(settings: SeidrSettings, parent: Individual, number: int, place: Place) -> Advice:
    """INSTRUCT: what is wrong with the parent? A compile error speaks for itself, and costs no call."""
    problem, evaluation = place.run.problem, parent.judged
    if settings.explain == "static" or not evaluation.compiled:
        return static_report(problem, parent.genome, evaluation, failing_cases=settings.failing_cases)
    return await instruct(
        place.up(2).at("instruct"),
        problem,
        parent.genome,
        evaluation,
        failing_cases=settings.failing_cases,
        examples=settings.examples,
        temperature=scheduled(settings.temperature, number, settings.explanations),
    )


async def _repair(
    settings: SeidrSettings, generation: int, parent: Individual, explain: Once[Advice], number: int, place: Place
) -> list[Individual]:
    """DEBUG: change the parent as advised; drawn again while that gives a program which is known."""
    advice = await explain.get(place)
    made: list[Individual] = []
    first = scheduled(settings.temperature, number, settings.repairs)
    while True:
        attempt = place.at("attempt", len(made))
        offspring = await debug(
            attempt,
            place.run.problem,
            parent.genome,
            advice,
            examples=settings.examples,
            temperature=raised(first, len(made)),
        )
        made.append(await attempt.bear(offspring, parents=(parent,), generation=generation, advice=advice.text))
        if not place.knows(offspring.program) or len(made) > settings.redraws or not attempt.can_afford_program():
            return made


def _bound(run: Run, settings: SeidrSettings, parent: Individual, *, explains: bool) -> Charge:
    """The most that a repair can cost, its redraws included; the first repair of an explanation pays for that too."""
    if not run.counts_tokens:
        return Charge(programs=1 + settings.redraws)
    language = parent.genome.language
    report = static_report(run.problem, parent.genome, parent.judged, failing_cases=settings.failing_cases).text
    draw = run.bound("debug", language, settings.examples, parent, report) + Charge(programs=1)
    bound = sum([draw] * (1 + settings.redraws), Charge())
    if explains and settings.explain == "model":
        bound += run.bound("instruct", language, settings.examples, parent, report)
    return bound
