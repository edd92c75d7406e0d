"""A second model by configuration: the search goes on with it, each answer costs its own price, no key is kept."""

import contextlib
import json
from pathlib import Path

import pytest

from evo.cli.app import main
from evo.journal_reader import JournalReader
from operators.models.stub_endpoint import StubEndpoint, answer, error

PROGRAM = "```python\nprint(0)  # %d\n```"
KEYS = {"OPENAI_API_KEY": "sk-first-4711", "FALLBACK_API_KEY": "sk-second-0815"}


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["evo", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code or 0, told.out, told.err

    return run


def solve_options(first, second, *more):
    settings = {
        "endpoint.base_url": first.base_url,
        "endpoint.max_retries": 0,
        "models.fallback.model": "second-model",
        "models.fallback.base_url": second.base_url,
        "models.fallback.rest_seconds": 0,
        "models.fallback.price": "{input_usd_per_million: 1000, output_usd_per_million: 10000}",
        "price": "{input_usd_per_million: 100000, output_usd_per_million: 1000000}",
        "problem.visible": 3,
        "problem.hidden": 3,
    }
    assignments = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    return ["--model", "first-model", "--concurrency", 1, "--out", "all/run", *assignments, *more]


def test_the_search_goes_on_with_the_second_model_and_counts_its_price(typed):
    """The first endpoint answers twice, and is down from then on."""

    def failing(request):
        return answer(PROGRAM % request.number) if request.number <= 2 else error(500)

    with (
        StubEndpoint(failing) as first,
        StubEndpoint(lambda request: answer(PROGRAM % (100 + request.number))) as second,
    ):
        code, out, err = typed(
            "solve",
            "gcd",
            *solve_options(first, second, "--budget-programs", 6, "--set", "seidr.explain=static"),
            "--json",
        )
    assert code == 1, err
    result = json.loads(out)
    # A stub's answer has 10 + 5 tokens: 6 USD from the first model, 0.06 from the second.
    assert (result["programs"], result["calls"]) == (6, 6)
    assert result["usd"] == pytest.approx(2 * 6 + 4 * 0.06)
    assert {request.headers["authorization"] for request in first.requests} == {"Bearer sk-first-4711"}
    assert {request.headers["authorization"] for request in second.requests} == {"Bearer sk-second-0815"}
    assert {request.body["model"] for request in second.requests} == {"second-model"}

    code, out, _ = typed("show", "all/run")
    assert f"model: first-model at {first.base_url}, or else second-model at {second.base_url}\n" in out
    assert f"answers: 4 by second-model at {second.base_url}, 2 by stub\n" in out
    shown = json.loads(typed("show", "all/run", "--json")[1])
    assert shown["settings"]["models"]["fallback"]["model"] == "second-model"
    assert json.loads(typed("runs", "all", "--json")[1])["usd"] == pytest.approx(result["usd"])
    replayed = json.loads(typed("replay", "all/run", "--json")[1])
    assert replayed["usd"] == pytest.approx(result["usd"])

    assert typed("export", "all/run")[0] == 0
    with contextlib.closing(JournalReader(Path("all/run"))) as reader:
        kept = repr(reader.meta) + "".join(path.read_text() for path in Path("all/run").rglob("*.json*"))
    assert "second-model" in kept
    assert "FALLBACK_API_KEY" in kept
    assert not any(key in kept for key in KEYS.values())


def test_a_second_model_at_the_same_endpoint_is_a_name_alone(typed):
    def by_model(request):
        return answer(PROGRAM % request.number) if request.body["model"] == "other" else error(503)

    with StubEndpoint(by_model) as endpoint:
        code, _, err = typed(
            "solve", "gcd", "--model", "first-model", "--out", "run", "--budget-programs", 2,
            *[part for name in (f"endpoint.base_url={endpoint.base_url}", "endpoint.max_retries=0",
                                "models.fallback=other", "problem.visible=3", "problem.hidden=3")
              for part in ("--set", name)],
        )  # fmt: skip
    assert code == 1, err
    assert {request.headers["authorization"] for request in endpoint.requests} == {"Bearer sk-first-4711"}
    assert {request.body["model"] for request in endpoint.requests} == {"first-model", "other"}


def test_a_budget_of_money_needs_the_price_of_both(typed):
    with StubEndpoint() as endpoint:
        options = [
            part
            for name in (f"endpoint.base_url={endpoint.base_url}", "models.fallback=other", "budget.usd=1",
                         "price={input_usd_per_million: 1, output_usd_per_million: 1}")
            for part in ("--set", name)
        ]  # fmt: skip
        code, _, err = typed("solve", "gcd", "--model", "first-model", *options)
    assert code == 2
    assert "needs a price" in err
    assert not endpoint.requests


def test_the_judge_is_given_neither_key(monkeypatch):
    from evo.judge import _without_keys
    from evo.settings_sources import settings_from
    from evo.task import prepare

    monkeypatch.setenv("OTHER_KEY", "sk-third")
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    options = {
        "models.fallback": {"model": "m", "key_variable": "OTHER_KEY"},
        "endpoint.key_variable": "FALLBACK_API_KEY",
    }
    task = prepare("gcd", settings_from(options=options))
    assert not {*KEYS, "OTHER_KEY"} & set(_without_keys(task))
