"""evo: an evolutionary program-synthesis engine.

A population holds candidate programs; operators make new ones (a language model synthesizes, explains, repairs);
evaluators run them in a sandbox; selection decides who is worked on next. ``evo.solve`` runs a whole search::

    import evo

    result = evo.solve("fizz-buzz", budget__programs=20)
    print(result.best.genome.source, result.solved)
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from evo._version import __version__

_SIBLINGS = ("operators", "selection", "evaluators", "benchmarks")

# Public names and the modules that they live in, each imported when it is first used.
_PUBLIC = {
    "solve": "evo.api",
    "resume": "evo.api",
    "Result": "evo.result",
    "Judgement": "evo.result",
    "StopReason": "evo.stop",
    "Individual": "evo.individual",
    "Population": "evo.population",
    "Budget": "evo.budget",
    "Settings": "evo.settings",
    "Event": "evo.events",
    "Observer": "evo.events",
    "Problem": "evaluators.problem",
    "Case": "evaluators.problem",
    "Limits": "evaluators.problem",
    "Named": "evaluators.problem",
    "Signature": "evaluators.signature",
    "Program": "evaluators.program",
    "Verdict": "evaluators.verdict",
    "Evaluation": "evaluators.execution",
    "Execution": "evaluators.execution",
    "CaseResult": "evaluators.execution",
    "SandboxExecutor": "evaluators.executor",
    "ScriptedExecutor": "evaluators.scripted_executor",
    "EvoError": "evaluators.exceptions",
    "UserError": "evaluators.exceptions",
    "InfrastructureError": "evaluators.exceptions",
    "ChatModel": "operators.models.chat",
    "ChatRequest": "operators.models.chat",
    "Completion": "operators.models.chat",
    "Price": "operators.models.chat",
    "ScriptedModel": "operators.models.scripted",
    "RecordedModel": "operators.models.recorded",
    "OpenAIModel": "operators.models.openai_endpoint",
    "EmbeddedModel": "operators.models.embedded",
    "load_problem": "benchmarks.catalog",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604 - the keys are strings


def _refuse_hidden_siblings() -> None:
    """See that the packages beside this one are ours, and not somebody else's of the same name."""
    here = Path(__file__).resolve().parent.parent
    for name in _SIBLINGS:
        spec = importlib.util.find_spec(name)
        origin = None if spec is None or spec.origin is None else Path(spec.origin).resolve()
        if origin is None or origin.parent.parent != here:
            found = "nothing" if origin is None else str(origin)
            raise ImportError(
                f"evo needs its own package {name!r} in {here}, and Python finds {found}: "
                "rename that file, or start Python in another folder"
            )


_refuse_hidden_siblings()


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'evo' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
