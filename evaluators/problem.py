"""Problem and Case: what a program shall do, as far as a search may know it.

A problem has no field for hidden cases. They are opened by the judge alone, in its own process, after the
search has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from evaluators.signature import Signature

Mode = Literal["stdio", "function"]


@dataclass(frozen=True)
class Case:
    """One example of what the program shall do.

    Attributes:
        input: Standard input (``stdio``), or the positional arguments (``function``).
        expected: Standard output (``stdio``), or the value to be returned (``function``).
        name: A short label, unique within its problem.
    """

    input: str | tuple[Any, ...]
    expected: Any
    name: str


@dataclass(frozen=True)
class Limits:
    """What one program may use. Every limit holds for each case alone, unless it says otherwise.

    Attributes:
        cpu_seconds: Processor time of a case.
        wall_seconds: Backstop for a case that sleeps or blocks while its CPU clock stands still.
        memory_bytes: Address space that a case may add to the runner's own.
        output_bytes: Standard output and standard error, each.
        total_cpu_seconds: Processor time of all cases together; the cases beyond it are skipped, and score as failures.
        compile_cpu_seconds: Processor time of the compile step.
        compile_memory_bytes: Address space of each process of the compile step.
    """

    cpu_seconds: float = 2.0
    wall_seconds: float = 10.0
    memory_bytes: int = 512 * 2**20
    output_bytes: int = 2**20
    total_cpu_seconds: float = 20.0
    compile_cpu_seconds: float = 20.0
    compile_memory_bytes: int = 2 * 2**30


@dataclass(frozen=True)
class Named:
    """A checker or an error function by name, with its options, so that a record can rebuild it.

    Attributes:
        name: A name of the package's table, or ``path/file.py:attribute``.
        options: Keyword arguments, plain data.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Problem:
    """What a program shall do, as far as a search may know it.

    Attributes:
        name: Identifies the problem in paths and reports.
        description: The task in words, without examples.
        mode: ``"stdio"`` (read standard input, write standard output) or ``"function"``.
        cases: The visible cases, in a fixed order.
        signature: Of the function to write; None for ``stdio``.
        languages: Names of the languages that it can be solved in; empty for all.
        checker: Decides whether an output is right.
        error_function: Tells how wrong it is, in one column or several a case.
        limits: What a program may use.
        packages: Requirements of Python packages that programs may import, besides the standard library; see
            :mod:`evaluators.packages`.
    """

    name: str
    description: str
    mode: Mode
    cases: tuple[Case, ...]
    signature: Signature | None = None
    languages: tuple[str, ...] = ()
    checker: Named = Named("exact")
    error_function: Named = Named("mismatch")
    limits: Limits = Limits()
    packages: tuple[str, ...] = ()
