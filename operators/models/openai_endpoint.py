"""OpenAIModel: a model behind an OpenAI-compatible endpoint.

The OpenAI client tries again what it knows to be passing (no connection, 408, 409, 429, 5xx); here one more attempt
is made for what it takes for an answer and is none: a body that is no JSON, or holds no choices.
"""

from __future__ import annotations

import asyncio
import contextvars
import difflib
import time
import weakref
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evaluators.exceptions import InfrastructureError, UserError
from operators.models.chat import ChatRequest, Completion, FinishReason, Price, Usage
from operators.models.limiter import AdaptiveLimiter
from operators.models.prices import list_price
from operators.models.quirks import Quirks, quirks_of
from operators.models.reply import BrokenReplyError, read_reply, rejection, retry_after_seconds

if TYPE_CHECKING:
    import httpx2
    from openai import APIStatusError, AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
# Seeds of 64 bits are refused by some servers, and one value of 32 bits means "at random" to others.
_SEED_RANGE = 2**31 - 1


@dataclass
class _Call:
    """What happened on the way to one answer."""

    attempts: int = 0
    responses: int = 0
    sent_at: float = 0.0


_current: contextvars.ContextVar[_Call] = contextvars.ContextVar("openai_endpoint_call")


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    Args:
        name: The provider's name of the model.
        base_url: Of the endpoint, usually ending in ``/v1``.
        api_key: None for an endpoint that asks for none.
        concurrency: Most calls in flight; fewer while the provider refuses them.
        headers: Sent along with each request.
        timeout_seconds: For one attempt.
        max_retries: Of the OpenAI client, for each call.
        price: What tokens cost; None to look it up in this package's table.
        quirks: What the model wants otherwise; None to look it up in this package's table.
        identity: Digested into every key; None for model and endpoint.
        http_client: To send requests with, in place of the client's own; for tests.
        trust_env: Whether proxies named in the environment are used.

    Attributes:
        attempts: Requests sent, by operator.
        troubles: Attempts that brought no answer, by HTTP status, ``"no response"`` or ``"broken body"``.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str | None = None,
        concurrency: int = 8,
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float = 600.0,
        max_retries: int = 6,
        price: Price | None = None,
        quirks: Quirks | None = None,
        identity: str | None = None,
        http_client: httpx2.AsyncClient | None = None,
        trust_env: bool = True,
    ) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise UserError(f"base URL {base_url!r} is not an address: write it as in {OPENAI_URL}")
        port = f":{address.port}" if address.port else ""
        self.name = name
        self.concurrency = concurrency
        self.price = price or list_price(name, address.hostname)
        # Whatever a URL may carry of user, password and query is left out: it may be a secret.
        self.endpoint = f"{address.scheme}://{address.hostname}{port}{address.path.rstrip('/')}"
        self.identity = identity or f"{name} at {self.endpoint}"
        self.limiter = AdaptiveLimiter(concurrency)
        self.attempts: Counter[str] = Counter()
        self.troubles: Counter[str] = Counter()
        self._base_url = base_url
        self._api_key = api_key
        self._headers = dict(headers or {})
        self._timeout_seconds = timeout_seconds
        self._max_retries = max_retries
        self._quirks = quirks or quirks_of(name, address.hostname)
        self._given_http_client = http_client
        self._trust_env = trust_env
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = weakref.WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"OpenAIModel({self.identity!r})"

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureError: If no answer came after all attempts.
            UserError: If the endpoint refuses the key, does not know the model, or does not accept the request.
        """
        call = _Call()
        _current.set(call)
        async with self.limiter:
            try:
                completion = await self._ask(request, call)
            finally:
                self.attempts[request.operator] += call.attempts
                self._note("no response", call.attempts - call.responses)
            self.limiter.answered()
        return replace(completion, attempts=call.attempts)

    async def close(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _ask(self, request: ChatRequest, call: _Call) -> Completion:
        try:
            return await self._attempt(request, call)
        except BrokenReplyError:
            self._note("broken body", 1)
        try:
            return await self._attempt(request, call)
        except BrokenReplyError as error:
            self._note("broken body", 1)
            raise InfrastructureError(self._told(f"answered without an answer, twice: {error}", call)) from error

    async def _attempt(self, request: ChatRequest, call: _Call) -> Completion:
        import httpx2  # comes with openai, and both take 0.3 s that only a run with an endpoint pays
        import openai

        try:
            response = await self._client().post("/chat/completions", body=self._body(request), cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            return await self._refused(error, request, call)
        except openai.APITimeoutError as error:
            raise InfrastructureError(self._told(f"did not answer within {self._timeout_seconds:g} s", call)) from error
        except openai.APIConnectionError as error:
            cause = self._without_key(str(error.__cause__ or error))
            raise InfrastructureError(self._told(f"cannot be reached ({cause or 'connection lost'})", call)) from error
        completion = read_reply(response.text, request)
        return replace(completion, latency_seconds=time.perf_counter() - call.sent_at)

    async def _refused(self, error: APIStatusError, request: ChatRequest, call: _Call) -> Completion:
        status = error.status_code
        message = self._without_key(error.message)
        final = rejection(status, error.body, message)
        if final is not None:
            prompt = sum(len(part.content) for part in request.messages) // 4
            usage = Usage(prompt_tokens=prompt) if final is FinishReason.REFUSAL else Usage()
            return Completion("", usage, final, self.name, time.perf_counter() - call.sent_at)
        if status in (401, 403):
            problem = "refused the key" if self._api_key else "wants a key"
            raise UserError(
                f"{self.endpoint} {problem} (HTTP {status}): set OPENAI_API_KEY to a key that is valid there, "
                "or type --model embedded"
            ) from None
        if status == 404:
            known = await self._known_models()
            raise UserError(f"{self.endpoint} has no model {self.name!r} (HTTP 404){known}") from None
        if status in (400, 422):
            raise UserError(f"{self.endpoint} does not accept the request for {self.name!r}: {message}") from None
        raise InfrastructureError(self._told(f"failed with HTTP {status}: {message}", call)) from None

    async def _known_models(self) -> str:
        import openai

        try:
            page = await self._client().with_options(max_retries=0).models.list()
        except openai.OpenAIError:
            return ": check --model, and OPENAI_BASE_URL, which usually ends in /v1"
        names = sorted(model.id for model in page.data)
        near = difflib.get_close_matches(self.name, names, n=1, cutoff=0.5)
        more = f" and {len(names) - 12} more" if len(names) > 12 else ""
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f": it has {', '.join(names[:12]) or 'none'}{more}{hint}"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        sampling, quirks = request.sampling, self._quirks
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            quirks.max_tokens_field: sampling.max_tokens,
        }
        if quirks.temperature and sampling.temperature is not None:
            body["temperature"] = sampling.temperature
        if quirks.top_p and sampling.top_p is not None:
            body["top_p"] = sampling.top_p
        if quirks.stop and sampling.stop:
            body["stop"] = list(sampling.stop)
        if quirks.seed_field is not None:
            body[quirks.seed_field] = request.seed % _SEED_RANGE
        return body | dict(sampling.extra)

    def _client(self) -> AsyncOpenAI:
        """The client of the running event loop: connections of one loop hang in another."""
        import openai

        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            http_client = self._given_http_client
            if http_client is None:
                http_client = openai.DefaultAsyncHttpxClient(trust_env=self._trust_env)
            hooks = http_client.event_hooks
            if self._before not in hooks["request"]:
                http_client.event_hooks = {
                    "request": [*hooks["request"], self._before],
                    "response": [*hooks["response"], self._after],
                }
            client = openai.AsyncOpenAI(
                api_key=self._api_key or "none",
                base_url=self._base_url,
                timeout=self._timeout_seconds,
                max_retries=self._max_retries,
                default_headers=self._headers,
                http_client=http_client,
            )
            self._clients[loop] = client
        return client

    async def _before(self, _request: httpx2.Request) -> None:
        await self.limiter.pause()
        call = _current.get()
        call.attempts += 1
        call.sent_at = time.perf_counter()

    async def _after(self, response: httpx2.Response) -> None:
        _current.get().responses += 1
        if response.status_code == 429:
            self.limiter.refused(retry_after_seconds(response.headers))
        if response.status_code in (408, 409, 429) or response.status_code >= 500:
            self._note(str(response.status_code), 1)

    def _note(self, trouble: str, times: int) -> None:
        if times:
            self.troubles[trouble] += times

    def _told(self, what: str, call: _Call) -> str:
        return f"model {self.name!r} at {self.endpoint} {what}; {call.attempts} attempts"

    def _without_key(self, text: str) -> str:
        return text.replace(self._api_key, "[key]") if self._api_key else text
