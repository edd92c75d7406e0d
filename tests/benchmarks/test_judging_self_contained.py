"""What may share a process: judged by the text alone."""

import pytest

from benchmarks.judging.self_contained import compares_as_usual, keeps_to_itself


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return x\n",
        "from typing import List\nimport math, re\n\ndef f(x: List[int]):\n    return math.sqrt(x[0]) + x.copy()[0]\n",
        "from collections import Counter\nimport itertools as it\ndef f(x):\n    return Counter(x).most_common()\n",
        "import datetime\ndef f():\n    return datetime.datetime(2020, 1, 1).time()\n",
        "def f(x):\n    def g(y):\n        return y + 1\n    print(g(x))\n    return sorted(x, key=lambda y: -y)\n",
        "if __name__ == '__main__':\n    print(1)\n",
        "this does not parse (",
        "(" * 5000 + ")" * 5000,
        "_hidden = 1\ndef _helper(): return _hidden\n",
    ],
)
def test_it_keeps_to_itself(source):
    assert keeps_to_itself(source)


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import sys",
        "import random",
        "from os import path",
        "from . import x",
        "from typing import sys",
        "from copy import dispatch_table",
        "from functools import _lru_cache_wrapper",
        "import typing\ntyping.sys.exit()",
        "import math\nmath.pi = 3",
        "import math\ndel math.pi",
        "import math\nfor math.pi in [3]: pass",
        "import collections.abc\ncollections.abc.Sequence.register(int)",
        "import re\nre.purge()",
        "def f(): return ().__class__.__bases__",
        "def f(x): return x._private",
        "def f(): return __builtins__",
        "def f(): return globals()",
        "def f(): return getattr(int, 'x')",
        "def f(): return eval('1')",
        "def f(): return open('/etc/passwd')",
        "def f(): exit()",
        "import operator\ndef f(x): return operator.attrgetter('sys')(x)",
        "import typing\ntyping.get_type_hints(f)",
        "async def f():\n    await f()",
        "x = 1\n" * 10_000,
    ],
)
def test_it_reaches_out(source):
    assert not keeps_to_itself(source)


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def __eq__(self, other):\n        return True\n",
        "A = type('A', (), {'__e' + 'q__': lambda self, other: True})\n",
        "kind = type\nA = kind('A', (), {'__e' + 'q__': lambda self, other: True})\n",
        "import dataclasses\nA = dataclasses.make_dataclass('A', [], namespace={'__e' + 'q__': lambda s, o: True})\n",
        "from enum import Enum\n",
    ],
)
def test_objects_that_could_equal_anything(source):
    assert not compares_as_usual(source)


def test_objects_of_the_usual_kinds():
    assert compares_as_usual("from typing import List\ndef f(x: List[int]):\n    return x\n")
