"""The same configuration and seed give byte-equal results, whatever the concurrency and the order of answers."""

import json
from pathlib import Path

import pytest

from evo.journal_reader import JournalReader
from evo.stop import StopReason
from evo.testing import Ladder
from operators.models.chat import Price

SEARCHES = {
    "solved": {"seidr__arity": 3, "budget__programs": 200},
    "programs": {"seidr__arity": 2, "budget__programs": 23},
    "tokens": {"seidr__arity": 3, "budget__programs": None, "budget__tokens": 60_000},
    "static": {"seidr__arity": 3, "seidr__explain": "static", "budget__programs": 60},
    "plus": {"seidr__arity": 4, "seidr__replacement": "plus", "seidr__explanations": 2, "budget__programs": 60},
    "chain": {"seidr__arity": 1, "budget__programs": 20},
    "best of n": {"system": "best-of-n", "budget__programs": 30},
    "tournament": {"selection": "tournament:size=2", "seidr__arity": 3, "budget__programs": 50},
}


def kept(folder: str) -> tuple[bytes, str]:
    reader = JournalReader(Path(folder))
    individuals = json.dumps(reader.individuals())
    reader.close()
    return (Path(folder) / "result.json").read_bytes(), individuals


@pytest.mark.parametrize("name", SEARCHES)
def test_results_are_byte_equal_at_concurrency_1_and_16(searched, name):
    ladder = Ladder(cases=6 if name == "solved" else 12, climbing=0.3)
    for seed in range(3):
        one = searched(ladder, concurrency=1, seed=seed, **SEARCHES[name])
        many = searched(ladder, concurrency=16, salt=seed + 1, seed=seed, **SEARCHES[name])
        assert kept(one.folder) == kept(many.folder)
        assert len(one.individuals) > 1


def test_money_stops_at_the_same_program_at_any_concurrency(searched):
    price = Price(1.0, 2.0, "test")
    results = [
        searched(Ladder(cases=12), concurrency=c, salt=c, price=price, budget__usd=0.05, budget__programs=None)
        for c in (1, 3, 16)
    ]
    assert {result.stop_reason for result in results} == {StopReason.MONEY}
    assert len({kept(result.folder) for result in results}) == 1
    for result in results:
        assert result.spent.usd + result.speculative.usd <= 0.05


def test_another_seed_is_another_search(searched):
    assert kept(searched(seed=1).folder) != kept(searched(seed=2).folder)


@pytest.mark.parametrize("budget", [{"budget__programs": 17}, {"budget__programs": None, "budget__tokens": 45_000}])
def test_no_budget_is_exceeded_speculation_included(searched, budget):
    for salt in range(6):
        result = searched(Ladder(cases=30), concurrency=1 + salt, salt=salt, seed=salt, seidr__arity=3, **budget)
        total = result.spent + result.speculative
        if "budget__tokens" in budget:
            assert result.stop_reason is StopReason.TOKENS
            assert total.tokens <= 45_000
        else:
            assert result.stop_reason is StopReason.PROGRAMS
            assert result.spent.programs == 17
            assert total.programs <= 17
