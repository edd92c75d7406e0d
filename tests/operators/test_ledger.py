from __future__ import annotations

import pytest
import yaml

from operators.models import prices
from operators.models.chat import Completion, Price, Usage
from operators.models.ledger import Ledger, Spending
from operators.models.prices import ON_THIS_MACHINE, list_price


def test_spending_by_operator_and_in_total() -> None:
    price = Price(1.0, 10.0)
    first = Completion("a", Usage(1000, 100, 400, 50), attempts=3)
    ledger = Ledger().answered("debug", first, price).answered("debug", Completion("b", Usage(1, 2)), price)
    ledger = ledger.answered("instruct", Completion("c", Usage(10, 20)), price)
    debug = ledger.by_operator["debug"]
    assert (debug.calls, debug.retries, debug.failures) == (2, 2, 0)
    assert (debug.prompt_tokens, debug.completion_tokens, debug.total_tokens) == (1001, 102, 1103)
    assert (debug.cached_prompt_tokens, debug.reasoning_tokens) == (400, 50)
    assert debug.usd == pytest.approx(0.002021)
    assert ledger.total.calls == 3
    assert ledger.total.usd == pytest.approx(0.002231)


def test_unknown_price_makes_the_sum_unknown_and_free_does_not() -> None:
    paid = Ledger().answered("a", Completion("", Usage(1, 1)), Price(1, 1))
    assert paid.answered("b", Completion(""), None).total.usd is None
    assert paid.answered("b", Completion(""), ON_THIS_MACHINE).total.usd == pytest.approx(2e-6)


def test_calls_given_up_are_counted() -> None:
    ledger = Ledger().given_up("debug", 7).answered("debug", Completion("", attempts=2), None)
    assert ledger.by_operator["debug"] == Spending(calls=1, retries=8, failures=1, usd=None)


def test_ledgers_add_up_and_stay_values() -> None:
    one = Ledger().answered("a", Completion("", Usage(1, 2)), ON_THIS_MACHINE)
    two = Ledger().answered("a", Completion("", Usage(10, 20)), ON_THIS_MACHINE).given_up("b", 1)
    both = one + two
    assert both.by_operator["a"].total_tokens == 33
    assert both.by_operator["b"].failures == 1
    assert one.total.total_tokens == 3
    assert Ledger().total == Spending()


def test_list_prices_have_a_source_and_a_day_and_an_exact_name() -> None:
    table = prices._table()
    assert len({(entry["endpoint"], entry["model"]) for entry in table}) == len(table)
    for entry in table:
        assert 0 < entry["input"] < entry["output"]
        assert "20" in entry["source"]
    assert yaml.safe_dump(table)
    assert list_price("gpt-4.1", "api.openai.com") is not None
    assert list_price("gpt-4.1-2025-04-14", "api.openai.com") is None
    assert list_price("GPT-4.1", "api.openai.com") is None
