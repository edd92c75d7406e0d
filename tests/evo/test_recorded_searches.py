"""Whole searches with the embedded model's recorded answers: programs really run, and the repair really repairs."""

import asyncio
import json
from pathlib import Path

import pytest

from evo.session import Session, begin
from evo.settings_sources import validated
from evo.task import prepare

CASSETTES = Path(__file__).parent / "cassettes"
EXAMPLES = Path(__file__).parents[2] / "examples" / "problems"


def replayed(name, problem, folder):
    cassette = CASSETTES / f"{name}.jsonl"
    header = json.loads(cassette.read_text().partition("\n")[0])
    settings = validated(header["settings"] | {"model": f"recorded:{cassette}"})
    return asyncio.run(begin(prepare(problem, settings), folder, Session(judged=True)))


def test_no_draft_passes_and_a_repair_does(tmp_path):
    result = replayed("mean-of-readings", EXAMPLES / "mean-of-readings.yaml", tmp_path / "run")
    drafts = [each for each in result.individuals if each.operator == "synthesize"]
    assert len(drafts) == 2
    assert not any(each.judged.solved for each in drafts)
    assert result.best.operator == "debug"
    assert result.solved_visible
    assert result.judgement.solved
    by_id = {each.id: each for each in result.individuals}
    parent = by_id[result.best.parents[0]]
    assert parent.judged.pass_rate < 1
    assert result.best.advice


def test_a_draft_that_does_not_compile_costs_nothing_but_itself(tmp_path):
    result = replayed("gcd-cpp", "gcd", tmp_path / "run")
    assert [each.judged.compiled for each in result.individuals] == [False, True]
    assert result.solved
    assert (result.judgement.passed, result.judgement.cases) == (2000, 2000)


def test_a_search_that_asks_for_more_than_was_recorded_says_so(tmp_path):
    from evaluators.exceptions import UserError

    cassette = CASSETTES / "gcd-cpp.jsonl"
    header = json.loads(cassette.read_text().partition("\n")[0])
    settings = validated(header["settings"] | {"model": f"recorded:{cassette}", "seed": 2})
    with pytest.raises(UserError, match="recorded"):
        asyncio.run(begin(prepare("gcd", settings), tmp_path / "run", Session(judged=False)))
