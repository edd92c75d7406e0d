"""Place: one point of a search, from which its two effects can be had."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evaluators.execution import Evaluation
from evaluators.program import Program
from evo.budget import Account, Charge
from evo.individual import Individual
from operators.models.chat import ChatRequest, Completion, Message, PathPart
from operators.offspring import Offspring

if TYPE_CHECKING:
    from evo.run import Run


@dataclass(frozen=True)
class Place:
    """One point of a search, named by its path; satisfies :class:`operators.effects.Effects`.

    A path is made of scopes that the search fixes in advance, never of a counter of calls, so that the same
    draw has the same path however many others are under way.

    Attributes:
        run: The run.
        account: What may be spent here.
        path: From the root of the search to here.
        cases: Indices of the visible cases that programs made here are run on first; None for all.
    """

    run: Run
    account: Account
    path: tuple[PathPart, ...] = ()
    cases: tuple[int, ...] | None = None

    def at(self, *path: PathPart) -> Place:
        """A place further down."""
        return Place(self.run, self.account, self.path + path, self.cases)

    def up(self, parts: int) -> Place:
        """The place that many parts of the path nearer to the root."""
        return replace(self, path=self.path[: len(self.path) - parts])

    def rng(self) -> np.random.Generator:
        """A random generator of this place's own: equal for equal seed and path."""
        return self.run.rng(*self.path)

    async def complete(
        self, messages: tuple[Message, ...], *, operator: str, temperature: float | None = None
    ) -> Completion:
        """Ask the model that is configured for an operator.

        Args:
            messages: The conversation.
            operator: Chooses model and sampling.
            temperature: Overrides the configured one, unless the configuration leaves it out.

        Returns:
            The answer, from the journal if it is there.

        Raises:
            Stop: If the budget does not cover the call, or the run is ending.
            InfrastructureError: If no answer could be had.
        """
        model, sampling = self.run.models.of(operator)
        if temperature is not None and sampling.temperature is not None:
            sampling = replace(sampling, temperature=round(temperature, 6))
        request = ChatRequest(messages, sampling, self.run.seed_at(*self.path), self.path, operator)
        self.account.check_call(self.run.most(operator, request.token_bound - sampling.max_tokens))
        completion = await self.run.complete(request, model)
        self.account.spent += Charge.for_call(completion.usage, model.price, completion.model)
        return completion

    async def execute(self, program: Program) -> Evaluation:
        """Run a program on the visible cases; equal programs share one execution.

        Where this place has a sample of the cases, the others are run only if the program passes those.

        Raises:
            InfrastructureError: If the sandbox failed, twice.
        """
        return await self.run.execute(program, self.path, self.cases)

    async def bear(
        self, offspring: Offspring, *, parents: tuple[Individual, ...], generation: int, advice: str = ""
    ) -> Individual:
        """Charge a new program to the budget, and evaluate it.

        Args:
            offspring: As an operator returned it.
            parents: What it was made from.
            generation: Of the child.
            advice: The explanation that led to it.
        """
        self.account.spent += Charge(programs=1)
        evaluation = await self.execute(offspring.program)
        return Individual(
            offspring.program,
            tuple(parent.id for parent in parents),
            offspring.operator,
            generation,
            self.path,
            advice,
            offspring.temperature,
            evaluation,
        )

    def can_afford_program(self) -> bool:
        """Whether one more program is within this birth's allowance.

        Tokens and money are checked when the call is made; what they refuse ends the search there.
        """
        left = self.account.programs_left()
        return left is None or left > 0

    def knows(self, program: Program) -> bool:
        """Whether an earlier generation already holds an equal program."""
        return program.digest in self.run.known


_ENCODER = json.JSONEncoder(separators=(",", ":"))


def path_text(path: tuple[PathPart, ...]) -> str:
    """A path as it stands in the journal."""
    return _ENCODER.encode(path)
