"""The judge: opens the hidden cases, in a process of its own, after the search has ended.

Run as ``python -m evo.judge``: reads one JSON object from standard input, writes one to standard output. What it
writes are counts; no input and no expected output leaves it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from evaluators.exceptions import EvoError, InfrastructureError, UserError
from evo.result import Judgement
from evo.task import Task


async def judge(task: Task, source: str) -> Judgement | None:
    """Judge a program on the hidden cases of its problem.

    Args:
        task: The search that made it.
        source: The program.

    Returns:
        The judgement; None if the problem has no hidden cases.

    Raises:
        InfrastructureError: If the judge could not do its work.
        UserError: If the hidden cases cannot be opened.
    """
    if task.reference is None:
        return None
    wanted = task.settings.problem
    question = {
        "reference": task.reference,
        "mode": wanted.mode,
        "seed": wanted.seed,
        "visible": wanted.visible,
        "hidden": wanted.hidden,
        "psb2_data": wanted.psb2_data,
        "language": task.settings.language,
        "source": source,
        "workers": task.settings.workers,
        "allow_weak": task.settings.sandbox.allow_weak,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "evo.judge",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=_without_keys(task),
    )  # fmt: skip
    try:
        text = json.dumps(question).encode("utf-8", "surrogatepass")
        output, errors = await process.communicate(text)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    answer = _answer(output)
    if process.returncode != 0 or answer is None:
        tail = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise InfrastructureError(f"the judge ended with exit code {process.returncode}: {tail or 'no message'}")
    if "user_error" in answer:
        raise UserError(answer["user_error"])
    if "infrastructure_error" in answer:
        raise InfrastructureError(answer["infrastructure_error"])
    return Judgement(**answer) if answer["cases"] else None


def _without_keys(task: Task) -> dict[str, str]:
    fallback = task.settings.models.fallback
    keys = {task.settings.endpoint.key_variable, fallback.key_variable if fallback is not None else ""}
    return {name: value for name, value in os.environ.items() if name not in keys and not name.startswith("OPENAI_")}


def _answer(output: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return None
    return answer if isinstance(answer, dict) else None


async def _judged(question: dict[str, Any]) -> Judgement:
    from benchmarks.catalog import load_hidden_cases, load_problem
    from evaluators.evaluate import evaluate
    from evaluators.executor import SandboxExecutor
    from evaluators.program import Program

    where: dict[str, Any] = {name: question[name] for name in ("mode", "seed", "visible")}
    where["psb2_data"] = None if question["psb2_data"] is None else Path(question["psb2_data"])
    problem = load_problem(question["reference"], **where)
    cases = load_hidden_cases(question["reference"], **where, hidden=question["hidden"])
    if not cases:
        return Judgement(0, 0, {})
    # Hidden cases are many: they have as much time each as the visible ones have.
    share = max(1.0, len(cases) / max(1, len(problem.cases)))
    limits = dataclasses.replace(problem.limits, total_cpu_seconds=problem.limits.total_cpu_seconds * share)
    executor = SandboxExecutor(workers=question["workers"], allow_weak_sandbox=question["allow_weak"])
    try:
        program = Program(question["source"], question["language"])
        evaluation = await evaluate(executor, program, dataclasses.replace(problem, cases=cases, limits=limits))
    finally:
        await executor.close()
    counts = Counter(verdict.value for verdict in evaluation.verdicts)
    passed = sum(verdict.passed for verdict in evaluation.verdicts)
    return Judgement(passed, len(cases), dict(sorted(counts.items())), evaluation.execution.cpu_seconds)


def main() -> None:
    """Answer the question on standard input."""
    answer: dict[str, Any]
    try:
        answer = dataclasses.asdict(asyncio.run(_judged(json.loads(sys.stdin.buffer.read()))))
    except UserError as error:
        answer = {"user_error": str(error)}
    except EvoError as error:
        answer = {"infrastructure_error": str(error)}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
