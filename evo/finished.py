"""Generations that an earlier session finished, told again from the journal instead of being made again.

A resumed search could find each answer of its past under its key, and does so wherever anything may have changed. But
to ask for it, every prompt must be written and every reply be read once more. A generation that ended under the very
same circumstances (code, prompts, models, toolchain, plug-ins) would only come to the same individuals, so these are
read, with their evaluations, and what they cost is settled as it was. The last, unfinished generation is always made
by its effects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from evaluators.exceptions import InfrastructureError
from evaluators.program import Program
from evo.budget import Charge
from evo.individual import Individual
from evo.records import individual_from_record

if TYPE_CHECKING:
    from evo.run import Run


@dataclass(frozen=True)
class FinishedBirth:
    """What came of a birth.

    Attributes:
        individuals: All programs that were made on the way; the last of them is the child.
        spent: What they cost.
    """

    individuals: Sequence[Individual]
    spent: Charge


def generation_to_record(births: Sequence[FinishedBirth], circumstances: str) -> dict[str, Any]:
    """Plain data of a finished generation; the individuals stand beside it in the journal.

    Args:
        births: In canonical order.
        circumstances: Digest of all that the search depends on beside its effects.
    """
    return {
        "circumstances": circumstances,
        "births": [[len(birth.individuals), *astuple(birth.spent)] for birth in births],
    }


async def finished_births(
    run: Run, generation: int, cases: Sequence[tuple[int, ...] | None]
) -> list[FinishedBirth] | None:
    """The births of a generation that an earlier session finished under the same circumstances.

    Args:
        run: The run, at the beginning of that generation.
        generation: Its number.
        cases: The sample of the visible cases of each birth; None for all.

    Returns:
        In canonical order; None if the generation must be made by its effects.

    Raises:
        InfrastructureError: If the journal lacks what it should hold.
    """
    record = run.journal.finished_generation(generation)
    if record is None or record["circumstances"] != run.circumstances or len(record["births"]) != len(cases):
        return None
    await asyncio.sleep(0)  # whoever wants to interrupt has his turn between two generations
    count = sum(made for made, *_ in record["births"])
    records = run.journal.individuals(len(run.committed), count)
    if len(records) != count:
        raise InfrastructureError(
            f"the journal in {run.journal.folder} lacks individuals of generation {generation}: "
            "it is not whole; go on from a copy"
        )
    left = iter(records)
    return [
        FinishedBirth([await _individual(run, next(left), sample) for _ in range(made)], Charge(*spent))
        for (made, *spent), sample in zip(record["births"], cases, strict=True)
    ]


async def _individual(run: Run, record: dict[str, Any], sample: tuple[int, ...] | None) -> Individual:
    program = Program(record["source"], record["language"])
    evaluation = await run.execute(program, tuple(record["path"]), sample)
    return individual_from_record(record, program, evaluation)
