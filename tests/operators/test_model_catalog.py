from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from evaluators.exceptions import UserError
from operators.models.catalog import open_model
from operators.models.chat import ChatModel, ChatRequest, Message, Price, Sampling
from operators.models.openai_endpoint import OpenAIModel
from operators.models.recorded import Recorder
from operators.models.scripted import ScriptedModel

REQUEST = ChatRequest((Message("user", "hello"),), Sampling(), 1, ("a",), "debug")


@pytest.fixture(autouse=True)
def no_endpoint_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def opened(name: str, **options: object) -> ChatModel:
    return asyncio.run(open_model(name, **options))  # type: ignore[arg-type]


def test_endpoint_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://example.test/v1")
    model = opened("some-model", concurrency=3, price=Price(1, 2), quirks={"temperature": False})
    assert isinstance(model, OpenAIModel)
    assert model.identity == "some-model at https://example.test/v1"
    assert (model.concurrency, model.price) == (3, Price(1, 2))
    assert opened("some-model", base_url="https://other.test/v1").identity == "some-model at https://other.test/v1"


def test_missing_key_is_said_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"set OPENAI_API_KEY.*--model embedded"):
        opened("gpt-4o-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert opened("gpt-4o-mini").identity == "gpt-4o-mini at https://api.openai.com/v1"


def test_key_of_another_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="set OTHER_KEY"):
        opened("gpt-4o-mini", key_variable="OTHER_KEY")
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    assert opened("gpt-4o-mini", key_variable="OTHER_KEY").identity == "gpt-4o-mini at https://api.openai.com/v1"
    with pytest.raises(UserError, match="characters that no key has"):
        opened("gpt-4o-mini", api_key="sk-\u00e4")


def test_wrong_quirk_and_empty_name_are_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'temperature'"):
        opened("m", base_url="http://127.0.0.1:1/v1", quirks={"temprature": False})
    with pytest.raises(UserError, match="name is empty"):
        opened(" ")


def test_script_of_a_function_and_of_a_model(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "from operators.models.scripted import ScriptedModel\n"
        "def reply(request):\n    return f'you said {request.messages[0].content}'\n"
        "model = ScriptedModel(reply, identity='my model')\nnumber = 5\n"
    )
    model = opened(f"scripted:{script}:reply")
    assert model.identity == "scripted mine.py:reply"
    assert asyncio.run(model.complete(REQUEST)).text == "you said hello"
    assert opened(f"scripted:{script}:model").identity == "my model"
    with pytest.raises(UserError, match="did you mean 'reply'"):
        opened(f"scripted:{script}:repli")
    with pytest.raises(UserError, match="no function from request to text"):
        opened(f"scripted:{script}:number")
    with pytest.raises(UserError, match=r"scripted:FILE\.py:ATTRIBUTE"):
        opened("scripted:none.txt:reply")
    with pytest.raises(UserError, match=r"there is no such file; .*did you mean '.*/mine\.py'"):
        opened(f"scripted:{tmp_path / 'mime.py'}:reply")


def test_cassette(tmp_path: Path) -> None:
    async def record() -> None:
        recorder = Recorder(ScriptedModel(lambda _: "recorded"), tmp_path / "a.jsonl")
        await recorder.complete(REQUEST)
        await recorder.close()

    asyncio.run(record())
    model = opened(f"recorded:{tmp_path / 'a.jsonl'}")
    assert asyncio.run(model.complete(REQUEST)).text == "recorded"


def test_model_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: "a runtime")
    assert opened("embedded", slots=4).concurrency == 4
    with pytest.raises(UserError, match=r"none\.gguf does not exist"):
        opened("none.gguf")
