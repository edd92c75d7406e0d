"""Searches in a language of the user's own, from the command line: every command finds the record again."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from evo.cli.app import main

C = Path(__file__).parents[2] / "examples" / "languages" / "c.yaml"
PROBLEM = """
description: Print twice the number.
examples:
  - {input: "3\\n", output: "6\\n"}
hidden:
  - {input: "50\\n", output: "100\\n"}
languages: [records/mine.yaml]
"""
MODEL = """
def reply(request):
    assert "C program" in request.messages[-1].content
    return '```c\\n#include <stdio.h>\\nint main(void) { int n; scanf("%d", &n); printf("%d\\\\n", 2 * n); }\\n```'
"""

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    (tmp_path / "records").mkdir()
    shutil.copy(C, tmp_path / "records" / "mine.yaml")
    (tmp_path / "double.yaml").write_text(PROBLEM)
    (tmp_path / "m.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["evo", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out + told.err

    return run


def test_a_search_is_solved_judged_resumed_replayed_and_exported(typed, tmp_path, monkeypatch):
    model = f"scripted:{tmp_path / 'm.py'}:reply"
    code, told = typed("solve", "double.yaml", "--language", "records/mine.yaml", "--model", model, "--out", "run")
    assert code == 0, told
    assert json.loads((tmp_path / "run" / "judge.json").read_text())["passed"] == 1
    assert "int main" in (tmp_path / "run" / "best.c").read_text()
    monkeypatch.chdir("/")
    for command in ("resume", "replay"):
        code, told = typed(command, tmp_path / "run")
        assert code == 0, told
    code, told = typed("export", tmp_path / "run", "--out", tmp_path / "exported")
    assert code == 0, told
    assert (tmp_path / "exported" / "best.c").exists()


def test_a_changed_record_runs_programs_anew_and_another_language_is_refused(typed, tmp_path):
    model = f"scripted:{tmp_path / 'm.py'}:reply"
    typed("solve", "double.yaml", "--language", "records/mine.yaml", "--model", model, "--out", "run")
    with (tmp_path / "records" / "mine.yaml").open("a") as file:
        file.write("environment: {LC_ALL: C}\n")
    code, told = typed("replay", tmp_path / "run", "--re-execute")
    assert code == 0, told
    assert "0 with other verdicts" in told
    code, told = typed("solve", "double.yaml", "--language", "cpp", "--model", model, "--out", "other")
    assert code == 2
    assert "mine.yaml" in told
