from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Evaluation, Execution
from evaluators.problem import Case, Limits, Named, Problem
from evaluators.records import (
    TOTAL_OUTPUT_BYTES,
    CutOutput,
    evaluation_from_record,
    evaluation_to_record,
    problem_from_record,
    problem_to_record,
)
from evaluators.signature import Signature
from evaluators.verdict import Verdict

OUTPUTS = st.one_of(
    st.none(),
    st.text(max_size=20),
    st.text(alphabet="aé\U0001f600\ud800\n", min_size=1, max_size=30).map(lambda text: text * 300),
    st.lists(st.integers() | st.text(max_size=3), max_size=5),
    st.tuples(st.booleans(), st.sets(st.text(max_size=3))),
    st.integers(min_value=100).map(lambda size: list(range(size % 3000))),
    st.just([10**5000]),
)
RESULTS = st.builds(
    CaseResult,
    verdict=st.sampled_from([v for v in Verdict if v is not Verdict.INFRA]),
    output=OUTPUTS,
    stderr=st.text(max_size=5).map(lambda text: text * 2000),
    detail=st.text(max_size=30),
    cpu_seconds=st.floats(0, 10),
    memory_bytes=st.integers(0, 2**40),
)


def evaluation_of(results, **facts):
    count = len(results)
    return Evaluation(
        Execution(tuple(results), **facts),
        np.arange(2 * count) / 3,
        np.repeat(np.arange(count), 2),
        np.ones(2 * count, dtype=bool),
        np.array([1.0 if result.verdict.passed else 0.25 for result in results]),
    )


def through_json(record):
    return json.loads(json.dumps(record, allow_nan=False))


@settings(max_examples=80, deadline=None)
@given(results=st.lists(RESULTS, max_size=30), compile_output=st.sampled_from(["", "x" * 50_000]))
def test_reading_back_is_a_fixed_point(results, compile_output):
    evaluation = evaluation_of(results, compile_output=compile_output, layers=("seccomp",), wall_seconds=0.25)
    record = through_json(evaluation_to_record(evaluation))
    again = evaluation_from_record(record)
    assert through_json(evaluation_to_record(again)) == record
    assert again.verdicts == evaluation.verdicts
    assert again.errors.tolist() == evaluation.errors.tolist()
    assert again.errors.dtype == np.float64
    assert again.column_case.tolist() == evaluation.column_case.tolist()
    assert again.evaluated.tolist() == evaluation.evaluated.tolist()
    assert again.scores.tolist() == evaluation.scores.tolist()
    assert again.execution.layers == ("seccomp",)
    assert again.execution.wall_seconds == 0.25
    assert [case.memory_bytes for case in again.execution.cases] == [case.memory_bytes for case in results]


@pytest.mark.parametrize("output", ["text\n", "", None, 3, (1, True), {"a": {1, 2}}, [1.5, float("inf")], "\ud800"])
def test_small_outputs_come_back_as_they_were(output):
    result = CaseResult(Verdict.WRONG_ANSWER, output, "err", "detail", 0.5, 7)
    evaluation = evaluation_of([result])
    assert evaluation_from_record(through_json(evaluation_to_record(evaluation))).execution == evaluation.execution


def test_large_outputs_are_cut_and_say_so():
    text, data = "é" * 100_000, list(range(100_000))
    evaluation = evaluation_of([CaseResult(Verdict.WRONG_ANSWER, text), CaseResult(Verdict.WRONG_ANSWER, data)])
    first, second = evaluation_from_record(evaluation_to_record(evaluation, 1000)).execution.cases
    assert len(first.output.encode()) <= 1000
    assert first.output.startswith("ééé")
    assert "more bytes" in first.output
    assert isinstance(second.output, CutOutput)
    assert str(second.output) == repr(second.output)
    assert str(second.output).startswith("[0,1,2,")


def test_failing_cases_are_served_before_passing_ones_within_the_total():
    passing = [CaseResult(Verdict.PASS, "p" * 4000) for _ in range(200)]
    failing = [CaseResult(Verdict.WRONG_ANSWER, "f" * 4000) for _ in range(5)]
    record = evaluation_to_record(evaluation_of([*passing, *failing]))
    outputs = record["outputs"]
    assert all(output == "f" * 4000 for output in outputs[-5:])
    assert any(output == "p" * 4000 for output in outputs)
    assert "more bytes" in outputs[199]
    assert len(json.dumps(record)) < TOTAL_OUTPUT_BYTES + 205 * 250


def test_times_stand_apart():
    slow = CaseResult(Verdict.PASS, "x", cpu_seconds=9.0, memory_bytes=9)
    fast = CaseResult(Verdict.PASS, "x", cpu_seconds=1.0, memory_bytes=1)
    one = evaluation_to_record(evaluation_of([slow], cpu_seconds=9.0, wall_seconds=9.0, compile_cpu_seconds=9.0))
    other = evaluation_to_record(evaluation_of([fast], cpu_seconds=1.0, wall_seconds=1.0, compile_cpu_seconds=1.0))
    assert one.pop("times") != other.pop("times")
    assert one == other


def test_a_record_of_the_first_schema_is_read():
    record = evaluation_to_record(evaluation_of([CaseResult(Verdict.PASS, "x"), CaseResult(Verdict.WRONG_ANSWER, 3)]))
    first = {name: value for name, value in record.items() if name not in ("verdicts", "outputs", "stderr", "detail")}
    first["column_case"] = [0, 0, 1, 1]
    first["cases"] = [
        {"verdict": "pass", "output": {"value": "x"}},
        {"verdict": "wrong_answer", "output": {"value": 3}, "detail": "three"},
    ]
    read = evaluation_from_record(through_json(first))
    assert [case.output for case in read.execution.cases] == ["x", 3]
    assert [case.detail for case in read.execution.cases] == ["", "three"]
    assert read.verdicts == (Verdict.PASS, Verdict.WRONG_ANSWER)
    assert read.column_case.tolist() == [0, 0, 1, 1]


def test_a_mask_comes_back():
    evaluation = Evaluation(
        Execution((CaseResult(Verdict.PASS, "x"),)), np.zeros(1), np.zeros(1, int), np.array([False]), np.ones(1)
    )
    assert evaluation_from_record(through_json(evaluation_to_record(evaluation))).evaluated.tolist() == [False]


@pytest.mark.parametrize(
    "damage",
    [
        lambda r: r.pop("times"),
        lambda r: r.update(cases=[{}]),
        lambda r: r.update(verdicts=["no such"]),
        lambda r: r.update(outputs=3),
        lambda r: r.update(outputs=[]),
    ],
)
def test_a_damaged_record_is_infrastructure_trouble(damage):
    record = evaluation_to_record(evaluation_of([CaseResult(Verdict.PASS, "x")]))
    damage(record)
    with pytest.raises(InfrastructureError, match="damaged"):
        evaluation_from_record(record)


@pytest.mark.parametrize(
    "problem",
    [
        Problem("p", "words", "stdio", (Case("1\n", "2\n", "a"),), languages=("python",)),
        Problem(
            "q",
            "é",
            "function",
            (Case((1, [True], {1: (2, None)}), {3}, "a"), Case((2.0,), float("inf"), "b")),
            Signature.parse("f(a: int, b: list[bool], c: dict[int, tuple[int, int | None]]) -> set[int]"),
            checker=Named("numbers", {"absolute": 0.5}),
            error_function=Named("levenshtein"),
            limits=Limits(cpu_seconds=0.25),
        ),
    ],
)
def test_problems_come_back(problem):
    assert problem_from_record(through_json(problem_to_record(problem))) == problem


def test_a_damaged_problem_is_infrastructure_trouble():
    with pytest.raises(InfrastructureError, match="damaged"):
        problem_from_record({"name": "p"})
