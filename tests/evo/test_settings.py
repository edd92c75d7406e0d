"""Settings: layers in order, and every mistake in one line with the nearest right thing."""

import re

import pytest

from evaluators.exceptions import UserError
from evo.settings_sources import known_keys, settings_from


def test_each_source_overrides_the_one_before(tmp_path):
    config = tmp_path / "evo.yaml"
    config.write_text("seed: 3\nbudget:\n  programs: 7\nseidr:\n  repairs: 5\n")
    settings = settings_from(
        preset="released-telo",
        config=config,
        options={"seed": 4, "budget.usd": None},
        assignments=["seidr.failing_cases=2", "sampling.temperature=null"],
    )
    assert (settings.seed, settings.budget.programs, settings.budget.tokens) == (4, 7, None)
    assert (settings.seidr.drafts, settings.seidr.repairs, settings.seidr.explanations) == (10, 5, 2)
    assert settings.seidr.failing_cases == 2
    assert settings.sampling.temperature is None
    assert settings.selection == "truncation"


def test_arity_is_a_shorthand_that_single_settings_override():
    settings = settings_from(preset="released-gecco", options={"seidr.arity": 3}, assignments=["seidr.repairs=1"])
    assert (settings.seidr.drafts, settings.seidr.beam_width, settings.seidr.repairs) == (3, 3, 1)


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("sed=3", "unknown setting 'sed'.*did you mean 'seed'"),
        ("seidr.repair=3", "unknown setting 'seidr.repair'.*did you mean 'seidr.repairs'"),
        ("budget.program=3", "did you mean 'budget.programs'"),
        ("budget.programs=many", "setting budget.programs is 'many', but must be a whole number"),
        ("budget.programs=1.5", r"is 1\.5, but must be a whole number"),
        ("budget.programs=0", "is 0, but must be at least 1"),
        ("system=seider", "setting system is 'seider': allowed are seidr, best-of-n; did you mean 'seidr'"),
        ("seidr.arity=0", "seidr.arity is 0"),
        ("seidr.repairs=-1", "repairs is -1, and must be at least 1"),
        ("models.debugg=x", "unknown setting 'models.debugg': .*did you mean 'models.debug'"),
        ("samplings.debugg={}", "samplings.debugg names no operator: allowed are synthesize, instruct, debug"),
        ("seed", "write it as --set seidr.repairs=2"),
        ("seed=[", "no YAML"),
        ("seed.x=1", "setting seed"),
        ("sampling.temperature=9", "is 9, but must be at most 2$"),
        ("sampling.temperature=.nan", "is nan, but must be a finite number"),
        ("sampling.temperature=hot", "is 'hot', but must be a number"),
        ("sampling.top_p=0", "is 0, but must be above 0$"),
        ("sampling.stop=x", r"is 'x', but must be a list, as \[a, b\]"),
        ("seed=9223372036854775808", "but must be below 9223372036854775808"),
        ("model=3", "setting model is 3, but must be text"),
        ("sandbox.allow_weak=perhaps", "but must be true or false"),
        ("endpoint.headers=x", "but must be keys and values"),
        ("seidr=3", "setting seidr is 3, but must be keys and values"),
        ("endpoint=3", "setting endpoint is 3, but must be keys and values"),
        ("price.input_usd_per_million=1", "setting price.output_usd_per_million is missing"),
        ("models.fallback=3", "setting models.fallback is 3, but must be keys and values"),
        ("models.fallback.rest_seconds=1", "setting models.fallback.model is missing"),
        ("models.fallback.rest=1", "did you mean 'models.fallback.rest_seconds'"),
        ("seidr.explain=modle", "allowed are model, static; did you mean 'model'"),
        ("budget.usd=nan", "setting budget.usd"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_type(assignment, told):
    with pytest.raises(UserError, match=told) as error:
        settings_from(assignments=[assignment])
    assert "\n" not in str(error.value)
    assert not re.search("[Ii]nput|valid|instance", str(error.value)), "these are pydantic's words"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"seed: [", "no YAML file"),
        (b"- 1\n", "holds a list"),
        (b"\xff\xfe\x00", "no YAML file"),
        (b"budgett:\n  programs: 3\n", "did you mean 'budget'"),
    ],
)
def test_a_bad_file_is_told(tmp_path, content, told):
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError, match=told) as error:
        settings_from(config=path)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        settings_from(config=tmp_path / "none.yaml")


def test_an_empty_file_with_a_byte_order_mark_sets_nothing(tmp_path):
    path = tmp_path / "empty.yaml"
    path.write_bytes(b"\xef\xbb\xbf# nothing\r\n")
    assert settings_from(config=path) == settings_from()


def test_an_unknown_preset_is_told():
    with pytest.raises(UserError, match="did you mean 'released-telo'"):
        settings_from(preset="relased-telo")


def test_known_keys_are_dotted_and_complete():
    keys = known_keys()
    assert {"seed", "seidr.arity", "seidr.repairs", "budget.usd", "endpoint.headers", "sampling.max_tokens"} <= set(
        keys
    )


def test_a_header_takes_its_secret_from_the_environment_and_records_none(monkeypatch):
    from evo.session import _expanded

    monkeypatch.setenv("GATEWAY_KEY", "secret-7")
    assert _expanded("x-key", "Bearer ${GATEWAY_KEY}") == "Bearer secret-7"
    with pytest.raises(UserError, match="export NO_SUCH_KEY"):
        _expanded("x-key", "${NO_SUCH_KEY}")
    settings = settings_from(assignments=["endpoint.headers={x-key: 'Bearer ${GATEWAY_KEY}'}"])
    assert "secret-7" not in settings.model_dump_json()
