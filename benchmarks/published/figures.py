"""Published figures, one a cell of a table.

Figures are as printed, with what the paper says of their definition, and what it does not say. Of SEIDR's paper there
is the abstract alone; gains in brackets, which follow from other figures, are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evaluators.exceptions import unknown_name

_PAPERS = ("seidr", "agentcoder", "codecor", "robustness")


@dataclass(frozen=True)
class PublishedFigure:
    """One figure.

    Attributes:
        paper: Short name of the paper.
        table: Number of the table there, or ``"abstract"``.
        group: Heading of the row's part of the table; empty if there is none.
        system: What was measured, as the paper spells it.
        model: The language model; empty where the table does not say, or has it in the system's name.
        dataset: On what.
        metric: Of what; its definition is in :attr:`Paper.metrics`.
        unit: Of the value.
        value: As printed.
    """

    paper: str
    table: str
    group: str
    system: str
    model: str
    dataset: str
    metric: str
    unit: str
    value: float


@dataclass(frozen=True)
class Paper:
    """A paper with its figures.

    Attributes:
        name: Short, as in :attr:`PublishedFigure.paper`.
        title: As printed.
        source: Authors, and where to find it.
        metrics: Unit and definition of each metric.
        tables: What each table is about.
        figures: In the order of the tables.
    """

    name: str
    title: str
    source: str
    metrics: Mapping[str, tuple[str, str]]
    tables: Mapping[str, str]
    figures: tuple[PublishedFigure, ...] = field(repr=False)


def papers() -> tuple[Paper, ...]:
    """All papers that there are figures of."""
    return tuple(map(_read, _PAPERS))


def published(
    *,
    paper: str | None = None,
    table: str | None = None,
    system: str | None = None,
    dataset: str | None = None,
    metric: str | None = None,
) -> tuple[PublishedFigure, ...]:
    """Published figures, those that fit all that is given.

    Args:
        paper: Short name: ``seidr``, ``agentcoder``, ``codecor`` or ``robustness``.
        table: Number of a table, as ``"1"``.
        system: As the paper spells it.
        dataset: As the paper spells it.
        metric: As in :attr:`Paper.metrics`.

    Raises:
        UserError: If there is no such paper.
    """
    if paper is not None and paper not in _PAPERS:
        raise unknown_name("paper", paper, _PAPERS)
    wanted = {"table": table, "system": system, "dataset": dataset, "metric": metric}
    return tuple(
        figure
        for each in papers()
        if paper in (None, each.name)
        for figure in each.figures
        if all(value is None or getattr(figure, name) == value for name, value in wanted.items())
    )


@functools.cache
def _read(name: str) -> Paper:
    import yaml

    record = yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))
    metrics = {metric: (facts["unit"], facts["definition"]) for metric, facts in record["metrics"].items()}
    figures = [
        PublishedFigure(
            paper=name,
            table=table["table"],
            group=row.get("group", ""),
            system=row["system"],
            model=row.get("model", ""),
            dataset=column["dataset"],
            metric=column["metric"],
            unit=metrics[column["metric"]][0],
            value=float(value),
        )
        for table in record["tables"]
        for row in table["rows"]
        for column, value in zip(table["columns"], row["values"], strict=True)
        if value is not None
    ]
    return Paper(
        name=name,
        title=record["title"],
        source=record["source"],
        metrics=MappingProxyType(metrics),
        tables=MappingProxyType(_tables(record["tables"])),
        figures=tuple(figures),
    )


def _tables(tables: list[dict[str, Any]]) -> dict[str, str]:
    about: dict[str, list[str]] = {}
    for table in tables:
        about.setdefault(table["table"], []).append(table["about"])
    return {number: "; ".join(texts) for number, texts in about.items()}
