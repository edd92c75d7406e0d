"""A user's folder with PSB2's own data sets."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.catalog import PROBLEMS, load_hidden_cases, load_problem, psb2_problem
from benchmarks.psb2.cases import cases
from evaluators.exceptions import UserError

HERE = Path(__file__).parent
DATA = Path(os.environ.get("EVO_TEST_DATA", HERE.parents[1].parent / "shared" / "data")) / "psb2"
LAYOUTS = ["PSB2/datasets/{}", "datasets/{}", "{}", "."]


def row(problem, case):
    answers = case.expected if len(problem.outputs) > 1 else (case.expected,)
    pairs = [(f"input{number}", value) for number, value in enumerate(case.input, 1)]
    return dict([*pairs, *((f"output{number}", value) for number, value in enumerate(answers, 1))])


def official(folder, name, rows=400, layout=LAYOUTS[0]):
    """Files in the format of the suite, of cases that its generator would not choose for seed 0."""
    problem = psb2_problem(name)
    edges, random = cases(problem, 99, len(problem.edge_inputs), rows, "function")
    place = folder / layout.format(name)
    place.mkdir(parents=True, exist_ok=True)
    for kind, chosen in (("edge", edges), ("random", random)):
        lines = [json.dumps(row(problem, case)) for case in chosen]
        (place / f"{name}-{kind}.json").write_text("\n".join(lines) + "\n")
    return place


def test_cases_are_those_of_the_folder(tmp_path):
    official(tmp_path, "find-pair")
    problem = load_problem("find-pair", visible=60, psb2_data=tmp_path)
    assert len(problem.cases) == 60
    assert [case.name for case in problem.cases[24:27]] == ["edge-25", "random-1", "random-2"]
    hidden = load_hidden_cases("find-pair", visible=60, hidden=300, psb2_data=tmp_path)
    mine = cases(psb2_problem("find-pair"), 99, 25, 400)
    everything = {case.input: case.expected for case in (*mine[0], *mine[1])}
    assert all(everything[case.input] == case.expected for case in (*problem.cases, *hidden))
    inputs = [case.input for case in (*problem.cases, *hidden)]
    assert len(set(inputs)) == 360
    assert problem.description == load_problem("find-pair").description


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_problem_in_both_modes(tmp_path, name):
    official(tmp_path, name, 80)
    for mode in ("stdio", "function"):
        visible = load_problem(name, mode=mode, psb2_data=tmp_path).cases
        assert len(visible) == 50
        hidden = load_hidden_cases(name, mode=mode, hidden=30, psb2_data=tmp_path)
        assert len({repr(case.input) for case in (*visible, *hidden)}) == 80


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(tmp_path, layout):
    official(tmp_path, "gcd", layout=layout)
    assert len(load_problem("gcd", psb2_data=tmp_path).cases) == 50


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@pytest.mark.skipif(not DATA.is_dir(), reason="needs the PSB2 edge cases: set EVO_TEST_DATA to a folder with psb2/")
def test_the_real_edge_cases_are_accepted(name):
    count = len(psb2_problem(name).edge_inputs)
    visible = load_problem(name, visible=count, psb2_data=DATA).cases
    assert {case.name for case in visible} == {f"edge-{number}" for number in range(1, count + 1)}
    assert {case.input for case in visible} == {case.input for case in load_problem(name, visible=count).cases}


def test_the_seed_chooses(tmp_path):
    official(tmp_path, "gcd")
    first, again, other = (load_problem("gcd", seed=seed, psb2_data=tmp_path).cases for seed in (0, 0, 1))
    assert first == again
    assert first[:6] == other[:6]
    assert first != other
    assert len(load_problem("gcd", visible=3, psb2_data=tmp_path).cases) == 3


def test_bom_carriage_returns_and_blank_lines_do_no_harm(tmp_path):
    place = official(tmp_path, "gcd")
    before = load_problem("gcd", psb2_data=tmp_path).cases
    for path in place.iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\r\n")
    assert load_problem("gcd", psb2_data=tmp_path).cases == before


def test_a_row_of_single_precision_is_left_out(tmp_path):
    place = official(tmp_path, "bouncing-balls", 60)
    lines = (place / "bouncing-balls-random.json").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for number in range(0, 60, 3):
        rows[number]["output1"] += 0.0011
    (place / "bouncing-balls-random.json").write_text("\n".join(map(json.dumps, rows)))
    hidden = load_hidden_cases("bouncing-balls", mode="function", visible=10, hidden=40, psb2_data=tmp_path)
    left_out = {rows[number]["input1"] for number in range(0, 60, 3)}
    assert not left_out & {case.input[0] for case in hidden}
    with pytest.raises(UserError, match=r"too few different cases: 41 are wanted .* 40 are there"):
        load_hidden_cases("bouncing-balls", visible=10, hidden=41, psb2_data=tmp_path)


def change(path, old, new):
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


DAMAGES = {
    "a web page": (lambda path: path.write_text("<?xml version='1.0'?>\n<Error>AccessDenied</Error>\n"), "web page"),
    "another format": (lambda path: path.write_text("input1,output1\n1,2\n"), "something else"),
    "empty": (lambda path: path.write_text("\n \n"), "empty"),
    "cut in a case": (lambda path: path.write_bytes(path.read_bytes()[:-9]), "ends in the middle of a case"),
    "wrong key": (lambda path: change(path, b"output1", b"output2"), "keys must be input1, input2, output1"),
    "wrong type": (lambda path: change(path, b'"input1": ', b'"input1": 0.5e0'), "but the signature says int"),
    "wrong answer": (lambda path: change(path, b'"output1": ', b'"output1": 7'), "is not the answer of gcd"),
    "no JSON": (lambda path: change(path, b'"input2": ', b'"input2" '), "not JSON"),
    "NaN": (lambda path: change(path, b'"output1": ', b'"output1": NaN, "x": '), "keys must be"),
    "bytes": (lambda path: change(path, b"output1", b"\xff\xfeutput1"), "not UTF-8"),
    "zeros": (lambda path: change(path, b'"output1"', b"\0" * 9), "not JSON"),
    "a very long line": (lambda path: path.write_bytes(b'{"a": "' + b"x" * 2**21 + b'"}'), "a line of 2097161 bytes"),
    "gone": (lambda path: path.unlink(), "holds no gcd-"),
}


@pytest.mark.parametrize("kind", ["edge", "random"])
@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_damaged_file_is_refused_by_name(tmp_path, kind, damage):
    path = official(tmp_path, "gcd") / f"gcd-{kind}.json"
    harm, words = DAMAGES[damage]
    harm(path)
    for load in (load_problem, load_hidden_cases):
        with pytest.raises(UserError) as caught:
            load("gcd", psb2_data=tmp_path)
        assert words in str(caught.value)
        assert f"gcd-{kind}.json" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_nan_as_an_answer_is_refused(tmp_path):
    path = official(tmp_path, "snow-day") / "snow-day-random.json"
    rows = [json.loads(line) | {"output1": float("nan")} for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(UserError, match="nan is not the answer of snow-day"):
        load_problem("snow-day", psb2_data=tmp_path)


def test_wrong_folders_and_numbers(tmp_path):
    with pytest.raises(UserError, match="there is no folder"):
        load_problem("gcd", psb2_data=tmp_path / "none")
    official(tmp_path, "gcd", 100)
    for arguments, words in (({"seed": -1}, "seed is -1"), ({"visible": 0}, "visible is 0")):
        with pytest.raises(UserError, match=words):
            load_problem("gcd", psb2_data=tmp_path, **arguments)
    with pytest.raises(UserError, match="hidden is -1"):
        load_hidden_cases("gcd", hidden=-1, psb2_data=tmp_path)
    with pytest.raises(UserError, match="too few different cases"):
        load_hidden_cases("gcd", psb2_data=tmp_path)
    with pytest.raises(UserError, match="leave the one or the other out"):
        load_problem("my.yaml", psb2_data=tmp_path)
