"""Error functions: how wrong is an output?

The checker decides whether an output is right; an error function grades the outputs that it refused, in one column or
several a case, for selections that look at each column. All are minimised, and 0 is right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType
from typing import Protocol

from evaluators.checkers import equal_data, frozen, normalised, stripped_lines
from evaluators.exceptions import UserError, unknown_name
from evaluators.named import build_named, call_own_code, is_own_code, load_own_code
from evaluators.plain_data import PlainData
from evaluators.problem import Case, Named

LONGEST_EDIT = 20_000
"""Characters (or elements) beyond which an edit distance is not computed but bounded from above."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class ErrorFunction(Protocol):
    """Grades a wrong output."""

    @property
    def penalty(self) -> float:
        """Error of every column of a case without an output; no output's error is larger. Positive and finite."""
        ...

    def columns(self, case: Case) -> int:
        """How many columns a case has, at least 1; it depends on the case alone."""
        ...

    def errors(self, expected: PlainData, actual: PlainData) -> Sequence[float]:
        """Errors of an output that the checker refused, one a column; 0 where no difference is seen."""
        ...


@dataclass(frozen=True)
class Mismatch:
    """1 for a wrong output: right or wrong, and nothing between."""

    penalty: float = 1.0

    def columns(self, case: Case) -> int:
        """One."""
        return 1

    def errors(self, expected: PlainData, actual: PlainData) -> Sequence[float]:
        """The penalty, as only wrong outputs are graded."""
        return (self.penalty,)


@dataclass(frozen=True)
class Lines:
    """The share of lines that are wrong, by position; the share of elements for a list or tuple.

    It is one minus the score that SEIDR gives a program (Liventsev et al., GECCO 2023, its class ``IOMatch``).
    """

    penalty: float = 1.0

    def columns(self, case: Case) -> int:
        """One."""
        return 1

    def errors(self, expected: PlainData, actual: PlainData) -> Sequence[float]:
        """One minus the share that matches, times the penalty."""
        return (self.penalty * (1 - matching_share(expected, actual)),)


@dataclass(frozen=True)
class AbsoluteDifference:
    """Distance between numbers, a column an output: a line of a text, an element of a tuple, else the whole value.

    An output that holds several numbers (a line of them, a list) has the sum of their distances by position, and each
    number missing or too many costs ``length_penalty``. What is no number where one is expected costs the penalty; an
    empty line is a list without numbers where anything but one number is expected.

    Attributes:
        penalty: For an output that is missing or no number.
        length_penalty: For each number missing or too many within an output.
        decimals: Distances are rounded to so many places; below 0: not rounded.
    """

    penalty: float = 1e6
    length_penalty: float = 1e4
    decimals: int = -1

    def columns(self, case: Case) -> int:
        """One an output, at least one."""
        return max(1, len(self._outputs(case.expected)))

    def errors(self, expected: PlainData, actual: PlainData) -> Sequence[float]:
        """Distances, each at most the penalty."""
        wanted, given = self._outputs(expected), self._outputs(actual)
        if type(expected) is not type(actual) and (
            isinstance(expected, str | tuple) or isinstance(actual, str | tuple)
        ):
            return (self.penalty,) * max(1, len(wanted))
        if isinstance(expected, str):
            given = _aligned_lines(wanted, given)
        errors = [self._distance(want, got) for want, got in zip_longest(wanted, given[: len(wanted)])] or [0.0]
        if len(given) > len(wanted):
            errors[-1] = min(self.penalty, errors[-1] + self.length_penalty * (len(given) - len(wanted)))
        return errors

    @staticmethod
    def _outputs(value: PlainData) -> list[PlainData]:
        if isinstance(value, str):
            return [line.split() for line in value.removesuffix("\n").split("\n")] if value else []
        return list(value) if isinstance(value, tuple) else [value]

    def _distance(self, expected: PlainData, actual: PlainData) -> float:
        one, other = _numbers(expected), _numbers(actual)
        if one is None:
            return 0.0 if equal_data(expected, actual) else self.penalty
        if other is None or isinstance(expected, list | tuple) != isinstance(actual, list | tuple):
            return self.penalty
        total = self.length_penalty * abs(len(one) - len(other))
        total += sum(abs(want - got) for want, got in zip(one, other, strict=False))
        if self.decimals >= 0 and math.isfinite(total):
            total = round(total, self.decimals)
        return min(total, self.penalty) if total == total else self.penalty  # noqa: PLR0124 - NaN


@dataclass(frozen=True)
class Levenshtein:
    """Edit distance: insertions, deletions and replacements of characters, or of a list's elements.

    Attributes:
        penalty: For an output that is missing or neither text nor list.
        unit: ``"character"``, or ``"word"`` for texts that hold a list: words stand between white space.
    """

    penalty: float = 1e4
    unit: str = "character"

    def columns(self, case: Case) -> int:
        """One."""
        return 1

    def errors(self, expected: PlainData, actual: PlainData) -> Sequence[float]:
        """The distance, at most the penalty."""
        if isinstance(expected, str) and isinstance(actual, str):
            in_words = self.unit == "word"
            one, other = (value.split() if in_words else normalised(value) for value in (expected, actual))
            return (min(self.penalty, float(edit_distance(one, other))),)
        if isinstance(expected, list | tuple) and type(expected) is type(actual):
            return (min(self.penalty, float(edit_distance(list(map(frozen, expected)), list(map(frozen, actual))))),)
        return (self.penalty,)


@dataclass(frozen=True)
class OwnErrorFunction:
    """A function ``(expected, actual) -> float`` of the user's own, as one column."""

    named: Named
    function: Callable[..., PlainData]
    penalty: float = 1e6

    def columns(self, case: Case) -> int:
        """One."""
        return 1

    def errors(self, expected: PlainData, actual: PlainData) -> Sequence[float]:
        """What the function says, at most the penalty.

        Raises:
            UserError: If it raises, or returns no number from 0 upwards.
        """
        error = call_own_code("error function", self.named, self.function, expected, actual)
        if isinstance(error, bool) or not isinstance(error, int | float) or not error >= 0:
            raise UserError(
                f"error function {self.named.name!r} returned {error!r:.80}: it must return a number from 0 up"
            )
        return (min(self.penalty, float(min(error, self.penalty))),)


ERROR_FUNCTIONS: Mapping[str, Callable[..., ErrorFunction]] = MappingProxyType(
    {
        "mismatch": Mismatch,
        "lines": Lines,
        "absolute_difference": AbsoluteDifference,
        "levenshtein": Levenshtein,
    }
)


def build_error_function(named: Named) -> ErrorFunction:
    """The error function of that name, with its options.

    Args:
        named: A name of :data:`ERROR_FUNCTIONS`, or ``path/file.py:attribute`` for a function
            ``(expected, actual) -> float`` of the user's own; its options become keyword arguments.

    Raises:
        UserError: If there is no such error function, or an option is not known or out of range.
    """
    if is_own_code(named.name):
        return OwnErrorFunction(named, load_own_code("error function", named.name))
    built = build_named("error function", named, ERROR_FUNCTIONS)
    for option in ("penalty", "length_penalty"):
        value = getattr(built, option, 1.0)
        if not 0 < value < math.inf:
            raise UserError(
                f"error function {named.name!r}: {option} is {value}, but must be a finite number above 0, as 1e6"
            )
    if isinstance(built, Levenshtein) and built.unit not in ("character", "word"):
        raise unknown_name("unit of error function 'levenshtein'", built.unit, ("character", "word"))
    return built


def matching_share(expected: PlainData, actual: PlainData) -> float:
    """Share of lines of a text (blanks at line ends ignored), or of elements of a list or tuple, that match.

    They are compared by position, over the longer of the two; values of other types match wholly or not at all.

    Returns:
        A number in ``[0, 1]``.
    """
    if isinstance(expected, str) and isinstance(actual, str):
        if expected == actual:
            return 1.0
        one, other = stripped_lines(expected), stripped_lines(actual)
        matches = sum(map(str.__eq__, one, other))
        return matches / max(len(one), len(other)) if one or other else 1.0
    if isinstance(expected, list | tuple) and type(expected) is type(actual) and (expected or actual):
        return sum(map(equal_data, expected, actual)) / max(len(expected), len(actual))
    return float(equal_data(expected, actual))


def edit_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Levenshtein distance of two texts or sequences.

    Myers's bit-parallel algorithm in Hyyro's form (Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and
    Damerau edit distances"), on integers of any length. Beyond :data:`LONGEST_EDIT` in what the two do not share at
    their ends, the answer is the upper bound instead: the length of the longer rest.
    """
    start, shortest = 0, min(len(one), len(other))
    while start < shortest and one[start] == other[start]:
        start += 1
    end = 0
    while end < shortest - start and one[-1 - end] == other[-1 - end]:
        end += 1
    pattern, text = one[start : len(one) - end], other[start : len(other) - end]
    if not pattern or not text or max(len(pattern), len(text)) > LONGEST_EDIT:
        return max(len(pattern), len(text))
    positions: dict[Hashable, int] = {}
    for index, item in enumerate(pattern):
        positions[item] = positions.get(item, 0) | (1 << index)
    mask, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    rises, falls, distance = mask, 0, len(pattern)
    for item in text:
        equal = positions.get(item, 0)
        diagonal = ((((equal & rises) + rises) ^ rises) | equal | falls) & mask
        up = falls | (mask & ~(diagonal | rises))
        down = rises & diagonal
        distance += bool(up & last) - bool(down & last)
        up = ((up << 1) | 1) & mask
        down = (down << 1) & mask
        rises = down | (mask & ~(diagonal | up))
        falls = up & diagonal
    return distance


def _aligned_lines(wanted: list[PlainData], given: list[PlainData]) -> list[PlainData]:
    """Lines, split into words: None for one without the number that is wanted; newlines at the very end never count."""
    aligned = list(given)
    while len(aligned) > len(wanted) and not aligned[-1]:
        aligned.pop()
    for place, want in enumerate(wanted):
        if place == len(aligned):
            aligned.append(None if want else [])
        elif len(want) == 1 and not aligned[place]:
            aligned[place] = None
    return aligned


def _numbers(value: PlainData) -> list[float] | None:
    """The numbers of one output; None if it holds anything else, or nothing."""
    items = value if isinstance(value, list | tuple) else [value]
    numbers = []
    for item in items:
        if isinstance(item, str) and _NUMBER.fullmatch(item):
            numbers.append(float(item))
        elif isinstance(item, int | float) and not isinstance(item, bool):
            try:
                numbers.append(float(item))
            except OverflowError:
                numbers.append(math.inf if item > 0 else -math.inf)
        else:
            return None
    return numbers
