"""Which setting to change when a provider refuses a field of the request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SETTINGS = {
    "temperature": "set sampling.temperature to null, or to a value that it accepts",
    "top_p": "set sampling.top_p to null",
    "stop": "set sampling.stop to []",
    "max_tokens": "set endpoint.quirks.max_tokens_field to max_completion_tokens, or lower sampling.max_tokens",
    "max_completion_tokens": "set endpoint.quirks.max_tokens_field to max_tokens, or lower sampling.max_tokens",
}
_SEED = "set endpoint.quirks.seed_field to null"
_SYSTEM_ROLE = "set endpoint.quirks.system_role to user"
_REFUSAL = re.compile(
    r"(un|not )support|un(known|recogni[sz]ed|expected)|not (permitted|allowed|accepted)|extra (input|field)"
    r"|invalid|deprecated|must be|does not accept",
    re.IGNORECASE,
)


def setting_to_change(body: Mapping[str, Any], param: str | None, message: str, seed_field: str | None) -> str | None:
    """Tell what to type after an error reply that names a field of the request.

    Args:
        body: Of the request.
        param: The field, if the reply tells it apart from its message.
        message: Of the reply.
        seed_field: Name of the body's field that holds the seed.

    Returns:
        None if the reply names no field that a setting decides about.
    """
    if re.search(r"\bsystem\b", message, re.IGNORECASE) and re.search(r"\broles?\b", message, re.IGNORECASE):
        return _SYSTEM_ROLE
    fields = [name for name in body if name not in ("model", "messages")]
    field = param if param in fields else _first_named(fields, message)
    if field is None:
        return None
    if field == seed_field:
        return _SEED
    return _SETTINGS.get(field, f"take {field!r} out of sampling.extra")


def _first_named(fields: list[str], message: str) -> str | None:
    if not _REFUSAL.search(message):
        return None
    # A message may go on to name the field to use instead, so that the first one counts.
    places = {name: found.start() for name in fields if (found := re.search(rf"\b{re.escape(name)}\b", message))}
    return min(places, key=places.__getitem__, default=None)
