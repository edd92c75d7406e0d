from __future__ import annotations

import math
from pathlib import Path

import pytest

from evaluators.exceptions import UserError
from evaluators.problem import Problem
from evaluators.signature import Signature
from operators.notation import call, fence_tags, function_head, libraries, literal, title

HEADS = [
    ("gcd(a: int, b: int) -> int", "def gcd(a: int, b: int) -> int:", "long long gcd(long long a, long long b)"),
    (
        "f(xs: list[int], s: str) -> list[list[float]]",
        "def f(xs: list[int], s: str) -> list[list[float]]:",
        "std::vector<std::vector<double>> f(const std::vector<long long>& xs, const std::string& s)",
    ),
    (
        "g(m: dict[str, int], p: tuple[int, bool]) -> int | None",
        "def g(m: dict[str, int], p: tuple[int, bool]) -> int | None:",
        "std::optional<long long> g(const std::map<std::string, long long>& m, const std::tuple<long long, bool>& p)",
    ),
    ("h() -> set[str]", "def h() -> set[str]:", "std::set<std::string> h()"),
]


@pytest.mark.parametrize(("signature", "python", "cpp"), HEADS)
def test_head(signature: str, python: str, cpp: str) -> None:
    parsed = Signature.parse(signature)
    assert function_head(parsed, "python") == python
    assert function_head(parsed, "cpp") == cpp
    assert function_head(parsed, "rust") == str(parsed)


def test_any_has_no_head_in_cpp() -> None:
    with pytest.raises(UserError, match=r"'Any' has no counterpart in C\+\+"):
        function_head(Signature.parse("f(x: Any) -> int"), "cpp")


LITERALS = [
    (1, "1", "1"),
    (True, "True", "true"),
    (None, "None", "std::nullopt"),
    (1.5, "1.5", "1.5"),
    (math.inf, "inf", "INFINITY"),
    (-math.inf, "-inf", "-INFINITY"),
    ('say "ä"\n', "'say \"ä\"\\n'", '"say \\"ä\\"\\n"'),
    ([1, [2]], "[1, [2]]", "{1, {2}}"),
    ((1,), "(1,)", "{1}"),
    ({"b": 1, "a": 2}, "{'b': 1, 'a': 2}", '{{"b", 1}, {"a", 2}}'),
    ({"c", "b", "a"}, "{'a', 'b', 'c'}", '{"a", "b", "c"}'),
    (set(), "set()", "{}"),
    (-(2**63), "-9223372036854775808", "-9223372036854775807 - 1"),
]


@pytest.mark.parametrize(("value", "python", "cpp"), LITERALS)
def test_literal(value: object, python: str, cpp: str) -> None:
    assert literal(value, "python") == python
    assert literal(value, "cpp") == cpp


def test_call_and_names() -> None:
    assert call("f", (1, [2], "x"), "python") == "f(1, [2], 'x')"
    assert call("f", (1, [2], "x"), "cpp") == 'f(1, {2}, "x")'
    own = str(Path(__file__).parents[2] / "examples" / "languages" / "c.yaml")
    assert (title("cpp"), title("python"), title(own)) == ("C++", "Python", "C")
    assert fence_tags(own) == ("c", "h", "c17")
    assert "c++" in fence_tags("cpp")


def test_a_program_may_use_the_problems_packages_in_python_alone() -> None:
    problem = Problem("p", "", "stdio", (), packages=("numpy==2.1.0", "/wheels/my_own-1.0-py3-none-any.whl"))
    assert libraries(problem, "python") == "the standard library, numpy and my_own"
    assert libraries(problem, "cpp") == "the standard library"
    assert libraries(Problem("p", "", "stdio", (), packages=("numpy",)), "python") == "the standard library and numpy"
