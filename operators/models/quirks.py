"""Quirks: what some models want in a request that others do not take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Quirks:
    """How a model's request differs from the usual.

    Attributes:
        max_tokens_field: Name of the field that bounds the answer.
        temperature: Whether a temperature is sent.
        top_p: Whether nucleus sampling is sent.
        stop: Whether texts that end the answer are sent.
        seed_field: Name of the field for the seed; None to leave it out.
    """

    max_tokens_field: str = "max_tokens"
    temperature: bool = True
    top_p: bool = True
    stop: bool = True
    seed_field: str | None = "seed"


def quirks_of(model: str, endpoint_host: str) -> Quirks:
    """Look up a model's quirks in the table of this package.

    Args:
        model: Name of the model.
        endpoint_host: Host that answers for it.
    """
    for entry in _table():
        fits_model = re.search(entry.get("model", ""), model) is not None
        if fits_model and entry.get("endpoint", endpoint_host) == endpoint_host:
            return Quirks(**{name: value for name, value in entry.items() if name not in ("model", "endpoint")})
    return Quirks()


@cache
def _table() -> list[dict[str, Any]]:
    import yaml

    entries: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "quirks.yaml").read_text("utf-8"))
    return entries
