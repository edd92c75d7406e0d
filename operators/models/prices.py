"""Prices: what a model's tokens cost, where that is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from operators.models.chat import Price

ON_THIS_MACHINE = Price(0.0, 0.0, "runs on this machine")


def list_price(model: str, endpoint_host: str) -> Price | None:
    """Look up a list price.

    Args:
        model: The exact name; a similar one may cost ten times as much.
        endpoint_host: Who answers: resellers have prices of their own.

    Returns:
        None if it is not known, which is not the same as free.
    """
    for entry in _table():
        if (entry["model"], entry["endpoint"]) == (model, endpoint_host):
            return Price(entry["input"], entry["output"], entry["source"])
    return None


@cache
def _table() -> list[dict[str, Any]]:
    import yaml

    entries: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "prices.yaml").read_text("utf-8"))
    return entries
