"""Functions in C++: arguments and results in the candidate's own types."""

from __future__ import annotations

import asyncio

import pytest

from evaluators.exceptions import UserError
from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Problem
from evaluators.program import Program
from evaluators.signature import Signature


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def run(executor, signature, arguments, source):
    problem = Problem("some", "", "function", (Case(arguments, None, "case"),), signature=Signature.parse(signature))
    return asyncio.run(executor.run(Program(source, "cpp"), problem))


CPP_FUNCTIONS = [
    ("f(n: int) -> int", "int f(int n) { return 2 * n; }", (3,), 6),
    ("f(n: int) -> int", "long long f(long long n) { return n - 1; }", (2**62,), 2**62 - 1),
    ("f(n: int) -> bool", "#define int long long\nint f(int n) { return n > 2; }", (3,), True),
    ("f(x: float) -> float", "double f(double x) { return x / 2; }", (3,), 1.5),
    ("f(x: float) -> float", "double f(double x) { return 1 / x; }", (0.0,), float("inf")),
    (
        "f(s: str) -> str",
        "#include <string>\nstd::string f(const std::string& s) { return s + '\"'; }",
        ("\u00e9",),
        '\u00e9"',
    ),
    ("f(s: str) -> str", "char f(char s) { return s; }", ("\n",), "\n"),
    ("f(s: str) -> int", "#include <string_view>\nint f(std::string_view s) { return s.size(); }", ("abc",), 3),
    (
        "f(x: list[list[int]]) -> list[int]",
        "#include <algorithm>\nusing namespace std;\n"
        "vector<int> f(vector<vector<int>>& x) { sort(x.begin(), x.end()); return x[0]; }",
        ([[3], [1, 2]],),
        [1, 2],
    ),
    (
        "f(d: dict[str, int]) -> dict[str, int]",
        "using namespace std;\nmap<string, int> f(unordered_map<string, int> d) { return {d.begin(), d.end()}; }",
        ({"b": 1, "a": 2},),
        {"b": 1, "a": 2},
    ),
    (
        "f(x: int | None, t: tuple[int, str]) -> tuple[bool, str]",
        "using namespace std;\npair<bool, string> f(optional<int> x, tuple<int, string> t) { return {!x, get<1>(t)}; }",
        (None, (1, "z")),
        (True, "z"),
    ),
    (
        "f(x: set[int]) -> int | None",
        "#include <set>\nstd::optional<int> f(std::set<int> x) { return {}; }",
        ({1},),
        None,
    ),
    ("f(n: int) -> int", "int f(int n, int more = 4) { return n + more; }", (3,), 7),
    ("f(n: int) -> int", "int f(int n) { return n; } int main() { return f(3); }", (3,), 3),
    ("f(n: int) -> int", "int f(int n) { return n; } int f(int n, int m) { return m; }", (3,), 3),
    (
        "max_element(x: list[int]) -> int",
        "#include <bits/stdc++.h>\nusing namespace std;\nint max_element(vector<int> x) { return x[0]; }",
        ([1, 2],),
        1,
    ),
    (
        "rank(x: int) -> int",
        "#include <cstdio>\nusing namespace std;\nint count = 7;\nint rank(int x) { return x + count; }",
        (1,),
        8,
    ),
    ("f(x: list[int]) -> int", "template <class T> int f(T x) { return x.size(); }", ([1, 2],), 2),
]


@pytest.mark.parametrize(("signature", "source", "arguments", "result"), CPP_FUNCTIONS)
def test_cpp_functions_are_called_by_their_own_types(executor, signature, source, arguments, result):
    execution = run(executor, signature, arguments, source)
    assert execution.compile_output == ""
    assert [str(case.verdict) for case in execution.cases] == ["completed"]
    assert execution.cases[0].output == result
    assert type(execution.cases[0].output) is type(result)


def test_a_missing_function_is_told_in_the_problems_words(executor):
    execution = run(executor, "f(n: int) -> int", (1,), "int g(int n) { return n; }")
    assert execution.compile_output == "error: the program defines no function f(n: int) -> int"
    assert execution.cases[0].detail == execution.compile_output


def test_an_uncaught_exception_is_told(executor):
    source = "#include <vector>\nint f(int n) { return std::vector<int>().at(n); }"
    (result,) = run(executor, "f(n: int) -> int", (3,), source).cases
    assert "SIGABRT" in result.detail
    assert "std::out_of_range" in result.detail


def test_arguments_of_another_kind_are_a_failure_with_a_reason(executor):
    (result,) = run(executor, "f(n: list[int]) -> int", ([1],), "int f(int n) { return n; }").cases
    assert str(result.verdict) == "runtime_error"
    assert "an integer was expected" in result.stderr


@pytest.mark.parametrize("value", [2**63, "x", 1.5, None])
def test_arguments_that_do_not_fit_the_signature_are_the_users_error(executor, value):
    with pytest.raises(UserError, match="which is not of the type int"):
        run(executor, "f(n: int) -> int", (value,), "int f(int n) { return n; }")


def test_without_a_place_for_precompiled_headers_programs_compile_all_the_same(monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    made = SandboxExecutor()
    execution = run(made, "f(n: int) -> int", (1,), "#include <bits/stdc++.h>\nint f(int n) { return n; }")
    assert execution.cases[0].output == 1
    asyncio.run(made.close())
