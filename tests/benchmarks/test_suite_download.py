"""Downloads of suites' files, from a server of the test's own."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks.suites.download import ATTEMPTS, Source, fetch, sources
from evaluators.exceptions import InfrastructureError, UserError

BODY = bytes(range(256)) * 1000


@dataclass
class Site:
    """What the server does with the next requests, and what it was asked."""

    body: bytes = BODY
    kind: str = "application/octet-stream"
    tag: str = '"one"'
    cut_after: list[int] = field(default_factory=list)
    ranges: bool = True
    status: int = 200
    wrong_range: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        site = self.server.site
        wanted = self.headers.get("Range")
        site.asked.append((self.path, wanted))
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/file")
            self.end_headers()
            return
        if site.status != 200:
            self.send_error(site.status)
            return
        start = 0
        validator = self.headers.get("If-Range", site.tag)
        if wanted and site.ranges and validator == site.tag:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(site.body):
                self.send_error(416)
                return
            self.send_response(206)
            told = start + 1 if site.wrong_range else start
            self.send_header("Content-Range", f"bytes {told}-{len(site.body) - 1}/{len(site.body)}")
        else:
            self.send_response(200)
        self.send_header("Content-Type", site.kind)
        self.send_header("Content-Length", str(len(site.body) - start))
        if site.tag:
            self.send_header("ETag", site.tag)
        self.end_headers()
        rest = site.body[start:]
        self.wfile.write(rest[: site.cut_after.pop(0)] if site.cut_after else rest)


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.site = Site(url=f"http://127.0.0.1:{server.server_port}/file")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.site
    server.shutdown()
    thread.join()
    server.server_close()


def source(site, **changes):
    digest = hashlib.sha256(BODY).hexdigest()
    return replace(Source("suite.jsonl", site.url, "MIT", digest, len(BODY), len(BODY)), **changes)


def fails(wanted, folder, *words):
    with pytest.raises(InfrastructureError) as caught:
        fetch(wanted, folder)
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in (*words, "suite.jsonl", wanted.url, str(folder)))


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


def test_a_file_is_fetched_once(site, tmp_path):
    wanted = source(site)
    assert fetch(wanted, tmp_path / "new").read_bytes() == BODY
    assert fetch(wanted, tmp_path / "new").read_bytes() == BODY
    assert site.asked == [("/file", None)]
    assert names(tmp_path / "new") == ["suite.jsonl"]


def test_a_redirect_is_followed(site, tmp_path):
    assert fetch(source(site, url=site.url.replace("file", "moved")), tmp_path).read_bytes() == BODY


def test_a_connection_that_breaks_is_taken_up_again(site, tmp_path):
    site.cut_after = [100_000, 50_000]
    assert fetch(source(site), tmp_path).read_bytes() == BODY
    assert [asked for _, asked in site.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_what_came_is_kept_for_the_next_attempt(site, tmp_path):
    site.cut_after = [1000] * ATTEMPTS
    fails(source(site), tmp_path, "the connection ended after 4000 of 256000 bytes", "4000 bytes are kept")
    assert names(tmp_path) == ["suite.jsonl.part", "suite.jsonl.part.json"]
    assert fetch(source(site), tmp_path).read_bytes() == BODY
    assert site.asked[-1] == ("/file", "bytes=4000-")
    assert names(tmp_path) == ["suite.jsonl"]


def test_a_server_without_ranges_begins_anew(site, tmp_path):
    site.cut_after, site.ranges = [100_000], False
    assert fetch(source(site), tmp_path).read_bytes() == BODY


def test_a_file_that_changed_meanwhile_begins_anew(site, tmp_path):
    site.cut_after = [1000] * ATTEMPTS
    fails(source(site, sha256=""), tmp_path)
    site.tag = '"two"'
    site.body = BODY[::-1]
    assert fetch(source(site, sha256=""), tmp_path).read_bytes() == BODY[::-1]


def test_without_a_checksum_or_a_tag_nothing_is_taken_up(site, tmp_path):
    site.cut_after, site.tag = [1000], ""
    assert fetch(source(site, sha256=""), tmp_path).read_bytes() == BODY
    assert [asked for _, asked in site.asked] == [None, None]


@pytest.mark.parametrize("left", [b"x" * 5000, b"x" * len(BODY), b"x" * 2 * len(BODY)])
def test_what_an_earlier_attempt_left_is_not_trusted(site, tmp_path, left):
    (tmp_path / "suite.jsonl.part").write_bytes(left)
    assert fetch(source(site), tmp_path).read_bytes() == BODY
    assert names(tmp_path) == ["suite.jsonl"]


def test_a_part_beyond_the_end_of_the_file_begins_anew(site, tmp_path):
    site.body = BODY[:1000]
    (tmp_path / "suite.jsonl.part").write_bytes(b"x" * 5000)
    digest = hashlib.sha256(site.body).hexdigest()
    assert fetch(source(site, sha256=digest, size_bytes=None), tmp_path).read_bytes() == BODY[:1000]


def test_another_part_than_asked_for_begins_anew(site, tmp_path):
    site.cut_after, site.wrong_range = [1000], True
    assert fetch(source(site), tmp_path).read_bytes() == BODY
    assert [asked for _, asked in site.asked] == [None, "bytes=1000-", None]


@pytest.mark.parametrize(
    ("changes", "wanted", "words"),
    [
        ({"body": BODY[::-1]}, {}, "its sha256 is"),
        ({"body": BODY[:-1]}, {}, "it is 255999 bytes, and 256000 are right"),
        ({"body": BODY + b"x"}, {}, "it is 256001 bytes, and at most 256000 are right"),
        ({"body": b"<!DOCTYPE html><p>Not here"}, {"size_bytes": None}, "a web page"),
        ({"kind": "text/html; charset=utf-8"}, {}, "a web page (text/html)"),
        ({"body": b"{}" * 100}, {"file_name": "suite.jsonl.gz"}, "not compressed by gzip"),
        ({"body": b""}, {}, "is empty"),
    ],
)
def test_a_wrong_file_is_refused_and_not_kept(site, tmp_path, changes, wanted, words):
    for name, value in changes.items():
        setattr(site, name, value)
    fails(source(site, **wanted), tmp_path, words)
    assert names(tmp_path) == []


def test_a_web_page_in_between_takes_nothing_away(site, tmp_path):
    site.cut_after = [1000] * ATTEMPTS
    fails(source(site), tmp_path)
    site.kind = "text/html"
    fails(source(site), tmp_path, "a web page")
    assert (tmp_path / "suite.jsonl.part").stat().st_size == 4000


@pytest.mark.parametrize("status", [404, 403, 500])
def test_an_error_of_the_server_is_told(site, tmp_path, status):
    site.status = status
    fails(source(site), tmp_path, f"the server says {status}")
    assert len(site.asked) == 1


def test_offline_one_line_says_what_to_put_where(tmp_path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}/file"
    server.server_close()
    fails(Source("suite.jsonl", url, "MIT"), tmp_path, "no connection", "put it at", "or give the path of a copy")


def test_the_first_download_is_trusted_and_recorded(site, tmp_path):
    wanted = source(site, sha256="", size_bytes=None)
    target = fetch(wanted, tmp_path)
    record = tmp_path / "suite.jsonl.sha256"
    assert record.read_text().strip() == hashlib.sha256(BODY).hexdigest()
    target.unlink()
    site.body = BODY[::-1]
    fails(wanted, tmp_path, "was that of the first download", str(record))
    record.unlink()
    assert fetch(wanted, tmp_path).read_bytes() == BODY[::-1]


@pytest.mark.parametrize("pinned", [True, False])
def test_a_file_that_was_changed_is_refused(site, tmp_path, pinned):
    wanted = source(site) if pinned else source(site, sha256="")
    fetch(wanted, tmp_path).write_bytes(b"changed")
    with pytest.raises(UserError, match="delete it to have it fetched again"):
        fetch(wanted, tmp_path)


def test_a_file_of_the_users_own_is_taken(site, tmp_path):
    (tmp_path / "suite.jsonl").write_bytes(b"mine")
    assert fetch(source(site, sha256=""), tmp_path).read_bytes() == b"mine"
    assert site.asked == []


def test_a_folder_that_cannot_be_made(site, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="XDG_CACHE_HOME"):
        fetch(source(site), tmp_path / "file" / "folder")


def test_every_source_is_whole():
    for name, entry in sources().items():
        assert entry.file_name == name
        assert entry.url.startswith("https://")
        assert entry.url.endswith(name)
        assert entry.licence
        assert entry.at_most_bytes <= 2**26
        assert not entry.sha256 or (len(entry.sha256) == 64 and entry.size_bytes)
