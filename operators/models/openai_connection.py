"""OpenAIConnection: sends one request to an OpenAI-compatible endpoint, and tells what came back.

The OpenAI client brings headers, certificates and the list of models, and its HTTP client where a proxy is in between.
Its ``post`` is not used: it takes 3 ms of processor time a call, of which 64 may be in flight; and its retries would
multiply with those of :class:`~operators.models.openai_endpoint.OpenAIModel`, which sees to places, pauses and time.
"""

from __future__ import annotations

import asyncio
import json
import urllib.request
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from evaluators.exceptions import UserError
from evaluators.resource_use import MODEL_TRAFFIC
from operators.models.http_connections import HttpConnections, LostConnectionError, RawResponse

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


@dataclass(frozen=True)
class _Client:
    """What one event loop uses.

    Attributes:
        openai: For the list of models, and for its HTTP client.
        headers: Of each request.
        http_client: For what direct connections cannot do.
        direct: Connections to the endpoint itself; None if a proxy, a password or a test's transport is in between.
    """

    openai: AsyncOpenAI
    headers: httpx2.Headers
    http_client: httpx2.AsyncClient
    direct: HttpConnections | None


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
        path = f"{address.path.rstrip('/')}/chat/completions"
        self._url = urlunsplit((address.scheme, address.netloc, path, address.query, ""))
        self._api_key = key
        self._headers = dict(headers)
        self._timeout_seconds = timeout_seconds
        self._connect_seconds = min(connect_seconds, timeout_seconds)
        self._connections = connections
        self._given_http_client = http_client
        self._trust_env = trust_env
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Client] = weakref.WeakKeyDictionary()

    async def post(self, body: Mapping[str, Any]) -> Response | Lost:
        """Ask for a chat completion, once."""
        import httpx2  # comes with openai, and both take 0.3 s that only a run with an endpoint pays

        client = self._client()
        # ASCII, so that a lone surrogate of a program's output can be sent too.
        content = json.dumps(body, separators=(",", ":")).encode("ascii")
        try:
            # A timeout for each read alone would let a reply which drips go on for ever.
            async with asyncio.timeout(self._timeout_seconds):
                if client.direct is not None:
                    return _decoded(await client.direct.post(content))
                timeout = httpx2.Timeout(self._timeout_seconds, connect=self._connect_seconds)
                response = await client.http_client.post(
                    self._url, headers=client.headers, content=content, timeout=timeout
                )
                MODEL_TRAFFIC.sent_bytes += len(content)
                MODEL_TRAFFIC.received_bytes += response.num_bytes_downloaded
                return Response(response.status_code, response.headers, response.text)
        except httpx2.ConnectTimeout:
            return Lost(False, f"cannot be reached (no connection within {self._connect_seconds:g} s)")
        except (TimeoutError, httpx2.TimeoutException):
            return Lost(True, f"did not answer within {self._timeout_seconds:g} s")
        except (LostConnectionError, httpx2.RequestError) as error:
            return Lost(False, f"cannot be reached ({error or 'connection lost'})")

    async def models(self) -> tuple[str, ...] | None:
        """Names of the endpoint's models; None if it does not tell."""
        import openai

        try:
            async with asyncio.timeout(self._connect_seconds):
                page = await self._client().openai.models.list()
        except (openai.OpenAIError, TimeoutError):
            return None
        return tuple(sorted(model.id for model in page.data))

    async def close(self) -> None:
        """Close the connections of this event loop; another request opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            if client.direct is not None:
                client.direct.close()
            await client.http_client.aclose()

    def masked(self, text: str) -> str:
        """The text without key, header values, and what an address may hide."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text

    def _client(self) -> _Client:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._new_client()
        return client

    def _new_client(self) -> _Client:
        import httpx2
        import openai

        http_client, direct = self._given_http_client, None
        ssl_context = httpx2.create_ssl_context(trust_env=self._trust_env)
        if http_client is None:
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=self._connections)
            http_client = openai.DefaultAsyncHttpxClient(verify=ssl_context, trust_env=self._trust_env, limits=limits)
        elif http_client.is_closed:
            raise UserError("the http_client of this model is closed: give an open one to a new model")
        client = openai.AsyncOpenAI(
            api_key=self._api_key or "none",
            base_url=self._base_url,
            max_retries=0,
            default_headers=self._headers,
            http_client=http_client,
        )
        headers = httpx2.Headers(client.auth_headers)
        headers.update({name: value for name, value in client.default_headers.items() if isinstance(value, str)})
        if self._is_direct:
            ssl_context.set_alpn_protocols(["http/1.1"])
            direct = HttpConnections(
                self._url,
                headers,
                connect_seconds=self._connect_seconds,
                ssl_context=ssl_context if self._url.startswith("https:") else None,
            )
        return _Client(client, headers, http_client, direct)

    @property
    def _is_direct(self) -> bool:
        address = urlsplit(self._url)
        if self._given_http_client is not None or address.username is not None:
            return False
        proxies = urllib.request.getproxies() if self._trust_env else {}
        proxied = address.scheme in proxies or "all" in proxies
        return not (proxied and not urllib.request.proxy_bypass(address.hostname or ""))


def _decoded(raw: RawResponse) -> Response:
    if raw.headers.get("content-encoding", "identity") == "identity":
        return Response(raw.status, raw.headers, raw.body.decode("utf-8", "replace"))
    import httpx2

    return Response(raw.status, raw.headers, httpx2.Response(raw.status, headers=raw.headers, content=raw.body).text)
