"""evaluators: what a problem is, and how an individual is judged.

A :class:`Problem` says in words and cases what a program shall do. An executor runs a :class:`Program` on the cases
in a sandbox, which gives an :class:`Execution`; the comparison outside the sandbox makes it an :class:`Evaluation`,
with verdicts, errors and scores.
"""

from typing import TYPE_CHECKING, Any

from evaluators.exceptions import EvoError, InfrastructureError, UserError
from evaluators.problem import Case, Limits, Named, Problem
from evaluators.program import Program
from evaluators.signature import DataType, Signature
from evaluators.verdict import Verdict

if TYPE_CHECKING:
    from evaluators.execution import CaseResult, Evaluation, Execution

__all__ = [
    "Case",
    "CaseResult",
    "DataType",
    "Evaluation",
    "EvoError",
    "Execution",
    "InfrastructureError",
    "Limits",
    "Named",
    "Problem",
    "Program",
    "Signature",
    "UserError",
    "Verdict",
]


def __getattr__(name: str) -> Any:
    # numpy takes most of the time that this package needs to be imported; the command line's help needs none of it.
    if name in ("CaseResult", "Evaluation", "Execution"):
        from evaluators import execution

        return getattr(execution, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
