"""Checks that are programs, run apart from the candidate: what they see of it, and that it cannot forge a pass."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from evaluators.exceptions import UserError
from evaluators.executor import SandboxExecutor
from evaluators.problem import Limits
from evaluators.program import Program
from evaluators.remote_call import answer, containers
from evaluators.remote_candidate import run_check
from evaluators.remote_check import CheckCode, check_remotely

LIMITS = Limits(cpu_seconds=0.5, wall_seconds=0.8, memory_bytes=2**28, output_bytes=2**18, total_cpu_seconds=4.0)


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def check(executor, source, code, *, name="f", limits=LIMITS, language="python"):
    code = code if isinstance(code, CheckCode) else CheckCode(code)
    program = Program(source, language)
    return asyncio.run(check_remotely(executor, program, code, entry_point=name, limits=limits))


def verdict(executor, source, code, **options):
    return str(check(executor, source, code, **options).verdict)


DOUBLE = "def f(x):\n    return 2 * x\n"
DOUBLE_CHECK = "assert f(3) == 6\nassert f('a') == 'aa'\nassert f([1]) == [1, 1]\n"


# What a check sees


def test_a_right_program_passes_and_a_wrong_one_fails_with_the_line(executor):
    assert verdict(executor, DOUBLE, DOUBLE_CHECK) == "pass"
    wrong = check(executor, "def f(x):\n    return x\n", "\n" + DOUBLE_CHECK)
    assert (str(wrong.verdict), wrong.detail) == ("wrong_answer", "AssertionError (line 2 of the check)")


def test_a_check_function_is_called_and_helpers_of_the_prompt_are_there(executor):
    prelude = "import math\ndef helper(x):\n    return math.floor(x) + 1\ndef f(x):\n    'the stub of the prompt'\n"
    code = CheckCode("def check(candidate):\n    assert candidate(1.5) == helper(1.5)\n", prelude, "check")
    assert verdict(executor, "def f(x): return int(x) + 1", code) == "pass"
    assert verdict(executor, "def f(x): return int(x)", code) == "wrong_answer"


def test_test_cases_of_unittest_are_run(executor):
    code = (
        "import unittest\nclass Tests(unittest.TestCase):\n"
        "    def test_values(self):\n        self.assertEqual(f(1), 2)\n"
        "    def test_errors(self):\n        with self.assertRaises(TypeError):\n            f(None)\n"
    )
    assert verdict(executor, DOUBLE, code) == "pass"
    result = check(executor, "def f(x): return 2", code)
    assert str(result.verdict) == "wrong_answer"
    assert "test_errors" in result.detail


def test_changes_of_arguments_in_place_are_seen(executor):
    code = (
        "rows = [[2], [1]]\nfirst = rows[0]\nassert f(rows) is rows\nassert rows == [[1], [2]] and rows[1] is first\n"
    )
    assert verdict(executor, "def f(x):\n    x.sort()\n    return x", code) == "pass"
    assert verdict(executor, "def f(x):\n    return sorted(x)", code) == "wrong_answer"
    code = "from collections import Counter\nc = Counter('aab')\nf(c, more={1})\nassert c == {'a': 3, 'z': 1}, c\n"
    source = "def f(c, *, more):\n    c['a'] += 1\n    del c['b']\n    c['z'] = 1\n"
    assert verdict(executor, source, code) == "pass"


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ("ValueError('bad 3')", "ValueError"),
        ("KeyError('k')", "KeyError"),
        ("type('Own', (LookupError,), {})('bad 3')", "LookupError"),
        ("ZeroDivisionError", "ArithmeticError"),
    ],
)
def test_exceptions_arrive_by_their_builtin_type(executor, raised, expected):
    code = (
        f"try:\n    f(3)\nexcept {expected} as error:\n    seen = error\nassert type(seen).__module__ == 'builtins'\n"
    )
    assert verdict(executor, f"def f(x):\n    raise {raised}", code) == "pass"
    assert verdict(executor, "def f(x):\n    raise OSError", code) == "runtime_error"


def test_an_exception_that_the_check_does_not_expect_has_the_candidates_line(executor):
    result = check(executor, "def f(x):\n    y = x\n    return y // 0\n", DOUBLE_CHECK)
    assert (str(result.verdict), result.detail) == (
        "runtime_error",
        "ZeroDivisionError: integer division or modulo by zero (line 3)",
    )


def test_calls_that_depend_on_answers_and_many_random_ones(executor):
    collatz = "x, steps = 6, 0\nwhile x != 1:\n    x = f(x)\n    steps += 1\nassert steps == 8\n"
    assert verdict(executor, "def f(x): return 3 * x + 1 if x % 2 else x // 2", collatz) == "pass"
    many = (
        "import random\nfor _ in range(200):\n    xs = [random.randrange(9) for _ in range(5)]\n"
        "    assert f(list(xs)) == sorted(xs)\n"
    )
    assert verdict(executor, "def f(x): return sorted(x)", many) == "pass"
    assert verdict(executor, "def f(x): return sorted(set(x))", many) == "wrong_answer"


def test_what_was_called_by_a_wrong_guess_does_not_count(executor):
    code = "if f(2) is None:\n    f('loop')\nassert f(2) == 4\n"
    source = "def f(x):\n    while x == 'loop':\n        pass\n    return 2 * x"
    assert verdict(executor, source, code) == "pass"
    hangs = "while f(1) is None:\n    pass\nassert f(2) == 4\n"
    assert verdict(executor, DOUBLE, hangs) == "pass"
    spins = "if f(1) is None:\n    while True:\n        pass\nassert f(2) == 4\n"
    assert verdict(executor, DOUBLE, spins) == "pass"


def test_the_program_may_use_names_of_builtins_for_its_own(executor):
    source = "list = dict = id = len = isinstance = None\ndef f(x):\n    return 2 * x\n"
    assert verdict(executor, source, DOUBLE_CHECK) == "pass"


# What a candidate may try

ALWAYS_EQUAL = """
class Equal(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
"""
HOSTILE = {
    "a result that is equal to everything": (
        "class Equal:\n    def __eq__(self, other): return True\ndef f(x): return Equal()",
        "runtime_error",
    ),
    "an integer that is equal to everything": (ALWAYS_EQUAL + "def f(x): return Equal(0)", "wrong_answer"),
    "leave with status 0": ("import sys\ndef f(x): sys.exit(0)", "early_exit"),
    "leave by the operating system": ("import os\ndef f(x): os._exit(0)", "early_exit"),
    "leave at import": ("import os\nos._exit(0)", "early_exit"),
    "other builtins": (
        "import builtins\nbuiltins.AssertionError = ValueError\nbuiltins.len = builtins.isinstance = lambda *a: True\n"
        "def f(x): return 0",
        "runtime_error",
    ),
    "an assertion error under a wrong name": (
        "class A(BaseException): pass\nA.__name__ = 'AssertionError'\nA.__module__ = 'builtins'\ndef f(x): raise A",
        "runtime_error",
    ),
    "stop the check as it stops itself": (
        "class StopCheckError(BaseException): pass\ndef f(x): raise StopCheckError",
        "runtime_error",
    ),
    "an exception whose text fails": (
        "class E(ValueError):\n    def __str__(self): raise SystemExit(0)\ndef f(x): raise E(object())",
        "early_exit",
    ),
    "print a mark": ("def f(x): print('passed', {'state': 'passed'}, flush=True)", "wrong_answer"),
    "write the check's report": (
        'import os\ndef f(x):\n    os.write(3, b\'{"result":{"dict":[["state","passed"],["calls",9]]}}\')\n'
        "    os._exit(0)",
        "runtime_error",
    ),
    "write an answer of impossible parts": (
        'import os\ndef f(x):\n    os.write(3, b\'{"result":{"dict":[["result",[null,6]],["changed",[[7,[]]]]]}}\')\n'
        "    os._exit(0)",
        "runtime_error",
    ),
    "name a builtin that is no exception": (
        'import os\ndef f(x):\n    os.write(3, b\'{"result":{"dict":[["raised",["exit",[],0]],["changed",[]]]}}\')\n'
        "    os._exit(0)",
        "runtime_error",
    ),
    "look for the check in frames and objects": (
        "import gc, sys\ndef f(x):\n    frame, seen = sys._getframe(), []\n    while frame:\n"
        "        seen += [str(v) for v in [*frame.f_locals.values(), *frame.f_globals.values()]]\n"
        "        frame = frame.f_back\n    seen += [o for o in gc.get_objects() if isinstance(o, str)]\n"
        "    marks = [s for s in seen if 'f(3) == ' + '6' in s]\n    return 6 if marks else -1",
        "wrong_answer",
    ),
    "a table that calls fill": (
        "import builtins\ndef f(x):\n    builtins.seen = getattr(builtins, 'seen', 0) + 1\n    return 2 * x",
        "pass",  # it cheats nobody: each call is a program of its own
    ),
    "loop": ("def f(x):\n    while True: pass", "timeout_cpu"),
    "sleep": ("import time\ndef f(x): time.sleep(60)", "timeout_wall"),
    "memory": ("def f(x): return bytearray(2**30)", "memory"),
    "a large result": ("def f(x): return 'x' * 2**19", "output_limit"),
    "a crash": ("import ctypes\ndef f(x): ctypes.string_at(0)", "crash"),
    "fork": ("import os\ndef f(x): os.fork()", "violation"),
    "no such function": ("def g(x): return 2 * x", "runtime_error"),
    "no program": ("def f(x", "compile_error"),
    "a deep result": ("def f(x):\n    for _ in range(200): x = [x]\n    return x", "runtime_error"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_candidate_gets_the_verdict_that_it_earned(executor, name):
    source, expected = HOSTILE[name]
    assert verdict(executor, source, DOUBLE_CHECK) == expected


def test_a_candidate_that_always_hangs_costs_the_time_of_one_call(executor):
    result = check(executor, "def f(x):\n    while True: pass", "for n in range(30):\n    assert f(n) == n\n")
    assert str(result.verdict) == "timeout_cpu"
    assert result.cpu_seconds < 2 * LIMITS.cpu_seconds


def test_slow_calls_that_keep_within_the_limit_of_each_are_not_cut(executor):
    source = (
        "import time\nSTART = time.process_time()\n"
        "def f(x):\n    while time.process_time() < START + 0.3: pass\n    return x\n"
    )
    assert verdict(executor, source, "for n in range(3):\n    assert f(n) == n\n") == "pass"


def test_state_kept_from_call_to_call_is_found_out(executor):
    source = (
        "import math\ndef f(x):\n    math.calls = getattr(math, 'calls', 0) + 1\n"
        "    return [None, 6, 'aa', [1, 1]][math.calls]\n"
    )
    result = check(executor, source, DOUBLE_CHECK)
    assert str(result.verdict) in ("wrong_answer", "runtime_error")
    assert result.detail.startswith("passes only where calls share a process")


def test_a_good_candidate_still_passes_after_them(executor):
    assert verdict(executor, DOUBLE, DOUBLE_CHECK) == "pass"


# What becomes of the check


def test_a_check_without_end_costs_its_time_and_no_more(executor):
    short = replace(LIMITS, total_cpu_seconds=1.0)
    result = check(executor, DOUBLE, "f(1)\nwhile True:\n    pass\n", limits=short)
    assert str(result.verdict) == "timeout_cpu"
    assert result.detail == "the check used more than 1 s of processor time"
    chatty = check(executor, "def f(x): return x + 1", "x = 0\nwhile True:\n    x = f(x)\n", limits=short)
    assert str(chatty.verdict) in ("timeout_cpu", "skipped")


def test_a_check_that_leaves_has_not_passed(executor):
    assert verdict(executor, DOUBLE, "assert f(1) == 2\nraise SystemExit(0)") == "wrong_answer"
    assert verdict(executor, DOUBLE, "import os\nassert f(1) == 2\nos._exit(0)") == "early_exit"


def test_an_argument_that_is_no_plain_data_is_named(executor):
    result = check(executor, DOUBLE, "f(1)\nf(lambda: 1)\n")
    assert str(result.verdict) == "wrong_answer"
    assert "a value of type 'function' is not plain data" in result.detail


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("assert f(1) ==", "is no Python program: SyntaxError"),
        ("pass", "it ends without a call"),
        ("import no_such_module\nf(1)", "No module named 'no_such_module'"),
    ],
)
def test_a_check_that_cannot_be_used_is_the_users_mistake(executor, code, told):
    with pytest.raises(UserError, match=told) as caught:
        check(executor, DOUBLE, code)
    assert "\n" not in str(caught.value)


def test_a_check_tests_programs_in_python(executor):
    with pytest.raises(UserError, match="cpp"):
        check(executor, "int f(int x) { return x; }", DOUBLE_CHECK, language="cpp")


# The two sides, without a sandbox


def test_containers_are_met_in_the_same_order_on_both_sides():
    inner, mapping = [1], {"a": {2}}
    values = [inner, (mapping, "text"), {3}]
    found = containers(values)
    assert {id(one) for one in found} == {id(inner), id(mapping), id(mapping["a"]), id(values[2])}
    copied = containers([[1], ({"a": {2}}, "text"), {3}])
    assert found == copied


def test_an_answer_names_containers_instead_of_copying_them():
    inner = [1]

    def function(rows, extra):
        rows.insert(0, 9)
        extra.clear()
        return rows[1]

    said = answer(function, "function", ([inner],), {"extra": {"k": 1}}, __file__)
    given = containers([[inner], {"k": 1}])
    number = next(index for index, one in enumerate(given) if one is inner)
    assert said["result"] == [number, None]
    assert [[None, 9], [number, None]] in [members for _, members in said["changed"]]
    assert [] in [members for _, members in said["changed"]]


def test_a_check_takes_down_no_more_calls_than_it_may_guess():
    code = {"source": "for n in range(50):\n    f(n)\n", "prelude": "", "function": ""}
    assert len(run_check(code, "f", {}, 5)["calls"]) == 5
    assert run_check(code, "f", {}, 100)["state"] == "unknown"
