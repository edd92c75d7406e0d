"""Individual: a genome with its lineage, and perhaps an evaluation."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from evaluators.execution import Evaluation
from evaluators.program import Program
from operators.models.chat import PathPart


@dataclass(frozen=True)
class Individual:
    """A member of a population.

    Attributes:
        genome: The candidate program.
        parents: Ids of the individuals that it was made from; empty for a draft.
        operator: What made it: ``"start"``, ``"synthesize"``, ``"debug"``, ...
        generation: 0 for drafts.
        path: Where in the search it was made.
        advice: The explanation that led to it; empty for a draft.
        temperature: That its text was drawn at; None if none was set.
        evaluation: How well it does; None where nobody asked.
    """

    genome: Program
    parents: tuple[str, ...]
    operator: str
    generation: int
    path: tuple[PathPart, ...]
    advice: str = ""
    temperature: float | None = None
    evaluation: Evaluation | None = field(default=None, repr=False)

    @cached_property
    def id(self) -> str:
        """Sixteen hexadecimal digits that digest content and lineage."""
        record = [self.genome.digest, self.parents, self.operator, self.generation, self.path]
        return hashlib.sha256(json.dumps(record).encode()).hexdigest()[:16]

    @property
    def judged(self) -> Evaluation:
        """The evaluation of an individual that is known to have one.

        Raises:
            ValueError: If it has none.
        """
        if self.evaluation is None:
            raise ValueError(f"individual {self.id} was never evaluated: call run.execute on its genome first")
        return self.evaluation
