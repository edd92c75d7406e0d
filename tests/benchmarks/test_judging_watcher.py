"""The proof that a loop never ends: found where it holds, and never claimed of a program that ends."""

import random
import sys

import pytest

from benchmarks.judging import watcher
from benchmarks.judging.texts import watched
from evaluators.program import Program


class NeverEnds(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def proved(monkeypatch):
    """Whether a program is proved to be endless; one that is not has to come to its end."""

    def leave(status):
        assert status == watcher.EXIT_STATUS
        raise NeverEnds

    monkeypatch.setattr(watcher.os, "_exit", leave)
    monkeypatch.setattr(watcher.os, "write", lambda descriptor, text: len(text))

    def run(source):
        before = sys.gettrace()
        try:
            watcher.watch(source, {"__name__": "solution"})
        except NeverEnds:
            return True
        finally:
            sys.settrace(before)
        return False

    return run


ENDLESS = {
    "nothing in it": "while True: pass",
    "on two lines": "while True:\n    pass",
    "a state that alternates": "w = 1\nwhile w > 0:\n    w = 3 - w",
    "a forgotten step": "i, n = 0, 0\ns = 'abc'\nwhile i < len(s):\n    if s[i] == 'b':\n        n = 1",
    "in a function": "def f(n):\n    while n != 1:\n        n = n // 2 if n % 2 == 0 else n\n    return n\nf(3)",
    "a list that is turned": "r = [1, 2]\nwhile r:\n    r.append(r.pop(0))\n    r.reverse()",
    "with steps inside": "a, b = 5, 0\nwhile a:\n    for i in range(3):\n        b += i\n    b = 0",
    "an inner one": "while True:\n    x = 1\n    while x < 3:\n        x += 1",
    "division of zero": "r, x = '', 0\nwhile x >= 0:\n    r = str(x % 2) + r\n    x //= 2",
    "text that only grows": "r, d = '', 2\nwhile d:\n    r += 'x'",
    "a list that only grows": "r, d = [], 2\nwhile d:\n    r.append(d)",
    "a counter that runs away": "n = 0\nwhile n >= 0:\n    n += 1",
    "a counter that runs down": "n = 5\nwhile n < 9:\n    n -= 2",
    "a counter and no condition": "n = 0\nwhile True:\n    n += 1\n    if n > 5:\n        continue",
    "floats that stay": "x = 0.5\nwhile x < 1:\n    x = min(x * 1.0, 2.0)",
    "a dictionary": "d = {'a': 1}\nwhile d['a'] < 3:\n    d['b'] = 2",
    "a function of its own": (
        "import math\ndef p(xs, x):\n    return sum([c * math.pow(x, i) for i, c in enumerate(xs)])\n"
        "a, b = -1.0, 1.0\nwhile b - a > 1e-10:\n    c = (a - b) / 2.0\n"
        "    if p([1, 2], c) * p([1, 2], a) > 0:\n        a = c\n    else:\n        b = c"
    ),
    "a function that calls another": (
        "def g(n):\n    return len(str(n))\ndef f(n):\n    return g(n) > 0\nwhile f(3):\n    pass"
    ),
    "an attempt around it": "try:\n    while True:\n        x = 1\nexcept ValueError:\n    pass",
}
ENDING = {
    "nested ones": "i = 0\nwhile i < 9:\n    j = 0\n    while j < 2:\n        j += 1\n    i += 1",
    "in steps of another": "for k in range(9):\n    x = 0\n    while x < 2:\n        x += 1",
    "an iterator": "it = iter([1, 1, 1, 0])\nx = 1\nwhile x:\n    x = next(it)",
    "equal steps": "i = 0\nwhile i < 5:\n    for k in [0, 0, 0]:\n        y = k\n    i += 1",
    "equal steps first": (
        "i = 0\nwhile True:\n    for k in [0, 0, 0]:\n        y = k\n    i += 1\n    if i > 3:\n        break"
    ),
    "a list of its own kind": "class L(list):\n    pass\nl = L([1] * 9)\nwhile l:\n    l.pop()",
    "a closure": "c = [0]\ndef f():\n    c[0] += 1\n    return c[0] < 9\nwhile f():\n    pass",
    "a generator": (
        "def g():\n    while True:\n        yield 1\nfor n, x in enumerate(g()):\n    if n > 8:\n        break"
    ),
    "an object with a state": (
        "class C:\n    n = 0\n    def __bool__(self):\n        C.n += 1\n        return C.n < 9\nc = C()\n"
        "while c:\n    pass"
    ),
    "a function that keeps something": (
        "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen) < 9\nwhile f(1):\n    pass"
    ),
    "a function that reads what is around it": (
        "y = [3, 2, 1]\ndef f():\n    return y.pop(0) < 0 or y\nwhile f():\n    pass"
    ),
    "a function with a hidden reach": (
        "y = [3, 2, 1]\ndef f():\n    [y for y in []]\n    y.pop()\n    return len(y)\nwhile f():\n    pass"
    ),
    "a function that was replaced": (
        "def f(x):\n    return x\nleft = [5]\ndef other(x):\n    left[0] -= 1\n    return left[0]\n"
        "f = other\nwhile f(1):\n    pass"
    ),
    "a class that is named as a module": (
        "import math\nleft = [5]\nclass math:\n    def sqrt(x):\n        left[0] -= 1\n        return left[0]\n"
        "while math.sqrt(4) > 0:\n    pass"
    ),
    "a way out": "while True:\n    x = 1\n    break",
    "a way out by an error": (
        "n = 0\ntry:\n    while True:\n        n += 1\n        x = 'abc'[n]\nexcept IndexError:\n    pass"
    ),
    "a counter with an end": "n = 0\nwhile n >= 0:\n    n += 1\n    if n > 20:\n        n = -1",
    "a counter of another kind": "n = 0\ntry:\n    while True:\n        n += 'a'\nexcept TypeError:\n    pass",
    "an unbound counter": (
        "def f():\n    while True:\n        n += 1\ntry:\n    f()\nexcept UnboundLocalError:\n    pass"
    ),
    "another len": (
        "left = [3]\ndef len(x):\n    left[0] -= 1\n    return left[0]\nx = 1\nwhile len('a') > 0:\n    x = 1"
    ),
    "a collector that is looked at": "r = ''\nwhile True:\n    r += 'x'\n    if r == 'xxxxx':\n        break",
    "a collector by another name": "a = []\nb = a\nwhile len(b) < 9:\n    a.append(1)",
    "an else": "n = 3\nwhile n:\n    n -= 1\nelse:\n    n = 5",
    "a call over lines": "a = [1, 2, 3, 4]\nx = 0\nwhile a:\n    x = max(a.pop(),\n        0)",
    "called again and again": "def f():\n    n = 0\n    while n < 2:\n        n += 1\nfor _ in range(9):\n    f()",
    "a comprehension": "n = 0\nwhile n < 3: n = sum([1 for _ in range(n)]) + 1",
    "numbers that are not equal to themselves": "x, n = float('nan'), [0]\nwhile len(n) < 9:\n    n = n + [0]",
}


@pytest.mark.parametrize("kind", sorted(ENDLESS))
def test_it_is_proved(proved, kind):
    assert proved(ENDLESS[kind])


@pytest.mark.parametrize("kind", sorted(ENDING))
def test_it_is_not_claimed_of_what_ends(proved, kind):
    assert not proved(ENDING[kind])


def test_programs_drawn_at_random_that_end_are_never_called_endless(proved):
    draw = random.Random(5)
    names = "abc"
    ended = 0
    for _ in range(300):
        body = [f"{draw.choice(names)} {draw.choice(['+=', '-=', '//=', '%='])} {draw.randint(1, 3)}" for _ in range(3)]
        body.append(f"if {draw.choice(names)} % 2: {draw.choice(names)} = {draw.choice(names)}")
        test = f"{draw.choice(names)} {draw.choice(['<', '>', '!='])} {draw.randint(-3, 3)}"
        loop = f"while {test}:\n" + "".join(f"    {line}\n" for line in body)
        start = "".join(f"{name} = {draw.randint(-3, 3)}\n" for name in names)
        # The same loop with a limit tells whether it ends soon; a limit is no part of what is watched.
        limited = {}
        exec(start + "n = 0\n" + loop + "    n += 1\n    if n > 300: break\n", limited)
        if limited["n"] <= 300:
            ended += 1
            assert not proved(start + loop)
    assert ended > 100


def test_the_program_around_it_is_one_that_runs():
    text = watched(Program("x = 1\nprint(x + 1)\n", "python")).source
    compile(text, "program.py", "exec")
    assert text.count("\n") == 1
