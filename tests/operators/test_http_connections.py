"""Kept connections: what is sent and read on the wire, and when a connection is used again."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import which

import pytest

from evaluators.exceptions import InfrastructureError, UserError
from operators.models.chat import ChatRequest, Completion, Message, Sampling
from operators.models.http_connections import HttpConnections, LostConnectionError, RawResponse
from operators.models.openai_endpoint import OpenAIModel
from operators.models.stub_endpoint import StubEndpoint, StubReply, answer, reset, stall

Server = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-length"))
    return head, await reader.readexactly(length)


def talk(*scripts: list[bytes], asks: int) -> tuple[list[RawResponse | str], int, list[bytes]]:
    """Ask so often, one after the other, a server that sends the parts of a script on each connection's request.

    Returns:
        Outcomes, number of connections, requests.
    """
    connections: list[asyncio.StreamWriter] = []
    seen: list[bytes] = []

    async def scene() -> list[RawResponse | str]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            script = list(scripts[len(connections)])
            connections.append(writer)
            try:
                while script:
                    head, body = await read_request(reader)
                    seen.append(head + body)
                    for part in script.pop(0).split(b"|"):
                        writer.write(part)
                        await writer.drain()
                        await asyncio.sleep(0)
            except asyncio.IncompleteReadError:
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat?x=1"
        client = HttpConnections(url, {"authorization": "Bearer k"}, connect_seconds=5.0, ssl_context=None)
        outcomes: list[RawResponse | str] = []
        for number in range(asks):
            try:
                outcomes.append(await client.post(b"body %d" % number))
            except LostConnectionError as lost:
                outcomes.append(str(lost))
            for writer in connections:
                if writer.is_closing():
                    await writer.wait_closed()
        client.close()
        server.close()
        return outcomes

    return asyncio.run(scene()), len(connections), seen


def plain(text: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\nX-Id: 7\r\n\r\n%b" % (len(text), text)


def bodies(outcomes: list[RawResponse | str]) -> list[bytes | str]:
    return [outcome if isinstance(outcome, str) else outcome.body for outcome in outcomes]


def test_connection_is_used_again_and_the_request_is_whole() -> None:
    outcomes, connections, seen = talk([plain(b"one"), plain(b"two")], asks=2)
    assert bodies(outcomes) == [b"one", b"two"]
    assert connections == 1
    first = outcomes[0]
    assert isinstance(first, RawResponse)
    assert (first.status, first.headers["x-id"]) == (200, "7")
    head, body = seen[1].split(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/chat?x=1 HTTP/1.1\r\nhost: 127.0.0.1:")
    assert b"authorization: Bearer k" in head
    assert body == b"body 1"


@pytest.mark.parametrize(
    ("response", "reused"),
    [
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n|one\r\n0\r\n|\r\n", True),
        (b"HTTP/1.1 100 Continue\r\n\r\n|" + plain(b"one"), True),
        (b"HTTP|/1.1 200 OK\r\nconte|nt-length: 3\r\n\r\no|ne", True),
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 3\r\n\r\none", False),
        (b"HTTP/1.0 200 OK\r\n\r\none", False),
    ],
    ids=["chunked", "continue", "in pieces", "told to close", "ended by closing"],
)
def test_ways_to_end_a_response(response: bytes, reused: bool) -> None:
    if reused:
        outcomes, connections, _ = talk([response, plain(b"two")], asks=2)
    else:
        outcomes, connections, _ = talk([response], [plain(b"two")], asks=2)
    assert bodies(outcomes) == [b"one", b"two"]
    assert connections == (1 if reused else 2)


def test_what_nobody_asked_for_is_no_answer_to_the_next_request() -> None:
    """Two responses to one request, at once or later: the second one belongs to nobody."""
    for twice in (plain(b"one") + plain(b"STALE"), plain(b"one") + b"|" + plain(b"STALE")):
        outcomes, connections, _ = talk([twice, plain(b"never")], [plain(b"two")], asks=2)
        assert bodies(outcomes) == [b"one", b"two"]
        assert connections == 2


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: nine\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 200_000,
    ],
    ids=["closed", "half a body", "half a chunk", "another protocol", "bad length", "endless head"],
)
def test_broken_response_is_lost_and_the_next_request_is_not(broken: bytes) -> None:
    outcomes, connections, _ = talk([broken], [plain(b"two")], asks=2)
    assert isinstance(outcomes[0], str)
    assert outcomes[0]
    assert bodies(outcomes)[1] == b"two"
    assert connections == 2


def test_given_up_request_costs_its_connection() -> None:
    with StubEndpoint(lambda asked: stall(answer("late")) if asked.number == 1 else answer(asked.prompt)) as stub:

        async def scene() -> RawResponse:
            client = HttpConnections(f"{stub.base_url}/chat/completions", {}, connect_seconds=5.0, ssl_context=None)
            content = json.dumps({"messages": [{"content": "next"}]}).encode()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await client.post(content)
            try:
                return await client.post(content)
            finally:
                client.close()

        assert b"next" in asyncio.run(scene()).body


def test_reset_is_lost() -> None:
    with StubEndpoint(lambda _: reset(answer("x"))) as stub:

        async def scene() -> None:
            client = HttpConnections(f"{stub.base_url}/chat/completions", {}, connect_seconds=5.0, ssl_context=None)
            await client.post(json.dumps({"messages": [{"content": "x"}]}).encode())

        with pytest.raises(LostConnectionError):
            asyncio.run(scene())


REQUEST = ChatRequest((Message("user", "hello"),), Sampling(), 1, ("a",), "debug")


def ask(url: str, **options: object) -> Completion:
    async def once() -> Completion:
        model = OpenAIModel("m", base_url=url, max_retries=0, **options)  # type: ignore[arg-type]
        try:
            return await model.complete(REQUEST)
        finally:
            await model.close()

    return asyncio.run(once())


def test_compressed_body_is_read_though_none_was_asked_for() -> None:
    whole = answer("squeezed")
    with StubEndpoint(lambda _: StubReply(200, gzip.compress(whole.body), {"content-encoding": "gzip"})) as stub:
        assert ask(stub.base_url, trust_env=False).text == "squeezed"


def test_endpoint_that_sends_on_is_told() -> None:
    told = r"sends on to https://example.test/v2 \(HTTP 308\): give the base URL"
    moved = StubReply(308, headers={"location": "https://example.test/v2"})
    with StubEndpoint(lambda _: moved) as stub, pytest.raises(UserError, match=told):
        ask(stub.base_url, trust_env=False)


def test_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubEndpoint(lambda asked: answer(f"through the proxy to {asked.headers['host']}")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert ask("http://example.test/v1").text == "through the proxy to example.test"


@pytest.mark.skipif(which("openssl") is None, reason="the command openssl is missing, which makes the certificate")
def test_encrypted_connection_and_a_certificate_that_nobody_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out"]
    command += [str(certificate), "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    async def scene() -> list[str]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            writer.write(plain(answer("in secret").body))
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "localhost", 0, ssl=context)
        url = f"https://localhost:{server.sockets[0].getsockname()[1]}/v1"
        told = []
        for trusted in (False, True):
            if trusted:
                monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            model = OpenAIModel("m", base_url=url, max_retries=0)
            try:
                told.append((await model.complete(REQUEST)).text)
            except InfrastructureError as failure:
                told.append(str(failure))
            await model.close()
        server.close()
        return told

    refused, answered = asyncio.run(scene())
    assert "CERTIFICATE_VERIFY_FAILED" in refused
    assert answered == "in secret"
