"""How far a search came, and what it spent until it got there.

The measures of SEIDR (V. Liventsev et al., "Fully Autonomous Programming with Large Language Models", GECCO 2023, and
its extension in TELO 2025) and of AgentCoder (D. Huang et al., arXiv:2312.13010: tokens). Runs that never solve their
problem have no effort to solution; :func:`expected_to_solution` is the measure that takes them into account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def pass_rate(passed: Sequence[bool]) -> float:
    """Test pass rate: the share of cases that a program passes.

    Args:
        passed: One entry a case; a case that was skipped or not run has False.

    Returns:
        A number in ``[0, 1]``; 0 for a program without cases.
    """
    return sum(passed) / len(passed) if passed else 0.0


def solved_at_least_once(runs: Mapping[str, Sequence[bool]]) -> tuple[str, ...]:
    """The problems that at least one of their runs solved, in the order given.

    Args:
        runs: For each problem, whether each of its runs solved it.
    """
    return tuple(name for name, outcomes in runs.items() if any(outcomes))


def excess_programs_generated(solves: Sequence[bool]) -> int | None:
    """EPG: how many programs were generated before the first one that solves the problem.

    Args:
        solves: One entry a program, in the order in which they were generated.

    Returns:
        0 if the first program solves it; None if none does.
    """
    return next((index for index, is_solution in enumerate(solves) if is_solution), None)


def programs_to_solution(solves: Sequence[bool]) -> int | None:
    """How many programs were generated up to the first one that solves the problem, this one included.

    Returns:
        One more than the excess programs generated; None if none solves it.
    """
    excess = excess_programs_generated(solves)
    return None if excess is None else excess + 1


def spent_to_solution(solves: Sequence[bool], spent: Sequence[float]) -> float | None:
    """What was spent up to the first program that solves the problem, this one included.

    Args:
        solves: One entry a program, in the order in which they were generated.
        spent: What each program took beside those before it: tokens (of all calls, those that failed, too), money,
            executions of a case, or seconds.

    Returns:
        In the unit of ``spent``; None if no program solves it.

    Raises:
        ValueError: If the two are not equally long.
    """
    if len(solves) != len(spent):
        raise ValueError(f"{len(solves)} programs, but {len(spent)} amounts spent: it must be one a program")
    programs = programs_to_solution(solves)
    return None if programs is None else sum(spent[:programs])


def expected_to_solution(solved: Sequence[bool], spent: Sequence[float]) -> float | None:
    """What one solution costs on average if runs are repeated until one solves the problem.

    All that was spent, by the runs that failed, too, divided by the number of runs that solved it: the expected running
    time of A. Auger and N. Hansen, "Performance Evaluation of an Advanced Local Search Evolutionary Algorithm",
    CEC 2005.

    Args:
        solved: Whether each run solved the problem.
        spent: What each run spent: up to its solution, or in all if it has none.

    Returns:
        In the unit of ``spent``; None if no run solved it.

    Raises:
        ValueError: If the two are not equally long.
    """
    if len(solved) != len(spent):
        raise ValueError(f"{len(solved)} runs, but {len(spent)} amounts spent: it must be one a run")
    solutions = sum(solved)
    return sum(spent) / solutions if solutions else None
