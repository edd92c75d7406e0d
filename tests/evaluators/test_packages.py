"""Packages for candidates: fetched once, kept, and shown to their problem's programs alone; all without a network."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import shutil
import subprocess
import threading
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from evaluators import packages
from evaluators.evaluate import evaluate, execution_key
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import SandboxExecutor
from evaluators.packages import prepare
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.remote_check import CheckCode, check_remotely
from evaluators.signature import Signature

C = str(Path(__file__).parents[2] / "examples" / "languages" / "c.yaml")
LIMITS = Limits(wall_seconds=2.0, total_cpu_seconds=10.0)


def wheel(folder, name="thing", version="1.0", files=None, tag="py3-none-any"):
    files = {f"{name}.py": "def f(x):\n    return 2 * x\n"} if files is None else files
    info = f"{name}-{version}.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    rows = []
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            archive.writestr(zipfile.ZipInfo(place), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{place},sha256={digest},{len(data)}")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD"), "\n".join([*rows, f"{info}/RECORD,,", ""]))
    return str(path)


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tmp_path / "cache" / "evo" / "packages"


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def thing(shared, monkeypatch):
    """A wheel that is installed once for all tests that run it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared / "cache"))
    return wheel(shared)


def problem(*requirements, inputs=("", ""), limits=LIMITS):
    cases = tuple(Case(given, "6\n", f"case {number}") for number, given in enumerate(inputs))
    return Problem("p", "", "stdio", cases, limits=limits, packages=requirements)


def run(executor, source, asked, language="python"):
    return asyncio.run(executor.run(Program(source, language), asked))


# The folder


def test_packages_are_unpacked_once_and_found_again(tmp_path, cache, monkeypatch):
    made = prepare([wheel(tmp_path)])
    assert (made.names, made.modules) == (("thing 1.0",), ("thing",))
    assert (Path(made.folder) / "thing.py").is_file()
    assert sorted(path.suffix for path in cache.iterdir()) == ["", ".lock"]
    monkeypatch.setattr(packages, "_install", lambda *_: pytest.fail("installed twice"))
    assert prepare([wheel(tmp_path)]) == made


def test_the_digest_is_that_of_names_versions_and_files_wherever_they_lie(tmp_path, monkeypatch):
    digests = [prepare([wheel(tmp_path)]).digest]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    folder = tmp_path / "copies"
    folder.mkdir()
    assert prepare([wheel(folder)]).digest == digests[0]
    digests += [prepare([wheel(folder, files={"thing.py": "f = abs"})]).digest]
    digests += [prepare([wheel(folder, version="1.1")]).digest]
    assert len(set(digests)) == 3
    keys = {execution_key(Program("", "python"), problem(*wanted), "") for wanted in ((), (wheel(folder),))}
    assert len(keys) == 2


def test_two_that_want_the_same_wait_for_one_installation(tmp_path, monkeypatch):
    installed, install = [], packages._install
    monkeypatch.setattr(packages, "_install", lambda *given: (installed.append(1), install(*given)))
    wanted = [wheel(tmp_path)]
    threads = [threading.Thread(target=prepare, args=(wanted,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert installed == [1]


def test_an_installation_that_fails_leaves_nothing(tmp_path, cache):
    broken = tmp_path / "thing-1.0-py3-none-any.whl"
    broken.write_bytes(b"no archive")
    with pytest.raises(UserError, match="thing") as caught:
        prepare([str(broken)])
    assert "\n" not in str(caught.value)
    assert [path.suffix for path in cache.iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        ("-r requirements.txt", "'-r requirements.txt' is no requirement: write 'numpy'"),
        ("--index-url=http://127.0.0.1", "is no requirement"),
        ("git+ssh://host/repository", "is no requirement"),
        ("no-such-thing-at-all", "'no-such-thing-at-all' is unknown, or has no wheel for Python"),
        ("no-such-thing-at-all[extra]>=2,<3", "is unknown, or has no wheel for Python"),
        ("/no/such/thing-1.0-py3-none-any.whl", "No such file"),
        ("", "is no requirement"),
    ],
)
def test_a_wrong_requirement_is_told_in_one_line(requirement, told):
    with pytest.raises(UserError, match=told.replace("[", r"\[")) as caught:
        prepare([requirement])
    assert "\n" not in str(caught.value)


def test_an_index_that_does_not_answer_is_no_mistake_of_the_user(monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(InfrastructureError, match="numpy cannot be fetched, as the package index does not answer"):
        prepare(["numpy"])


def test_pip_that_is_missing_is_told(monkeypatch):
    ended = subprocess.CompletedProcess([], 1, "", "/usr/bin/python: No module named pip\n")
    monkeypatch.setattr(packages.subprocess, "run", lambda *_, **__: ended)
    with pytest.raises(UserError, match="python -m ensurepip"):
        prepare(["numpy"])


# In the sandbox


def test_programs_of_the_problem_import_it_and_no_others(executor, thing):
    wanted = problem(thing)
    source = "import thing\nprint(thing.f(3))"
    evaluation = asyncio.run(evaluate(executor, Program(source, "python"), wanted))
    assert evaluation.solved
    reach = "import sys\nsys.path += ['/packages', '/packages/site']\n" + source
    assert [result.detail for result in run(executor, reach, problem()).cases] == [
        "ModuleNotFoundError: No module named 'thing' (line 3)"
    ] * 2
    assert asyncio.run(evaluate(executor, Program(source, "python"), wanted)).solved


def test_the_folder_cannot_be_changed_and_the_machine_not_seen(executor, thing, shared):
    source = (
        "import os, sys, thing\nfor path in (thing.__file__, sys.path[-1] + '/new'):\n    try:\n"
        "        os.close(os.open(path, os.O_WRONLY))\n        print('written')\n    except OSError: pass\n"
        f"print(6 if sys.path[-1] == os.path.dirname(thing.__file__) and not os.path.exists({str(shared)!r}) else 0)"
    )
    assert [result.output for result in run(executor, source, problem(thing)).cases] == ["6\n"] * 2


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_program_in_another_language_does_without(executor, thing):
    source = '#include <stdio.h>\nint main() { FILE *f = fopen("/packages/thing.py", "r"); puts(f ? "seen" : "6"); }'
    assert [result.output for result in run(executor, source, problem(thing), C).cases] == ["6\n"] * 2


def test_functions_and_checks_have_them_too(executor, thing):
    asked = Problem(
        "p",
        "",
        "function",
        (Case((3,), 6, "three"),),
        Signature.parse("g(x: int) -> int"),
        limits=LIMITS,
        packages=(thing,),
    )
    program = Program("from thing import f as g", "python")
    assert asyncio.run(evaluate(executor, program, asked)).solved
    check = CheckCode("import thing\nassert g(4) == thing.f(4) == 8")
    result = asyncio.run(check_remotely(executor, program, check, entry_point="g", packages=(thing,)))
    assert result.verdict.passed


def test_a_package_that_does_not_import_is_told_before_any_program_fails(executor, tmp_path):
    path = wheel(tmp_path, "bad", files={"bad.py": "import no_such_module\n"})
    with pytest.raises(UserError, match="bad cannot be imported in the sandbox: ModuleNotFoundError"):
        run(executor, "print(6)", problem(path))


@pytest.fixture(scope="module")
def numpy_wheel(tmp_path_factory):
    """The numpy of this environment as a wheel again, so that the network is not needed."""
    found = distribution("numpy")
    (tag,) = [line.split(": ")[1] for line in found.read_text("WHEEL").splitlines() if line.startswith("Tag: ")][:1]
    folder = tmp_path_factory.mktemp("wheels")
    kept = [file for file in found.files if file.parts[0] in ("numpy", "numpy.libs") and "tests" not in file.parts]
    files = {str(file): file.locate().read_bytes() for file in kept if "__pycache__" not in file.parts}
    return wheel(folder, "numpy", found.version, files, tag)


def test_numpy_runs_under_the_default_memory_limit_and_says_what_it_needs(executor, numpy_wheel):
    source = "import numpy as np\nm = np.eye(300)\nprint(int(np.linalg.inv(m @ m).sum()) // 50)"
    asked = problem(numpy_wheel, limits=Limits())
    assert asyncio.run(evaluate(executor, Program(source, "python"), asked)).solved
    hungry = "import numpy as np\nprint(np.ones((40000, 40000)).sum())"
    assert [str(result.verdict) for result in run(executor, hungry, asked).cases] == ["memory"] * 2
    small = problem(numpy_wheel, limits=Limits(memory_bytes=2**25))
    with pytest.raises(UserError, match=r"memory is 32 MB, which is too little to import numpy: raise limits\.memory"):
        run(executor, source, small)
