"""Effects: what an operator may ask of the world outside the search.

Operators know no run and no population. They are handed an object with these methods, bound to one place in the
search, so that each draw has a path of its own.
"""

from __future__ import annotations

from typing import Protocol, Self

from operators.models.chat import Completion, Message, PathPart


class Effects(Protocol):
    """One place in the search, from which a model can be asked."""

    def at(self, *path: PathPart) -> Self:
        """A place further down: its path is this one's with ``path`` appended."""
        ...

    async def complete(
        self, messages: tuple[Message, ...], *, operator: str, temperature: float | None = None
    ) -> Completion:
        """Ask the model that is configured for this operator; one call a path.

        Args:
            messages: The conversation.
            operator: Chooses model and sampling: ``"synthesize"``, ``"instruct"``, ``"debug"``, ...
            temperature: Overrides the configured one, unless the configuration leaves the temperature out.
        """
        ...
