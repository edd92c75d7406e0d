"""Result: what came of a search, in figures that do not depend on clocks or concurrency."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evo.budget import Charge
from evo.individual import Individual
from evo.stop import StopReason


@dataclass(frozen=True)
class Judgement:
    """What the judge saw on the hidden cases, after the search had ended.

    Attributes:
        passed: Hidden cases that passed.
        cases: Hidden cases; 0 if the problem has none.
        verdicts: How many cases had which verdict.
        cpu_seconds: Of the programs that were run.
    """

    passed: int
    cases: int
    verdicts: dict[str, int]
    cpu_seconds: float = 0.0

    @property
    def solved(self) -> bool:
        """Whether every hidden case passed; True where there are none."""
        return self.passed == self.cases


@dataclass(frozen=True)
class Result:
    """What came of a search.

    Attributes:
        problem: Name of the problem.
        system: Name of the system.
        stop_reason: Why the search ended.
        best: The best individual; None if none was made.
        individuals: All individuals in canonical order.
        spent: What the canonical part of the search cost.
        speculative: What was under way beyond the stop, and paid for.
        saved: What answers of earlier runs would have cost anew.
        generations: Generations that have individuals, drafts included.
        executions: Distinct programs that were executed.
        layers: Sandbox layers that were active.
        seconds: Wall time, earlier sessions included.
        waiting_seconds: The part of it in which calls waited for their provider, and nothing else was done.
        execution_cpu_seconds: Of all distinct executions.
        folder: Where the run is kept.
        judgement: On the hidden cases; None if the judge has not run.
    """

    problem: str
    system: str
    stop_reason: StopReason
    best: Individual | None
    individuals: tuple[Individual, ...] = field(repr=False)
    spent: Charge
    speculative: Charge
    saved: Charge
    generations: int
    executions: int
    layers: tuple[str, ...]
    seconds: float
    waiting_seconds: float
    execution_cpu_seconds: float
    folder: str
    judgement: Judgement | None = None

    @property
    def solved_visible(self) -> bool:
        """Whether the best individual passes all visible cases."""
        return self.best is not None and self.best.judged.solved

    @property
    def solved(self) -> bool:
        """Whether the best individual passes all visible cases, and all hidden ones where there are any."""
        return self.solved_visible and (self.judgement is None or self.judgement.solved)

    def to_record(self) -> dict[str, Any]:
        """Plain data that is equal for equal searches, at any concurrency: no times, nothing speculative."""
        best = self.best
        return {
            "problem": self.problem,
            "system": self.system,
            "stop_reason": self.stop_reason.value,
            "solved_visible": self.solved_visible,
            "best": None if best is None else best.id,
            "best_position": None if best is None else [each.id for each in self.individuals].index(best.id),
            "mean_score": None if best is None else best.judged.mean_score,
            "pass_rate": None if best is None else best.judged.pass_rate,
            "programs": self.spent.programs,
            "generations": self.generations,
            "executions": self.executions,
            "calls": self.spent.calls,
            "prompt_tokens": self.spent.prompt_tokens,
            "completion_tokens": self.spent.completion_tokens,
            "usd": self.spent.usd,
        }

    def to_accounting(self) -> dict[str, Any]:
        """Plain data that differs from time to time: clocks, and what was speculative."""
        return {
            "seconds": self.seconds,
            "working_seconds": self.seconds - self.waiting_seconds,
            "waiting_seconds": self.waiting_seconds,
            "execution_cpu_seconds": self.execution_cpu_seconds,
            "speculative_calls": self.speculative.calls,
            "speculative_programs": self.speculative.programs,
            "speculative_tokens": self.speculative.tokens,
            "speculative_usd": self.speculative.usd,
            "saved_calls": self.saved.calls,
            "saved_tokens": self.saved.tokens,
            "saved_usd": self.saved.usd,
            "layers": list(self.layers),
        }
