"""StubEndpoint: an OpenAI-compatible endpoint on this machine that answers by a script, good and bad.

For tests of whatever talks to a model: a storm of refusals, broken connections and broken bodies is a function from
request to reply. ``python -m operators.models.stub_endpoint`` serves healthy answers by hand.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, TracebackType
from typing import Any, Literal

_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error"}


@dataclass(frozen=True)
class StubRequest:
    """A chat completion that was asked for.

    Attributes:
        prompt: Text of the last message.
        attempt: How often this prompt was asked by now, this time included.
        number: Of this request among all, from 1.
        body: As it was sent.
        headers: As they were sent, names in lower case.
    """

    prompt: str
    attempt: int
    number: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class StubReply:
    """What is sent back.

    Attributes:
        status: HTTP status.
        body: All of it.
        headers: Beside ``content-length``; given in lower case.
        sent: How much of the response goes out before ``then``: all of it, half of its body, or nothing.
        then: Leave the connection open, reset it, or say nothing more until the client has gone.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    sent: Literal["all", "half", "nothing"] = "all"
    then: Literal["keep", "reset", "stall"] = "keep"


def answer(
    text: str | None, *, finish_reason: str = "stop", refusal: str | None = None, usage: tuple[int, int] = (10, 5)
) -> StubReply:
    """A healthy chat completion.

    Args:
        text: Of the answer.
        finish_reason: ``"stop"``, ``"length"`` or ``"content_filter"``.
        refusal: What the model says instead of an answer.
        usage: Tokens of prompt and answer.
    """
    message = {"role": "assistant", "content": text, "refusal": refusal}
    prompt, completion = usage
    body = {
        "id": "stub",
        "object": "chat.completion",
        "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }
    return StubReply(body=json.dumps(body).encode())


def error(
    status: int,
    message: str = "",
    *,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> StubReply:
    """An error reply, such as ``error(429, headers={"retry-after": "2"})``.

    Args:
        status: HTTP status.
        message: For humans.
        code: For machines, such as ``"context_length_exceeded"``.
        param: The request's field that is wrong.
        headers: In lower case.
    """
    body = {"error": {"message": message or f"status {status}", "type": "stub", "code": code, "param": param}}
    return StubReply(status, json.dumps(body).encode(), headers or {})


def truncated(whole: StubReply) -> StubReply:
    """A complete HTTP response whose JSON ends in the middle."""
    return StubReply(whole.status, whole.body[: len(whole.body) // 2], whole.headers)


def no_choices() -> StubReply:
    """A complete response with no answer in it."""
    return StubReply(body=b'{"id": "stub", "object": "chat.completion", "choices": []}')


def reset(whole: StubReply, *, sent: Literal["half", "nothing"] = "half") -> StubReply:
    """A connection that is reset in the middle of a response, or before it."""
    return StubReply(whole.status, whole.body, whole.headers, sent, "reset")


def stall(whole: StubReply, *, sent: Literal["half", "nothing"] = "nothing") -> StubReply:
    """A response that never comes, or never ends; the connection stays open."""
    return StubReply(whole.status, whole.body, whole.headers, sent, "stall")


def _echo(request: StubRequest) -> StubReply:
    return answer(f"answer to {request.prompt}")


class StubEndpoint:
    """An endpoint on the loopback, in a thread of its own; used as ``with StubEndpoint(script) as stub:``.

    Args:
        script: The reply to each request, called in the endpoint's thread, one request after the other; None to
            answer every prompt with ``"answer to PROMPT"``.
        latency_seconds: Before each reply.
        models: Names that ``GET /models`` lists.

    Attributes:
        base_url: To give to the client.
        calls: Requests that came, by prompt.
        answers: Complete responses with status 200 that were sent, by prompt; what a provider would charge for.
        requests: All that came, in order.
        most_in_flight: Requests that were being answered at the same time, at most.
    """

    def __init__(
        self,
        script: Callable[[StubRequest], StubReply] | None = None,
        *,
        latency_seconds: float = 0.0,
        models: tuple[str, ...] = ("stub",),
    ) -> None:
        self.base_url = ""
        self.calls: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.requests: list[StubRequest] = []
        self.most_in_flight = 0
        self._script = script or _echo
        self._latency_seconds = latency_seconds
        self._models = models
        self._in_flight = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> StubEndpoint:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(self._talk(reader, writer))
            connections[task] = writer
            task.add_done_callback(connections.pop)

        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1024)
        port = server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self._ready.set()
        await self._stop.wait()
        server.close()
        while connections:
            for task, writer in connections.items():
                task.cancel()
                # A task that has not begun yet would never close its connection.
                writer.close()
            await asyncio.gather(*connections, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (h.partition(":") for h in head[1:])}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                if head[0].startswith("GET"):
                    listed = [{"id": name, "object": "model"} for name in self._models]
                    reply = StubReply(body=json.dumps({"object": "list", "data": listed}).encode())
                    await self._send(writer, reply)
                    continue
                prompt, reply = self._reply(json.loads(body), headers)
                self._in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self._in_flight)
                try:
                    await asyncio.sleep(self._latency_seconds)
                finally:
                    self._in_flight -= 1
                if reply.status == 200 and reply.sent == "all":
                    self.answers[prompt] += 1
                await self._send(writer, reply)
                if reply.then == "stall":
                    await reader.read()
                if reply.then != "keep":
                    return

    def _reply(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[str, StubReply]:
        prompt = str(body["messages"][-1]["content"])
        self.calls[prompt] += 1
        request = StubRequest(prompt, self.calls[prompt], len(self.requests) + 1, body, headers)
        self.requests.append(request)
        return prompt, self._script(request)

    async def _send(self, writer: asyncio.StreamWriter, reply: StubReply) -> None:
        head = [f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Status')}"]
        fields = {"content-type": "application/json", **reply.headers, "content-length": str(len(reply.body))}
        head += [f"{name}: {value}" for name, value in fields.items()]
        whole = "\r\n".join([*head, "", ""]).encode("latin-1")
        if reply.sent != "nothing":
            writer.write(whole + (reply.body if reply.sent == "all" else reply.body[: len(reply.body) // 2]))
            await writer.drain()
        if reply.then == "reset":
            # To linger for no time makes the kernel send RST in place of FIN.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def main() -> None:
    """Serve until standard input ends; the first line of output is the address."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--latency-seconds", type=float, default=0.0, help="before each answer")
    parser.add_argument("--storm", type=int, default=0, metavar="N", help="refuse or break every other of N requests")
    options = parser.parse_args()
    with StubEndpoint(lambda request: _stormy(request, options.storm), latency_seconds=options.latency_seconds) as stub:
        sys.stdout.write(stub.base_url + "\n")
        sys.stdout.flush()
        sys.stdin.read()


def _stormy(request: StubRequest, length: int) -> StubReply:
    healthy = _echo(request)
    if request.number > length or request.number % 2:
        return healthy
    kinds = (error(429, headers={"retry-after": "1"}), error(429), error(500), truncated(healthy), reset(healthy))
    return kinds[request.number // 2 % len(kinds)]


if __name__ == "__main__":
    main()
