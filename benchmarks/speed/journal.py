"""What keeping everything costs: resuming, the journal's share of a run, and the memory of a long one.

``python -m benchmarks.speed.journal [--json]`` prints

* ``resume_10000_effects_seconds``, ``resume_10000_effects_cpu_seconds``: wall and processor time until a search of
  10,000 effects (model's answers and executions, 10 visible cases) has found all of them in its journal again;
* ``journal_cpu_share``: processor time that the journal takes, as a share of a run's whole process tree: gcd in Python,
  50 visible cases, real sandbox, and an endpoint that answers at once, whose own time is not counted. The run's own
  effects are written once more into a journal and nothing else, in one commit each, as the answers of a slow model
  come; median of five writings;
* ``memory_10000_programs_megabytes``: by how much the resident memory of a process grows in a search of 10,000
  programs.

Where nothing else is said, models are scripted and take next to nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import openai
import psutil

from evo.journal import Journal
from evo.journal_file import Effect
from evo.journal_reader import JournalReader
from evo.session import Session, begin, go_on
from evo.settings_sources import settings_from
from evo.task import prepare
from evo.testing import Ladder
from operators.models.chat import ChatRequest
from operators.models.stub_endpoint import StubEndpoint, StubReply, StubRequest, answer

EFFECTS = 10_000
PROGRAMS_OF_A_SHARE = 150
_WRITINGS = 5


class _Ladder(Ladder):
    """A ladder world in which no two programs are equal, so that each is executed."""

    def reply(self, request: ChatRequest) -> str:
        """The model's answer."""
        answer = super().reply(request)
        return answer.replace("# variant", f"# draw {request.seed}, variant")


def resume_seconds(folder: Path, effects: int = EFFECTS) -> dict[str, float]:
    """Wall and processor time to go on with a search that has ended.

    Args:
        folder: An empty one.
        effects: About how many the search has; each program has about 2.25 of them.
    """
    ladder = _Ladder(cases=10, climbing=0.0)
    settings = settings_from(
        options={"budget.programs": round(effects / 2.25), "seidr.arity": 4, "seidr.redraws": 0, "concurrency": 8}
    )
    run = folder / "resumed"
    asyncio.run(begin(prepare(ladder.problem, settings), run, _session(ladder)))
    with contextlib.closing(JournalReader(run)) as reader:
        written = len(reader.effects())
    wall, processor = time.perf_counter(), time.process_time()
    asyncio.run(go_on(run, _session(ladder)))
    scale = effects / written
    return {
        "resume_10000_effects_seconds": (time.perf_counter() - wall) * scale,
        "resume_10000_effects_cpu_seconds": (time.process_time() - processor) * scale,
    }


def _session(ladder: Ladder) -> Session:
    return Session(model=ladder.model(concurrency=8), executor=ladder.executor())


def journal_cpu_share(folder: Path) -> float:
    """The journal's part of the processor time of a run: the engine, the client of its model, and the real sandbox."""
    with _endpoint() as base_url:
        options = {"budget.programs": PROGRAMS_OF_A_SHARE, "workers": 1, "model": "stub", "concurrency": 8}
        settings = settings_from(options=options | {"endpoint.base_url": base_url, "endpoint.key_variable": "PATH"})
        task = prepare("gcd", settings)
        openai.AsyncOpenAI(api_key="none")  # its import is no part of a run's course
        before = _tree_cpu_seconds()
        asyncio.run(begin(task, folder / "share", Session(judged=False)))
        whole = _tree_cpu_seconds() - before
    with contextlib.closing(JournalReader(folder / "share")) as reader:
        kept = [(effect, effect.request and reader.request(effect.request)) for effect in reader.effects()]
        individuals = reader.individuals()
    seconds = []
    for number in range(_WRITINGS):
        before = time.process_time()
        asyncio.run(_write_again(folder / f"again{number}", kept, individuals))
        seconds.append(time.process_time() - before)
    return statistics.median(seconds) / whole


@contextlib.contextmanager
def _endpoint() -> Iterator[str]:
    """The base URL of an endpoint in another process, whose processor time is not counted as long as it lives."""
    command = [sys.executable, "-m", "benchmarks.speed.journal", "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()


def _serve() -> None:
    """Answer requests by programs of which no two are equal, until standard input ends."""

    def reply(request: StubRequest) -> StubReply:
        return answer(f"```python\na, b = int(input()), int(input())\nprint(min(a, b) // {1 + request.number})\n```\n")

    with StubEndpoint(reply) as stub:
        sys.stdout.write(f"{stub.base_url}\n")
        sys.stdout.flush()
        sys.stdin.read()


async def _write_again(
    folder: Path, kept: Sequence[tuple[Effect, str | None]], individuals: Sequence[dict[str, object]]
) -> None:
    with contextlib.closing(Journal.create(folder, {})) as journal:
        for effect, text in kept:
            await journal.record(effect, text)
        for position, record in enumerate(individuals):
            journal.record_individual(position, record)


def _tree_cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def memory_megabytes(folder: Path, programs: int = 10_000) -> float:
    """Growth of this process's resident memory over a search; call it in a process of its own."""
    ladder = _Ladder(cases=50, climbing=0.0)
    settings = settings_from(options={"budget.programs": programs, "seidr.arity": 4, "seidr.redraws": 0})
    before = psutil.Process().memory_info().rss
    asyncio.run(begin(prepare(ladder.problem, settings), folder / "long", _session(ladder)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return (peak - before) / 2**20


def _memory_in_a_process_of_its_own(folder: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.speed.journal", "--memory", str(folder)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one flat JSON object")
    parser.add_argument("--memory", metavar="FOLDER", type=Path, help="print the memory's growth alone")
    parser.add_argument("--serve", action="store_true", help="be the endpoint of a run")
    arguments = parser.parse_args()
    if arguments.serve:
        _serve()
        return
    if arguments.memory is not None:
        sys.stdout.write(f"{memory_megabytes(arguments.memory)}\n")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = resume_seconds(folder)
        figures["journal_cpu_share"] = journal_cpu_share(folder)
        figures["memory_10000_programs_megabytes"] = _memory_in_a_process_of_its_own(folder)
    if arguments.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, figure in figures.items():
            sys.stdout.write(f"{name:<34} {figure:.4f}\n")


if __name__ == "__main__":
    main()
