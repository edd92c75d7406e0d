from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import operators.prompts
from operators.extraction import extract_program
from operators.models.chat import Message
from operators.prompts.template import Template, prompt_digests, template
from operators.prompts.text import block, clip, fenced

HELLO = Template.parse("hello", "# system\nBe {{tone}}.\n\n# user\nSay {{word}}, {{tone}}.\n\n# scrap\n{{word}}\n")


def test_parts_become_messages() -> None:
    assert HELLO.messages(tone="calm", word="yes") == (Message("system", "Be calm."), Message("user", "Say yes, calm."))
    assert HELLO.render("scrap", word="x") == "x"


def test_inserted_text_is_not_read_for_placeholders() -> None:
    assert HELLO.render("scrap", word="{{tone}} {{word}}") == "{{tone}} {{word}}"


@pytest.mark.parametrize("values", [{}, {"word": "a", "tone": "b"}, {"wrod": "a"}])
def test_missing_and_unknown_values_are_errors(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="part 'scrap'"):
        HELLO.render("scrap", **values)


def test_messages_are_as_strict() -> None:
    with pytest.raises(ValueError, match="unknown values"):
        HELLO.messages(tone="a", word="b", more="c")
    with pytest.raises(ValueError, match="missing values"):
        HELLO.messages(tone="a")


@pytest.mark.parametrize("text", ["no heading", "lost\n# user\nx", "# user\na\n# user\nb", ""])
def test_unclear_files_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="heading of its own"):
        Template.parse("bad", text)


def test_digests_are_those_of_the_files() -> None:
    folder = Path(operators.prompts.__file__).parent
    digests = prompt_digests()
    assert {"synthesize", "instruct", "debug", "problem", "report"} <= set(digests)
    assert digests["debug"] == hashlib.sha256((folder / "debug.md").read_bytes()).hexdigest()
    assert template("debug").digest == digests["debug"]


def test_every_message_prompt_begins_alike_so_that_a_prefix_cache_helps() -> None:
    beginnings = set()
    for name in ("synthesize", "instruct", "debug"):
        parts = template(name).parts
        beginnings.add((parts["system"], parts["user"].partition("{{problem}}")[0]))
    assert len(beginnings) == 1


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=400), st.integers(64, 200))
def test_clipped_text_keeps_its_cap_and_says_what_is_gone(text: str, limit: int) -> None:
    short = clip(text, limit)
    assert len(short.encode("utf-8", "surrogatepass")) <= limit
    if len(text.encode("utf-8", "surrogatepass")) <= limit:
        assert short == text
    else:
        cut = re.search(r"\n\[\.\.\. (\d+) characters cut \.\.\.\]\n", short)
        assert cut is not None
        assert len(short) - len(cut.group()) + int(cut.group(1)) == len(text)


@given(st.text(alphabet="`~x\n ", max_size=60))
def test_fenced_text_cannot_leave_its_fence(text: str) -> None:
    assert fenced(text, "python").splitlines()[-1] == fenced(text, "python").splitlines()[0].removesuffix("python")
    program = f"value = {text!r}\nprint(value)\n"
    assert extract_program(fenced(program, "python") + "\nThe end.\n", ("python",)).source == program


def test_longer_runs_of_backticks_give_longer_fences() -> None:
    assert fenced("a ``` b") == "````\na ``` b\n````"
    assert fenced("") == "```\n```"


@given(st.text(alphabet="`x\nä", max_size=900), st.integers(256, 400))
def test_blocks_keep_their_cap_with_their_fences(text: str, limit: int) -> None:
    made = block(text, limit, "python")
    assert len(made.encode()) <= limit
    opening, *inside, closing = made.split("\n")
    assert opening == f"{closing}python"
    assert all(closing not in line for line in inside)


@pytest.mark.parametrize("text", ["`" * 5000, ("`" * 70 + "\n") * 50, "x" * 5000])
def test_blocks_of_backticks_keep_their_cap(text: str) -> None:
    assert len(block(text, 256, "python")) <= 256
