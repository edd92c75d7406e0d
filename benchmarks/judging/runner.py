"""Runner: calls the same function of several programs, or runs several programs of tests. Runs inside the sandbox.

The standard library is all that this file needs; its text is put behind a dictionary of programs, and nothing imports
it but tests.
"""

from __future__ import annotations

import sys
import types
from typing import Any

PROGRAMS: dict[int, str] = {}
FUNCTION = ""
_MODULE_NAME = "solution"


def run_program(number: int, *arguments: Any) -> Any:
    """Run a program from its beginning and call its function.

    As a module, not as a script: what stands behind ``if __name__ == "__main__"`` is not run, as the suites' own
    harnesses have it.

    Args:
        number: Of the program in :data:`PROGRAMS`.
        arguments: For the function; without a function, running it to its end is all.
    """
    # This module is made anew for each call; what is compiled is kept in one that stays.
    compiled = sys.modules.setdefault("judged programs", types.ModuleType("judged programs")).__dict__
    name = str(number)
    if name not in compiled:
        compiled[name] = compile(PROGRAMS[number], "solution.py", "exec", dont_inherit=True)
    module = types.ModuleType(_MODULE_NAME)
    module.__file__ = "solution.py"
    sys.modules[_MODULE_NAME] = sys.modules["__main__"] = module
    exec(compiled[name], module.__dict__)  # noqa: S102 - the purpose of it all
    if not FUNCTION:
        return None
    if FUNCTION not in module.__dict__:
        raise NameError(f"the program defines no function {FUNCTION!r}")
    return module.__dict__[FUNCTION](*arguments)
