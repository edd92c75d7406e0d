"""Quirks: what some models want in a request that others do not take."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from evaluators.exceptions import UserError, unknown_name
from operators.models.chat import Message

SystemRole = Literal["system", "developer", "user"]


@dataclass(frozen=True)
class Quirks:
    """How a model's request differs from the usual.

    Attributes:
        max_tokens_field: Name of the field that bounds the answer.
        temperature: Whether a temperature is sent.
        top_p: Whether nucleus sampling is sent.
        stop: Whether texts that end the answer are sent.
        seed_field: Name of the field for the seed; None to leave it out.
        system_role: In whose name the system's message is sent; ``"user"`` puts it before the user's first one.

    Raises:
        UserError: If ``system_role`` is none of these.
    """

    max_tokens_field: str = "max_tokens"
    temperature: bool = True
    top_p: bool = True
    stop: bool = True
    seed_field: str | None = "seed"
    system_role: SystemRole = "system"

    def __post_init__(self) -> None:
        if self.system_role not in get_args(SystemRole):
            raise unknown_name("system role", self.system_role, get_args(SystemRole))

    def messages(self, conversation: Sequence[Message]) -> list[dict[str, str]]:
        """A conversation as it is sent."""
        sent = [{"role": message.role, "content": message.content} for message in conversation]
        if self.system_role == "user" and len(sent) > 1 and sent[0]["role"] == "system" and sent[1]["role"] == "user":
            first, second, *later = sent
            sent = [{"role": "user", "content": f"{first['content']}\n\n{second['content']}"}, *later]
        return [part | {"role": self.system_role} if part["role"] == "system" else part for part in sent]


def quirks_of(model: str, endpoint_host: str) -> Quirks:
    """Look up a model's quirks in the table of this package.

    Args:
        model: Name of the model.
        endpoint_host: Host that answers for it.
    """
    for entry in quirks_table():
        fits_model = re.search(entry.get("model", ""), model) is not None
        if fits_model and entry.get("endpoint", endpoint_host) == endpoint_host:
            return Quirks(**{name: value for name, value in entry.items() if name not in ("model", "endpoint")})
    return Quirks()


def quirks_from(fields: Mapping[str, Any], model: str, endpoint_host: str) -> Quirks:
    """Quirks of a model as a user's configuration changes them.

    Args:
        fields: Of :class:`Quirks`; those left out stay as the table has them.
        model: Name of the model.
        endpoint_host: Host that answers for it.

    Raises:
        UserError: If a field does not exist, or its value is not of its type.
    """
    usual = quirks_of(model, endpoint_host)
    for name, value in fields.items():
        if name not in Quirks.__dataclass_fields__:
            raise unknown_name("model quirk", name, Quirks.__dataclass_fields__)
        wanted = bool if isinstance(getattr(usual, name), bool) else str
        if not isinstance(value, wanted) and not (name == "seed_field" and value is None):
            allowed = "true or false" if wanted is bool else "a name"
            raise UserError(f"model quirk {name!r} is {value!r}, and must be {allowed}")
    return Quirks(**{name: getattr(usual, name) for name in Quirks.__dataclass_fields__} | dict(fields))


@cache
def quirks_table() -> list[dict[str, Any]]:
    """The entries of this package's table, in their order."""
    import yaml

    entries: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "quirks.yaml").read_text("utf-8"))
    return entries
