"""Visible and hidden cases of a PSB2 problem, all from one seed.

The suite's protocol: the visible cases are all edge inputs, then random ones up to 200 in all; the hidden ones are
2000 random ones. Here no input occurs twice, so the hidden cases are disjoint from the visible ones. Streams of random
bits are apart for visible and hidden cases and for each domain: with more visible cases, the hidden ones stay the
same, but for those that became visible. A domain with fewer inputs than its share (dice-game has 100 pairs of equal
dice) leaves the rest of it to the domains after it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from benchmarks.psb2.problem import Psb2Problem
from benchmarks.psb2.rendering import render_case
from benchmarks.random_bits import RandomBits
from evaluators.exceptions import UserError
from evaluators.problem import Case, Mode

VISIBLE_CASES = 200
"""Of the suite's protocol."""

SEIDR_VISIBLE_CASES = 50
"""Of SEIDR's published configurations for PSB2 (Liventsev et al., TELO 2025)."""

HIDDEN_CASES = 2_000
"""Of the suite's protocol, and of SEIDR's configurations."""

_VISIBLE_STREAM, _HIDDEN_STREAM = 0, 1
_FRUITLESS_DRAWS = 10_000


def cases(
    problem: Psb2Problem, seed: int, visible: int = VISIBLE_CASES, hidden: int = HIDDEN_CASES, mode: Mode = "stdio"
) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Visible and hidden cases.

    Args:
        problem: The problem.
        seed: From 0 upwards.
        visible: How many visible cases; if fewer than the edge inputs, the first of those.
        hidden: How many hidden cases.
        mode: How inputs and outputs are written.

    Raises:
        UserError: If a number is out of range, or larger than the inputs that the problem has.
    """
    return visible_cases(problem, seed, visible, mode), hidden_cases(problem, seed, visible, hidden, mode)


def visible_cases(
    problem: Psb2Problem, seed: int, visible: int = VISIBLE_CASES, mode: Mode = "stdio"
) -> tuple[Case, ...]:
    """The visible cases alone, as :func:`cases`."""
    edges, fill = _visible_inputs(problem, seed, visible)
    return (
        *(render_case(problem, given, f"edge-{number}", mode) for number, given in enumerate(edges, 1)),
        *(render_case(problem, given, f"random-{number}", mode) for number, given in enumerate(fill, 1)),
    )


def hidden_cases(
    problem: Psb2Problem, seed: int, visible: int = VISIBLE_CASES, hidden: int = HIDDEN_CASES, mode: Mode = "stdio"
) -> tuple[Case, ...]:
    """The hidden cases that belong to those visible ones, as :func:`cases`."""
    _check("hidden", hidden, 0)
    taken = [*problem.edge_inputs, *_visible_inputs(problem, seed, visible)[1]]
    inputs = _draw(problem, seed, _HIDDEN_STREAM, hidden, taken)
    return tuple(render_case(problem, given, f"hidden-{number}", mode) for number, given in enumerate(inputs, 1))


def _visible_inputs(problem: Psb2Problem, seed: int, visible: int) -> tuple[list[Any], list[Any]]:
    _check("visible", visible, 1)
    _check("seed", seed, 0)
    edges = list(problem.edge_inputs[:visible])
    return edges, _draw(problem, seed, _VISIBLE_STREAM, visible - len(edges), list(problem.edge_inputs))


def _draw(problem: Psb2Problem, seed: int, stream: int, count: int, taken: list[Any]) -> list[Any]:
    """Random inputs, none of them twice and none of them taken."""
    seen = {repr(given) for given in taken}
    weights = [domain.hidden_weight if stream else domain.visible_weight for domain in problem.random_domains]
    name = int.from_bytes(sha256(problem.name.encode()).digest()[:8], "big")
    drawn: list[Any] = []
    wanted = 0
    for index, (domain, share) in enumerate(zip(problem.random_domains, _shares(weights, count), strict=True)):
        bits = RandomBits(seed, name, stream, index)
        fruitless, wanted = 0, wanted + share
        while len(drawn) < wanted and fruitless < _FRUITLESS_DRAWS:
            given = domain.draw(bits)
            if repr(given) not in seen:
                seen.add(repr(given))
                drawn.append(given)
                fruitless = 0
            else:
                fruitless += 1
    if len(drawn) < count:
        raise UserError(
            f"{problem.name} has too few different inputs: {len(seen)} are drawn, and {count - len(drawn)} "
            "more are wanted; ask for fewer cases"
        )
    return drawn


def _shares(weights: list[int], count: int) -> list[int]:
    """Whole numbers in proportion to the weights, with the sum ``count``: largest remainders first."""
    total = sum(weights)
    shares = [weight * count // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda index: -(weights[index] * count % total))
    for index in by_remainder[: count - sum(shares)]:
        shares[index] += 1
    return shares


def _check(what: str, number: int, least: int) -> None:
    if number < least:
        raise UserError(f"{what} is {number}, but must be at least {least}")
