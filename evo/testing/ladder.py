"""Ladder: a whole small world for searches: deterministic, and quick."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable

from evaluators.execution import CaseResult
from evaluators.problem import Case, Problem
from evaluators.program import Program
from evaluators.scripted_executor import ScriptedExecutor
from evaluators.verdict import Verdict
from operators.models.chat import ChatRequest, Price
from operators.models.scripted import ScriptedModel

_RUNGS = re.compile(r"^rungs = (\d+)$", re.MULTILINE)


class Ladder:
    """A world in which a program has a height, passes as many cases as it is high, and repairs climb by chance.

    A draft's height is drawn below ``highest_draft``; a repair is one rung higher with probability
    ``climbing``, else as high as its parent or one lower. All of it is a pure function of the request.

    Args:
        cases: Visible cases; a program of this height solves the problem.
        highest_draft: Drafts are lower than this.
        climbing: Probability in ``[0, 1]`` that a repair helps.
    """

    def __init__(self, cases: int = 8, highest_draft: int = 4, climbing: float = 0.4) -> None:
        self.problem = Problem(
            "ladder",
            "Climb to the top of the ladder.",
            "stdio",
            tuple(Case(f"{index}\n", f"rung {index}\n", f"case {index}") for index in range(cases)),
        )
        self._highest_draft = highest_draft
        self._climbing = climbing

    def model(
        self,
        *,
        concurrency: int = 64,
        price: Price | None = None,
        delay: Callable[[ChatRequest], Awaitable[None]] | None = None,
    ) -> ScriptedModel:
        """A model that writes programs of this world."""
        return ScriptedModel(self.reply, identity="ladder", concurrency=concurrency, price=price, delay=delay)

    def executor(self, workers: int = 1) -> ScriptedExecutor:
        """An executor that runs them."""
        return ScriptedExecutor(self.run, workers=workers)

    def reply(self, request: ChatRequest) -> str:
        """The model's answer."""
        digest = hashlib.sha256(f"{request.seed} {request.sampling.temperature}".encode()).digest()
        if request.operator == "instruct":
            return f"It is too low, by advice {digest.hex()[:6]}."
        height = digest[0] % self._highest_draft
        if request.operator == "debug":
            shown = _RUNGS.search(request.messages[-1].content)
            parent = 0 if shown is None else int(shown.group(1))
            step = 1 if digest[1] / 256 < self._climbing else -(digest[2] % 2)
            height = max(0, parent + step)
        # A comment keeps some programs of equal height apart.
        return f"```python\n# variant {digest[3] % 8}\nrungs = {height}\n```\n"

    def run(self, program: Program, case: Case) -> CaseResult:
        """What a program does on a case."""
        found = _RUNGS.search(program.source)
        height = 0 if found is None else int(found.group(1))
        index = int(str(case.input))
        output = f"rung {index}\n" if index < height else f"fell at {height}\n"
        return CaseResult(Verdict.COMPLETED, output=output, cpu_seconds=0.001)
