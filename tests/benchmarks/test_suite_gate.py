"""The reference gate, and programs that run official tests."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.suites.eval_plus import load_human_eval_plus, load_mbpp_plus
from benchmarks.suites.gate import reference_gate
from benchmarks.suites.human_eval import load_human_eval, load_human_eval_x
from benchmarks.suites.mbpp import load_mbpp, load_sanitized_mbpp
from benchmarks.suites.task import (
    SuiteTask,
    calls_problem,
    calls_program,
    official_tests_problem,
    official_tests_program,
    passes_official_tests,
    whole_program,
)
from evaluators.evaluate import compare
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import SandboxExecutor
from evaluators.problem import Case

HERE = Path(__file__).parent
DATA = Path(os.environ.get("EVO_TEST_DATA", HERE.parents[1].parent / "shared" / "data"))

HEAD = "def double(x):\n"
TASK = SuiteTask(
    task_id="HumanEval/0",
    language="python",
    prompt=HEAD,
    head=HEAD,
    entry_point="double",
    reference=f"{HEAD}    return 2 * x\n",
    tests="def check(candidate):\n    for i in range(9):\n        assert candidate(i) == 2 * i\n\ncheck(double)\n",
)


@pytest.fixture(scope="module")
def executor():
    try:
        built = SandboxExecutor()
    except InfrastructureError as error:
        pytest.skip(f"needs the sandbox: {error}")
    yield built
    asyncio.run(built.close())


def gate(executor, *tasks):
    return asyncio.run(reference_gate(executor, tasks))


@pytest.mark.parametrize(
    ("completion", "passes"),
    [
        ("    return 2 * x\n", True),
        ("    print('noise', end='')\n    return x + x\n", True),
        ("    return 2 * x if x < 8 else 0\n", False),
        ("    raise SystemExit(0)\n", False),
        ("    import os\n    os._exit(0)\n", False),
        ("    print('all tests passed')\n    exit()\n", False),
        ("    return\n\nthis does not parse(\n", False),
        ("    while True: pass\n", False),
    ],
)
def test_a_program_of_tests_tells_right_from_wrong(executor, completion, passes):
    problem = replace(
        official_tests_problem(TASK), limits=replace(official_tests_problem(TASK).limits, cpu_seconds=1.0)
    )
    program = official_tests_program(TASK, whole_program(TASK, completion))
    assert passes_official_tests(TASK, asyncio.run(executor.run(program, problem))) == passes


def test_the_gate_lists_what_fails_with_its_reason(executor):
    calls = (Case((2,), 4, "call-1"), Case((3,), 7, "call-2"))
    results = gate(
        executor,
        TASK,
        replace(TASK, reference=f"{HEAD}    return x\n"),
        replace(TASK, calls=calls),
        replace(TASK, tests="", inputs=((2,), (None,), (3.5,))),
        replace(TASK, reference="import nowhere\n"),
    )
    assert [result.passed for result in results] == [True, False, False, False, False]
    assert results[1].failures[0][0] == "tests"
    assert "AssertionError" in results[1].failures[0][1]
    assert results[2].failures == (("call-2", "wrong_answer: no detail"),)
    assert results[2].cases == calls[:1]
    assert results[3].failures[0][0] == "input-2"
    assert "TypeError" in results[3].failures[0][1]
    assert [case.expected for case in results[3].cases] == [4, 7.0]
    assert "nowhere" in results[4].failures[0][1]


def test_an_adapter_makes_plain_data_of_results(executor):
    task = replace(
        TASK,
        reference="def double(x):\n    return complex(x, 2 * x)\n",
        tests="",
        inputs=((1,), (2,)),
        adapter="(lambda point: (point.real, point.imag))(solution(*arguments))",
    )
    (result,) = gate(executor, task)
    assert [case.expected for case in result.cases] == [(1.0, 2.0), (2.0, 4.0)]
    problem = calls_problem(task, result.cases, result.checker)
    for source, passes in ((task.reference, True), ("def double(x):\n    return 1j\n", False)):
        execution = asyncio.run(executor.run(calls_program(task, source), problem))
        assert all(verdict.passed for verdict in compare(execution, problem).verdicts) == passes


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs the compiler g++")
def test_a_cpp_program_of_tests(executor):
    task = SuiteTask(
        task_id="CPP/0",
        language="cpp",
        prompt="",
        head="#include <cstdio>\nint twice(int x){\n",
        entry_point="",
        reference="#include <cstdio>\nint twice(int x){\n    return 2 * x;\n}\n",
        tests="#undef NDEBUG\n#include <assert.h>\nint main(){\n    assert (twice(2) == 4);\n}\n",
    )
    wrong = replace(task, reference=task.reference.replace("2 * x", "3 * x"))
    assert [result.passed for result in gate(executor, task, wrong)] == [True, False]
    with pytest.raises(UserError, match="tested by a program"):
        calls_problem(task, ())


SAMPLES = {
    "humaneval/HumanEval.jsonl.gz": (load_human_eval, {"HumanEval/0", "HumanEval/32", "HumanEval/38", "HumanEval/53"}),
    "humaneval-x/humaneval_python.jsonl.gz": (lambda path: load_human_eval_x(path, "python"), {"Python/1", "Python/2"}),
    "humaneval-x/humaneval_cpp.jsonl.gz": (lambda path: load_human_eval_x(path, "cpp"), {"CPP/38"}),
    "humanevalplus/HumanEvalPlus-Mini.jsonl.gz": (
        load_human_eval_plus,
        {"HumanEval/0", "HumanEval/15", "HumanEval/32", "HumanEval/116"},
    ),
    "mbpp/mbpp.jsonl": (load_mbpp, {"Mbpp/1", "Mbpp/367", "Mbpp/927"}),
    "mbpp/sanitized-mbpp.json": (load_sanitized_mbpp, {"Mbpp/2", "Mbpp/120"}),
    "mbppplus/MbppPlus.jsonl.gz": (
        load_mbpp_plus,
        {f"Mbpp/{number}" for number in (2, 120, 124, 252, 580, 590, 722, 737, 787, 794)},
    ),
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_canonical_solutions_of_the_harder_kinds_pass(executor, name):
    if not (DATA / name).is_file():
        pytest.skip(f"needs {name}: set EVO_TEST_DATA to a folder that holds it")
    if "cpp" in name and shutil.which("g++") is None:
        pytest.skip("needs the compiler g++")
    load, chosen = SAMPLES[name]
    tasks = [task for task in load(DATA / name) if task.task_id in chosen]
    assert len(tasks) == len(chosen)
    assert [(result.task_id, result.failures) for result in gate(executor, *tasks) if not result.passed] == []
