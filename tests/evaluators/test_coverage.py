"""Which lines and branches of a function count, and which were reached."""

from __future__ import annotations

import pytest

from evaluators.coverage import REACHED, covered_program


def covered(source, *calls, name="f"):
    program = covered_program(source, name)
    members = {}
    exec(program.source, members)
    members[REACHED].clear()
    for call in calls:
        eval(call, members)
    return program.coverage(members[REACHED])


def taken(coverage):
    return [(branch.line, branch.outcome) for branch in sorted(coverage.taken_branches)]


LOOPS = '''"""A module."""
from __future__ import annotations
LIMIT = 3

def f(items: list[int]) -> int:
    """A docstring
    of two lines."""
    global LIMIT
    for item in items:
        if item > LIMIT: break
        elif item < 0:
            continue
    else:
        return sum(
            x for x in items if x
        )
    while True:
        return 1 if items else 2

def other():
    return 0
'''


@pytest.mark.parametrize(
    ("calls", "lines", "branches"),
    [
        ([], [], []),
        (["f([])"], [9, 14], [(9, "exhausted")]),
        (["f([0])"], [9, 10, 11, 14], [(9, "element"), (9, "exhausted"), (10, "false"), (11, "false"), (15, "false")]),
        (["f([9])"], [9, 10, 17, 18], [(9, "element"), (10, "true"), (18, "true")]),
        (["other()"], [], []),
    ],
)
def test_loops_and_tests(calls, lines, branches):
    coverage = covered(LOOPS, *calls)
    assert sorted(coverage.lines) == [9, 10, 11, 12, 14, 17, 18]
    assert len(coverage.branches) == 10
    assert sorted(coverage.reached_lines) == lines
    assert taken(coverage) == branches


MATCH = """
def f(x):
    match x:
        case 1 | 2:
            return "few"
        case int(y) if y > 5:
            return "many"
    try:
        return x.name
    except AttributeError:
        pass
    finally:
        x = None
"""


@pytest.mark.parametrize(
    ("call", "lines", "branches"),
    [
        ("f(1)", [3, 5], [(4, "case")]),
        ("f(9)", [3, 7], [(6, "case")]),
        ("f(4)", [3, 8, 9, 11, 13], [(3, "no case")]),
    ],
)
def test_cases_and_exceptions(call, lines, branches):
    coverage = covered(MATCH, call)
    assert sorted(coverage.lines) == [3, 5, 7, 8, 9, 11, 13]
    assert len(coverage.branches) == 3
    assert sorted(coverage.reached_lines) == lines
    assert taken(coverage) == branches


def test_a_last_case_that_fits_all_leaves_no_other_branch():
    coverage = covered(
        "def f(x):\n    match x:\n        case 1:\n            pass\n        case _:\n            pass\n", "f(1)"
    )
    assert coverage.branch_coverage == 1 / 2


def test_a_function_within_counts_and_a_class_can_be_the_entry_point():
    source = "class A:\n    def f(self):\n        def g():\n            return 1\n        return g\n"
    assert covered(source, name="A").line_coverage == 0
    assert sorted(covered(source, "A().f()", name="A").reached_lines) == [3, 5]
    assert covered(source, "A().f()()", name="A").reached_lines == {3, 4, 5}


def test_a_body_of_a_docstring_alone_has_no_coverage():
    coverage = covered("def f():\n    '''Nothing.'''\n", "f()")
    assert (coverage.line_coverage, coverage.branch_coverage) == (None, None)


def test_the_union_is_of_one_program():
    first, second = covered(MATCH, "f(1)"), covered(MATCH, "f(9)")
    assert (first | second) == covered(MATCH, "f(1)", "f(9)") == (second | first)
    with pytest.raises(ValueError, match="different programs"):
        first | covered(LOOPS)


def test_the_results_of_a_rewritten_program_are_its_own():
    members, rewritten = {}, {}
    exec(LOOPS, members)
    exec(covered_program(LOOPS, "f").source, rewritten)
    for items in ([], [0, 1, 2], [5], [-1, 2, 9], [-1]):
        assert rewritten["f"](items) == members["f"](items)


@pytest.mark.parametrize(("source", "words"), [("def f(", "parses"), ("g = 1", "defines no 'f'")])
def test_what_cannot_be_measured_is_an_error(source, words):
    with pytest.raises(ValueError, match=words):
        covered_program(source, "f")
