"""Program: the genome that most of this project evolves."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Program:
    """A candidate's source text in one language.

    Attributes:
        source: The whole source file. Empty where a model's reply held no program.
        language: Name of a language record, such as ``"python"``.
    """

    source: str
    language: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of language and source: equal programs have equal digests."""
        text = f"{self.language}\0{self.source}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
