"""Settings: layers in order, and every mistake in one line with the nearest right thing."""

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
        ("budget.programs=many", "setting budget.programs is 'many': .*valid integer"),
        ("budget.programs=0", "greater than or equal to 1"),
        ("system=seider", "setting system is 'seider'.*'seidr' or 'best-of-n'"),
        ("seidr.arity=0", "seidr.arity is 0"),
        ("seidr.repairs=-1", "repairs is -1, and must be at least 1"),
        ("models.debugg=x", "models.debugg names no operator: allowed are synthesize, instruct, debug"),
        ("seed", "write it as --set seidr.repairs=2"),
        ("seed=[", "no YAML"),
        ("seed.x=1", "setting seed"),
        ("sampling.temperature=9", "less than or equal to 2"),
        ("seidr.explain=modle", "'model' or 'static'"),
        ("budget.usd=nan", "setting budget.usd"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_type(assignment, told):
    with pytest.raises(UserError, match=told) as error:
        settings_from(assignments=[assignment])
    assert "\n" not in str(error.value)


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
