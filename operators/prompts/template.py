"""Prompt files: reading and strict rendering."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from operators.models.chat import Message

_FOLDER = Path(__file__).parent
_HEADING = re.compile(r"^# ([a-z_]+)[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_ROLES: tuple[Literal["system", "user"], ...] = ("system", "user")


@dataclass(frozen=True)
class Template:
    """A prompt file.

    Attributes:
        name: File name without its ending.
        parts: Text of each part, with placeholders.
        digest: SHA-256 (hexadecimal) of the file, the metadata of every prompt that was made from it.
    """

    name: str
    parts: Mapping[str, str] = field(repr=False)
    digest: str

    @classmethod
    def parse(cls, name: str, text: str) -> Template:
        """Read a prompt file's text.

        Raises:
            ValueError: If a part is named twice, or text stands before the first heading.
        """
        pieces = _HEADING.split(text)
        names = pieces[1::2]
        if pieces[0].strip() or len(set(names)) != len(names) or not names:
            raise ValueError(f"prompt {name!r}: each text needs a heading of its own, as in '# user'")
        parts = {heading: body.strip("\n") for heading, body in zip(names, pieces[2::2], strict=True)}
        return cls(name, MappingProxyType(parts), hashlib.sha256(text.encode()).hexdigest())

    @cached_property
    def _placeholders(self) -> Mapping[str, frozenset[str]]:
        return {part: frozenset(_PLACEHOLDER.findall(text)) for part, text in self.parts.items()}

    def render(self, part: str, /, **values: str) -> str:
        """Fill in one part. What is inserted is never read for placeholders.

        Raises:
            ValueError: If a placeholder has no value, or a value no placeholder.
        """
        text, wanted = self.parts[part], self._placeholders[part]
        if wanted != values.keys():
            missing, unknown = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            raise ValueError(f"prompt {self.name!r}, part {part!r}: missing values {missing}, unknown values {unknown}")
        return _PLACEHOLDER.sub(lambda match: values[match.group(1)], text)

    def messages(self, **values: str) -> tuple[Message, ...]:
        """Fill in the parts ``system`` and ``user``; each value must be used by one of them at least.

        Raises:
            ValueError: As :meth:`render`.
        """
        wanted = {role: self._placeholders[role] for role in _ROLES}
        unknown = sorted(values.keys() - frozenset().union(*wanted.values()))
        if unknown:
            raise ValueError(f"prompt {self.name!r}: unknown values {unknown}")
        rendered = (
            (role, self.render(role, **{name: value for name, value in values.items() if name in wanted[role]}))
            for role in _ROLES
        )
        return tuple(Message(role, content) for role, content in rendered)


@cache
def template(name: str) -> Template:
    """Read one of the prompt files of this package, such as ``"debug"``."""
    return Template.parse(name, (_FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def prompt_digests() -> dict[str, str]:
    """SHA-256 (hexadecimal) of every prompt file, by name: a run records them."""
    return {path.stem: template(path.stem).digest for path in sorted(_FOLDER.glob("*.md"))}
