"""Languages: one record each of what the sandbox must know to compile and run a program.

Two ship. A user's own is a record in a file (:mod:`evaluators.language_file`), and its name is the file's path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluators.exceptions import UserError, unknown_name


@dataclass(frozen=True)
class Language:
    """How programs of one language are compiled and run.

    Attributes:
        name: As in :attr:`~evaluators.program.Program.language`.
        aliases: Other names, as they stand behind a fence of a Markdown code block.
        source_name: Of the source file, as diagnostics show it.
        line_comment: What begins a comment that ends with its line.
        compile_command: A compiler and its options, with ``{source}`` and ``{program}`` for the names of files, or to
            be followed by ``-o``, the executable's name and the source's; None where the source needs no compiling.
        runner: ``"python"`` for the interpreter inside the sandbox, ``"executable"`` for what was compiled,
            ``"command"`` for a program that takes the source or what was compiled.
        run_command: That program and its arguments, with ``{program}`` for the path of what it takes.
        environment: ``NAME=value`` each, all that a program sees; the compile step has a few more.
        version_command: Prints the version of the toolchain; None for the interpreter inside the sandbox.
        precompiled_header: A header that most programs include, compiled once a machine; None for none.
        common_header: A file of ours with less in it, which does for most programs and is quicker to load.
        fork_server: Whether our fork server can be linked into its executables.
        mounts: Further directories that the sandbox shows, read-only.
        function_driver: How a function of the language is called with a problem's arguments; None if it cannot be.
            ``"appended"`` is a text behind the program's own.
        driver: That text, with ``{function}`` for the function's name.
        install: What to type where the toolchain is missing.
        title: The language's name in a sentence, if it differs.
        path: The file that holds a record of the user's own, absolute; empty for what ships.
        digest: SHA-256 of such a record and its driver.
    """

    name: str
    aliases: tuple[str, ...]
    source_name: str
    line_comment: str
    compile_command: tuple[str, ...] | None = None
    runner: Literal["python", "executable", "command"] = "executable"
    run_command: tuple[str, ...] | None = None
    environment: tuple[str, ...] = ()
    version_command: tuple[str, ...] | None = None
    precompiled_header: str | None = None
    common_header: str | None = None
    fork_server: bool = False
    mounts: tuple[str, ...] = ()
    function_driver: Literal["python", "cpp", "appended"] | None = None
    driver: str = ""
    install: str = ""
    title: str = ""
    path: str = ""
    digest: str = ""

    @property
    def reference(self) -> str:
        """What :func:`language` finds the record by: its name, or its file's path."""
        return self.path or self.name

    def whole_source(self, source: str, function: str | None) -> str:
        """The source that is compiled or run: the program's own, in function mode with the driver behind it."""
        if function is None or self.function_driver != "appended":
            return source
        return f"{source}\n{self.driver.replace('{function}', function)}"

    def compile_arguments(self, options: Sequence[str], source_name: str, program_name: str) -> list[str]:
        """What follows the compiler's name."""
        own = list(self.compile_command or ())[1:]
        if not any("{program}" in argument for argument in own):
            return [*own, *options, "-o", program_name, source_name]
        return [argument.replace("{program}", program_name).replace("{source}", source_name) for argument in own]


PYTHON = Language(
    name="python",
    aliases=("py", "python3", "py3"),
    source_name="solution.py",
    line_comment="#",
    runner="python",
    function_driver="python",
    title="Python",
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
    title="C++",
    install="apt-get install g++ (or dnf install gcc-c++, apk add g++)",
)

LANGUAGES = {"python": PYTHON, "cpp": CPP}
"""The languages that ship, by name."""

RECORD_SUFFIXES = (".yaml", ".yml", ".json")
"""How the file of a user's own record ends."""


def language(name: str) -> Language:
    """Find a language by its name, an alias, or the path of a record of the user's own.

    Raises:
        UserError: If there is none of that name; the message has the nearest right one. If the record cannot be used.
    """
    if name.strip().lower().endswith(RECORD_SUFFIXES):
        from evaluators.language_file import load_language_file

        return load_language_file(name.strip())
    wanted = name.strip().lower()
    for record in LANGUAGES.values():
        if wanted == record.name or wanted in record.aliases:
            return record
    near = unknown_name("language", name, LANGUAGES)
    raise UserError(f"{near}; or the path of a record of your own, as my-language.yaml")
