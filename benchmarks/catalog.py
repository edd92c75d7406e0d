"""Find a problem: one that comes with the project, by its name, or a problem file, by its path."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from benchmarks.psb2.cases import HIDDEN_CASES, SEIDR_VISIBLE_CASES, hidden_cases, visible_cases
from benchmarks.psb2.problem import Psb2Problem
from benchmarks.psb2.rendering import render
from evaluators.exceptions import UserError, unknown_name
from evaluators.plain_data import to_json
from evaluators.problem import Case, Mode, Problem
from evaluators.records import problem_to_record

PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "basement": "benchmarks.psb2.basement",
        "bouncing-balls": "benchmarks.psb2.bouncing_balls",
        "bowling": "benchmarks.psb2.bowling",
        "camel-case": "benchmarks.psb2.camel_case",
        "coin-sums": "benchmarks.psb2.coin_sums",
        "cut-vector": "benchmarks.psb2.cut_vector",
        "dice-game": "benchmarks.psb2.dice_game",
        "find-pair": "benchmarks.psb2.find_pair",
        "fizz-buzz": "benchmarks.psb2.fizz_buzz",
        "fuel-cost": "benchmarks.psb2.fuel_cost",
        "gcd": "benchmarks.psb2.gcd",
        "indices-of-substring": "benchmarks.psb2.indices_of_substring",
        "leaders": "benchmarks.psb2.leaders",
        "luhn": "benchmarks.psb2.luhn",
        "mastermind": "benchmarks.psb2.mastermind",
        "middle-character": "benchmarks.psb2.middle_character",
        "paired-digits": "benchmarks.psb2.paired_digits",
        "shopping-list": "benchmarks.psb2.shopping_list",
        "snow-day": "benchmarks.psb2.snow_day",
        "solve-boolean": "benchmarks.psb2.solve_boolean",
        "spin-words": "benchmarks.psb2.spin_words",
        "square-digits": "benchmarks.psb2.square_digits",
        "substitution-cipher": "benchmarks.psb2.substitution_cipher",
        "twitter": "benchmarks.psb2.twitter",
        "vector-distance": "benchmarks.psb2.vector_distance",
    }
)
"""Names of the bundled problems, and the modules that hold them."""


def load_problem(
    reference: str,
    *,
    mode: Mode | None = None,
    seed: int = 0,
    visible: int | None = None,
    psb2_data: Path | None = None,
) -> Problem:
    """The problem as a search may see it: no hidden case is read or made, except to check a problem file.

    Args:
        reference: A name of :data:`PROBLEMS`, or the path of a problem file (``.yaml``, ``.yml``, ``.json``).
        mode: ``"stdio"`` or ``"function"``; left out: ``"stdio"``, or what the file says.
        seed: Of a bundled problem's random cases, from 0 upwards; a file's cases are fixed.
        visible: How many visible cases; left out: all of a file's, and for a bundled problem as many as SEIDR had
            (:data:`~benchmarks.psb2.cases.SEIDR_VISIBLE_CASES`). PSB2's own protocol has 200.
        psb2_data: A folder with PSB2's own data sets, whose cases are used in place of generated ones.

    Raises:
        UserError: If there is no such problem, or it cannot be used so.
    """
    path = _file(reference)
    if path is None:
        problem = psb2_problem(reference)
        if psb2_data is None:
            cases = visible_cases(problem, seed, _visible(visible), _mode(mode))
        else:
            from benchmarks.psb2.official_data import official_visible_cases

            cases = official_visible_cases(problem, psb2_data, seed, _visible(visible), _mode(mode))
        return render(problem, cases, _mode(mode))
    _no_psb2_data(reference, psb2_data)
    from benchmarks.problem_file import load_problem_file

    loaded = load_problem_file(path)
    if mode is not None and mode != loaded.mode:
        raise UserError(f"{path} is a problem of mode {loaded.mode!r}, but {mode!r} is asked for: leave the mode out")
    if visible is None:
        return loaded
    if not 1 <= visible <= len(loaded.cases):
        raise UserError(f"visible is {visible}, but {path} has {len(loaded.cases)} visible cases")
    return replace(loaded, cases=loaded.cases[:visible])


def load_hidden_cases(
    reference: str,
    *,
    mode: Mode | None = None,
    seed: int = 0,
    visible: int | None = None,
    hidden: int | None = None,
    psb2_data: Path | None = None,
) -> tuple[Case, ...]:
    """The hidden cases that belong to what :func:`load_problem` gives for the same arguments: for the judge alone.

    Args:
        reference: As for :func:`load_problem`.
        mode: As for :func:`load_problem`.
        seed: As for :func:`load_problem`.
        visible: As for :func:`load_problem`.
        hidden: How many; left out: all of a file's, and PSB2's 2000 for a bundled problem.
        psb2_data: As for :func:`load_problem`.

    Raises:
        UserError: As :func:`load_problem`.
    """
    path = _file(reference)
    if path is None:
        count = HIDDEN_CASES if hidden is None else hidden
        problem = psb2_problem(reference)
        if psb2_data is None:
            return hidden_cases(problem, seed, _visible(visible), count, _mode(mode))
        from benchmarks.psb2.official_data import official_hidden_cases

        return official_hidden_cases(problem, psb2_data, seed, _visible(visible), count, _mode(mode))
    _no_psb2_data(reference, psb2_data)
    from benchmarks.problem_file import load_problem_file_hidden_cases

    cases = load_problem_file_hidden_cases(path)
    if hidden is None:
        return cases
    if not 0 <= hidden <= len(cases):
        raise UserError(f"hidden is {hidden}, but {path} has {len(cases)} hidden cases")
    return cases[:hidden]


def psb2_problem(name: str) -> Psb2Problem:
    """The PSB2 problem of that name.

    Raises:
        UserError: If there is none.
    """
    if name not in PROBLEMS:
        near = unknown_name("problem", name, PROBLEMS)
        raise UserError(f"{near}; or the path of a problem file of your own, as my-problem.yaml")
    problem: Psb2Problem = importlib.import_module(PROBLEMS[name]).PROBLEM
    return problem


def problem_digest(problem: Problem) -> str:
    """SHA-256 (hexadecimal) of all that a search can see of a problem."""
    return sha256(json.dumps(problem_to_record(problem), sort_keys=True).encode()).hexdigest()


def cases_digest(cases: Sequence[Case]) -> str:
    """SHA-256 (hexadecimal) of cases, so that a report can say what judged without showing it."""
    rows = [[case.name, to_json(case.input), to_json(case.expected)] for case in cases]
    return sha256(json.dumps(rows).encode()).hexdigest()


def _file(reference: str) -> Path | None:
    """The path, if the reference is one rather than a name."""
    if reference in PROBLEMS:
        return None
    path = Path(reference)
    looks_like_a_path = path.suffix in (".yaml", ".yml", ".json") or len(path.parts) > 1 or path.is_file()
    return path if looks_like_a_path else None


def _no_psb2_data(reference: str, psb2_data: Path | None) -> None:
    if psb2_data is not None:
        raise UserError(
            f"PSB2 data ({str(psb2_data)!r}) go with a problem of PSB2, and {reference!r} is a problem file: leave the "
            "one or the other out"
        )


def _mode(mode: Mode | None) -> Mode:
    if mode is not None and mode not in get_args(Mode):
        raise unknown_name("mode", mode, get_args(Mode))
    return "stdio" if mode is None else mode


def _visible(visible: int | None) -> int:
    return SEIDR_VISIBLE_CASES if visible is None else visible
