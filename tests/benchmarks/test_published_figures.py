"""Published figures: as printed, consistent among themselves where the papers are, and frozen."""

import dataclasses
from collections import Counter
from statistics import mean

import pytest

from benchmarks.published import papers, published
from evaluators.exceptions import UserError


def value(**wanted):
    (figure,) = published(**wanted)
    return figure.value


def test_figures_that_the_texts_repeat():
    # Each of these stands in the running text of its paper, beside the table.
    human_eval = {"dataset": "HumanEval", "metric": "pass@1"}
    assert value(paper="agentcoder", table="1", system="AgentCoder (GPT-4)", **human_eval) == 96.3
    assert value(paper="agentcoder", table="2", system="programmer agent only", **human_eval) == 61.0
    assert value(paper="agentcoder", table="4", system="MetaGPT (GPT-4)", dataset="HumanEval") == 79.3
    assert value(paper="agentcoder", table="9", system="MetaGPT", dataset="MBPP", metric="tokens") == 206.5
    assert value(paper="codecor", table="1", system="CodeCoR", **human_eval) == 86.6
    assert value(paper="codecor", table="3", system="w/o Test Agent", dataset="MBPP-ET") == 40.6
    assert value(paper="codecor", table="4", system="CodeCoR", metric="run time") == 91.61
    assert value(paper="codecor", table="5", system="CodeCoR", dataset="RAL-Bench") == 20.05
    assert value(paper="codecor", table="10", metric="pass agreement") == 0.9350
    assert value(paper="robustness", table="3", system="Planner-Coder Gap", metric="share of failures") == 75.3
    assert value(paper="seidr", dataset="PSB2, Python", metric="solved at least once") == 20
    assert value(paper="seidr", metric="pass@100") == 84.2
    (before,) = published(paper="codecor", table="6", system="CodeCoT", dataset="HumanEval")[:1]
    assert (before.model, before.value) == ("GPT-4", 86.6)


def test_how_many_figures_there_are():
    counts = Counter((figure.paper, figure.table) for figure in published())
    assert {table: count for (paper, table), count in counts.items() if paper == "agentcoder"} == {
        "1": 165, "2": 16, "3": 20, "4": 10, "5": 10, "6": 4, "7": 8, "8": 4, "9": 30,
    }  # fmt: skip
    assert {table: count for (paper, table), count in counts.items() if paper == "codecor"} == {
        "1": 130, "2": 15, "3": 20, "4": 35, "5": 16, "6": 32, "7": 24, "8": 24, "9": 8, "10": 12,
    }  # fmt: skip
    assert {table: count for (paper, table), count in counts.items() if paper == "robustness"} == {
        "2": 108, "3": 6, "4": 108, "5": 8, "6": 12,
    }  # fmt: skip
    assert counts["seidr", "abstract"] == 5


def test_drops_and_ratios_are_those_of_their_figures_but_for_misprints():
    rows = {}
    for figure in published(paper="robustness"):
        if figure.table in ("2", "4"):
            rows.setdefault((figure.table, figure.system, figure.model, figure.dataset), []).append(figure.value)
    assert len(rows) == 72
    odd = set()
    for row, (first, second, told) in rows.items():
        computed = 100 * (1 - first / second) if row[0] == "2" else 100 * second / first
        if told != pytest.approx(computed, abs=0.75):
            odd.add(row)
    # Printed: a drop of 43.6 and of 76.0; from 0.2364 to 0.1030 it is 56.4, from 0.4127 to 0.0952 76.9.
    assert odd == {("2", "PairCoder", "GPT-3.5", dataset) for dataset in ("CodeContests", "CoderEval")}


def test_means_are_those_of_their_rows_but_for_misprints():
    rows = {}
    for figure in (*published(paper="codecor", table="1"), *published(paper="agentcoder", table="1")):
        rows.setdefault((figure.paper, figure.group, figure.system), []).append(figure)
    odd = {
        name[0::2]
        for name, row in rows.items()
        if row[-1].dataset == "mean" and row[-1].value != pytest.approx(mean(cell.value for cell in row[:-1]), abs=0.06)
    }
    assert odd == {
        ("agentcoder", "ChatDev"),
        *(("codecor", name) for name in ("CodeGen-Mono", "ToT", "Self-Planning", "CodeChain", "CodeCoT", "CodeCoR")),
    }


def test_every_metric_has_unit_and_definition():
    for paper in papers():
        assert paper.title
        assert paper.source
        assert {figure.metric for figure in paper.figures} == set(paper.metrics)
        assert {figure.table for figure in paper.figures} == set(paper.tables)
        for unit, definition in paper.metrics.values():
            assert unit
            assert definition.endswith(".")


def test_rows_are_frozen_and_a_wrong_name_gets_the_right_one():
    figure = published()[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        figure.value = 100.0
    with pytest.raises(UserError, match="did you mean 'codecor'"):
        published(paper="codecr")
    assert published(system="nobody") == ()
