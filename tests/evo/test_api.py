"""The Python API: from a script, from a notebook, and beside somebody else's packages."""

import asyncio
import doctest
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import evo
import evo.api
from evo.testing import Ladder

ROOT = Path(__file__).parents[2]


def test_the_docstrings_example_runs(tmp_path):
    example = doctest.DocTestFinder().find(evo.api.solve, "solve", globs={"folder": tmp_path / "run"})[0]
    result = doctest.DocTestRunner().run(example)
    assert (result.failed, result.attempted) == (0, 5)


def test_solve_and_resume_work_where_a_loop_is_running(tmp_path):
    ladder = Ladder(cases=12)

    async def notebook():
        options = {"model": ladder.model(), "executor": ladder.executor()}
        first = evo.solve(ladder.problem, out=tmp_path / "run", budget__programs=9, **options)
        return first, evo.resume(tmp_path / "run", **options)

    first, again = asyncio.run(notebook())
    assert first.spent.programs == 9
    assert first.to_record() == again.to_record()


def test_errors_reach_the_caller_from_a_notebook():
    async def notebook():
        evo.solve(Ladder().problem, model=Ladder().model(), no_such_setting=1)

    with pytest.raises(evo.UserError, match="no_such_setting"):
        asyncio.run(notebook())


def test_every_public_name_can_be_had():
    for name in evo.__all__:
        assert getattr(evo, name) is not None
    assert set(evo.__all__) <= set(dir(evo))
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        _ = evo.slove


def test_a_module_that_hides_a_package_of_ours_is_named(tmp_path):
    (tmp_path / "selection.py").write_text("")
    ended = subprocess.run(
        [sys.executable, "-c", "import evo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert f"{tmp_path / 'selection.py'}" in ended.stderr
    assert "rename that file" in ended.stderr


def test_import_evo_brings_no_heavy_package():
    heavy = ["openai", "pydantic", "typer", "rich", "numpy", "deap", "yaml"]
    code = f"import sys, evo; print([name for name in {heavy} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


def test_help_brings_no_heavy_package():
    code = (
        "import sys\nfrom evo.cli.app import main\nsys.argv = ['evo', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ['openai', 'pydantic', 'numpy', 'deap', 'yaml', 'rich'] if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("[]\n")


def test_the_readmes_python_block_runs(tmp_path):
    """With the embedded model replaced by a script, as a test has no weights."""
    block = re.search(r"## From Python.*?\n((?:    .*\n|\n)+)", (ROOT / "README.md").read_text()).group(1)
    script = (
        "import evo\n"
        "reply = '```python\\nn = int(input())\\n"
        'print("FizzBuzz" if n % 15 == 0 else "Fizz" if n % 3 == 0 else "Buzz" if n % 5 == 0 else n)\\n```\'\n'
        "model = evo.ScriptedModel(lambda request: reply)\n"
    )
    code = textwrap.dedent(block).replace('solve("fizz-buzz"', 'solve("fizz-buzz", model=model, problem__hidden=20')
    ended = subprocess.run(
        [sys.executable, "-c", script + code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "True Judgement(passed=20, cases=20" in ended.stdout


def test_the_readmes_problem_file_runs(tmp_path):
    block = re.search(r"## Your own problem\n\n((?:    .*\n|\n)+)", (ROOT / "README.md").read_text()).group(1)
    problem, _, command = textwrap.dedent(block).partition("\n.venv/bin/evo")
    (tmp_path / "double.yaml").write_text(problem)
    (tmp_path / "model.py").write_text("def reply(request):\n    return '```python\\nprint(2 * int(input()))\\n```'\n")
    arguments = [*command.split(), "--model", "scripted:model.py:reply"]
    ended = subprocess.run(
        [sys.executable, "-m", "evo.cli.app", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "hidden cases   1/1 passed" in ended.stdout
