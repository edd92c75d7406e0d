"""Temperatures of siblings, and of programs that are drawn again."""

from __future__ import annotations

from typing import Literal

TemperatureSchedule = Literal["rising", "constant"]

_STEP = 0.5
_HIGHEST = 1.2
_USUAL = 0.8


def scheduled(schedule: TemperatureSchedule, index: int, siblings: int) -> float | None:
    """Temperature of one of several texts that are drawn from the same prompt.

    Args:
        schedule: ``rising``: evenly spaced strictly between 0 and 1, a single text greedily, as in SEIDR's released
            code (``explore_llm``, batches of one). ``constant``: what is configured.
        index: From 0.
        siblings: How many there are.

    Returns:
        The temperature; None for what is configured.
    """
    if schedule == "constant":
        return None
    return 0.0 if siblings == 1 else (index + 1) / (siblings + 1)


def raised(temperature: float | None, redraws: int) -> float | None:
    """Temperature of a text that is drawn again.

    Args:
        temperature: Of the first draw; None for what is configured.
        redraws: How many draws came before; 0 for the first.
    """
    if redraws == 0:
        return temperature
    if temperature is None:
        return min(_HIGHEST, _USUAL + _STEP * redraws)
    return max(temperature, min(_HIGHEST, temperature + _STEP * redraws))
