"""Records: evaluations and problems as plain JSON objects, for a run's journal.

A record of an evaluation is capped, so reading it back gives the evaluation with its outputs capped. Capping again
changes nothing: ``evaluation_from_record(evaluation_to_record(e))`` is a fixed point, and what a search should see, so
that a resumed search sees the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluators.exceptions import InfrastructureError
from evaluators.execution import CaseResult, Evaluation, Execution
from evaluators.plain_data import PlainData, dumps, from_json, to_json
from evaluators.problem import Case, Limits, Named, Problem
from evaluators.signature import Signature
from evaluators.verdict import Verdict

Record = dict[str, Any]

TOTAL_OUTPUT_BYTES = 65_536
"""Output, standard error and details of all cases together; beyond it they are left out, passing cases first."""

COMPILE_OUTPUT_BYTES = 16_384

_DETAIL_BYTES = 1_024
_SMALLEST_SHARE = 160  # bytes that a case keeps even when the total is used up: enough for a marker of what was cut


@dataclass(frozen=True, repr=False)
class CutOutput:
    """The head of a value that was too large for a record; prints as that head.

    Attributes:
        text: What the value as JSON (:mod:`evaluators.plain_data`) began with, and a marker with the number of bytes
            that are missing.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def evaluation_to_record(evaluation: Evaluation, output_cap_bytes: int = 4_096) -> Record:
    """Write an evaluation as a JSON object.

    All in it is determined by program, cases and toolchain, except for what stands under ``"times"``: the measured
    seconds and bytes.

    Args:
        evaluation: With verdicts that are final.
        output_cap_bytes: For the output and for the standard error of one case. Failing cases are served first, the
            lowest score first, within :data:`TOTAL_OUTPUT_BYTES`.
    """
    execution = evaluation.execution
    failing = evaluation.failing()
    passing = [index for index, verdict in enumerate(evaluation.verdicts) if verdict.passed]
    remaining = TOTAL_OUTPUT_BYTES
    outputs: list[Any] = [None] * len(execution.cases)
    texts: dict[str, dict[str, str]] = {"stderr": {}, "detail": {}}
    for index in (*failing, *passing):
        result = execution.cases[index]
        if result.verdict.produced_output:
            used, outputs[index] = _output_to_record(result.output, _share(output_cap_bytes, remaining))
            remaining -= used
        for name, text, cap in (("stderr", result.stderr, output_cap_bytes), ("detail", result.detail, _DETAIL_BYTES)):
            if text:
                kept = texts[name][str(index)] = _cut(text, _share(cap, remaining))
                remaining -= _size(kept)
    everything = bool(evaluation.evaluated.all())
    column_case = evaluation.column_case.tolist()
    return {
        "verdicts": [verdict.value for verdict in evaluation.verdicts],
        "outputs": outputs,
        **texts,
        "errors": evaluation.errors.tolist(),
        "column_case": None if column_case == list(range(len(column_case))) else column_case,
        "evaluated": None if everything else evaluation.evaluated.tolist(),
        "scores": evaluation.scores.tolist(),
        "compile_output": _cut(execution.compile_output, COMPILE_OUTPUT_BYTES),
        "layers": list(execution.layers),
        "times": {
            "compile_cpu_seconds": execution.compile_cpu_seconds,
            "cpu_seconds": execution.cpu_seconds,
            "wall_seconds": execution.wall_seconds,
            "case_cpu_seconds": [round(result.cpu_seconds, 6) for result in execution.cases],
            "case_memory_bytes": [result.memory_bytes for result in execution.cases],
        },
    }


def evaluation_from_record(record: Mapping[str, Any]) -> Evaluation:
    """Read an evaluation back.

    Raises:
        InfrastructureError: If it is no such record.
    """
    try:
        if "cases" in record:
            record = _record_of_schema_1(record)
        times = record["times"]
        errors = np.array(record["errors"], dtype=np.float64)
        evaluated, column_case = record["evaluated"], record["column_case"]
        return Evaluation(
            execution=Execution(
                cases=_cases_from_record(record),
                compile_output=record["compile_output"],
                compile_cpu_seconds=times["compile_cpu_seconds"],
                cpu_seconds=times["cpu_seconds"],
                wall_seconds=times["wall_seconds"],
                layers=tuple(record["layers"]),
            ),
            errors=errors,
            column_case=np.array(range(len(errors)) if column_case is None else column_case, dtype=np.int64),
            evaluated=np.array(evaluated if evaluated is not None else [True] * len(errors), dtype=np.bool_),
            scores=np.array(record["scores"], dtype=np.float64),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InfrastructureError(
            f"the record of an evaluation is damaged ({type(error).__name__}: {error})"
        ) from error


def verdicts_of_record(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The verdicts of an evaluation, one a case, without reading all of it."""
    return tuple(case["verdict"] for case in record["cases"]) if "cases" in record else tuple(record["verdicts"])


def problem_to_record(problem: Problem) -> Record:
    """Write a problem, which holds visible cases alone, as a JSON object."""
    packages = {"packages": list(problem.packages)} if problem.packages else {}
    return packages | {
        "name": problem.name,
        "description": problem.description,
        "mode": problem.mode,
        "cases": [[case.name, to_json(case.input), to_json(case.expected)] for case in problem.cases],
        "signature": str(problem.signature) if problem.signature else None,
        "languages": list(problem.languages),
        "checker": _named_to_record(problem.checker),
        "error_function": _named_to_record(problem.error_function),
        "limits": asdict(problem.limits),
    }


def problem_from_record(record: Mapping[str, Any]) -> Problem:
    """Read a problem back.

    Raises:
        InfrastructureError: If it is no such record.
    """
    try:
        return Problem(
            name=record["name"],
            description=record["description"],
            mode=record["mode"],
            cases=tuple(Case(from_json(given), from_json(want), name) for name, given, want in record["cases"]),
            signature=Signature.parse(record["signature"]) if record["signature"] else None,
            languages=tuple(record["languages"]),
            checker=_named_from_record(record["checker"]),
            error_function=_named_from_record(record["error_function"]),
            limits=Limits(**record["limits"]),
            packages=tuple(record.get("packages", ())),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InfrastructureError(f"the record of a problem is damaged ({type(error).__name__}: {error})") from error


def _share(cap: int, remaining: int) -> int:
    """How many bytes a text may have: its cap, as long as so much of the total is left."""
    return max(_SMALLEST_SHARE, min(cap, remaining))


def _output_to_record(output: PlainData, cap: int) -> tuple[int, Any]:
    """How many bytes an output takes, and what stands for it: a text for itself, anything else in an object."""
    if isinstance(output, CutOutput):
        text = _cut(output.text, cap)
        return _size(text), {"cut": text}
    if isinstance(output, str):
        text = _cut(output, cap)
        return _size(text), text
    written = dumps(output)
    if len(written) <= cap:
        return len(written), {"value": to_json(output)}
    # Not repr: it writes sets in an order that changes between processes, and refuses integers of many digits.
    text = _cut(written, cap)
    return _size(text), {"cut": text}


def _cases_from_record(record: Mapping[str, Any]) -> tuple[CaseResult, ...]:
    times = record["times"]
    stderr, detail = record["stderr"], record["detail"]
    columns = zip(
        record["verdicts"], record["outputs"], times["case_cpu_seconds"], times["case_memory_bytes"], strict=True
    )
    return tuple(
        CaseResult(
            _VERDICTS[verdict],
            output if output is None or type(output) is str else _output_from_record(output),
            stderr.get(str(index), "") if stderr else "",
            detail.get(str(index), "") if detail else "",
            cpu_seconds,
            memory_bytes,
        )
        for index, (verdict, output, cpu_seconds, memory_bytes) in enumerate(columns)
    )


def _output_from_record(output: Mapping[str, Any]) -> PlainData:
    return CutOutput(output["cut"]) if "cut" in output else from_json(output["value"])


def _record_of_schema_1(record: Mapping[str, Any]) -> Record:
    """A record as it is now, of one as journals of the first schema hold it: with an object a case."""
    cases = record["cases"]
    outputs = [case.get("output") for case in cases]
    return {
        **{name: value for name, value in record.items() if name != "cases"},
        "verdicts": [case["verdict"] for case in cases],
        "outputs": [output["value"] if output and type(output.get("value")) is str else output for output in outputs],
        "stderr": {str(index): case["stderr"] for index, case in enumerate(cases) if "stderr" in case},
        "detail": {str(index): case["detail"] for index, case in enumerate(cases) if "detail" in case},
    }


_VERDICTS = {verdict.value: verdict for verdict in Verdict}


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _cut(text: str, cap: int) -> str:
    """The text, or its head and a marker, in at most ``cap`` bytes of UTF-8."""
    if len(text) <= cap and _size(text) <= cap:
        return text
    # A character takes at most 4 bytes, so no more than the first ``cap`` of them can be kept.
    missing = _size(text) - cap
    marker = f"\n[cut: about {missing} more bytes]"
    head = text[:cap].encode("utf-8", "surrogatepass")[: cap - len(marker)]
    return head.decode("utf-8", "ignore") + marker


def _named_to_record(named: Named) -> Record:
    return {"name": named.name, "options": to_json(dict(named.options))}


def _named_from_record(record: Mapping[str, Any]) -> Named:
    return Named(record["name"], from_json(record["options"]))
