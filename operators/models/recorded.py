"""Cassettes: the answers of a model in a file, to be replayed without it.

A cassette is JSON lines. The first one is its header: the model's identity and the digests of the prompt files that
the requests were made from. Each further line holds one request with its answer, or with the error that came instead.
Answers are found by messages, sampling, seed and path; the identity stands in the header only. Replay never calls out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluators.exceptions import EvoError, InfrastructureError, UserError, near_file
from operators.models.chat import (
    ChatModel,
    ChatRequest,
    Completion,
    FinishReason,
    Message,
    Price,
    Sampling,
    Usage,
)
from operators.prompts.template import prompt_digests

VERSION = 1
_ERRORS: dict[str, type[EvoError]] = {"UserError": UserError, "InfrastructureError": InfrastructureError}
_SHOWN = 60


class Recorder:
    """A model that writes down what another one answers.

    Lines are written as answers come; :meth:`close` sorts them by path, so that equal runs give equal cassettes
    (times apart).

    A cassette that was begun before, with the same header, is gone on with; of two answers to one request the later
    one counts.

    Args:
        model: That answers.
        path: Of the cassette.
        settings: Plain data to be kept in the header, such as the run's configuration. Never a secret.
        writes: Whether anything is written; without, it is only seen that it could be.

    Raises:
        UserError: If the file holds something else already, or cannot be written.
    """

    def __init__(
        self, model: ChatModel, path: Path, *, settings: Mapping[str, Any] | None = None, writes: bool = True
    ) -> None:
        self._model = model
        self._writes = writes
        self._path = path
        self._header = {
            "cassette": VERSION,
            "identity": model.identity,
            "concurrency": model.concurrency,
            # As it will be read again: lists in place of tuples, texts in place of other keys.
            "settings": json.loads(json.dumps(dict(settings or {}))),
            "prompts": prompt_digests(),
        }
        self._records = self._begun()
        self._save()

    @property
    def identity(self) -> str:
        """The other model's."""
        return self._model.identity

    @property
    def price(self) -> Price | None:
        """The other model's."""
        return self._model.price

    @property
    def concurrency(self) -> int:
        """The other model's."""
        return self._model.concurrency

    async def complete(self, request: ChatRequest) -> Completion:
        """Let the other model answer, and write its answer or its error down.

        Raises:
            InfrastructureError: If the other model does.
            UserError: If the other model does.
        """
        try:
            completion = await self._model.complete(request)
        except (UserError, InfrastructureError) as error:
            kind = "UserError" if isinstance(error, UserError) else "InfrastructureError"
            self._add({"request": _plain(request), "error": {"kind": kind, "message": str(error)}})
            raise
        self._add({"request": _plain(request), "completion": _plain(completion)})
        return completion

    async def close(self) -> None:
        """Sort the cassette and close the other model."""
        try:
            self._save()
        finally:
            await self._model.close()

    def _add(self, record: dict[str, Any]) -> None:
        self._records[_request(record["request"]).key("")] = record
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(record))
        except OSError as error:
            raise InfrastructureError(f"cassette {self._path} cannot be written ({error.strerror})") from error

    def _save(self) -> None:
        if not self._writes:
            if not os.access(self._path if self._path.exists() else self._path.parent, os.W_OK):
                raise UserError(f"cassette {self._path} cannot be written: give another file with --record")
            return
        records = sorted(self._records.values(), key=lambda record: _order(record["request"]["path"]))
        try:
            _write(self._path, self._header, records)
        except OSError as error:
            raise UserError(
                f"cassette {self._path} cannot be written ({error.strerror}): give another file with --record"
            ) from error

    def _begun(self) -> dict[str, dict[str, Any]]:
        """What the file holds already, by the requests' keys."""
        try:
            lines = _parsed(self._path.read_text("utf-8"))
            if not lines:
                return {}
            header, *records = lines
            begun = {_request(record["request"]).key(""): record for record in records}
            changed = [name for name, value in self._header.items() if header.get(name) != value]
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{self._path} is no cassette ({error!r}): give another file with --record") from error
        if changed:
            raise UserError(
                f"cassette {self._path} was begun with another {' and another '.join(changed)}: "
                "give another file with --record, or delete this one"
            )
        return begun


class RecordedModel:
    """A model that answers from a cassette, and nothing else.

    Args:
        path: Of the cassette.

    Raises:
        UserError: If the file is no cassette that can be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            header, *records = _parsed(path.read_text("utf-8"))
            version = header["cassette"]
            self._identity = str(header["identity"])
            self._prompts: dict[str, str] = header["prompts"]
            self._concurrency = int(header.get("concurrency", 64))
            self._records = [(_request(record["request"]), record) for record in records]
        except OSError as error:
            raise UserError(
                f"cassette {path} cannot be read ({error.strerror}): give a recorded file{near_file(str(path))}"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path} is no cassette ({error!r}): record one with --record FILE") from error
        if version != VERSION:
            raise UserError(f"cassette {path} has version {version}, and {VERSION} can be read: record it again")
        self._by_key = {request.key(""): record for request, record in self._records}

    @property
    def identity(self) -> str:
        """That of the model which was recorded."""
        return self._identity

    @property
    def price(self) -> Price:
        """Nothing: replaying costs nothing."""
        return Price(0.0, 0.0, "replayed")

    @property
    def concurrency(self) -> int:
        """As with the model which was recorded."""
        return self._concurrency

    @property
    def changed_prompts(self) -> tuple[str, ...]:
        """Names of the prompt files that have changed since the recording."""
        now = prompt_digests()
        return tuple(sorted(name for name in {*now, *self._prompts} if now.get(name) != self._prompts.get(name)))

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer as it was recorded.

        Raises:
            UserError: If the request was not recorded, with the nearest one that was; or if this was recorded.
            InfrastructureError: If this was recorded.
        """
        record = self._by_key.get(request.key(""))
        if record is None:
            raise UserError(self._missing(request))
        if "error" in record:
            error = record["error"]
            raise _ERRORS.get(error["kind"], InfrastructureError)(error["message"])
        return _completion(record["completion"])

    async def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def _missing(self, request: ChatRequest) -> str:
        start = f"cassette {self._path} holds no answer to the {request.operator!r} request at {list(request.path)}"
        changed = (
            f"; these prompt files have changed: {', '.join(self.changed_prompts)}" if self.changed_prompts else ""
        )
        if not self._records:
            return f"{start}: it is empty"
        nearest = max((recorded for recorded, _ in self._records), key=lambda recorded: _likeness(recorded, request))
        return f"{start}. The nearest one, at {list(nearest.path)}, has {_first_difference(nearest, request)}{changed}"


def _likeness(recorded: ChatRequest, asked: ChatRequest) -> tuple[bool, bool, float]:
    was, now = ([line for message in r.messages for line in message.content.splitlines()] for r in (recorded, asked))
    ratio = difflib.SequenceMatcher(None, was, now, autojunk=False).ratio()
    return (recorded.path == asked.path, recorded.operator == asked.operator, ratio)


def _first_difference(recorded: ChatRequest, asked: ChatRequest) -> str:
    for name in ("path", "seed"):
        was, now = getattr(recorded, name), getattr(asked, name)
        if was != now:
            return f"another {name}: {_shown(was)} was recorded, {_shown(now)} is asked"
    for entry in dataclasses.fields(Sampling):
        was, now = getattr(recorded.sampling, entry.name), getattr(asked.sampling, entry.name)
        if was != now:
            return f"another {entry.name}: {_shown(was)} was recorded, {_shown(now)} is asked"
    for number, (was, now) in enumerate(zip(recorded.messages, asked.messages, strict=False), start=1):
        if was != now:
            place = next(
                (i for i, (a, b) in enumerate(zip(was.content, now.content, strict=False)) if a != b),
                min(len(was.content), len(now.content)),
            )
            return (
                f"another message {number} ({now.role}), first at character {place}: "
                f"{_shown(was.content[place:])} was recorded, {_shown(now.content[place:])} is asked"
            )
    return f"another number of messages: {len(recorded.messages)} were recorded, {len(asked.messages)} are asked"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _plain(value: ChatRequest | Completion) -> dict[str, Any]:
    if isinstance(value, Completion):
        return dataclasses.asdict(value)
    sampling = dataclasses.asdict(dataclasses.replace(value.sampling, extra={})) | {"extra": dict(value.sampling.extra)}
    messages = [dataclasses.asdict(message) for message in value.messages]
    return {
        "operator": value.operator,
        "path": list(value.path),
        "seed": value.seed,
        "sampling": sampling,
        "messages": messages,
    }


def _request(record: dict[str, Any]) -> ChatRequest:
    sampling = dict(record["sampling"])
    sampling["stop"] = tuple(sampling["stop"])
    messages = tuple(Message(**message) for message in record["messages"])
    return ChatRequest(messages, Sampling(**sampling), record["seed"], tuple(record["path"]), record["operator"])


def _completion(record: dict[str, Any]) -> Completion:
    usage = Usage(**record["usage"])
    return Completion(**record | {"usage": usage, "finish_reason": FinishReason(record["finish_reason"])})


def _order(path: list[Any]) -> list[tuple[bool, Any]]:
    return [(isinstance(part, str), part) for part in path]


def _line(record: Mapping[str, Any]) -> str:
    # ASCII, so that a lone surrogate in a model's text can be written too.
    return json.dumps(record, separators=(",", ":")) + "\n"


def _parsed(text: str) -> list[Any]:
    """The lines of a cassette, without the one that a killed recording has left unfinished.

    To its request no answer was handed on, so that nothing is missing.
    """
    *lines, last = text.split("\n")
    parsed = [json.loads(line) for line in lines if line]
    with contextlib.suppress(ValueError):
        parsed.append(json.loads(last))
    return parsed


def _write(path: Path, header: Mapping[str, Any], records: list[dict[str, Any]]) -> None:
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text("".join(map(_line, [header, *records])), "utf-8")
    temporary.replace(path)
