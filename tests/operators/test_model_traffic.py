"""Bytes of requests and responses, counted at the client."""

from __future__ import annotations

import asyncio

from evaluators.resource_use import resources_used
from operators.models.http_connections import HttpConnections

RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody"


def test_what_goes_over_the_connection_is_counted():
    seen = []

    async def scene():
        async def serve(reader, writer):
            for _ in range(2):
                seen.append(await reader.readuntil(b"the end"))
                writer.write(RESPONSE)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat"
        client = HttpConnections(url, {}, connect_seconds=5.0, ssl_context=None)
        for content in (b"the end", b"a longer request, and the end"):
            await client.post(content)
        client.close()
        server.close()

    before = resources_used()
    asyncio.run(scene())
    used = resources_used() - before
    assert used.sent_bytes == sum(map(len, seen)) > len(b"the end")
    assert used.received_bytes == 2 * len(RESPONSE)
