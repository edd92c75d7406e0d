"""The stub endpoint does on the wire what its script says, so that tests which rely on it test something."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import pytest

from operators.models.stub_endpoint import (
    StubEndpoint,
    StubReply,
    StubRequest,
    answer,
    error,
    no_choices,
    reset,
    stall,
    truncated,
)


def connect(stub: StubEndpoint) -> socket.socket:
    address = urlsplit(stub.base_url)
    assert address.port is not None
    return socket.create_connection(("127.0.0.1", address.port), timeout=30)


def ask(connection: socket.socket, prompt: str = "hello") -> None:
    body = json.dumps({"messages": [{"role": "user", "content": prompt}]}).encode()
    connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


def read(connection: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of a complete response."""
    with connection.makefile("rb") as file:
        head = b"".join(iter(file.readline, b"\r\n"))
        length = next(int(line.split(b":")[1]) for line in head.splitlines() if line.startswith(b"content-length"))
        return head, file.read(length)


def test_answers_by_prompt_on_one_connection_and_counts() -> None:
    with StubEndpoint() as stub:
        with connect(stub) as connection:
            for prompt in ("a", "b", "a"):
                ask(connection, prompt)
                head, body = read(connection)
                assert head.startswith(b"HTTP/1.1 200 OK\r\n")
                assert json.loads(body)["choices"][0]["message"]["content"] == f"answer to {prompt}"
        assert stub.calls == stub.answers == {"a": 2, "b": 1}
        assert [(r.prompt, r.attempt, r.number) for r in stub.requests] == [("a", 1, 1), ("b", 1, 2), ("a", 2, 3)]
        assert stub.most_in_flight == 1


def test_models_are_listed() -> None:
    with StubEndpoint(models=("one", "two")) as stub, connect(stub) as connection:
        connection.sendall(b"GET /v1/models HTTP/1.1\r\n\r\n")
        assert [model["id"] for model in json.loads(read(connection)[1])["data"]] == ["one", "two"]


@pytest.mark.parametrize("reply", [truncated(answer("x")), no_choices(), error(429, headers={"retry-after": "2"})])
def test_bad_replies_are_complete_responses(reply: StubReply) -> None:
    with StubEndpoint(lambda _: reply) as stub:
        with connect(stub) as connection:
            ask(connection)
            head, body = read(connection)
        assert head.startswith(b"HTTP/1.1 %d" % reply.status)
        assert body == reply.body
        assert (b"retry-after: 2" in head) == (reply.status == 429)
        assert stub.calls.total() == 1


def test_reset_in_the_middle_and_before_the_response() -> None:
    for sent in (reset(answer("x" * 1000)), reset(answer("x"), sent="nothing")):
        with StubEndpoint(lambda _, reply=sent: reply) as stub, connect(stub) as connection:
            ask(connection)
            received: list[bytes] = []
            with pytest.raises(ConnectionResetError):
                received.extend(iter(lambda: connection.recv(65536), b""))
            assert sum(map(len, received)) < 1000
            assert stub.answers == {}


@pytest.mark.parametrize("sent", ["nothing", "half"])
def test_stalled_response_stays_open_until_the_endpoint_closes(sent: str) -> None:
    arrived = threading.Event()

    def script(_: StubRequest) -> StubReply:
        arrived.set()
        return stall(answer("x" * 1000), sent=sent)  # type: ignore[arg-type]

    with StubEndpoint(script) as stub:
        connection = connect(stub)
        ask(connection)
        assert arrived.wait(30)
        if sent == "half":
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
        connection.setblocking(False)
        with pytest.raises(BlockingIOError):
            list(iter(lambda: connection.recv(65536), b""))
    connection.settimeout(30)
    rest = b"".join(iter(lambda: connection.recv(65536), b""))
    assert len(rest) < 1000
    connection.close()


def test_serves_by_hand() -> None:
    command = [sys.executable, "-m", "operators.models.stub_endpoint", "--storm", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        stub = StubEndpoint()
        stub.base_url = process.stdout.readline().strip()
        with connect(stub) as connection:
            heads = []
            for _ in range(3):
                ask(connection)
                heads.append(read(connection)[0].split()[1])
        assert heads == [b"200", b"429", b"200"]
        process.communicate(timeout=30)
    assert process.returncode == 0
