"""Once: a result that many wait for and the first of them makes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from evo.place import Place

T = TypeVar("T")


class Once(Generic[T]):
    """A result that is made at the first place which asks for it, and charged there.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[Place], Awaitable[T]]) -> None:
        self._make = make
        self._result: asyncio.Future[T] | None = None

    async def get(self, place: Place) -> T:
        """The result.

        Raises:
            Stop: If the first who asked was stopped.
        """
        if self._result is not None:
            return await asyncio.shield(self._result)
        self._result = asyncio.get_running_loop().create_future()
        try:
            result = await self._make(place)
        except asyncio.CancelledError:
            self._result.cancel()
            raise
        except BaseException as error:
            self._result.set_exception(error)
            self._result.exception()  # the one who made it raises it; others need not have asked
            raise
        self._result.set_result(result)
        return result
