"""What the engine itself costs: starting, importing, and keeping the books of a search.

``python -m benchmarks.speed.engine [--json]`` prints

* ``help_seconds``: wall time of ``evo --help``, median of warm starts;
* ``import_seconds``: wall time that ``import evo`` adds to a bare interpreter, median;
* ``effect_cpu_ms``: processor time an effect (a model's answer or an execution) of a whole scripted search: journal,
  budget, prompts, reading of replies, comparison, selection, bookkeeping. The model and the sandbox are scripted, and
  what they take is left out. The journal is a real file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evaluators.execution import CaseResult
from evaluators.problem import Case
from evaluators.program import Program
from evo.journal_reader import JournalReader
from evo.session import Session, begin
from evo.settings_sources import settings_from
from evo.task import prepare
from evo.testing import Ladder
from operators.models.chat import ChatRequest

STARTS = 15


def start_seconds(*arguments: str) -> float:
    """Median wall time of a Python process, after one that warms the caches.

    Args:
        arguments: Of the interpreter.
    """
    seconds = []
    for _ in range(STARTS + 1):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds[1:])


def effect_cpu_ms(programs: int = 400, cases: int = 50) -> float:
    """Processor time an effect, in milliseconds, over a search that never solves its problem.

    Args:
        programs: How many are made.
        cases: Visible cases of the problem; 50 is what a bundled problem has.
    """
    ladder = _Timed(cases=cases, climbing=0.2)
    settings = settings_from(options={"budget.programs": programs, "seidr.arity": 4, "seidr.redraws": 0})
    with tempfile.TemporaryDirectory() as folder:
        session = Session(model=ladder.model(concurrency=8), executor=ladder.executor())
        run = Path(folder) / "run"
        begun = time.process_time()
        asyncio.run(begin(prepare(ladder.problem, settings), run, session))
        spent = time.process_time() - begun
        reader = JournalReader(run)
        effects = len(reader.effects())
        reader.close()
    return 1000 * (spent - ladder.spent_seconds) / effects


class _Timed(Ladder):
    """A ladder world that knows what its own model and executor have taken, which is not the engine's."""

    spent_seconds = 0.0

    def reply(self, request: ChatRequest) -> str:
        """The model's answer."""
        begun = time.thread_time()
        answer = super().reply(request)
        self.spent_seconds += time.thread_time() - begun
        return answer

    def run(self, program: Program, case: Case) -> CaseResult:
        """What a program does on a case."""
        begun = time.thread_time()
        result = super().run(program, case)
        self.spent_seconds += time.thread_time() - begun
        return result


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one flat JSON object")
    as_json = parser.parse_args().json
    bare = start_seconds("-c", "pass")
    figures = {
        "help_seconds": start_seconds("-m", "evo.cli.app", "--help"),
        "import_seconds": start_seconds("-c", "import evo") - bare,
        "effect_cpu_ms": statistics.median(effect_cpu_ms() for _ in range(3)),
    }
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, figure in figures.items():
            sys.stdout.write(f"{name:<16} {figure:.4f}\n")


if __name__ == "__main__":
    main()
