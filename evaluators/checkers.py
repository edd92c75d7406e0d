r"""Checkers: is an output right?

A checker is a function ``(expected, actual, input) -> bool`` that runs outside the sandbox. For a ``stdio`` problem
the three are texts; for a ``function`` problem they are plain data, ``input`` being the tuple of arguments.

In texts, ``\r\n`` counts as ``\n`` and newlines at the very end never count. Beyond that:

=============  ====================================  ==============================================================
name           texts                                 plain data
=============  ====================================  ==============================================================
``exact``      equal, blanks at line ends too        equal as in Python, but a bool is no number, and NaN equals NaN
``lines``      equal, blanks at line ends ignored    as ``exact``
``tokens``     the same words between white space    as ``exact``, words compared in each string
``numbers``    as ``tokens``; numbers within a       as ``exact``; numbers within a tolerance
               tolerance
``unordered``  the same lines in any order, blanks   the same elements of the outermost list, tuple or set, in any
               at line ends ignored                  order
=============  ====================================  ==============================================================
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Protocol

import numpy as np

from evaluators.exceptions import UserError
from evaluators.named import build_named, call_own_code, is_own_code, load_own_code
from evaluators.plain_data import PlainData
from evaluators.problem import Named

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Checker(Protocol):
    """Decides whether an output is right."""

    def __call__(self, expected: PlainData, actual: PlainData, given: PlainData, /) -> bool:
        """Whether ``actual`` is right.

        Args:
            expected: Standard output, or the value to be returned.
            actual: What the program wrote or returned.
            given: The case's input.
        """
        ...


def exact(*, python_equality: bool = False) -> Checker:
    """Equal texts; equal data.

    Args:
        python_equality: Compare data by Python's ``==`` alone, as HumanEval's and MBPP's own harnesses do: then
            ``True`` equals ``1``, and NaN differs from NaN.
    """

    def check(expected: PlainData, actual: PlainData, given: PlainData) -> bool:
        if _are_texts(expected, actual, given):
            return expected == actual or normalised(expected) == normalised(actual)
        if python_equality:
            return bool(expected == actual)
        return equal_data(expected, actual)

    return check


def lines() -> Checker:
    """Equal texts, blanks at line ends ignored; equal data."""

    def check(expected: PlainData, actual: PlainData, given: PlainData) -> bool:
        if _are_texts(expected, actual, given):
            return expected == actual or stripped_lines(expected) == stripped_lines(actual)
        return equal_data(expected, actual)

    return check


def tokens() -> Checker:
    """The same words between white space; in data, string by string."""

    def check(expected: PlainData, actual: PlainData, _given: PlainData) -> bool:
        return _walk(expected, actual, lambda one, other: one.split() == other.split(), _exact_numbers)

    return check


def numbers(*, absolute: float = 1e-6, relative: float = 1e-6) -> Checker:
    """Numbers within a tolerance, everything else equal; in texts, word by word.

    A number is right if it differs from the expected one by at most ``absolute``, or by at most ``relative`` times
    the expected one's size.

    Args:
        absolute: At least 0.
        relative: At least 0.
    """
    for name, value in (("absolute", absolute), ("relative", relative)):
        if not (0 <= value < math.inf):
            raise UserError(f"checker numbers: {name} is {value}, but a tolerance is a number from 0 upwards, as 1e-6")

    def near(one: float, other: float) -> bool:
        if one == other or (one != one and other != other):  # noqa: PLR0124 - NaN alone differs from itself
            return True
        try:
            size, distance = abs(float(one)), abs(float(one) - float(other))
        except OverflowError:
            return False
        return math.isfinite(distance) and distance <= max(absolute, relative * size)

    def near_words(one: str, other: str) -> bool:
        first, second = one.split(), other.split()
        return len(first) == len(second) and all(map(near_word, first, second))

    def near_word(one: str, other: str) -> bool:
        if one == other:
            return True
        if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
            return False
        first, second = float(one), float(other)
        return math.isfinite(first) and math.isfinite(second) and near(first, second)

    def check(expected: PlainData, actual: PlainData, _given: PlainData) -> bool:
        return _walk(expected, actual, near_words, near)

    return check


def unordered() -> Checker:
    """The same lines, or the same elements of the outermost container, in any order."""

    def check(expected: PlainData, actual: PlainData, given: PlainData) -> bool:
        if _are_texts(expected, actual, given):
            return Counter(stripped_lines(expected)) == Counter(stripped_lines(actual))
        if isinstance(expected, list | tuple | set | frozenset) and isinstance(actual, list | tuple | set | frozenset):
            return Counter(map(frozen, expected)) == Counter(map(frozen, actual))
        return equal_data(expected, actual)

    return check


CHECKERS: Mapping[str, Callable[..., Checker]] = MappingProxyType(
    {"exact": exact, "lines": lines, "tokens": tokens, "numbers": numbers, "unordered": unordered}
)


def build_checker(named: Named) -> Checker:
    """The checker of that name, with its options.

    Args:
        named: A name of :data:`CHECKERS`, or ``path/file.py:attribute`` for a function
            ``(expected, actual, input) -> bool`` of the user's own; its options become keyword arguments. That
            code is trusted: it runs outside the sandbox.

    Raises:
        UserError: If there is no such checker, or it takes no such options. The user's function raises it too,
            naming itself, when it fails or returns no bool.
    """
    if is_own_code(named.name):
        function = load_own_code("checker", named.name)

        def check(expected: PlainData, actual: PlainData, given: PlainData) -> bool:
            answer = call_own_code("checker", named, function, expected, actual, given)
            if not isinstance(answer, bool | np.bool_):
                raise UserError(f"checker {named.name!r} returned {answer!r:.80}: it must return True or False")
            return bool(answer)

        return check
    return build_named("checker", named, CHECKERS)


def normalised(text: str) -> str:
    r"""The text with ``\n`` for ``\r\n`` and without newlines at its end."""
    return text.replace("\r\n", "\n").rstrip("\n")


def stripped_lines(text: str) -> list[str]:
    """The lines of a text without white space at their ends, and without empty lines at the text's end."""
    split = [line.rstrip() for line in text.split("\n")]
    while split and not split[-1]:
        split.pop()
    return split


def equal_data(expected: PlainData, actual: PlainData) -> bool:
    """Whether two values of plain data are equal: as in Python, but a bool is no number, and NaN equals NaN."""
    kind, other = type(expected), type(actual)
    if kind is not other:
        return frozen(expected) == frozen(actual)
    if kind is list or kind is tuple:
        if len(expected) != len(actual):
            return False
        if _COMPARED_AT_ONCE.issuperset(map(type, expected)) and _COMPARED_AT_ONCE.issuperset(map(type, actual)):
            return bool(expected == actual)
        return all(map(equal_data, expected, actual))
    if kind in _COMPARED_AT_ONCE:
        return bool(expected == actual)
    return frozen(expected) == frozen(actual)


_COMPARED_AT_ONCE = frozenset((int, str, bytes))
"""Types that Python's ``==`` compares as we do, their mixtures too."""


def frozen(value: PlainData) -> Hashable:  # noqa: PLR0911 - one return a type
    """A hashable stand-in: stand-ins are equal if and only if the values are."""
    kind = type(value)
    if kind is bool:
        return ("bool", value)
    if kind is float and value != value:  # noqa: PLR0124 - NaN alone differs from itself
        return ("nan",)
    if kind in (list, tuple):
        if set(map(type, value)) <= {int, str}:
            return (kind.__name__, tuple(value))
        return (kind.__name__, tuple(map(frozen, value)))
    if kind in (set, frozenset):
        return ("set", frozenset(Counter(map(frozen, value)).items()))
    if kind is dict:
        return ("dict", frozenset(Counter((frozen(key), frozen(item)) for key, item in value.items()).items()))
    return value  # type: ignore[no-any-return]


def _are_texts(expected: PlainData, actual: PlainData, given: PlainData) -> bool:
    """Whether these are standard input and outputs; a string among plain data is a value like any other."""
    return isinstance(given, str) and isinstance(expected, str) and isinstance(actual, str)


def _exact_numbers(one: float, other: float) -> bool:
    return one == other or (one != one and other != other)  # noqa: PLR0124 - NaN alone differs from itself


def _walk(
    expected: PlainData,
    actual: PlainData,
    same_text: Callable[[str, str], bool],
    same_number: Callable[[float, float], bool],
) -> bool:
    """Compare nested data pair by pair."""
    stack = [(expected, actual)]
    while stack:
        one, other = stack.pop()
        if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
            same = one is other
        elif isinstance(one, int | float) and isinstance(other, int | float):
            same = same_number(one, other)
        elif type(one) is not type(other):
            same = False
        elif isinstance(one, str):
            same = same_text(one, other)
        elif isinstance(one, list | tuple):
            same = len(one) == len(other)
            stack += zip(one, other, strict=False)
        elif isinstance(one, dict):
            same = equal_data(set(one), set(other))
            stack += [(one[key], other[key]) for key in one if key in other]
        elif isinstance(one, set | frozenset) and _all_numbers(one) and _all_numbers(other):
            same = len(one) == len(other)
            stack += zip(sorted(one), sorted(other), strict=False)
        else:
            same = equal_data(one, other)
        if not same:
            return False
    return True


def _all_numbers(values: PlainData) -> bool:
    return all(type(value) in (int, float) for value in values)
