"""Opening a model by its name."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evaluators.exceptions import UserError
from evaluators.users_file import load_from_file
from operators.models.chat import ChatModel, Price

if TYPE_CHECKING:
    from operators.models.limiter import AdaptiveLimiter
    from operators.models.weights import FetchProgress

EMBEDDED = "embedded"


async def open_model(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    headers: Mapping[str, str] | None = None,
    concurrency: int | None = None,
    key_variable: str = "OPENAI_API_KEY",
    timeout_seconds: float = 600.0,
    connect_seconds: float = 15.0,
    max_retries: int = 6,
    price: Price | None = None,
    quirks: Mapping[str, Any] | None = None,
    slots: int = 1,
    context_tokens: int = 4096,
    threads: int | None = None,
    progress: Callable[[FetchProgress], None] | None = None,
    on_limiter: Callable[[AdaptiveLimiter], None] | None = None,
    will_be_asked: bool = True,
) -> ChatModel:
    """Open a model; nothing is sent, fetched or started before its first request.

    Args:
        name: ``"embedded"``; the path of a ``.gguf`` file; ``"recorded:FILE"`` for a cassette;
            ``"scripted:FILE.py:ATTRIBUTE"`` for a function from request to text, or a model; any other name is that
            of a model at an OpenAI-compatible endpoint.
        base_url: Of the endpoint; None for ``OPENAI_BASE_URL``, or OpenAI's own.
        api_key: For the endpoint; None for what ``key_variable`` holds.
        headers: Sent along to the endpoint.
        concurrency: Most calls in flight at the endpoint; None for 8.
        key_variable: Name of the environment variable with the endpoint's key.
        timeout_seconds: For one attempt at the endpoint, to the last byte of its answer.
        connect_seconds: For making a connection to the endpoint.
        max_retries: Attempts of each call at the endpoint beyond the first one.
        price: What the endpoint's tokens cost; None to look it up.
        quirks: Fields of :class:`~operators.models.quirks.Quirks` for the endpoint's model, in place of those that
            this package's table has for it.
        slots: Requests that a model on this machine answers at the same time; with 1 it is reproducible.
        context_tokens: Of each slot of a model on this machine.
        threads: Of a model on this machine; None for one less than there are processors.
        progress: Called while the embedded model is fetched.
        on_limiter: Given the endpoint's limiter, which tells who waits for what.
        will_be_asked: Whether a key that is missing matters; not where a model is only looked at.

    Raises:
        UserError: If the name, a file or the key is missing or wrong.
    """
    kind, colon, rest = name.partition(":")
    if kind == "recorded" and colon:
        from operators.models.recorded import RecordedModel

        return RecordedModel(Path(rest))
    if kind == "scripted" and colon:
        return _scripted(rest)
    if name == EMBEDDED or name.lower().endswith(".gguf"):
        from operators.models.embedded import EmbeddedModel

        path = None if name == EMBEDDED else Path(name)
        return EmbeddedModel(path, slots=slots, context_tokens=context_tokens, threads=threads, progress=progress)
    if not name.strip():
        raise UserError(
            "the model's name is empty: type --model embedded, FILE.gguf, or the name of an endpoint's model"
        )
    from operators.models.openai_endpoint import OPENAI_URL, OpenAIModel
    from operators.models.quirks import quirks_from

    url = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    key = api_key or os.environ.get(key_variable) or None
    if key is None and url == OPENAI_URL and will_be_asked:
        near = "; did you mean 'embedded'?" if difflib.get_close_matches(name, [EMBEDDED], cutoff=0.7) else ""
        raise UserError(
            f"model {name!r} is asked for at {OPENAI_URL}, which wants a key: set {key_variable}, "
            f"set OPENAI_BASE_URL to another endpoint, or type --model embedded{near}"
        )
    opened = OpenAIModel(
        name,
        base_url=url,
        api_key=key,
        concurrency=8 if concurrency is None else concurrency,
        headers=headers,
        timeout_seconds=timeout_seconds,
        connect_seconds=connect_seconds,
        max_retries=max_retries,
        price=price,
        quirks=quirks_from(quirks, name, urlsplit(url).hostname or "") if quirks else None,
        key_variable=key_variable,
    )
    if on_limiter is not None:
        on_limiter(opened.limiter)
    return opened


def _scripted(place: str) -> ChatModel:
    from operators.models.scripted import ScriptedModel

    file, _, attribute = place.rpartition(":")
    if not attribute or not file.endswith(".py"):
        raise UserError(f"'scripted:{place}' names no script: type scripted:FILE.py:ATTRIBUTE with a file that exists")
    found = load_from_file("scripted model", file, attribute)
    if hasattr(found, "complete") and hasattr(found, "identity"):
        model: ChatModel = found
        return model
    if not callable(found):
        raise UserError(f"{attribute!r} of {file} is no function from request to text, and no model")
    return ScriptedModel(found, identity=f"scripted {Path(file).name}:{attribute}")
