"""The contract suite of executors refuses what is broken, and the sandbox passes it."""

import asyncio
import re
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from evaluators.execution import CaseResult, Execution
from evaluators.executor import SandboxExecutor
from evaluators.verdict import Verdict
from evo.testing import ScriptedExecutor, check_executor


class Local(ScriptedExecutor):
    """An executor that is in order, apart from shutting nothing in: each case is a Python process of its own."""

    environment = staticmethod(lambda case: {})

    folder = "/"

    def __init__(self):
        super().__init__(self.execute)

    def execute(self, program, case):
        if not program.source.strip():
            return CaseResult(Verdict.COMPILE_ERROR)
        command = [sys.executable, "-I", "-S", "-c", program.source]
        try:
            ended = subprocess.run(
                command, input=case.input, capture_output=True, text=True, timeout=1, check=False,
                env=self.environment(case), cwd=self.folder,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return CaseResult(Verdict.TIMEOUT_WALL)
        if len(ended.stdout) > 10_000:
            return CaseResult(Verdict.OUTPUT_LIMIT)
        return CaseResult(Verdict.RUNTIME_ERROR if ended.returncode else Verdict.COMPLETED, output=ended.stdout)


class Reversed(Local):
    async def run(self, program, problem, cases=None, *, fresh=False):
        execution = await super().run(program, problem, cases)
        return replace(execution, cases=execution.cases[::-1])


class IgnoresCases(Local):
    async def run(self, program, problem, cases=None, *, fresh=False):
        return await super().run(program, problem)


class Judges(Local):
    def execute(self, program, case):
        result = super().execute(program, case)
        return replace(result, verdict=Verdict.PASS) if result.verdict is Verdict.COMPLETED else result


class RaisesFailures(Local):
    def execute(self, program, case):
        result = super().execute(program, case)
        if result.verdict is Verdict.RUNTIME_ERROR:
            raise RuntimeError("the program failed")
        return result


class Leaks(Local):
    environment = staticmethod(lambda case: {"EXPECTED": case.expected})


class Mixes(Local):
    async def run(self, program, problem, cases=None, *, fresh=False):
        self.last = program
        await asyncio.sleep(0)
        return await super().run(self.last, problem, cases)


class SkipsEmpty(Local):
    async def run(self, program, problem, cases=None, *, fresh=False):
        return await super().run(program, problem, cases) if program.source else Execution(())


class NewToolchain(Local):
    def toolchain(self, language):
        return str(time.perf_counter_ns())


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (Reversed, "it mixes up cases, or loses output"),
        (IgnoresCases, "Of 2 cases, it gave 5 results"),
        (Judges, "is not the executor's to say"),
        (RaisesFailures, "raised RuntimeError: the program failed"),
        (Leaks, "found the expected output"),
        (Mixes, "Program 0 of 6 printed"),
        (SkipsEmpty, "'' has 0 results on one case"),
        (NewToolchain, "Its toolchain of Python is"),
    ],
)
def test_a_broken_executor_is_refused(broken, told):
    with pytest.raises(AssertionError, match=re.compile(f"^this executor breaks.*{told}", re.DOTALL)):
        check_executor(broken)


def test_the_sandbox_keeps_the_contract():
    check_executor(SandboxExecutor)
