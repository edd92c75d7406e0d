"""Languages: one record each of what the sandbox must know to compile and run a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evaluators.exceptions import unknown_name


@dataclass(frozen=True)
class Language:
    """How programs of one language are compiled and run.

    Attributes:
        name: As in :attr:`~evaluators.program.Program.language`.
        aliases: Other names, as they stand behind a fence of a Markdown code block.
        source_name: Of the source file, as diagnostics show it.
        line_comment: What begins a comment that ends with its line.
        compile_command: A compiler and its options, to be followed by ``-o``, the executable's name and the source's;
            None where the interpreter inside the sandbox takes the source.
        runner: ``"python"`` for the interpreter inside the sandbox, ``"executable"`` for what was compiled.
        version_command: Prints the version of the toolchain; None for the interpreter inside the sandbox.
        precompiled_header: A header that most programs include, compiled once a machine; None for none.
        common_header: A file of ours with less in it, which does for most programs and is quicker to load.
        fork_server: Whether our fork server can be linked into its executables.
        mounts: Further directories that the sandbox shows, read-only.
        function_driver: How a function of the language is called with a problem's arguments; None if it cannot be.
        install: What to type where the toolchain is missing.
    """

    name: str
    aliases: tuple[str, ...]
    source_name: str
    line_comment: str
    compile_command: tuple[str, ...] | None = None
    runner: Literal["python", "executable"] = "executable"
    version_command: tuple[str, ...] | None = None
    precompiled_header: str | None = None
    common_header: str | None = None
    fork_server: bool = False
    mounts: tuple[str, ...] = ()
    function_driver: Literal["python", "cpp"] | None = None
    install: str = ""


PYTHON = Language(
    name="python",
    aliases=("py", "python3", "py3"),
    source_name="solution.py",
    line_comment="#",
    runner="python",
    function_driver="python",
)

CPP = Language(
    name="cpp",
    aliases=("c++", "cc", "cxx", "c++17", "cplusplus", "hpp"),
    source_name="solution.cpp",
    line_comment="//",
    compile_command=(
        "g++",
        "-std=c++17",
        "-O1",
        "-w",
        "-fmax-errors=20",
        "-fdiagnostics-color=never",
    ),
    version_command=("g++", "--version"),
    precompiled_header="bits/stdc++.h",
    common_header="common.h",
    fork_server=True,
    function_driver="cpp",
    install="apt-get install g++ (or dnf install gcc-c++, apk add g++)",
)

LANGUAGES = {"python": PYTHON, "cpp": CPP}
"""The languages that ship, by name."""


def language(name: str) -> Language:
    """Find a language by its name or an alias.

    Raises:
        UserError: If there is none of that name; the message has the nearest right one.
    """
    wanted = name.strip().lower()
    for record in LANGUAGES.values():
        if wanted == record.name or wanted in record.aliases:
            return record
    raise unknown_name("language", name, LANGUAGES)
