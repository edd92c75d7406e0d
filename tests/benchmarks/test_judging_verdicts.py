"""Verdicts of programs on tests that are calls, a program, or checks."""

import asyncio
import json
from dataclasses import replace

import pytest

from benchmarks.judging.judge import judge_samples
from benchmarks.judging.official_tests import dataset_digest, learn_official_tests, task_digest
from benchmarks.judging.report import summarize
from benchmarks.judging.samples import Sample
from benchmarks.judging.verdict_file import VerdictFile
from benchmarks.judging.verdicts import judge_program
from benchmarks.suites.human_eval import load_human_eval
from benchmarks.suites.task import Check, SuiteTask
from evaluators.exceptions import InfrastructureError, UserError
from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Named
from evaluators.remote_check import CheckCode

HEAD = 'def double(x):\n    """Twice x."""\n'
CALLS = (
    "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate('ab') == 'abab'\n"
    "    assert candidate(0) == 0\n"
)
LOOPED = "def check(candidate):\n    for n in range(9):\n        assert candidate(n) == 2 * n\n"
# The reference fails the second call.
DISPUTED = "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 7\n"
COMPLETIONS = {
    "right": ("    return 2 * x\n", "pass"),
    "right in another way": ("    import math\n    return x + x\n", "pass"),
    "wrong": ("    return x\n", "wrong_answer"),
    "an exception": ("    return 1 // 0\n", "runtime_error"),
    "no result": ("    pass\n", "wrong_answer"),
    "no text": ("", "wrong_answer"),
    "no Python": ("    return (\n", "compile_error"),
    "endless": ("    while True: pass\n", "timeout_cpu"),
    "endless later": ("    while x == 0:\n        y = 1\n    return 2 * x\n", "timeout_cpu"),
    "a late end": ("    n = 0\n    while n < 10 ** 12:\n        n = n + len('a')\n    return 2 * x\n", "timeout_cpu"),
    "an exit": ("    exit()\n", "early_exit"),
    "an end of the process": ("    import os\n    os._exit(0)\n", "early_exit"),
    "equal to everything": (
        "    class A:\n        def __eq__(self, other):\n            return True\n    return A()\n",
        "runtime_error",
    ),
    "asleep": ("    import time\n    time.sleep(900)\n    return 2 * x\n", "timeout_wall"),
    "too deep": ("    return double(x)\n", "runtime_error"),
    "a main part": ("    return 2 * x\nif __name__ == '__main__':\n    input()\n    raise ValueError\n", "pass"),
}
PASSING = {name for name, (_, verdict) in COMPLETIONS.items() if verdict == "pass"}


@pytest.fixture(scope="module")
def executor():
    try:
        built = SandboxExecutor(workers=2)
    except InfrastructureError as error:
        pytest.skip(f"needs the sandbox: {error}")
    yield built
    asyncio.run(built.close())


@pytest.fixture
def tasks(tmp_path):
    rows = [
        {
            "task_id": f"HumanEval/{number}", "prompt": HEAD, "entry_point": "double",
            "canonical_solution": "    return 2 * x\n", "test": test,
        }
        for number, test in enumerate((CALLS, LOOPED, DISPUTED))
    ]  # fmt: skip
    path = tmp_path / "suite.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_human_eval(path)


async def _verdicts(executor, task, sources, seconds=0.6):
    tests, _ = await learn_official_tests(executor, task)
    return {key: await judge_program(executor, tests, source, seconds) for key, source in sources.items()}


@pytest.mark.parametrize("number", [0, 1])
def test_each_program_has_its_verdict(executor, tasks, number):
    sources = {name: HEAD + completion for name, (completion, _) in COMPLETIONS.items()}
    verdicts = asyncio.run(_verdicts(executor, tasks[number], sources))
    assert {name for name, verdict in verdicts.items() if verdict.passed} == PASSING
    if number == 0:
        assert {name: verdict.verdict for name, verdict in verdicts.items()} == {
            name: verdict for name, (_, verdict) in COMPLETIONS.items()
        }
        assert verdicts["endless later"].case == "call-3"
        assert "processor time" in verdicts["a late end"].detail
        assert verdicts["wrong"].case == "call-1"
    assert all(verdict.passed == verdict.base_passed == verdict.validated_passed for verdict in verdicts.values())


def test_what_the_suites_own_solution_fails_counts_in_all_and_not_in_validated(executor, tasks):
    sources = {"right": HEAD + "    return 2 * x\n", "wrong": HEAD + "    return x\n"}
    turned = replace(tasks[2], calls=tasks[2].calls[::-1])
    for task, case in ((tasks[2], "call-1"), (turned, "call-2")):
        verdicts = asyncio.run(_verdicts(executor, task, sources))
        assert [(v.passed, v.validated_passed, v.case) for _, v in sorted(verdicts.items())] == [
            (False, True, "call-2"),
            (False, False, case),
        ]


def test_base_and_plus(executor):
    task = SuiteTask(
        task_id="HumanEval/0", language="python", prompt=HEAD, head=HEAD, entry_point="double",
        reference=HEAD + "    return 2 * x\n", tests="", inputs=((1,), (2,), (30,)), base_inputs=2,
    )  # fmt: skip
    completions = {"both": "return 2 * x", "base": "return 2 * x if x < 9 else 0", "none": "return 7"}
    sources = {name: f"{HEAD}    {completion}\n" for name, completion in completions.items()}
    verdicts = asyncio.run(_verdicts(executor, task, sources))
    assert {name: (v.base_passed, v.passed) for name, v in verdicts.items()} == {
        "both": (True, True), "base": (True, False), "none": (False, False),
    }  # fmt: skip
    assert verdicts["base"].case == "input-3"


def test_programs_that_read_and_write(executor):
    task = SuiteTask(
        task_id="CodeContests/0", language="python", prompt="Double.", head="", entry_point="",
        reference="print(2 * int(input()))\n", tests="", mode="stdio",
        calls=(Case("2\n", "4\n", "public-1"), Case("5\n", "10\n", "hidden-1")), checker=Named("tokens"),
    )  # fmt: skip
    sources = {
        "right": task.reference,
        "second": "print(4)\n",
        "none": "print(input())\n",
        "endless": "while True:\n    x = 1\n",
        "main": "if __name__ == '__main__':\n    print(2 * int(input()))\n",
    }
    verdicts = asyncio.run(_verdicts(executor, task, sources))
    assert {name: (v.passed, v.case) for name, v in verdicts.items()} == {
        "right": (True, ""), "second": (False, "hidden-1"), "none": (False, "public-1"),
        "endless": (False, "public-1"), "main": (True, ""),
    }  # fmt: skip


def test_checks_come_after_calls_and_may_be_disputed(executor):
    def check(name, source):
        return Check(name, CheckCode(source))

    task = SuiteTask(
        task_id="HumanEval/0", language="python", prompt=HEAD, head=HEAD, entry_point="double",
        reference=HEAD + "    return 2 * x\n", tests="", calls=(Case((2,), 4, "call-1"),),
        checks=(
            check("assertion-2", "assert double(3) == 7"),
            check("assertion-3", "assert abs(double(0.5) - 1) < 1e-6"),
            check("assertion-4", "assert double(8) > 15"),
        ),
    )  # fmt: skip
    completions = {"right": "return 2 * x", "third": "return 2 * x if x > 1 else 0", "none": "return x"}
    sources = {name: f"{HEAD}    {completion}\n" for name, completion in completions.items()}
    verdicts = asyncio.run(_verdicts(executor, task, sources))
    assert {name: (v.passed, v.validated_passed, v.case) for name, v in verdicts.items()} == {
        "right": (False, True, "assertion-2"), "third": (False, False, "assertion-2"),
        "none": (False, False, "call-1"),
    }  # fmt: skip
    assert {v.cases for v in verdicts.values()} == {4}


def samples(tasks, *texts):
    return [Sample(task.task_id, number, text, "completion", "") for task in tasks for number, text in enumerate(texts)]


class Counting:
    """Counts the programs that an executor runs."""

    def __init__(self, executor):
        self.executor, self.count = executor, 0
        self.workers, self.toolchain = executor.workers, executor.toolchain

    async def run(self, *arguments, **options):
        self.count += 1
        return await self.executor.run(*arguments, **options)


class Failing(Counting):
    """Fails on programs with a certain text, once the file has so many verdicts."""

    def __init__(self, executor, text, path, verdicts):
        super().__init__(executor)
        self.text, self.path, self.verdicts = text, path, verdicts

    async def run(self, program, problem, cases=None, **options):
        if self.text not in program.source:
            return await super().run(program, problem, cases, **options)
        while finished(self.path) < self.verdicts:  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(0)
        raise InfrastructureError("the sandbox failed twice")


def finished(path):
    return path.read_text().count('"kind": "verdict"')


def judged(executor, tasks, rows, path):
    file = VerdictFile(path, {"suite": "s", "language": "python", "dataset_digest": dataset_digest(tasks)})
    try:
        return asyncio.run(judge_samples(executor, tasks, rows, file, seconds=1.0))
    finally:
        file.close()


def test_equal_programs_are_run_once_and_finished_verdicts_never_again(executor, tasks, tmp_path):
    counting = Counting(executor)
    rows = samples(tasks[:2], "    return 2 * x\n", "    return x\n", "    return 2 * x\n")
    first = judged(counting, tasks, rows, tmp_path / "out.jsonl")
    assert (first.executed, first.reused) == (4, 0)
    assert [each.verdict.passed for each in first.judged] == [True, False, True] * 2
    assert [record.task_id for record in first.references] == ["HumanEval/0", "HumanEval/1"]
    ran = counting.count
    again = judged(counting, tasks, rows, tmp_path / "out.jsonl")
    assert (again.executed, again.reused, counting.count) == (0, 6, ran)
    assert [each.verdict for each in again.judged] == [each.verdict for each in first.judged]


def test_a_failure_of_the_sandbox_is_no_verdict_and_loses_none(executor, tasks, tmp_path):
    path = tmp_path / "out.jsonl"
    rows = samples(tasks[:1], "    return 2 * x\n", "    return x\n") + samples(tasks[1:2], "    return 5\n")
    with pytest.raises(InfrastructureError):
        judged(Failing(executor, "return 5", path, 2), tasks, rows, path)
    assert finished(path) == 2
    whole = judged(executor, tasks, rows, path)
    assert (whole.reused, whole.executed) == (2, 1)


def test_the_summary_counts_every_task(executor, tasks, tmp_path):
    rows = samples([tasks[0], tasks[2]], "    return 2 * x\n", "    return x\n")
    judging = judged(executor, tasks, rows, tmp_path / "out.jsonl")
    summary = summarize(tasks, rows, judging, ks=(1, 2, 10), has_plus=False, validated=False)
    assert (summary["tasks"], summary["samples"], summary["missing"]) == (3, 4, ["HumanEval/1"])
    assert summary["pass@1"] == pytest.approx((0.5 + 0 + 0) / 3)
    assert summary["pass@2"] == pytest.approx((1 + 0 + 0) / 3)
    assert "pass@10" not in summary
    assert summary["validated"]["pass@1"] == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert summary["disputed"] == {"HumanEval/2": {"call-2": "wrong_answer: no detail"}}
    assert any("pass@10 is left out" in note for note in summary["notes"])
    assert any("HumanEval/1" in note for note in summary["notes"])
    assert summarize(tasks, rows, judging, ks=(1,), has_plus=False, validated=True)["pass@1"] == pytest.approx(1 / 3)


def test_digests_tell_tests_apart(tasks):
    other = replace(tasks[0], calls=tasks[0].calls[:1])
    assert task_digest(other) != task_digest(tasks[0])
    assert dataset_digest(tasks) != dataset_digest(tasks[::-1])


def test_a_task_without_tests_is_refused(executor, tasks):
    with pytest.raises(UserError, match="no tests"):
        asyncio.run(learn_official_tests(executor, replace(tasks[0], tests="", calls=(), checks=())))


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "forgery",
    [
        # By way of a formatter a module's own dictionary can be had, and with it what its functions do.
        "    import string, builtins\n    names = string.Formatter().get_field('0.__dict__', (builtins,), {})[0]\n"
        "    names['range'] = lambda n: []\n    return 7\n",
        "    import sys\n    frame = sys._getframe()\n    while frame:\n        frame.f_globals['candidate'] = None\n"
        "        frame = frame.f_back\n    return 7\n",
        "    class Any(int):\n        def __eq__(self, other):\n            return True\n\n    return Any(7)\n",
        "    class Passed(AssertionError):\n        pass\n    raise Passed\n",
    ],
)
def test_no_forgery_passes(executor, tasks, number, forgery):
    verdicts = asyncio.run(_verdicts(executor, tasks[number], {"forged": HEAD + forgery}))
    assert not verdicts["forged"].passed
