"""Circumstances: all that a search depends on beside its task and its effects. A run records them."""

from __future__ import annotations

import hashlib
import inspect
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np

from evaluators.executor import Executor
from evo._version import __version__
from evo.plugins import case_sampler, ranking
from evo.run import Models
from evo.settings import Settings
from evo.task import Task
from operators.models.chat import ChatModel
from operators.prompts.template import prompt_digests

_ROOT = Path(__file__).parent.parent


def circumstances_of(task: Task, models: Models, executor: Executor) -> dict[str, Any]:
    """Versions, prompts, models and plug-ins of a search, as plain data; holds no key.

    Args:
        task: Names language and plug-ins.
        models: Opened.
        executor: That runs programs.
    """
    return {
        "versions": {
            "evo": __version__,
            "code": _code_digest(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "toolchain": executor.toolchain(task.settings.language),
            "layers": list(executor.layers),
        },
        "prompts": prompt_digests(),
        "models": {
            "default": _facts(models.default),
            "by_operator": {operator: _facts(model) for operator, model in models.by_operator.items()},
        },
        "plugins": _plugin_digests(task.settings),
    }


def digest_of(facts: dict[str, Any]) -> str:
    """SHA-256 (hexadecimal) of a run's facts, equal for equal ones."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _facts(model: ChatModel) -> dict[str, Any]:
    price = None if model.price is None else model.price.to_record()
    return {"identity": model.identity, "price": price, "concurrency": model.concurrency}


def _plugin_digests(settings: Settings) -> dict[str, str]:
    """SHA-256 of the file that each plug-in which is not ours comes from."""
    methods = [getattr(type(ranking(settings.selection)), "select", None)]
    if settings.sampler is not None:
        methods.append(getattr(type(case_sampler(settings.sampler)), "cohorts", None))
    files = [Path(method.__code__.co_filename).resolve() for method in methods if inspect.isfunction(method)]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if _ROOT not in file.parents}


def _code_digest() -> str:
    """SHA-256 of all our Python files, drivers and prompts, so that a run says which code made it."""
    digest = hashlib.sha256()
    for package in ("evo", "operators", "selection", "evaluators", "benchmarks"):
        for path in sorted((_ROOT / package).rglob("*")):
            if path.suffix in (".py", ".md", ".c", ".cpp", ".h", ".yaml"):
                digest.update(f"{path.relative_to(_ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()
