"""Files of suites that are fetched once: checked, resumed where they broke off, and moved into place when whole.

A file that is in place is whole and has the right checksum: that of ``sources.yaml``, or, where that has none, the one
of the first download, which is recorded beside the file.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluators.data_files import parse_yaml, read_text
from evaluators.exceptions import InfrastructureError, UserError

ATTEMPTS = 4
"""How often a download that broke off is taken up again by itself."""

_TIMEOUT_SECONDS = 30.0
_BLOCK_BYTES = 2**16


@dataclass(frozen=True)
class Source:
    """Where a file comes from.

    Attributes:
        file_name: Its name on the disk.
        url: Where it is published.
        licence: Of its content.
        sha256: Of the whole, in hexadecimal; empty where it is not known in advance.
        size_bytes: Of the whole; None where it is not known in advance.
        at_most_bytes: A longer file is refused.
    """

    file_name: str
    url: str
    licence: str
    sha256: str = ""
    size_bytes: int | None = None
    at_most_bytes: int = 2**28


@functools.cache
def sources() -> Mapping[str, Source]:
    """The sources of ``sources.yaml``, by the names of their files."""
    path = Path(__file__).with_name("sources.yaml")
    rows: Any = parse_yaml(read_text(path, "sources"), str(path))
    return {
        name: Source(
            name,
            row["url"],
            row["licence"],
            row.get("sha256", ""),
            row.get("bytes"),
            row.get("bytes", row.get("at_most_bytes")),
        )
        for name, row in rows.items()
    }


def suites_folder() -> Path:
    """Where files of suites are kept: in ``$XDG_CACHE_HOME``, or ``~/.cache``."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "evo" / "suites"


def fetch(source: Source, folder: Path | None = None) -> Path:
    """A file's path; it is downloaded if it is not there.

    Only one process downloads it, others wait for it.

    Args:
        source: The file.
        folder: Where it is kept; :func:`suites_folder` if left out.

    Raises:
        InfrastructureError: If it cannot be downloaded; one line says what to put where instead.
        UserError: If the folder cannot be used, or the file in it was changed.
    """
    folder = folder or suites_folder()
    target = folder / source.file_name
    if _is_right(target, source):
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder / f"{source.file_name}.lock"):
            if not _is_right(target, source):
                _Download(source, target).run()
    except OSError as error:
        raise UserError(
            f"{folder} cannot be used ({error.strerror}): set XDG_CACHE_HOME to a folder of yours"
        ) from error
    return target


def file_digest(path: Path) -> str:
    """SHA-256 (hexadecimal) of a file.

    Raises:
        UserError: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"cannot read {str(path)!r} ({error.strerror})") from error


def _is_right(target: Path, source: Source) -> bool:
    """Whether the file is there, with its checksum; one that a user has put there without any is right."""
    if not target.is_file():
        return False
    wanted = source.sha256 or _recorded(target)
    if wanted and file_digest(target) != wanted:
        raise UserError(
            f"{target} is not the file of {source.url}: its sha256 is not {wanted}; delete it to have it fetched "
            "again, or give its path to use it all the same"
        )
    return True


def _recorded(target: Path) -> str:
    record = _record_path(target)
    return record.read_text("ascii").strip() if record.is_file() else ""


def _record_path(target: Path) -> Path:
    return target.with_name(f"{target.name}.sha256")


class _BrokenOffError(Exception):
    """The connection ended before the file did; what came is kept."""


class _Download:
    """The download of one file."""

    def __init__(self, source: Source, target: Path) -> None:
        self._source = source
        self._target = target
        self._part = target.with_name(f"{target.name}.part")
        self._state = target.with_name(f"{target.name}.part.json")
        self._is_resumed = False

    def run(self) -> None:
        reason = ""
        for _ in range(ATTEMPTS):
            try:
                self._attempt()
                self._finish()
            except _BrokenOffError as error:
                reason = str(error)
            else:
                return
        kept = self._size()
        rest = f"; its first {kept} bytes are kept for the next attempt" if kept else ""
        raise self._failure(f"{reason}{rest}")

    def _attempt(self) -> None:
        """Ask for what is missing, and append it."""
        import http.client
        import urllib.error
        import urllib.request

        have = self._resumable()
        request = urllib.request.Request(  # noqa: S310 - an address of sources.yaml
            self._source.url, headers={"User-Agent": "evo", "Accept-Encoding": "identity"}
        )
        if have:
            request.add_header("Range", f"bytes={have}-")
            if validator := self._validator():
                request.add_header("If-Range", validator)
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310
                self._receive(response, have)
        except urllib.error.HTTPError as error:
            if error.code == 416:  # what is kept does not fit what is there now
                self._forget()
                raise _BrokenOffError("the file has changed meanwhile") from error
            raise self._failure(f"the server says {error.code} {error.reason}") from error
        except urllib.error.URLError as error:
            raise self._failure(f"no connection: {error.reason}") from error
        except (TimeoutError, ConnectionError, http.client.HTTPException) as error:
            raise _BrokenOffError(f"the connection broke: {error or type(error).__name__}") from error

    def _receive(self, response: Any, have: int) -> None:
        kind = response.headers.get_content_type()
        if kind == "text/html":
            raise self._failure("what came is a web page (text/html), such as a server's error message")
        begins = response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if response.status == 206 and not begins:
            self._forget()
            raise _BrokenOffError(f"the server sent another part than asked for ({response.headers['Content-Range']})")
        self._is_resumed = response.status == 206
        if not self._is_resumed:
            have = 0
            self._remember(response.headers)
        length = response.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else None
        if total is not None and total > self._source.at_most_bytes:
            raise self._refusal(f"it is {total} bytes, and at most {self._source.at_most_bytes} are right")
        with self._part.open("r+b" if have else "wb") as part:
            part.seek(have)
            while block := response.read(_BLOCK_BYTES):
                have += len(block)
                if have > self._source.at_most_bytes:
                    raise self._refusal(f"it is more than the {self._source.at_most_bytes} bytes that are right")
                part.write(block)
        if total is not None and have < total:
            raise _BrokenOffError(f"the connection ended after {have} of {total} bytes")

    def _finish(self) -> None:
        with self._part.open("r+b") as part:
            head = part.read(512)
            self._check_head(head)
            part.seek(0)
            digest = hashlib.file_digest(part, "sha256").hexdigest()
            os.fsync(part.fileno())
        size = self._size()
        if self._source.size_bytes is not None and size != self._source.size_bytes:
            raise self._refusal(f"it is {size} bytes, and {self._source.size_bytes} are right")
        wanted = self._source.sha256 or _recorded(self._target)
        if wanted and digest != wanted:
            if self._is_resumed:
                self._forget()
                raise _BrokenOffError("what was kept of an earlier attempt does not fit the rest")
            is_known = bool(self._source.sha256)
            why = "is right" if is_known else f"was that of the first download, as {_record_path(self._target)} says"
            raise self._refusal(f"its sha256 is {digest}, and {wanted} {why}")
        if not wanted:
            _record_path(self._target).write_text(f"{digest}\n", "ascii")
        self._part.replace(self._target)
        self._state.unlink(missing_ok=True)

    def _check_head(self, head: bytes) -> None:
        if head.lstrip().startswith(b"<"):
            raise self._refusal("what came is a web page, such as a server's error message")
        if self._source.file_name.endswith(".gz") and not head.startswith(b"\x1f\x8b"):
            raise self._refusal("what came is not compressed by gzip")
        if not head:
            raise self._refusal("what came is empty")

    def _resumable(self) -> int:
        """Bytes that are kept, if the rest can be told to belong to the same file."""
        size = self._size()
        if size and (self._validator() or self._source.sha256) and size <= self._source.at_most_bytes:
            return size if size != self._source.size_bytes else 0
        return 0

    def _size(self) -> int:
        return self._part.stat().st_size if self._part.is_file() else 0

    def _validator(self) -> str:
        """What the server called this state of the file."""
        if not self._state.is_file():
            return ""
        with contextlib.suppress(ValueError):
            state = json.loads(self._state.read_text("utf-8"))
            if isinstance(state, dict) and state.get("url") == self._source.url:
                return str(state.get("validator", ""))
        return ""

    def _remember(self, headers: Any) -> None:
        tag = headers.get("ETag", "")
        validator = headers.get("Last-Modified", "") if not tag or tag.startswith("W/") else tag
        self._state.write_text(json.dumps({"url": self._source.url, "validator": validator}), "utf-8")

    def _forget(self) -> None:
        self._part.unlink(missing_ok=True)
        self._state.unlink(missing_ok=True)

    def _refusal(self, reason: str) -> InfrastructureError:
        """What came is wrong from its beginning: it is not kept."""
        self._forget()
        return self._failure(f"{reason}; it was deleted")

    def _failure(self, reason: str) -> InfrastructureError:
        return InfrastructureError(
            f"cannot fetch {self._source.file_name} ({reason}): fetch {self._source.url} in another way and put it at "
            f"{self._target}, or give the path of a copy"
        )


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a file's lock, which ends with the process that holds it, however that ends."""
    with path.open("w") as file:
        if sys.platform != "win32":  # suites are read on any system, and two downloads at once are rare
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
