"""Packages that candidates may import besides the standard library: folders made once, outside the sandbox.

A problem names requirements (``numpy``, ``numpy==2.1.0``, the path of a wheel). pip unpacks them into the user's cache,
under the digest of requirements and interpreter; wheels alone, so that no code of theirs runs outside a sandbox::

    <digest>/packages.json     names and versions, and the digest of the files
    <digest>/site/             the packages; the folder gets its name when it is complete

The sandbox shows ``site`` read-only, at the end of the candidate's import path. What was resolved once stays, so that a
search goes on with the versions that it began with; the digest of the files is part of every execution's key.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.problem import Case, Problem
from evaluators.program import Program
from evaluators.verdict import Verdict

if TYPE_CHECKING:
    from evaluators.execution import CaseResult
    from evaluators.executor import Executor

_REQUIREMENT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"  # name
    r"(?:\[[A-Za-z0-9._, -]+\])?"  # extras
    r"(?:\s*(?:==|>=|<=|~=|!=|<|>)\s*[A-Za-z0-9.*+!_-]+(?:\s*,\s*(?=[=<>~!]))?)*"  # versions
)
_UNREACHABLE = re.compile(
    r"NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionResetError|ProxyError|SSLError|name resolution|"
    r"Network is unreachable|HTTP error 5\d\d"
)
_SECONDS = 600
_IMPORT_SECONDS = 30.0
_AMPLE_BYTES = 8 * 2**30
_WITHOUT_CONTENT = ("RECORD", "direct_url.json", "INSTALLER", "REQUESTED")  # of *.dist-info: how, and from where


@dataclass(frozen=True)
class Packages:
    """Packages that are ready for use.

    Attributes:
        folder: To be added to the import path.
        names: Names and versions, such as ``numpy 2.1.0``, sorted; what the requirements themselves require, too.
        modules: What the required ones are imported by.
        digest: SHA-256 of names, versions and files, wherever the folder lies.
    """

    folder: str
    names: tuple[str, ...]
    modules: tuple[str, ...]
    digest: str


def is_wheel(requirement: str) -> bool:
    """Whether a requirement is the path of a wheel."""
    return requirement.endswith(".whl")


def distribution_name(requirement: str) -> str:
    """The name in a requirement, such as ``numpy`` of ``numpy==2.1.0``."""
    if is_wheel(requirement):
        return Path(requirement).name.partition("-")[0]
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def prepare(requirements: Sequence[str]) -> Packages:
    """Find packages in the cache, or fetch them by pip.

    Args:
        requirements: Names, with versions or without, and paths of wheels.

    Raises:
        InfrastructureError: If the package index or the disk does not play along.
        UserError: If a requirement cannot be read, is unknown, or has no wheel for this interpreter.
    """
    root = cache_directory()
    folder = root / _key(requirements)
    if not folder.exists():
        try:
            root.mkdir(parents=True, exist_ok=True)
            with _locked(root / f"{folder.name}.lock"):
                if not folder.exists():  # somebody else may have made it meanwhile
                    _make(requirements, folder)
        except OSError as error:
            raise InfrastructureError(f"packages cannot be kept in {root}: {error.strerror or error}") from error
    return _read(folder)


def cache_directory() -> Path:
    """Where they are kept; may be deleted at any time.

    Raises:
        UserError: If there is no home.
    """
    root = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111 - raises nothing
    if not root.is_absolute():
        raise UserError("packages have no place: set HOME or XDG_CACHE_HOME to an absolute path")
    return root / "evo" / "packages"


def _key(requirements: Sequence[str]) -> str:
    interpreter = [platform.python_implementation(), *sys.version_info[:2], platform.machine(), *platform.libc_ver()]
    return hashlib.sha256(json.dumps([interpreter, [*map(_identity, requirements)]]).encode()).hexdigest()[:24]


def _identity(requirement: str) -> list[str]:
    if not is_wheel(requirement):
        if not _REQUIREMENT.fullmatch(requirement):
            raise UserError(
                f"package {requirement!r} is no requirement: write 'numpy', 'numpy==2.1.0', or the path of a wheel"
            )
        return [requirement]
    try:
        facts = Path(requirement).stat()
    except OSError as error:
        raise UserError(f"package {requirement!r}: {error.strerror}") from error
    return [Path(requirement).name, _file_digest(requirement, facts.st_mtime_ns, facts.st_size)]


@functools.lru_cache(maxsize=64)
def _file_digest(path: str, _time: int, _size: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(requirements: Sequence[str], folder: Path) -> None:
    made = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        site = made / "site"
        site.mkdir()
        _install(requirements, site)
        names = [f"{found.name} {found.version}" for found in _distributions(site)]
        wanted = {_normalised(distribution_name(requirement)) for requirement in requirements}
        modules = sorted(
            module for found in _distributions(site) if found.name in wanted for module in _modules(found.files)
        )
        facts = {"names": names, "modules": modules, "digest": _digest(names, site)}
        (made / "packages.json").write_text(json.dumps(facts), encoding="utf-8")
        made.chmod(0o755)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _install(requirements: Sequence[str], site: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--target", str(site), "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--retries", "1", "--timeout", "20"]
    shown = ", ".join(requirements)
    try:
        done = subprocess.run(
            [*command, *requirements], capture_output=True, text=True, check=False, timeout=_SECONDS, cwd=site
        )
    except subprocess.TimeoutExpired as error:
        raise InfrastructureError(f"packages {shown}: pip did not end within {_SECONDS} s") from error
    if done.returncode == 0:
        return
    told = done.stderr
    if "No module named pip" in told:
        raise UserError(f"packages {shown} are fetched by pip, which is not installed: type python -m ensurepip")
    if _UNREACHABLE.search(told):
        raise InfrastructureError(
            f"packages {shown} cannot be fetched, as the package index does not answer: connect once (they are kept "
            "then), or name the paths of wheels"
        )
    unknown = re.search(r"No matching distribution found for (.+)", told)
    if unknown:
        raise UserError(
            f"package {unknown[1].strip()!r} is unknown, or has no wheel for Python {platform.python_version()} on "
            f"{platform.machine()}: check its name and version"
        )
    errors = [line.removeprefix("ERROR: ") for line in told.splitlines() if line.startswith("ERROR: ")]
    raise UserError(f"packages {shown} cannot be installed: {(errors or ['no message'])[0][:300]}")


@dataclass(frozen=True)
class _Distribution:
    name: str
    version: str
    files: tuple[str, ...]


def _distributions(site: Path) -> list[_Distribution]:
    from importlib.metadata import distributions

    found = []
    for distribution in distributions(path=[str(site)]):
        files = tuple(map(str, distribution.files or ()))
        found.append(_Distribution(_normalised(distribution.metadata["Name"]), distribution.version, files))
    return sorted(found, key=lambda each: each.name)


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _modules(files: Sequence[str]) -> set[str]:
    """Public modules at the top: of ``a/__init__.py``, ``b.py`` and ``c.cpython-311.so``, a, b and c."""
    tops = set()
    for file in files:
        parts = file.split("/")
        single = len(parts) == 1 and file.endswith((".py", ".so"))
        if single or (len(parts) == 2 and parts[1] == "__init__.py"):
            tops.add(parts[0].partition(".")[0])
    return {top for top in tops if top.isidentifier() and not top.startswith("_")}


def _digest(names: Sequence[str], site: Path) -> str:
    """Digest of what can be imported; not of compiled files, scripts, and notes on where packages came from."""
    whole = hashlib.sha256(json.dumps(names).encode())
    for path in sorted(site.rglob("*")):
        inside = path.relative_to(site)
        kept = inside.parts[0] != "bin" and "__pycache__" not in inside.parts
        if path.is_file() and kept and not (path.parent.suffix == ".dist-info" and path.name in _WITHOUT_CONTENT):
            whole.update(f"{inside}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def _read(folder: Path) -> Packages:
    try:
        facts = json.loads((folder / "packages.json").read_bytes())
        names, modules = tuple(facts["names"]), tuple(facts["modules"])
        return Packages(str(folder / "site"), names, modules, str(facts["digest"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InfrastructureError(f"the package folder {folder} is damaged: type rm -r {folder}") from error


async def require_importable(executor: Executor, packages: Packages, problem: Problem) -> None:
    """See that a problem's programs can import the packages under its memory limit.

    Args:
        executor: Runs the imports.
        packages: As they were prepared.
        problem: Names them; its limits hold.

    Raises:
        UserError: If they cannot.
    """
    program = Program("".join(f"import {module}\n" for module in packages.modules) or "pass\n", "python")
    limits = replace(problem.limits, cpu_seconds=_IMPORT_SECONDS, total_cpu_seconds=_IMPORT_SECONDS)
    results: list[CaseResult] = []
    for memory_bytes in dict.fromkeys((limits.memory_bytes, max(_AMPLE_BYTES, limits.memory_bytes))):
        trial = replace(
            problem, mode="stdio", signature=None, limits=replace(limits, memory_bytes=memory_bytes), cases=()
        )
        results += (await executor.run(program, trial, [Case("", "", "import")], fresh=True)).cases
        if results[0].verdict is Verdict.COMPLETED:
            return
    shown = ", ".join(packages.modules)
    if results[-1].verdict is Verdict.COMPLETED:
        raise UserError(
            f"memory is {limits.memory_bytes // 2**20} MB, which is too little to import {shown}: raise limits.memory "
            "of the problem, as memory: 1 GB"
        )
    raise UserError(f"packages {shown} cannot be imported in the sandbox: {results[-1].detail or results[-1].verdict}")
