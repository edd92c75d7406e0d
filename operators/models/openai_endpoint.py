"""OpenAIModel: a model behind an OpenAI-compatible endpoint.

What is known to be passing (no connection, no answer in time, 408, 409, 429, 5xx, and a complete response that holds
no answer) is tried again, with growing pauses; a provider's ``Retry-After`` makes all calls pause. A call keeps its
place only while a request of it is under way.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evaluators.exceptions import EvoError, InfrastructureError, UserError
from operators.models.chat import ChatRequest, Completion, FinishReason, Price, Usage
from operators.models.limiter import AdaptiveLimiter
from operators.models.openai_connection import Lost, OpenAIConnection, Response
from operators.models.prices import list_price
from operators.models.quirks import Quirks, quirks_of
from operators.models.refused_field import setting_to_change
from operators.models.reply import BrokenReplyError, ErrorReply, read_error, read_reply, rejection, retry_after_seconds

if TYPE_CHECKING:
    import httpx2

OPENAI_URL = "https://api.openai.com/v1"
# Seeds of 64 bits are refused by some servers, and one value of 32 bits means "at random" to others.
_SEED_RANGE = 2**31 - 1
_LONGEST_BACKOFF_SECONDS = 8.0
_OVERLOADED = (429, 529)


@dataclass
class _Call:
    """What happened so far on the way to one answer."""

    operator: str
    asked_at: float
    attempts: int = 0
    working_seconds: float = 0.0


@dataclass(frozen=True)
class _Trouble:
    """Why an attempt brought no answer.

    Attributes:
        kind: To be counted by.
        what: To be read after the endpoint's name.
        passing: Whether another attempt may bring an answer.
        pause_seconds: For how long the provider asks to be left alone.
        status: HTTP status; 0 if no response came, or one without an answer.
    """

    kind: str
    what: str
    passing: bool
    pause_seconds: float = 0.0
    status: int = 0
    reply: ErrorReply = ErrorReply("")


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    Args:
        name: The provider's name of the model.
        base_url: Of the endpoint, usually ending in ``/v1``.
        api_key: None for an endpoint that asks for none.
        concurrency: Most requests in flight; fewer while the provider refuses them.
        headers: Sent along with each request.
        timeout_seconds: For one attempt, from sending the request to the last byte of the response.
        connect_seconds: For making a connection.
        max_retries: Attempts of a call beyond the first one.
        backoff_seconds: Before the second attempt, if the provider asks for no pause; doubled with each attempt up to
            8 s, and up to a quarter less by the request's seed, so that calls that failed together come back apart.
        price: What tokens cost; None to look it up in this package's table.
        quirks: What the model wants otherwise; None to look it up in this package's table.
        identity: Digested into every key; None for model and endpoint.
        limiter: Shared with other models of the same account; None for one of its own.
        http_client: To send requests with, in place of the client's own; for tests.
        trust_env: Whether proxies named in the environment are used.
        key_variable: Where the key was read from, for messages.

    Attributes:
        limiter: Its ``state`` tells who waits for what.
        attempts: Requests sent, by operator.
        troubles: Attempts that brought no answer, by HTTP status, ``"timeout"``, ``"no response"``, ``"broken body"``.
        working_seconds: That requests were under way, those without an answer included, summed over calls.
        waiting_seconds: That calls waited for a place, for the provider's pause or before another attempt, summed.
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
        connect_seconds: float = 15.0,
        max_retries: int = 6,
        backoff_seconds: float = 0.5,
        price: Price | None = None,
        quirks: Quirks | None = None,
        identity: str | None = None,
        limiter: AdaptiveLimiter | None = None,
        http_client: httpx2.AsyncClient | None = None,
        trust_env: bool = True,
        key_variable: str = "OPENAI_API_KEY",
    ) -> None:
        try:
            address = urlsplit(base_url)
            _ = address.port
        except ValueError as error:
            raise UserError(f"base URL {base_url!r} is no address ({error}): write it as in {OPENAI_URL}") from error
        if address.scheme not in ("http", "https") or not address.hostname:
            raise UserError(f"base URL {base_url!r} is not an address: write it as in {OPENAI_URL}")
        port = f":{address.port}" if address.port else ""
        self.name = name
        self.concurrency = concurrency
        self.price = price or list_price(name, address.hostname)
        # Whatever a URL may carry of user, password and query is left out: it may be a secret.
        self.endpoint = f"{address.scheme}://{address.hostname}{port}{address.path.rstrip('/')}"
        self.identity = identity or f"{name} at {self.endpoint}"
        self.limiter = limiter or AdaptiveLimiter(concurrency)
        self.attempts: Counter[str] = Counter()
        self.troubles: Counter[str] = Counter()
        self.working_seconds = 0.0
        self.waiting_seconds = 0.0
        self._max_retries = max_retries
        self._backoff_seconds = backoff_seconds
        self._key_variable = key_variable
        self._quirks = quirks or quirks_of(name, address.hostname)
        self._connection = OpenAIConnection(
            base_url,
            api_key=api_key,
            headers=headers or {},
            timeout_seconds=timeout_seconds,
            connect_seconds=connect_seconds,
            connections=concurrency,
            http_client=http_client,
            trust_env=trust_env,
        )

    def __repr__(self) -> str:
        return f"OpenAIModel({self.identity!r})"

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request.

        Raises:
            InfrastructureError: If no answer came after all attempts.
            UserError: If the endpoint refuses the key, does not know the model, or does not accept the request; or if
                two event loops ask at the same time.
        """
        call = _Call(request.operator, self.limiter.clock())
        try:
            return await self._answer(request, call)
        finally:
            self.attempts[request.operator] += call.attempts
            self.working_seconds += call.working_seconds
            self.waiting_seconds += self.limiter.clock() - call.asked_at - call.working_seconds

    async def close(self) -> None:
        """Close the connections of this event loop."""
        await self._connection.close()

    async def _answer(self, request: ChatRequest, call: _Call) -> Completion:
        body = self._body(request)
        while True:
            outcome = await self._attempt(request, body, call)
            if isinstance(outcome, Completion):
                return outcome
            self.troubles[outcome.kind] += 1
            if not outcome.passing or call.attempts > self._max_retries:
                raise await self._given_up(outcome, body, call)
            if outcome.pause_seconds == 0:
                why = f"HTTP {outcome.status}" if outcome.status else self._connection.masked(outcome.what)
                await self.limiter.wait(self._backoff(request.seed, call.attempts), request.operator, why)

    async def _attempt(self, request: ChatRequest, body: Mapping[str, Any], call: _Call) -> Completion | _Trouble:
        clock = self.limiter.clock
        async with self.limiter.place(request.operator) as place:
            call.attempts += 1
            sent_at = clock()
            try:
                response = await self._connection.post(body)
            finally:
                seconds = clock() - sent_at
                call.working_seconds += seconds
            outcome = self._read(response, request)
            if isinstance(outcome, Completion):
                place.answered()
                waited = sent_at - call.asked_at
                return replace(
                    outcome, latency_seconds=seconds, attempts=call.attempts, waiting_seconds=max(0.0, waited)
                )
            if outcome.status in _OVERLOADED:
                place.refused()
            if outcome.pause_seconds:
                self.limiter.pause(outcome.pause_seconds, f"HTTP {outcome.status}")
        return outcome

    def _read(self, response: Response | Lost, request: ChatRequest) -> Completion | _Trouble:
        if isinstance(response, Lost):
            return _Trouble("timeout" if response.timed_out else "no response", response.what, True)
        if 200 <= response.status < 300:
            try:
                return read_reply(response.text, request)
            except BrokenReplyError as error:
                return _Trouble("broken body", f"answered without an answer: {error}", True)
        return self._read_refusal(response, request)

    def _read_refusal(self, response: Response, request: ChatRequest) -> Completion | _Trouble:
        if 300 <= response.status < 400:
            where = response.headers.get("location", "somewhere else")
            return _Trouble(str(response.status), f"sends on to {where}", False, status=response.status)
        reply = read_error(response.text)
        final = rejection(response.status, reply)
        if final is not None:
            prompt = sum(len(part.content) for part in request.messages) // 4
            usage = Usage(prompt_tokens=prompt) if final is FinishReason.REFUSAL else Usage()
            return Completion("", usage, final, self.name)
        if response.status in (400, 413, 422) and not reply.complete:
            return _Trouble("broken body", f"failed with HTTP {response.status}, and half a reason", True)
        pause = retry_after_seconds(response.headers) or 0.0
        too_long = pause > self.limiter.longest_pause_seconds
        what = f"failed with HTTP {response.status}: {reply.message}"
        if too_long:
            what += f" (and asks to be left alone for {pause:.0f} s)"
        passing = _is_passing(response, reply) and not too_long
        return _Trouble(str(response.status), what, passing, pause, response.status, reply)

    async def _given_up(self, trouble: _Trouble, body: Mapping[str, Any], call: _Call) -> EvoError:
        masked = self._connection.masked
        status, told = trouble.status, masked(trouble.reply.message)
        if status in (401, 403):
            problem = "refused the key" if self._connection.has_key else "wants a key"
            return UserError(
                f"{self.endpoint} {problem} (HTTP {status}): set {self._key_variable} to a key that is valid there, "
                "or type --model embedded"
            )
        if status == 404:
            return UserError(f"{self.endpoint} has no model {self.name!r} (HTTP 404){masked(await self._known())}")
        if 300 <= status < 400:
            return UserError(f"{self.endpoint} {masked(trouble.what)} (HTTP {status}): give the base URL of that place")
        if status in (400, 422):
            setting = setting_to_change(body, trouble.reply.param, told, self._quirks.seed_field)
            hint = f": {setting}" if setting else ""
            return UserError(f"{self.endpoint} does not accept the request for {self.name!r} ({told}){hint}")
        attempts = f"{call.attempts} attempts" if call.attempts > 1 else "1 attempt"
        return InfrastructureError(f"model {self.name!r} at {self.endpoint} {masked(trouble.what)}; {attempts}")

    async def _known(self) -> str:
        names = await self._connection.models()
        if names is None:
            return ": check --model, and OPENAI_BASE_URL, which usually ends in /v1"
        near = difflib.get_close_matches(self.name, names, n=1, cutoff=0.5)
        more = f" and {len(names) - 12} more" if len(names) > 12 else ""
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f": it has {', '.join(names[:12]) or 'none'}{more}{hint}"

    def _backoff(self, seed: int, attempts: int) -> float:
        seconds: float = min(_LONGEST_BACKOFF_SECONDS, self._backoff_seconds * 2 ** (attempts - 1))
        return seconds * (1 - (seed + 101 * attempts) % 997 / 997 / 4)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        sampling, quirks = request.sampling, self._quirks
        body: dict[str, Any] = {
            "model": self.name,
            "messages": quirks.messages(request.messages),
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


def _is_passing(response: Response, reply: ErrorReply) -> bool:
    # An empty account is told as 429 too, and does not fill up by waiting.
    if reply.code == "insufficient_quota":
        return False
    told = response.headers.get("x-should-retry")
    if told in ("true", "false"):
        return told == "true"
    return response.status in (408, 409, 429) or response.status >= 500
