"""``evo doctor``: what this machine has, what is missing, and what to do about it."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass
from typing import Any

from evaluators.exceptions import EvoError
from evaluators.languages import LANGUAGES
from evaluators.sandbox.precompiled import cache_directory
from evaluators.sandbox.probe import probe
from evo._version import __version__
from operators.models.catalog import open_model
from operators.models.chat import ChatRequest, Message, Sampling
from operators.models.weights import model_disk_usage


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        subject: What.
        fine: Whether a search can do with it.
        text: What was found, and what to do if it is not fine.
    """

    subject: str
    fine: bool
    text: str


def doctor_command(model: str, *, as_json: bool) -> int:
    """Run ``evo doctor``; 0 if all is fine, else 3."""
    findings = [_python(), *_languages(), *_sandbox(), asyncio.run(_model(model)), _disk()]
    if as_json:
        record: dict[str, Any] = {"evo": __version__, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(record) + "\n")
    else:
        for finding in findings:
            sys.stdout.write(f"{'ok     ' if finding.fine else 'MISSING'}  {finding.subject:<10} {finding.text}\n")
    return 0 if all(finding.fine for finding in findings) else 3


def _python() -> Finding:
    fine = sys.version_info >= (3, 11)
    text = f"{platform.python_version()} at {sys.executable}, {os.cpu_count()} processors, {platform.system()}"
    return Finding("python", fine, text if fine else f"{text}: evo needs Python 3.11 or newer")


def _languages() -> list[Finding]:
    findings = []
    for language in LANGUAGES.values():
        if language.compile_command is None:
            continue
        compiler = language.compile_command[0]
        path = shutil.which(compiler)
        text = path or f"no {compiler}: {language.install}"
        findings.append(Finding(language.name, path is not None, text))
    return findings


def _sandbox() -> list[Finding]:
    try:
        report = probe()
    except EvoError as error:
        return [Finding("sandbox", False, str(error))]
    broken = [f"a test program broke out by: {name}" for name in report.broken]
    text = "; ".join([f"active layers: {', '.join(report.layers) or 'none'}", *report.missing, *broken])
    return [Finding("sandbox", report.strong, text)]


async def _model(name: str) -> Finding:
    if name == "embedded" and not model_disk_usage().complete:
        return Finding("model", True, "embedded: its weights (1.1 GB) are fetched at the first search")
    try:
        model = await open_model(name)
        try:
            request = ChatRequest((Message("user", "Say yes."),), Sampling(max_tokens=8), 0, ("doctor",), "doctor")
            completion = await model.complete(request)
        finally:
            await model.close()
    except EvoError as error:
        return Finding("model", False, str(error))
    return Finding("model", True, f"{name} answers ({completion.usage.total_tokens} tokens)")


def _disk() -> Finding:
    usage = model_disk_usage()
    headers = cache_directory()
    size = 0 if headers is None else sum(path.stat().st_size for path in headers.rglob("*") if path.is_file())
    compiled = f"; precompiled headers use {size / 1e9:.2f} GB; free it with: rm -r {headers}" if size else ""
    if not usage.bytes:
        return Finding("disk", True, f"models use nothing (they would be kept in {usage.folder}){compiled}")
    return Finding("disk", True, f"models use {usage.bytes / 1e9:.2f} GB; free it with: rm -r {usage.folder}{compiled}")
