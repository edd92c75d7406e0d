"""A completion and its request as they stand in the journal."""

from __future__ import annotations

import json
from typing import Any

from operators.models.chat import ChatRequest, Completion, FinishReason, Usage


def completion_to_record(completion: Completion, request: ChatRequest) -> dict[str, Any]:
    """Plain data of an answer, with its operator and seed."""
    return {
        "text": completion.text,
        "usage": dict(vars(completion.usage)),
        "finish_reason": completion.finish_reason.value,
        "model": completion.model,
        "latency_seconds": completion.latency_seconds,
        "waiting_seconds": completion.waiting_seconds,
        "attempts": completion.attempts,
        "operator": request.operator,
        "seed": request.seed,
        "temperature": request.sampling.temperature,
    }


def completion_from_record(record: dict[str, Any]) -> Completion:
    """The answer that a record was made of."""
    return Completion(
        text=record["text"],
        usage=Usage(**record["usage"]),
        finish_reason=FinishReason(record["finish_reason"]),
        model=record["model"],
        latency_seconds=record["latency_seconds"],
        waiting_seconds=record["waiting_seconds"],
        attempts=record["attempts"],
    )


def request_text(request: ChatRequest) -> str:
    """The messages of a request as JSON text, equal for equal messages."""
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    return json.dumps(messages, ensure_ascii=False)
