"""Messages between the engine and a supervisor: a JSON object, with open files where there is more to say.

They go through a socket that keeps messages apart, whole or not at all. What is long (sources, inputs, outputs) lies
in memory files, of which only the descriptors travel: nothing of it passes through the memory of a supervisor.
"""

from __future__ import annotations

import array
import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from evaluators.sandbox.memory_files import read_file

MAX_MESSAGE_BYTES = 2**16
MAX_BLOB_BYTES = 2**30
_MAX_FILES = 8

_FILES_SPACE = socket.CMSG_SPACE(_MAX_FILES * array.array("i").itemsize)


class BrokenWireError(Exception):
    """The other side is gone, or did not keep to the form of messages."""


def send(target: socket.socket, header: Mapping[str, Any], files: Sequence[int] = ()) -> None:
    """Send a message.

    Args:
        target: The socket.
        header: Plain JSON, short.
        files: Open descriptors, which the other side gets copies of.

    Raises:
        BrokenWireError: If the header is too long.
        OSError: As of the socket.
    """
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    if len(text) > MAX_MESSAGE_BYTES:
        raise BrokenWireError(f"a message of {len(text)} bytes")
    attached = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
    target.sendmsg([text], attached)


def receive(source: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Take a message; the descriptors are the caller's to close.

    Raises:
        BrokenWireError: If the other side is gone, or the message has not the form of one.
        OSError: As of the socket.
    """
    text, attached, flags, _ = source.recvmsg(MAX_MESSAGE_BYTES, _FILES_SPACE, socket.MSG_CMSG_CLOEXEC)
    files = array.array("i")
    for level, kind, data in attached:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            files.frombytes(data[: len(data) - len(data) % files.itemsize])
    trouble = _trouble(text, flags)
    if trouble:
        for descriptor in files:
            os.close(descriptor)
        raise BrokenWireError(trouble)
    return json.loads(text), files.tolist()


def _trouble(text: bytes, flags: int) -> str:
    if not text:
        return "the other side is gone"
    if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
        return "a message that is too long"
    try:
        return "" if isinstance(json.loads(text), dict) else "a message that is no JSON object"
    except ValueError:
        return "a message that is no JSON"


def take_files(files: Sequence[int], most: int = MAX_BLOB_BYTES) -> list[bytes]:
    """Read files from their beginnings, and close them.

    Args:
        files: Their descriptors.
        most: How many bytes of each are read.
    """
    try:
        return [read_file(descriptor, most) for descriptor in files]
    finally:
        for descriptor in files:
            os.close(descriptor)
