"""``evo problems`` and ``evo published``: what there is to search for, to judge on, and to compare with."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, cast, get_args

from benchmarks.catalog import PROBLEMS, load_problem
from benchmarks.psb2.cases import HIDDEN_CASES, SEIDR_VISIBLE_CASES
from benchmarks.published import Paper, PublishedFigure, papers, published
from benchmarks.suites.catalog import SUITES
from evaluators.exceptions import UserError, unknown_name
from evaluators.languages import LANGUAGES
from evaluators.plain_data import to_json
from evaluators.problem import Mode, Problem

_FIRST_CASES = 5


def problems_command(action: str | None, name: str | None, *, mode: str | None, as_json: bool) -> int:
    """Run ``evo problems``; returns the exit code."""
    if action is None:
        _list(as_json=as_json)
        return 0
    if action != "show" or name is None:
        raise UserError(f"'evo problems {action}' is no command: type 'evo problems', or 'evo problems show NAME'")
    record = _suite(name) if name in SUITES else _problem(name, mode)
    if as_json:
        sys.stdout.write(json.dumps(record) + "\n")
    else:
        _show(record)
    return 0


def _list(*, as_json: bool) -> None:
    languages = list(LANGUAGES)
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "kind": "problem",
            "modes": ["stdio", "function"],
            "languages": languages,
            "visible_cases": SEIDR_VISIBLE_CASES,
            "hidden_cases": HIDDEN_CASES,
            "data": "made from a seed, as PSB2 describes it; --psb2-data DIR for its own data sets",
        }
        for name in PROBLEMS
    ]
    rows += [_suite(name) for name in SUITES]
    if as_json:
        sys.stdout.write(json.dumps({"problems": rows}) + "\n")
        return
    width = max(len(row["name"]) for row in rows)
    out = sys.stdout.write
    out(
        f"problems (PSB2) for 'evo solve NAME': stdio or function, {' or '.join(languages)}, {SEIDR_VISIBLE_CASES} "
        f"visible cases and {HIDDEN_CASES} hidden ones, made from a seed\n"
    )
    for name in PROBLEMS:
        out(f"  {name}\n")
    out("suites for 'evo judge SAMPLES --suite NAME'\n")
    for row in rows:
        if row["kind"] == "suite":
            out(f"  {row['name']:<{width}}  {_described(row)}; {row['data']}\n")
    out("'evo problems show NAME' shows one; a problem of your own: docs/problem-files.md\n")


def _suite(name: str) -> dict[str, Any]:
    suite = SUITES[name]
    return {
        "name": name,
        "kind": "suite",
        "title": suite.title,
        "languages": list(suite.languages),
        "tasks": suite.tasks or None,
        "plus": suite.has_plus,
        "judged": suite.is_judged,
        "data": suite.data,
    }


def _described(suite: dict[str, Any]) -> str:
    tasks = f"{suite['tasks']} tasks" if suite["tasks"] else "tasks"
    tests = ", base and plus tests" if suite["plus"] else "" if suite["judged"] else ", whose tests are not run here"
    return f"{tasks} in {' or '.join(suite['languages'])}{tests}"


def _problem(name: str, mode: str | None) -> dict[str, Any]:
    path = Path(name)
    if name not in PROBLEMS and not (path.suffix or len(path.parts) > 1 or path.is_file()):
        raise unknown_name("problem or suite", name, (*PROBLEMS, *SUITES))
    if mode is not None and mode not in get_args(Mode):
        raise unknown_name("mode", mode, get_args(Mode))
    return _record(load_problem(name, mode=cast("Mode | None", mode)))


def _record(problem: Problem) -> dict[str, Any]:
    return {
        "name": problem.name,
        "kind": "problem",
        "mode": problem.mode,
        "description": problem.description,
        "signature": None if problem.signature is None else str(problem.signature),
        "languages": list(problem.languages or LANGUAGES),
        "checker": problem.checker.name,
        "error_function": problem.error_function.name,
        "limits": dataclasses.asdict(problem.limits),
        "visible_cases": len(problem.cases),
        "first_cases": [
            {"name": case.name, "input": to_json(case.input), "expected": to_json(case.expected)}
            for case in problem.cases[:_FIRST_CASES]
        ],
    }


def _show(record: dict[str, Any]) -> None:
    out = sys.stdout.write
    if record["kind"] == "suite":
        out(f"{record['title']}: {_described(record)}\n")
        out(f"data      {record['data']}\n")
        if record["judged"]:
            language = " --language python" if len(record["languages"]) > 1 else ""
            out(f"judge     evo judge SAMPLES --suite {record['name']}{language} [--data FILE]\n")
        return
    out(f"{record['name']} ({record['mode']}), in {' or '.join(record['languages'])}\n\n")
    out(f"{record['description'].strip()}\n\n")
    if record["signature"]:
        out(f"signature  {record['signature']}\n")
    limits = record["limits"]
    out(
        f"limits     {limits['cpu_seconds']:g} s a case, {limits['total_cpu_seconds']:g} s in all, "
        f"{limits['memory_bytes'] / 2**20:g} MiB\n"
    )
    out(f"judged by  checker {record['checker']}, error function {record['error_function']}\n")
    out(f"cases      {record['visible_cases']} visible ones; the first are\n")
    for case in record["first_cases"]:
        out(f"  {case['name']}: {json.dumps(case['input'])} -> {json.dumps(case['expected'])}\n")


def published_command(paper: str | None, *, as_json: bool) -> int:
    """Run ``evo published``; returns the exit code."""
    figures = published(paper=paper)
    chosen = [each for each in papers() if paper in (None, each.name)]
    if as_json:
        record = {
            "papers": [
                {"name": each.name, "title": each.title, "source": each.source, "metrics": dict(each.metrics)}
                for each in chosen
            ],
            "figures": [dataclasses.asdict(figure) for figure in figures],
        }
        sys.stdout.write(json.dumps(record) + "\n")
        return 0
    for each in chosen:
        _print_paper(each)
    return 0


def _print_paper(paper: Paper) -> None:
    out = sys.stdout.write
    out(f"{paper.title}\n{paper.source}; --paper {paper.name}\n")
    for number, figures in groupby(paper.figures, key=lambda figure: figure.table):
        out(f"\n{'' if number == 'abstract' else 'table '}{number}: {paper.tables[number]}\n")
        group = ""
        for _, row in groupby(figures, key=lambda figure: (figure.group, figure.system, figure.model)):
            cells = list(row)
            if cells[0].group != group:
                group = cells[0].group
                out(f"  {group}\n")
            out(_row(cells))
    out("\n")
    for metric, (unit, definition) in paper.metrics.items():
        out(f"{metric} ({unit}): {definition}\n")
    out("\n")


def _row(figures: Sequence[PublishedFigure]) -> str:
    name = figures[0].system + (f" ({figures[0].model})" if figures[0].model else "")
    cells = []
    for metric, row in groupby(figures, key=lambda figure: figure.metric):
        cells.append(f"{metric} " + ", ".join(f"{figure.dataset} {figure.value:g}" for figure in row))
    return f"    {name}: {'; '.join(cells)}\n"
