"""What selection costs, beside DEAP and PyPI's `lexicase`.

``python -m benchmarks.speed.selection [--json]`` selects N parents from N individuals and measures processor time, all
in one run, medians of a few repetitions, the methods in turn:

* ours, the checks of the input and all preparation included, with numpy only and (where installed) with numba;
* DEAP as shipped (`selLexicase`, and for epsilon-lexicase the faster one of `selEpsilonLexicase` and
  `selAutomaticEpsilonLexicase`), **extrapolated** linearly from the events that fit into about a second, since all of
  them would take minutes;
* DEAP's algorithm with the values read once into lists, extrapolated likewise;
* PyPI's `lexicase`, in full.

The matrices are synthetic, with 25 % clones or none, and three real ones: generations 1, 10 and 40 of a short run of
genetic programming, made here. A ratio is how many times longer the other takes; that of "real" is the smallest of the
three. A method that is not installed has null.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.speed._peers_selection import (
    Errors,
    deap_individuals,
    evolved_matrices,
    lexicase_on_lists,
    synthetic_matrix,
)
from selection import EpsilonLexicase, Lexicase, Selector
from selection.deviation import median_absolute_deviations

Method = Callable[[], object]
Figures = dict[str, float | int | None]

GOALS = {
    "lexicase_1000x200_cloned_vs_deap": 1000,
    "lexicase_1000x200_distinct_vs_deap": 1000,
    "lexicase_1000x200_real_vs_deap": 1000,
    "lexicase_1000x200_cloned_vs_deap_cached": 10,
    "lexicase_1000x200_real_vs_deap_cached": 10,
    "lexicase_1000x200_cloned_vs_pypi": 10,
    "lexicase_1000x200_real_vs_pypi": 10,
    "lexicase_1000x200_distinct_vs_pypi": 2.5,
    "lexicase_numba_1000x200_real_vs_pypi": 100,
    "epsilon_1000x200_vs_deap": 300,
    "epsilon_1000x200_vs_pypi": 5,
}
"""At least so many times faster."""

LIMITS = {"lexicase_1000x2000_seconds": 0.1, "lexicase_5000x1000_seconds": 0.8}
"""At most so many seconds."""


def medians(methods: dict[str, Method], repetitions: int = 3) -> dict[str, float]:
    """Return the median processor time of each method, in seconds; they take turns, after one warm-up each."""
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for turn in range(repetitions + 1):
        for name, method in methods.items():
            begun = time.process_time()
            method()
            if turn:
                seconds[name].append(time.process_time() - begun)
    return {name: statistics.median(times) for name, times in seconds.items()}


def extrapolated(select: Callable[[int], object], k: int, budget_seconds: float = 1.0) -> tuple[float, int]:
    """Return the processor time that `k` events would take, and from how many events this was extrapolated."""
    events = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < budget_seconds and events < k:
        select(1)
        events += 1
    return spent * k / events, events


def ours(selector: Selector, errors: Errors) -> Method:
    """Return the selection of as many parents as there are individuals."""
    rng = np.random.default_rng(1)
    return lambda: selector.select(errors, len(errors), rng)


def theirs(name: str, errors: Errors) -> Method:
    """Return the same by a function of PyPI's `lexicase`, which maximises."""
    import lexicase

    function, fitness = getattr(lexicase, name), -errors
    return lambda: function(fitness, len(errors), seed=1)


def installed(name: str) -> bool:
    """Return whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


def lexicase_figures(label: str, errors: Errors) -> Figures:
    """Measure lexicase selection of all methods on one matrix."""
    individuals = len(errors)
    methods = {"numpy": ours(Lexicase(), errors)}
    if installed("numba"):
        methods["numba"] = ours(Lexicase(engine="numba"), errors)
    if installed("lexicase"):
        methods["pypi"] = theirs("lexicase_selection", errors)
    seconds: dict[str, float | None] = {**medians(methods)}
    figures: Figures = {}
    if installed("deap"):
        from deap import tools

        people = deap_individuals(errors)
        seconds["deap"], figures[f"lexicase_{label}_deap_events"] = extrapolated(
            lambda k: tools.selLexicase(people, k), individuals
        )
    seconds["deap_cached"], figures[f"lexicase_{label}_deap_cached_events"] = extrapolated(
        lexicase_on_lists(errors), individuals
    )
    for method in ("numpy", "numba", "pypi", "deap", "deap_cached"):
        figures[f"lexicase_{label}_{method}_seconds"] = seconds.get(method)
    for engine, prefix in (("numpy", "lexicase"), ("numba", "lexicase_numba")):
        for peer in ("deap", "deap_cached", "pypi"):
            figures[f"{prefix}_{label}_vs_{peer}"] = ratio(seconds.get(peer), seconds.get(engine))
    return figures


def epsilon_figures(label: str, errors: Errors) -> Figures:
    """Measure semi-dynamic epsilon-lexicase selection, the median absolute deviations included."""
    individuals = len(errors)
    deviations = median_absolute_deviations(errors)
    methods = {"numpy": ours(EpsilonLexicase(), errors), "static": ours(EpsilonLexicase("static"), errors)}
    if installed("numba"):
        methods["numba"] = ours(EpsilonLexicase(engine="numba"), errors)
    methods["mad"] = lambda: median_absolute_deviations(errors)
    if installed("lexicase"):
        methods["pypi"] = theirs("epsilon_lexicase_selection", errors)
    seconds: dict[str, float | None] = {**medians(methods)}
    figures: Figures = {}
    if installed("deap"):
        from deap import tools

        people, epsilon = deap_individuals(errors), float(np.median(deviations))
        fixed = extrapolated(lambda k: tools.selEpsilonLexicase(people, k, epsilon), individuals)
        automatic = extrapolated(lambda k: tools.selAutomaticEpsilonLexicase(people, k), individuals)
        seconds["deap"], figures[f"epsilon_{label}_deap_events"] = min(fixed, automatic)
    for method in ("numpy", "static", "numba", "mad", "pypi", "deap"):
        figures[f"epsilon_{label}_{method}_seconds"] = seconds.get(method)
    for peer in ("deap", "pypi"):
        figures[f"epsilon_{label}_vs_{peer}"] = ratio(seconds.get(peer), seconds.get("numpy"))
        figures[f"epsilon_static_{label}_vs_{peer}"] = ratio(seconds.get(peer), seconds.get("static"))
    return figures


def ratio(longer: float | None, shorter: float | None) -> float | None:
    """Return how many times longer the first is, or None where one was not measured."""
    return None if longer is None or shorter is None else longer / shorter


def measured() -> Figures:
    """Measure everything, and return the figures by their names."""
    figures: Figures = {}
    figures |= lexicase_figures("1000x200_cloned", synthetic_matrix(1000, 200, seed=1, clones=0.25))
    figures |= lexicase_figures("1000x200_distinct", synthetic_matrix(1000, 200, seed=1, clones=0.0))
    real = [lexicase_figures(f"1000x200_real{number}", errors) for number, errors in enumerate(evolved_matrices(), 1)]
    for found in real:
        figures |= found
    for prefix in ("lexicase", "lexicase_numba"):
        for peer in ("deap", "deap_cached", "pypi"):
            ratios = [found[f"{prefix}_1000x200_real{number}_vs_{peer}"] for number, found in enumerate(real, start=1)]
            known = [value for value in ratios if value is not None]
            figures[f"{prefix}_1000x200_real_vs_{peer}"] = min(known) if known else None
    for individuals, cases in ((1000, 2000), (5000, 1000)):
        errors = synthetic_matrix(individuals, cases, seed=1, clones=0.25)
        seconds = medians({"numpy": ours(Lexicase(), errors)}, repetitions=5)
        figures[f"lexicase_{individuals}x{cases}_seconds"] = seconds["numpy"]
    figures |= epsilon_figures("1000x200", synthetic_matrix(1000, 200, seed=1, clones=0.25, real=True))
    return figures


def verdict(name: str, value: float | None) -> str:
    """Return whether a figure meets its goal, as a remark for the table."""
    if value is not None and name in GOALS:
        return f"goal: at least {GOALS[name]:g}x, {'met' if value >= GOALS[name] else 'MISSED'}"
    if value is not None and name in LIMITS:
        return f"goal: at most {LIMITS[name]:g} s, {'met' if value <= LIMITS[name] else 'MISSED'}"
    return ""


def table(figures: Figures) -> str:
    """Return the figures as lines of text."""
    lines = []
    for name, value in figures.items():
        shown = "not installed" if value is None else f"{value:.4g}"
        lines.append(f"{name:50} {shown:>14}  {verdict(name, value)}".rstrip())
    lines.append(
        "Times of DEAP and of its algorithm with cached values are extrapolated from the events counted above."
    )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure selection beside DEAP and PyPI's lexicase.")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    options = parser.parse_args(arguments)
    figures = measured()
    if options.json:
        facts: dict[str, Any] = {"python": platform.python_version(), "numpy": np.__version__}
        print(json.dumps({**facts, "extrapolated": ["deap", "deap_cached"], **figures}, indent=2))
    else:
        print(table(figures))


if __name__ == "__main__":
    main()
