"""Reading what an OpenAI-compatible endpoint sends back."""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
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
_SHOWN = 500


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
    except (ValueError, RecursionError) as error:
        raise BrokenReplyError(f"the body is no JSON: {text[:120]!r}") from error
    body = _fields(body)
    choices = body.get("choices")
    choice = _fields(choices[0] if isinstance(choices, list) and choices else None)
    message = _fields(choice.get("message"))
    ended = str(choice.get("finish_reason") or "")
    refusal = message.get("refusal")
    answer = _text(message.get("content"))
    # Gateways wrap the failure of whom they asked in a reply of status 200.
    told = body.get("error") or choice.get("error")
    silent = not (message and (ended or refusal or "content" in message))
    if told or ended == "error" or answer is None or silent:
        raise BrokenReplyError(f"the body has no choices: {str(told or text)[:200]}")
    reason = FinishReason.REFUSAL if refusal else _FINISH_REASONS.get(ended, FinishReason.STOP)
    usage = _usage(body.get("usage")) or Usage(
        sum(len(part.content) + 3 for part in request.messages) // 4, (len(answer) + 3) // 4
    )
    return Completion(answer or str(refusal or ""), usage, reason, str(body.get("model") or ""))


@dataclass(frozen=True)
class ErrorReply:
    """What an error reply says.

    Attributes:
        message: For humans.
        code: For machines, such as ``"context_length_exceeded"``; empty if there is none.
        kind: Its ``type``, as some servers have no code.
        param: The request's field that is wrong; None if it does not say.
        complete: False if the reply is JSON that ends in the middle.
    """

    message: str
    code: str = ""
    kind: str = ""
    param: str | None = None
    complete: bool = True


def read_error(text: str) -> ErrorReply:
    """Read the body of an error reply, which may be anything."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorReply(text[:_SHOWN], complete=not text.lstrip().startswith("{"))
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return ErrorReply(error[:_SHOWN] if isinstance(error, str) else text[:_SHOWN])
    message, param = error.get("message"), error.get("param")
    return ErrorReply(
        # Some servers tell as data what they do not accept, without a sentence.
        message[:_SHOWN] if isinstance(message, str) else json.dumps(error)[:_SHOWN],
        str(error.get("code") or ""),
        str(error.get("type") or ""),
        param if isinstance(param, str) else None,
    )


def rejection(status: int, reply: ErrorReply) -> FinishReason | None:
    """Tell whether an error reply is an answer after all: a prompt too long for the model, or one it will not touch.

    Args:
        status: HTTP status.
        reply: What it says.
    """
    if status not in (400, 413, 422):
        return None
    codes = {reply.code, reply.kind}
    if codes & _OVERFLOW_CODES or any(words in reply.message.lower() for words in _OVERFLOW_WORDS):
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
    try:
        return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
    except (ValueError, OverflowError):  # no year has such a date
        return None


def _fields(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: object) -> str | None:
    """The text of a message; None if this is no text."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(str(_fields(part).get("text") or "") for part in content)
    return content if isinstance(content, str) else None


def _usage(counted: object) -> Usage | None:
    fields = _fields(counted)
    if not isinstance(fields.get("prompt_tokens"), int):
        return None
    return Usage(
        _count(fields, "prompt_tokens"),
        _count(fields, "completion_tokens"),
        _count(_fields(fields.get("prompt_tokens_details")), "cached_tokens"),
        _count(_fields(fields.get("completion_tokens_details")), "reasoning_tokens"),
    )


def _count(fields: Mapping[str, Any], name: str) -> int:
    number = fields.get(name)
    return max(0, number) if isinstance(number, int) else 0
