"""The file of verdicts: nothing finished is lost, and nothing is taken that does not belong there."""

import json
from pathlib import Path

import pytest

from benchmarks.judging.verdict_file import ReferenceRecord, VerdictFile
from benchmarks.judging.verdicts import SampleVerdict
from evaluators.exceptions import InfrastructureError, UserError

HEADER = {"suite": "human-eval", "language": "python", "dataset_digest": "d", "evo": "0"}
RIGHT = SampleVerdict(True, True, True, "pass", "", 3, "", 0.1)
WRONG = SampleVerdict(False, False, False, "wrong_answer", "call-2", 3, "", 0.1)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    file = VerdictFile(path, HEADER)
    file.add_reference(ReferenceRecord("t/0", "r", (("call-1", "why"),), 3))
    file.add_verdict("t/0", 0, "one", RIGHT, False)
    file.add_verdict("t/0", 1, "two", WRONG, True)
    file.add_summary({"pass@1": 0.5})
    file.close()
    return path


def test_what_was_written_is_there_again(path):
    before = path.read_bytes()
    file = VerdictFile(path, HEADER)
    assert file.verdicts == {"one": RIGHT, "two": WRONG}
    assert file.references["r"].failures == (("call-1", "why"),)
    assert file.has_line("t/0", 1, "two")
    assert not file.has_line("t/0", 2, "two")
    assert file.dropped_bytes == 0
    file.close()
    assert path.read_bytes().startswith(before)


def test_it_may_be_cut_off_at_any_byte(path):
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        file = VerdictFile(path, HEADER)
        complete = whole[: whole.rfind(b"\n", 0, size) + 1]
        assert file.dropped_bytes == size - len(complete)
        assert len(file.verdicts) == complete.count(b'"kind": "verdict"')
        file.add_verdict("t/1", 0, "new", RIGHT, False)
        file.close()
        again = VerdictFile(path, HEADER)
        assert "new" in again.verdicts
        again.close()


@pytest.mark.parametrize("name", ["suite", "language", "dataset_digest"])
def test_a_file_of_something_else_is_refused_and_left_alone(path, name):
    before = path.read_bytes()
    with pytest.raises(UserError, match="choose another file with --out"):
        VerdictFile(path, {**HEADER, name: "other"})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    ["[]", "nothing", '{"kind": "verdict"}', '{"kind": "other"}', '{"kind": "reference", "failures": 3}', "\\ff", ""],
)
def test_a_damaged_line_is_told_by_its_number(path, line):
    lines = path.read_text().split("\n")
    lines.insert(2, line)
    path.write_text("\n".join(lines))
    before = path.read_bytes()
    with pytest.raises(UserError, match="line 3: no line of a file of verdicts"):
        VerdictFile(path, HEADER)
    assert path.read_bytes() == before


def test_a_file_of_another_kind_is_not_written_to(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text('{"task_id": "HumanEval/0", "completion": ""}\n')
    with pytest.raises(UserError, match="line 1: no line of a file of verdicts"):
        VerdictFile(path, HEADER)
    assert path.read_text().count("\n") == 1


def test_a_newer_version_is_refused(path):
    path.write_text(json.dumps({"kind": "header", "version": 2, **HEADER}) + "\n")
    with pytest.raises(UserError, match="another version of evo"):
        VerdictFile(path, HEADER)


def test_two_cannot_write_at_once(path):
    file = VerdictFile(path, HEADER)
    with pytest.raises(UserError, match="in use by another"):
        VerdictFile(path, HEADER)
    file.close()
    VerdictFile(path, HEADER).close()


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(UserError, match="--out"):
        VerdictFile(tmp_path / "none" / "verdicts.jsonl", HEADER)


def test_a_full_disk_is_no_verdict(path):
    file = VerdictFile(path, HEADER)
    file._file = Path("/dev/full").open("ab", buffering=0)  # noqa: SIM115 - stands for a disk without room
    with pytest.raises(InfrastructureError, match="run it again later"):
        file.add_verdict("t/1", 0, "three", RIGHT, False)
    file.close()
