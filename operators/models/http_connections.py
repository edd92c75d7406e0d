"""HttpConnections: kept connections to one address, at a tenth of the usual processor time.

With 64 calls in flight, a general HTTP client spends more than 1 ms of processor time on each call, so that a client
on a busy machine falls behind its endpoint. What a chat completion needs is little: one request and one response at a
time on a connection that is thrown away after anything unusual. The parser is h11, which the OpenAI client's own
HTTP client is built on.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from evaluators.resource_use import MODEL_TRAFFIC

if TYPE_CHECKING:
    import h11

# Servers and address translators forget idle connections; httpx expires them after as many seconds.
_IDLE_SECONDS = 5.0
_LONGEST_HEAD_BYTES = 100_000


class LostConnectionError(Exception):
    """A connection that could not be made, or that ended before the response did."""


@dataclass(frozen=True)
class RawResponse:
    """A complete HTTP response.

    Attributes:
        status: HTTP status.
        headers: Names in lower case.
        body: As it came, perhaps compressed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpConnections:
    """Kept connections to one address, for one event loop.

    Args:
        url: ``http`` or ``https``, without user and password.
        headers: Of each request, beside ``host`` and ``content-length``.
        connect_seconds: For making a connection.
        ssl_context: For ``https``; None for ``http``.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], *, connect_seconds: float, ssl_context: ssl.SSLContext | None
    ) -> None:
        address = urlsplit(url)
        self._host = address.hostname or ""
        self._port = address.port or (443 if ssl_context is not None else 80)
        self._target = f"{address.path or '/'}{'?' if address.query else ''}{address.query}"
        self._headers = [("host", address.netloc), *headers.items()]
        self._connect_seconds = connect_seconds
        self._ssl_context = ssl_context
        self._free: list[_Connection] = []

    async def post(self, content: bytes) -> RawResponse:
        """Send a request and wait for its whole response; a cancelled one costs its connection.

        Args:
            content: The request's body.

        Raises:
            LostConnectionError: If no connection was made in time, or no complete response came.
        """
        connection = self._kept() or await self._opened()
        try:
            return await connection.ask(self._target, self._headers, content)
        finally:
            # Whatever did not end as it should, or was given up, leaves nothing for the next request to read.
            if connection.is_idle:
                self._free.append(connection)
            else:
                connection.abort()

    def close(self) -> None:
        """Close all connections."""
        for connection in self._free:
            connection.abort()
        self._free.clear()

    def _kept(self) -> _Connection | None:
        oldest = asyncio.get_running_loop().time() - _IDLE_SECONDS
        while self._free:
            connection = self._free.pop()
            if connection.is_idle and connection.idle_since > oldest:
                return connection
            connection.abort()
        return None

    async def _opened(self) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_seconds):
                _, connection = await loop.create_connection(
                    lambda: _Connection(loop),
                    self._host,
                    self._port,
                    ssl=self._ssl_context,
                    happy_eyeballs_delay=0.25,
                )
        except TimeoutError as error:
            raise LostConnectionError(f"no connection within {self._connect_seconds:g} s") from error
        except (OSError, UnicodeError) as error:
            raise LostConnectionError(str(error)) from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection; at most one request is under way on it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        import h11

        self._loop = loop
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD_BYTES)
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[RawResponse] | None = None
        self._response: h11.Response | None = None
        self._body: list[bytes] = []
        self.is_idle = False
        self.idle_since = 0.0

    async def ask(self, target: str, headers: list[tuple[str, str]], content: bytes) -> RawResponse:
        import h11

        assert self._transport is not None
        self.is_idle = False
        self._answer = self._loop.create_future()
        head = h11.Request(method="POST", target=target, headers=[*headers, ("content-length", str(len(content)))])
        events = (head, h11.Data(data=content), h11.EndOfMessage())
        # One write, as each one is a system call and a packet.
        request = b"".join(self._http.send(event) or b"" for event in events)
        self._transport.write(request)
        MODEL_TRAFFIC.sent_bytes += len(request)
        try:
            return await self._answer
        finally:
            self._answer = None

    def abort(self) -> None:
        self.is_idle = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._become_idle()

    def data_received(self, data: bytes) -> None:
        MODEL_TRAFFIC.received_bytes += len(data)
        if self._answer is None:
            # Nobody asked: what comes now must not be taken for the answer to the next request.
            self.abort()
        else:
            self._http.receive_data(data)
            self._read()

    def eof_received(self) -> None:
        if self._answer is not None:
            self._http.receive_data(b"")
            self._read()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_idle = False
        self._fail(str(exc or "the connection was closed in the middle of a response"))

    def _read(self) -> None:
        import h11

        try:
            while True:
                event = self._http.next_event()
                if isinstance(event, h11.Response):
                    self._response = event
                elif isinstance(event, h11.Data):
                    self._body.append(bytes(event.data))
                elif isinstance(event, h11.EndOfMessage):
                    self._finish()
                    return
                elif event is h11.NEED_DATA:
                    return
                elif not isinstance(event, h11.InformationalResponse):
                    self._fail("the connection was closed before a response")
                    return
        except h11.RemoteProtocolError as error:
            self._fail(str(error))

    def _finish(self) -> None:
        import h11

        response, body = self._response, b"".join(self._body)
        self._response, self._body = None, []
        http = self._http
        if (http.our_state, http.their_state) == (h11.DONE, h11.DONE) and not http.trailing_data[0]:
            http.start_next_cycle()
            self._become_idle()
        if response is not None and self._answer is not None and not self._answer.done():
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
            self._answer.set_result(RawResponse(response.status_code, headers, body))

    def _become_idle(self) -> None:
        self.is_idle = True
        self.idle_since = self._loop.time()

    def _fail(self, why: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(LostConnectionError(why))
