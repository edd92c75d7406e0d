r"""A problem file of the user's own, YAML or JSON.

::

    name: word-lengths                      # the file's name if left out
    description: |
      Print the length of each word of the input line, separated by single spaces.
    examples:                               # visible cases: a list, or the path of a JSON-lines file
      - {input: "hi all\n", output: "2 3\n"}
    hidden: word-lengths-hidden.jsonl       # for the final judge alone; a list or a path, may be left out
    checker: tokens                         # or {name: numbers, options: {absolute: 0.001}}, or my_checker.py:check
    error_function: levenshtein
    limits: {cpu_seconds: 1, memory: 256 MB}
    languages: [python, cpp]                # or my-language.yaml
    packages: [numpy]                       # what programs in Python may import besides the standard library

With a ``signature``, as ``gcd(a: int, b: int) -> int``, the problem asks for a function, and its cases are written
``{args: [4, 6], returns: 2}``. Paths are relative to the problem file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from benchmarks.typed_values import convert
from evaluators.checkers import build_checker
from evaluators.data_files import parse_json, parse_yaml, read_json_lines, read_text
from evaluators.error_functions import build_error_function
from evaluators.exceptions import UserError, unknown_name
from evaluators.languages import RECORD_SUFFIXES, language
from evaluators.named import is_own_code
from evaluators.packages import is_wheel, prepare
from evaluators.plain_data import PlainData
from evaluators.problem import Case, Limits, Mode, Named, Problem
from evaluators.signature import Signature

SUFFIXES = (".yaml", ".yml", ".json")

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(B|KB|KIB|MB|MIB|GB|GIB)?", re.IGNORECASE)
_LEAST_MEMORY_BYTES = 8 * 2**20
_BYTES = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_Model = TypeVar("_Model", bound=BaseModel)


def _size_in_bytes(value: PlainData) -> int:
    """Bytes of ``"512 MB"``; a MB is 2**20 bytes here, as limits of memory are."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    match = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    size = int(float(match[1]) * _BYTES[(match[2] or "").upper()[:1]]) if match else 0
    if size < 1:
        raise ValueError("must be a size, as '512 MB'")
    return size


def _enough_memory(size: int) -> int:
    if size < _LEAST_MEMORY_BYTES:
        raise ValueError(f"must be at least '{_LEAST_MEMORY_BYTES // 2**20} MB', as no program runs with less")
    return size


_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
_Size = Annotated[int, BeforeValidator(_size_in_bytes)]
_Memory = Annotated[_Size, AfterValidator(_enough_memory)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _StdioCase(_Strict):
    name: str | None = None
    input: str
    output: str


class _FunctionCase(_Strict):
    name: str | None = None
    args: list[Any]
    returns: Any


class _NamedEntry(_Strict):
    name: str
    options: dict[str, Any] = {}


class _LimitsEntry(_Strict):
    cpu_seconds: _Seconds | None = None
    wall_seconds: _Seconds | None = None
    memory: _Memory | None = None
    output: _Size | None = None
    total_cpu_seconds: _Seconds | None = None
    compile_cpu_seconds: _Seconds | None = None
    compile_memory: _Memory | None = None


class _File(_Strict):
    name: str | None = None
    description: str
    mode: Literal["stdio", "function"] | None = None
    signature: str | None = None
    examples: list[dict[str, Any]] | str
    hidden: list[dict[str, Any]] | str = []
    checker: str | _NamedEntry = "exact"
    error_function: str | _NamedEntry = "mismatch"
    limits: _LimitsEntry = _LimitsEntry()
    languages: list[str] = []
    packages: list[str] = []


def load_problem_file(path: Path) -> Problem:
    """The problem that a file describes. Its hidden cases are checked, and left behind.

    Raises:
        UserError: If anything in the file, or in a file that it names, cannot be used.
    """
    return _load(path)[0]


def load_problem_file_hidden_cases(path: Path) -> tuple[Case, ...]:
    """The hidden cases of a problem file, for the judge alone; none if it has none.

    Raises:
        UserError: As :func:`load_problem_file`.
    """
    return _load(path)[1]


def _load(path: Path) -> tuple[Problem, tuple[Case, ...]]:
    entries = _validated(_File, _parsed(path), str(path))
    if not entries.description.strip():
        raise UserError(f"{path}: description is empty: say in words what the program shall do")
    name = path.stem if entries.name is None else entries.name
    if not _NAME.fullmatch(name):
        raise UserError(f"{path}: name {name!r} must consist of letters, digits, '.', '_' and '-', as 'word-lengths'")
    mode, signature = _mode_and_signature(entries, path)
    examples = _cases(entries.examples, "examples", "example", signature, path)
    if not examples:
        raise UserError(f"{path}: examples is empty: a search needs at least one visible case")
    hidden = _cases(entries.hidden, "hidden", "hidden", signature, path)
    for key, empty in (("hidden", not hidden), ("languages", not entries.languages)):
        if empty and key in entries.model_fields_set:
            raise UserError(f"{path}: {key} is empty: leave it out, or give at least one")
    _check_apart(examples, hidden, path)
    languages = _languages(entries.languages, path)
    problem = Problem(
        name=name,
        description=entries.description.strip(),
        mode=mode,
        cases=examples,
        signature=signature,
        languages=languages,
        packages=_packages(entries.packages, languages, path),
        checker=_named(entries.checker, path),
        error_function=_named(entries.error_function, path),
        limits=_limits(entries.limits),
    )
    for key, build, named in (
        ("checker", build_checker, problem.checker),
        ("error_function", build_error_function, problem.error_function),
    ):
        try:
            build(named)
        except UserError as error:
            raise UserError(f"{path}: {key}: {error}") from error
    return problem, hidden


def _mode_and_signature(entries: _File, path: Path) -> tuple[Mode, Signature | None]:
    if entries.signature is None:
        if entries.mode == "function":
            raise UserError(f"{path}: mode 'function' needs a signature, as 'gcd(a: int, b: int) -> int'")
        return "stdio", None
    if entries.mode == "stdio":
        raise UserError(f"{path}: mode 'stdio' takes no signature: leave out the one or the other")
    try:
        return "function", Signature.parse(entries.signature)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error


def _languages(names: Sequence[str], path: Path) -> tuple[str, ...]:
    try:
        return tuple(
            language(str(path.parent / name) if name.endswith(RECORD_SUFFIXES) else name).reference for name in names
        )
    except UserError as error:
        raise UserError(f"{path}: languages: {error}") from error


def _packages(names: Sequence[str], languages: Sequence[str], path: Path) -> tuple[str, ...]:
    """The requirements, wheels by their absolute paths, all ready for use: before a model is asked."""
    if not names:
        return ()
    if languages and "python" not in languages:
        raise UserError(f"{path}: packages are for programs in python, and languages is {', '.join(languages)}")
    wanted = tuple(str((path.parent / name).absolute()) if is_wheel(name) else name for name in names)
    try:
        prepare(wanted)
    except UserError as error:
        raise UserError(f"{path}: packages: {error}") from error
    return wanted


def _named(entry: str | _NamedEntry, path: Path) -> Named:
    name, options = (entry, {}) if isinstance(entry, str) else (entry.name, entry.options)
    if is_own_code(name):
        name = str(path.parent / name)
    return Named(name, options)


def _limits(entry: _LimitsEntry) -> Limits:
    given = {key: value for key, value in entry.model_dump().items() if value is not None}
    for key, field in (
        ("memory", "memory_bytes"),
        ("output", "output_bytes"),
        ("compile_memory", "compile_memory_bytes"),
    ):
        if key in given:
            given[field] = given.pop(key)
    return Limits(**given)


def _cases(
    entries: list[dict[str, Any]] | str, key: str, label: str, signature: Signature | None, path: Path
) -> tuple[Case, ...]:
    """Cases of a list in the problem file, or of a JSON-lines file; nameless ones are named by their number."""
    if isinstance(entries, str):
        located = list(read_json_lines(path.parent / entries, f"{path}: {key}"))
    else:
        located = [(f"{path}: {key}[{number}]", entry) for number, entry in enumerate(entries, 1)]
    cases: list[Case] = []
    names: set[str] = set()
    for number, (where, entry) in enumerate(located, 1):
        case = _case(entry, f"{label}-{number}", signature, where)
        if case.name in names:
            raise UserError(f"{where}: name {case.name!r} is used twice: every case needs a name of its own, or none")
        names.add(case.name)
        cases.append(case)
    return tuple(cases)


def _case(entry: PlainData, default_name: str, signature: Signature | None, where: str) -> Case:
    if signature is None:
        if isinstance(entry, dict) and "args" in entry:
            raise UserError(
                f"{where}: args belong to a function, but the problem has no signature: write input, output"
            )
        stdio = _validated(_StdioCase, entry, where)
        return Case(stdio.input, stdio.output, default_name if stdio.name is None else stdio.name)
    if isinstance(entry, dict) and "input" in entry:
        raise UserError(f"{where}: the problem has a signature, so write args and returns instead of input and output")
    case = _validated(_FunctionCase, entry, where)
    if len(case.args) != len(signature.parameters):
        raise UserError(
            f"{where}: args has {len(case.args)} value(s), but {signature} takes {len(signature.parameters)}"
        )
    arguments = tuple(
        convert(value, kind, f"{where}: argument {name!r}")
        for value, (name, kind) in zip(case.args, signature.parameters, strict=True)
    )
    returns = convert(case.returns, signature.returns, f"{where}: returns")
    return Case(arguments, returns, default_name if case.name is None else case.name)


def _check_apart(examples: Sequence[Case], hidden: Sequence[Case], path: Path) -> None:
    visible = {repr(case.input): case.name for case in examples}
    for case in hidden:
        if repr(case.input) in visible:
            raise UserError(
                f"{path}: hidden case {case.name!r} has the input of the visible {visible[repr(case.input)]!r}: "
                "a hidden case must be new to the search"
            )


def _parsed(path: Path) -> PlainData:
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(f"problem file {str(path)!r} must end in {', '.join(SUFFIXES)}")
    text = read_text(path, "problem file")
    if path.suffix.lower() == ".json":
        data = parse_json(text, str(path)) if text.strip() else None
    else:
        data = parse_yaml(text, str(path))
    if data is None:
        raise UserError(f"{path} is empty: it needs at least description and examples")
    if not isinstance(data, dict):
        raise UserError(f"{path} holds a {type(data).__name__}, but must hold keys, as 'description: ...'")
    return data


def _validated(model: type[_Model], data: PlainData, where: str) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _first_error(model, error, where) from error


def _first_error(model: type[BaseModel], error: ValidationError, where: str) -> UserError:
    """One line for the first mistake; of a choice between types, the one that came nearest."""
    mistakes = error.errors(include_url=False)
    key_at_fault = mistakes[0]["loc"][:1]

    def telling(found: ErrorDetails) -> tuple[bool, bool, int]:
        # A misspelt key also makes another one missing: its spelling is the better news.
        return found["loc"][:1] == key_at_fault, found["type"] == "extra_forbidden", len(found["loc"])

    mistake = max(mistakes, key=telling)
    location = [part for part in mistake["loc"] if isinstance(part, int) or part in _KEYS]
    key = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")
    given = mistake["input"]
    if mistake["type"] == "extra_forbidden":
        wrong = str(mistake["loc"][-1])
        parent = _model_at(model, [str(part) for part in mistake["loc"][:-1]])
        place = f"{where}: {key}" if key else where
        return UserError(f"{place}: {unknown_name('key', wrong, parent.model_fields)}")
    if mistake["type"] == "missing":
        return UserError(f"{where}: {key} is missing")
    if mistake["type"] == "string_type" and isinstance(given, int | float) and not isinstance(given, bool):
        return UserError(f'{where}: {key} is the number {given!r}, but must be text: put it in quotes, as "{given}"')
    allowed = mistake["msg"].removeprefix("Value error, ").removeprefix("Input should be ").removeprefix("must be ")
    return UserError(f"{where}: {key or 'it'} is {_shown(given)}, but must be {allowed}")


_KEYS = frozenset(
    key for model in (_File, _LimitsEntry, _NamedEntry, _StdioCase, _FunctionCase) for key in model.model_fields
)


def _model_at(model: type[BaseModel], location: Sequence[str]) -> type[BaseModel]:
    if "limits" in location:
        return _LimitsEntry
    return _NamedEntry if {"checker", "error_function"} & set(location) else model


def _shown(value: PlainData) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
