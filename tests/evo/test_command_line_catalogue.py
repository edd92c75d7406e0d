"""``evo problems`` and ``evo published`` as a user types them."""

import json
from pathlib import Path

import pytest

from benchmarks.catalog import PROBLEMS

FILE = """
name: double
description: Read an integer. Print twice its value.
examples:
  - {input: "3\\n", output: "6\\n"}
hidden:
  - {input: "31415\\n", output: "62830\\n"}
"""


def test_the_list_has_all_problems_and_suites(typed):
    code, out, _ = typed("problems")
    assert code == 0
    assert all(f"  {name}\n" in out for name in PROBLEMS)
    assert "human-eval-x" in out
    code, out, _ = typed("problems", "--json")
    rows = {row["name"]: row for row in json.loads(out)["problems"]}
    assert rows["gcd"]["hidden_cases"] == 2000
    assert rows["human-eval"]["tasks"] == 164
    assert rows["mbpp-plus"]["plus"] is True


def test_a_problem_is_shown_without_its_hidden_cases(typed):
    code, out, _ = typed("problems", "show", "fizz-buzz")
    assert code == 0
    assert "fizz-buzz (stdio), in python or cpp" in out
    assert "50 visible ones" in out
    told = json.loads(typed("problems", "show", "gcd", "--mode", "function", "--json")[1])
    assert told["signature"].startswith("gcd(")
    assert len(told["first_cases"]) == 5
    Path("double.yaml").write_text(FILE)
    for arguments in (("problems", "show", "double.yaml"), ("problems", "show", "double.yaml", "--json")):
        code, out, _ = typed(*arguments)
        assert code == 0
        assert "twice its value" in out
        assert "31415" not in out
        assert "62830" not in out


def test_a_suite_is_shown(typed):
    code, out, _ = typed("problems", "show", "mbpp-plus")
    assert code == 0
    assert "MBPP+: 378 tasks" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["problems", "show", "gdc"], "did you mean 'gcd'"),
        (["problems", "show", "human-evl"], "did you mean 'human-eval'"),
        (["problems", "show", "none.yaml"], "none.yaml"),
        (["problems", "show", "gcd", "--mode", "other"], "unknown mode 'other'"),
        (["problems", "gcd"], "evo problems show NAME"),
        (["problems", "show"], "evo problems show NAME"),
        (["published", "--paper", "codecr"], "did you mean 'codecor'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(typed, arguments, words):
    code, out, err = typed(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_published_tables(typed):
    code, out, _ = typed("published", "--paper", "agentcoder")
    assert code == 0
    assert "AgentCoder (GPT-4)" in out
    assert "96.3" in out
    told = json.loads(typed("published", "--json")[1])
    assert {paper["name"] for paper in told["papers"]} == {"seidr", "agentcoder", "codecor", "robustness"}
    assert {"paper", "table", "system", "dataset", "metric", "unit", "value"} <= told["figures"][0].keys()
