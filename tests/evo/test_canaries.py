"""Hidden cases and keys are in no prompt, no journal of the search, and no sandbox."""

import asyncio
import json
import sqlite3
import zlib
from pathlib import Path

import pytest

from evaluators.executor import SandboxExecutor
from evo.session import Session, begin
from evo.settings_sources import settings_from
from evo.task import prepare
from evo.testing import ScriptedModel

HIDDEN_INPUT = "hidden-input-canary-7391"
HIDDEN_OUTPUT = "hidden-output-canary-2846"
KEY = "sk-canary-55011948"

SPY = """
import glob, os, sys
found, paths = [], []
for pattern in ("/proc/*/environ", "/proc/*/cmdline", "/etc/*", "/tmp/*"):
    paths.extend(glob.glob(pattern))
for path in paths:
    try:
        with open(path, "rb") as file:
            found.append(file.read(100_000).decode("latin-1"))
    except OSError:
        pass
print(sys.stdin.read(), dict(os.environ), *found)
"""


@pytest.fixture
def problem_file(tmp_path):
    path = tmp_path / "problem.yaml"
    problem = {
        "name": "canary",
        "description": "Print the input in upper case.",
        "examples": [{"input": "abc\n", "output": "ABC\n"}],
        "hidden": [{"input": HIDDEN_INPUT + "\n", "output": HIDDEN_OUTPUT + "\n"}],
    }
    path.write_text(json.dumps(problem))
    return path


class Listening(ScriptedModel):
    """A model that keeps all that it was told."""

    def __init__(self, source):
        super().__init__(lambda request: f"```python\n{source}\n```", concurrency=1)
        self.heard = []

    async def complete(self, request):
        self.heard.append(repr(request))
        return await super().complete(request)


def everything_in(folder):
    """All that a run's folder holds, unpacked, but for the judge's own file."""
    texts = []
    for path in Path(folder).rglob("*"):
        if path.is_file() and path.name != "judge.json":
            texts.append(path.read_bytes())
    connection = sqlite3.connect(Path(folder) / "journal.sqlite")
    for table in ("meta", "requests", "effects", "individuals"):
        for row in connection.execute(f"SELECT * FROM {table}"):
            for value in row:
                texts.append(zlib.decompress(value) if isinstance(value, bytes) else str(value).encode())
    connection.close()
    return b"\n".join(texts)


def test_no_prompt_journal_or_sandbox_holds_a_hidden_case_or_a_key(problem_file, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = Listening(SPY)
    outputs = []

    class Overheard(SandboxExecutor):
        async def run(self, program, problem, cases=None):
            execution = await super().run(program, problem, cases)
            outputs.extend(repr(result) for result in execution.cases)
            return execution

    async def scene():
        executor = Overheard()
        settings = settings_from(options={"budget.programs": 3, "seidr.arity": 1})
        task = prepare(problem_file, settings)
        try:
            return task, await begin(task, tmp_path / "run", Session(model=model, executor=executor))
        finally:
            await executor.close()

    task, result = asyncio.run(scene())
    assert result.judgement is not None
    assert result.judgement.cases == 1
    assert len(model.heard) >= 3
    assert any("ABC" in text for text in model.heard)
    assert outputs
    assert any("abc" in text for text in outputs)
    kept = everything_in(result.folder)
    assert b"ABC" in kept
    for canary in (HIDDEN_INPUT, HIDDEN_OUTPUT, KEY):
        assert canary not in repr(task)
        assert not any(canary in text for text in model.heard)
        assert not any(canary in text for text in outputs)
        assert canary.encode() not in kept
        assert canary not in (Path(result.folder) / "judge.json").read_text()


def test_the_canary_search_finds_what_is_there(problem_file, tmp_path):
    """The search above can fail: a visible case is found by it."""
    model = Listening("print(input().upper())")
    settings = settings_from(options={"budget.programs": 3})

    async def scene():
        executor = SandboxExecutor()
        try:
            return await begin(
                prepare(problem_file, settings), tmp_path / "run", Session(model=model, executor=executor)
            )
        finally:
            await executor.close()

    result = asyncio.run(scene())
    assert result.solved_visible
    assert not result.solved
    assert b"abc" in everything_in(result.folder)
