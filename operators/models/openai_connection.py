"""OpenAIConnection: sends one request to an OpenAI-compatible endpoint, and tells what came back.

The OpenAI client does the protocol. Its retries are off, as they would multiply with those of
:class:`~operators.models.openai_endpoint.OpenAIModel`, which sees to places, pauses and time.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evaluators.exceptions import UserError

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

# Shorter texts are no secrets, and would be cut out of words.
_SHORTEST_SECRET = 8


@dataclass(frozen=True)
class Response:
    """A complete HTTP response.

    Attributes:
        status: HTTP status.
        headers: Names in lower case.
        text: The body.
    """

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Lost:
    """A request to which no complete response came.

    Attributes:
        timed_out: Whether that is for lack of time.
        what: To be read after the endpoint's name.
    """

    timed_out: bool
    what: str


class OpenAIConnection:
    """The client of an endpoint, one for each event loop: connections of one loop hang in another.

    Args:
        base_url: Of the endpoint.
        api_key: None for an endpoint that asks for none.
        headers: Sent along with each request.
        timeout_seconds: From sending a request to the last byte of its response.
        connect_seconds: For making a connection.
        connections: That are kept open between requests.
        http_client: To send requests with, in place of the client's own; for tests.
        trust_env: Whether proxies named in the environment are used.

    Raises:
        UserError: If the key cannot be one.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None,
        headers: Mapping[str, str],
        timeout_seconds: float,
        connect_seconds: float,
        connections: int,
        http_client: httpx2.AsyncClient | None,
        trust_env: bool,
    ) -> None:
        key = (api_key or "").strip()
        if not (key.isascii() and key.isprintable()):
            raise UserError("the API key holds characters that no key has: copy it again, without quotes or accents")
        address = urlsplit(base_url)
        secrets = (key, *headers.values(), address.password or "", address.query)
        self.has_key = bool(key)
        self._secrets = tuple(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)
        self._base_url = base_url
        self._api_key = key
        self._headers = dict(headers)
        self._timeout_seconds = timeout_seconds
        self._connect_seconds = min(connect_seconds, timeout_seconds)
        self._connections = connections
        self._given_http_client = http_client
        self._trust_env = trust_env
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = weakref.WeakKeyDictionary()

    async def post(self, body: Mapping[str, Any]) -> Response | Lost:
        """Ask for a chat completion, once."""
        import httpx2  # comes with openai, and both take 0.3 s that only a run with an endpoint pays
        import openai

        client = self._client()
        try:
            # The client's own timeout is for each read, so that a reply which drips would never end.
            async with asyncio.timeout(self._timeout_seconds):
                response = await client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            response = error.response
        except openai.APITimeoutError as error:
            if isinstance(error.__cause__, httpx2.ConnectTimeout):
                return Lost(True, f"took no connection within {self._connect_seconds:g} s")
            return self._late()
        except TimeoutError:
            return self._late()
        except openai.APIConnectionError as error:
            return Lost(False, f"cannot be reached ({error.__cause__ or 'connection lost'})")
        return Response(response.status_code, response.headers, response.text)

    async def models(self) -> tuple[str, ...] | None:
        """Names of the endpoint's models; None if it does not tell."""
        import openai

        try:
            async with asyncio.timeout(self._connect_seconds):
                page = await self._client().models.list()
        except (openai.OpenAIError, TimeoutError):
            return None
        return tuple(sorted(model.id for model in page.data))

    async def close(self) -> None:
        """Close the connections of this event loop; another request opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def masked(self, text: str) -> str:
        """The text without key, header values, and what an address may hide."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text

    def _late(self) -> Lost:
        return Lost(True, f"did not answer within {self._timeout_seconds:g} s")

    def _client(self) -> AsyncOpenAI:
        import httpx2
        import openai

        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            http_client = self._given_http_client
            if http_client is None:
                limits = httpx2.Limits(max_connections=None, max_keepalive_connections=self._connections)
                http_client = openai.DefaultAsyncHttpxClient(trust_env=self._trust_env, limits=limits)
            elif http_client.is_closed:
                raise UserError("the http_client of this model is closed: give an open one to a new model")
            client = openai.AsyncOpenAI(
                api_key=self._api_key or "none",
                base_url=self._base_url,
                timeout=httpx2.Timeout(self._timeout_seconds, connect=self._connect_seconds),
                max_retries=0,
                default_headers=self._headers,
                http_client=http_client,
            )
            self._clients[loop] = client
        return client
