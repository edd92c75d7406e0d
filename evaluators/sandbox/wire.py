"""Messages between the engine and a supervisor: a JSON header and blobs, every length checked.

::

    4 bytes: length of the header | header: JSON object, "blobs": [length, ...] | the blobs' bytes, in order
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

MAX_HEADER_BYTES = 64 * 2**20
MAX_BLOB_BYTES = 2**30

LENGTH = struct.Struct("!I")
"""The number that every message begins with."""


class BrokenWireError(Exception):
    """The other side is gone, or did not keep to the form of messages."""


def pack(header: Mapping[str, Any], blobs: Sequence[int] = ()) -> bytes:
    """The beginning of a message, up to its blobs.

    Args:
        header: Plain JSON; must not use the key ``blobs``.
        blobs: Their lengths in bytes.
    """
    text = json.dumps({**header, "blobs": list(blobs)}, separators=(",", ":")).encode("ascii")
    return LENGTH.pack(len(text)) + text


def header_length(data: bytes) -> int:
    """Check and read the number that a message begins with.

    Raises:
        BrokenWireError: If it is too large.
    """
    (length,) = LENGTH.unpack(data)
    if length > MAX_HEADER_BYTES:
        raise BrokenWireError(f"a message header of {length} bytes")
    return int(length)


def unpack(text: bytes) -> tuple[dict[str, Any], list[int]]:
    """Check and read a header.

    Returns:
        The header without the key ``blobs``, and the lengths of the blobs that follow.

    Raises:
        BrokenWireError: If it is no header.
    """
    try:
        header = json.loads(text)
        blobs = header.pop("blobs")
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise BrokenWireError("a message header that is no JSON object with blobs") from error
    if not isinstance(blobs, list) or not all(type(n) is int and 0 <= n <= MAX_BLOB_BYTES for n in blobs):
        raise BrokenWireError("a message with blobs of impossible lengths")
    return header, blobs
