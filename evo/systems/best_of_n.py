"""Best of n: the baseline that every search has to beat at the same budget.

Chen et al., "Evaluating Large Language Models Trained on Code", 2021 (arXiv 2107.03374), section 3.3: draw n
programs from the same prompt, keep the one that does best on the visible cases. The same as SEIDR with a tree arity
of at least the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.breed import breed
from evo.run import Run
from evo.stop import Stop, StopReason
from evo.systems.drafts import draft_births
from evo.systems.temperature import TemperatureSchedule


@dataclass(frozen=True)
class BestOfNSettings:
    """Parameters of best-of-n.

    Attributes:
        n: How many programs are drawn; None for as many as the budget has.
        examples: How many visible cases the prompt shows.
        temperature: ``constant``: all at the configured sampling temperature. ``rising``: as in SEIDR.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    n: int | None = None
    examples: int = 5
    temperature: TemperatureSchedule = "constant"

    def __post_init__(self) -> None:
        if self.n is not None and self.n < 1:
            raise ValueError(f"n is {self.n}, and must be at least 1")
        if self.examples < 0:
            raise ValueError(f"examples is {self.examples}, and must be at least 0")


async def best_of_n(run: Run, language: str, settings: BestOfNSettings) -> None:
    """Draw n programs; ends by raising :class:`evo.stop.Stop`.

    Args:
        run: The run.
        language: To write programs in.
        settings: Parameters.

    Raises:
        ValueError: If neither the settings nor the budget say how many programs to draw.
    """
    n = settings.n or run.budget.programs
    if n is None:
        raise ValueError("best-of-n needs an n: set best_of_n.n or budget.programs")
    await breed(run, draft_births(run, language, n, settings.examples, settings.temperature), generation=0)
    raise Stop(StopReason.EXHAUSTED)
