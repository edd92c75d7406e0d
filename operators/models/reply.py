"""Reading what an OpenAI-compatible endpoint sends back."""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Mapping
from typing import Any

from operators.models.chat import ChatRequest, Completion, FinishReason, Usage

_FINISH_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSAL,
    "refusal": FinishReason.REFUSAL,
}
_OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_OVERFLOW_WORDS = (
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "too many tokens",
)


class BrokenReplyError(Exception):
    """A complete HTTP response that is no answer; the same request may get one."""


def read_reply(text: str, request: ChatRequest) -> Completion:
    """Read the body of a chat completion.

    An endpoint that counts no tokens gets an estimate, one for four characters, so that budgets still end a run.

    Args:
        text: The body.
        request: That it answers.

    Raises:
        BrokenReplyError: If the body is no JSON, or holds no choice with a message.
    """
    try:
        body = json.loads(text)
    except ValueError as error:
        raise BrokenReplyError(f"the body is no JSON: {text[:120]!r}") from error
    try:
        choice = body["choices"][0]
        message = choice["message"]
        answer = _text(message.get("content"))
        refusal = message.get("refusal")
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        told = body.get("error") if isinstance(body, dict) else None
        raise BrokenReplyError(f"the body has no choices: {str(told or body)[:200]}") from error
    reason = FinishReason.REFUSAL if refusal else _FINISH_REASONS.get(choice.get("finish_reason"), FinishReason.STOP)
    usage = _usage(body.get("usage")) or Usage(
        sum(len(part.content) + 3 for part in request.messages) // 4, (len(answer) + 3) // 4
    )
    return Completion(answer or (refusal or ""), usage, reason, str(body.get("model") or ""))


def rejection(status: int, body: object, message: str) -> FinishReason | None:
    """Tell whether an error reply is an answer after all: a prompt too long for the model, or one it will not touch.

    Args:
        status: HTTP status.
        body: The error object of the reply.
        message: What the reply says.
    """
    if status not in (400, 413, 422):
        return None
    codes = {body.get("code"), body.get("type")} if isinstance(body, dict) else set()
    if codes & _OVERFLOW_CODES or any(words in message.lower() for words in _OVERFLOW_WORDS):
        return FinishReason.CONTEXT_OVERFLOW
    return FinishReason.REFUSAL if "content_filter" in codes else None


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Read how long a provider asks to be left alone; None if it does not say."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _usage(counted: Any) -> Usage | None:
    if not isinstance(counted, dict) or not isinstance(counted.get("prompt_tokens"), int):
        return None
    prompt = counted.get("prompt_tokens_details") or {}
    answer = counted.get("completion_tokens_details") or {}
    return Usage(
        counted["prompt_tokens"],
        counted.get("completion_tokens") or 0,
        prompt.get("cached_tokens") or 0,
        answer.get("reasoning_tokens") or 0,
    )
