from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluators.exceptions import InfrastructureError, UserError
from operators.models.chat import ChatRequest, Completion, FinishReason, Message, PathPart, Price, Sampling, Usage
from operators.models.recorded import RecordedModel, Recorder
from operators.models.scripted import ScriptedModel
from operators.prompts.template import prompt_digests


def request(text: str, *path: PathPart, seed: int = 3, **sampling: object) -> ChatRequest:
    drawn = replace(Sampling(0.7, 50, stop=("END",), extra={"top_k": 5}), **sampling)  # type: ignore[arg-type]
    return ChatRequest((Message("system", "Be short."), Message("user", text)), drawn, seed, path, "debug")


ODD = Completion("\ud800 ä\n```", Usage(1, 2, 3, 4), FinishReason.LENGTH, "m-1", 0.25, 2)


def reply(asked: ChatRequest) -> str | Completion:
    text = asked.messages[1].content
    if text == "odd":
        return ODD
    if text == "wrong key":
        raise UserError("no key")
    if text == "down":
        raise InfrastructureError("no line")
    return f"answer to {text}"


def record(path: Path, *requests: ChatRequest) -> None:
    async def all_of_them() -> None:
        model = Recorder(ScriptedModel(reply, identity="script-1", concurrency=5), path, settings={"arity": 2})
        assert (model.identity, model.concurrency, model.price) == ("script-1", 5, None)
        for asked in requests:
            try:
                await model.complete(asked)
            except (UserError, InfrastructureError):
                continue
        await model.close()

    asyncio.run(all_of_them())


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    first, odd = request("one", "draft", 1), request("odd", "draft", 2)
    record(cassette, first, odd)
    model = RecordedModel(cassette)
    assert (model.identity, model.concurrency, model.price) == ("script-1", 5, Price(0, 0, "replayed"))
    assert asyncio.run(model.complete(first)).text == "answer to one"
    assert asyncio.run(model.complete(odd)) == ODD
    assert model.changed_prompts == ()


def test_errors_are_replayed_as_they_were(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    record(cassette, request("wrong key", 1), request("down", 2))
    model = RecordedModel(cassette)
    with pytest.raises(UserError, match="no key"):
        asyncio.run(model.complete(request("wrong key", 1)))
    with pytest.raises(InfrastructureError, match="no line"):
        asyncio.run(model.complete(request("down", 2)))


def test_order_of_answers_leaves_no_trace(tmp_path: Path) -> None:
    requests = [request("one", "draft", 10), request("two", "draft", 9), request("three", 2, "x"), request("four")]
    record(tmp_path / "a.jsonl", *requests)
    record(tmp_path / "b.jsonl", *reversed(requests))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_answers_are_on_disk_before_the_recorder_is_closed(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    asyncio.run(Recorder(ScriptedModel(reply), cassette).complete(request("one", 1)))
    assert asyncio.run(RecordedModel(cassette).complete(request("one", 1))).text == "answer to one"


def recorder(path: Path, *, identity: str = "script-1", arity: int = 2, concurrency: int = 5) -> Recorder:
    model = ScriptedModel(reply, identity=identity, concurrency=concurrency)
    return Recorder(model, path, settings={"arity": arity, "names": ("a", "b")})


def texts(path: Path) -> dict[str, str]:
    lines = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    return {line["request"]["messages"][1]["content"]: line["completion"]["text"] for line in lines}


@pytest.mark.parametrize("killed", [False, True])
def test_recording_goes_on_where_it_was_left(tmp_path: Path, killed: bool) -> None:
    cassette = tmp_path / "a.jsonl"

    async def one(asked: ChatRequest) -> None:
        model = recorder(cassette)
        await model.complete(asked)
        if not killed:
            await model.close()

    for name, place in (("one", 2), ("two", 1), ("three", 3)):
        asyncio.run(one(request(name, place)))
    assert texts(cassette) == {name: f"answer to {name}" for name in ("one", "two", "three")}
    asyncio.run(recorder(cassette).close())
    assert list(texts(cassette)) == ["two", "one", "three"]


def test_half_a_line_of_a_killed_recording_is_asked_for_again(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    first, second = request("one", 1), request("two", 2)

    async def both() -> None:
        model = recorder(cassette)
        await model.complete(first)
        await model.complete(second)

    asyncio.run(both())
    whole = cassette.read_bytes()
    cassette.write_bytes(whole[:-9])
    assert asyncio.run(RecordedModel(cassette).complete(first)).text == "answer to one"
    with pytest.raises(UserError, match="holds no answer"):
        asyncio.run(RecordedModel(cassette).complete(second))
    asyncio.run(recorder(cassette).complete(second))
    assert cassette.read_bytes() == whole


def test_later_answer_to_the_same_request_counts(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    record(cassette, request("down", 1))
    again = Recorder(
        ScriptedModel(lambda _: "back", identity="script-1", concurrency=5), cassette, settings={"arity": 2}
    )
    asyncio.run(again.complete(request("down", 1)))
    asyncio.run(again.close())
    assert texts(cassette) == {"down": "back"}
    assert asyncio.run(RecordedModel(cassette).complete(request("down", 1))).text == "back"


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"identity": "script-2"}, "another identity"),
        ({"arity": 3}, "another settings"),
        ({"identity": "script-2", "arity": 3}, "another identity and another settings"),
    ],
)
def test_recording_of_something_else_is_not_gone_on_with(
    tmp_path: Path, other: dict[str, str | int], difference: str
) -> None:
    cassette = tmp_path / "a.jsonl"
    asyncio.run(recorder(cassette).complete(request("one", 1)))
    before = cassette.read_bytes()
    with pytest.raises(UserError, match=rf"was begun with {difference}: give another file with --record"):
        recorder(cassette, **other)  # type: ignore[arg-type]
    assert cassette.read_bytes() == before


@pytest.mark.parametrize("text", ["my notes\n", "[1, 2]\n", "{}\n{}\n", "\xff"])
def test_file_that_is_no_cassette_is_not_written_over(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text, "latin-1")
    with pytest.raises(UserError, match=r"is no cassette|was begun with"):
        recorder(file)
    assert file.read_text("latin-1") == text


def test_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        recorder(tmp_path / "none" / "a.jsonl")


def test_cassette_that_vanishes_is_no_lost_answer_without_a_word(tmp_path: Path) -> None:
    folder = tmp_path / "soon gone"
    folder.mkdir()
    model = recorder(folder / "a.jsonl")
    (folder / "a.jsonl").unlink()
    folder.rmdir()
    with pytest.raises(InfrastructureError, match="cannot be written"):
        asyncio.run(model.complete(request("one", 1)))


def test_header_names_model_settings_and_prompts(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    record(cassette, request("one", 1))
    header = json.loads(cassette.read_text().splitlines()[0])
    assert header["identity"] == "script-1"
    assert header["settings"] == {"arity": 2}
    assert header["prompts"] == prompt_digests()


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        (request("one", "draft", 2), r"another path: \('draft', 1\) was recorded, \('draft', 2\) is asked"),
        (request("one", "draft", 1, seed=4), "another seed: 3 was recorded, 4 is asked"),
        (request("one", "draft", 1, temperature=0.9), r"another temperature: 0\.7 was recorded, 0\.9 is asked"),
        (request("one", "draft", 1, extra={"top_k": 6}), "another extra"),
        (
            request("ono", "draft", 1),
            r"another message 2 \(user\), first at character 2: 'e' was recorded, 'o' is asked",
        ),
        (
            replace(request("one", "draft", 1), messages=(Message("system", "Be short."),)),
            "another number of messages: 2 were recorded, 1 are asked",
        ),
    ],
)
def test_missing_answer_shows_the_nearest_and_the_first_difference(
    tmp_path: Path, asked: ChatRequest, difference: str
) -> None:
    record(tmp_path / "a.jsonl", request("other", "instruct", 1), request("one", "draft", 1))
    with pytest.raises(UserError, match=rf"nearest one, at \['draft', 1\], has {difference}"):
        asyncio.run(RecordedModel(tmp_path / "a.jsonl").complete(asked))


def test_changed_prompt_files_are_named(tmp_path: Path) -> None:
    cassette = tmp_path / "a.jsonl"
    record(cassette, request("one", 1))
    header, *lines = cassette.read_text().splitlines()
    changed = json.loads(header)
    changed["prompts"]["debug"] = "0" * 64
    cassette.write_text("\n".join([json.dumps(changed), *lines]))
    model = RecordedModel(cassette)
    assert model.changed_prompts == ("debug",)
    with pytest.raises(UserError, match="these prompt files have changed: debug"):
        asyncio.run(model.complete(request("two", 1)))


def test_empty_cassette_has_no_nearest(tmp_path: Path) -> None:
    record(tmp_path / "a.jsonl")
    with pytest.raises(UserError, match="it is empty"):
        asyncio.run(RecordedModel(tmp_path / "a.jsonl").complete(request("one", 1)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no cassette"),
        ("[1, 2]\n", "is no cassette"),
        ("{not json}\n", "is no cassette"),
        ('{"cassette": 99, "identity": "x", "prompts": {}}\n', "has version 99"),
        ('{"cassette": 1, "identity": "x", "prompts": {}}\n{"request": {}}\n', "is no cassette"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        RecordedModel(file)


def test_missing_file_is_the_users_to_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        RecordedModel(tmp_path / "none.jsonl")
