"""Individuals as they stand in the journal and in exports."""

from __future__ import annotations

from typing import Any

from evaluators.execution import Evaluation
from evaluators.program import Program
from evo.individual import Individual


def individual_to_record(individual: Individual) -> dict[str, Any]:
    """Plain data of an individual; without times, so that equal searches have equal records."""
    evaluation = individual.evaluation
    record: dict[str, Any] = {
        "id": individual.id,
        "parents": list(individual.parents),
        "operator": individual.operator,
        "generation": individual.generation,
        "path": list(individual.path),
        "temperature": individual.temperature,
        "advice": individual.advice,
        "language": individual.genome.language,
        "source": individual.genome.source,
    }
    if evaluation is not None:
        record["verdicts"] = [verdict.value for verdict in evaluation.verdicts]
        known = zip(evaluation.errors.tolist(), evaluation.evaluated.tolist(), strict=True)
        record["errors"] = [error if evaluated else None for error, evaluated in known]
        record["mean_score"] = evaluation.mean_score
        record["pass_rate"] = evaluation.pass_rate
        record["compile_output"] = evaluation.execution.compile_output
        record["failures"] = [
            {"case": index, "detail": evaluation.execution.cases[index].detail} for index in evaluation.failing()[:3]
        ]
    return record


def individual_from_record(record: dict[str, Any], program: Program, evaluation: Evaluation) -> Individual:
    """The individual that a record was made of.

    Args:
        record: Of :func:`individual_to_record`.
        program: Its genome.
        evaluation: Of the program.
    """
    return Individual(
        program,
        tuple(record["parents"]),
        record["operator"],
        record["generation"],
        tuple(record["path"]),
        record["advice"],
        record["temperature"],
        evaluation,
    )
