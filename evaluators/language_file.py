"""A language of the user's own: a record in a YAML or JSON file.

::

    name: awk                               # left out: the file's name
    title: AWK                              # in prompts; left out: the name
    aliases: [gawk, mawk]                   # further names behind the fences of code blocks
    source_name: solution.awk
    line_comment: "#"
    compile: [...]                          # left out where the source is run as it is
    run: [awk, -f, "{program}"]             # left out where what was compiled runs by itself
    version: [awk, -W, version]             # its first line stands in every execution's key
    mounts: [/usr/share/awk]                # further directories or files to be seen, read-only
    environment: {LC_ALL: C}                # all variables that a program sees
    function_driver: driver.awk             # relative to this file; left out: mode stdio alone
    install: apt-get install mawk           # what to type where it is missing

The arguments of ``compile`` say ``{source}`` and ``{program}``, those of ``run`` say ``{program}``, where the names of
the files belong. A driver is appended to the program's source, with the function's name in the place of ``{function}``.
It reads the arguments at descriptor 4, a list in the JSON of :mod:`evaluators.plain_data`, and writes
``{"result": ...}`` in the same form to descriptor 3.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluators.data_files import parse_json, parse_yaml, read_text
from evaluators.exceptions import UserError, unknown_name
from evaluators.languages import Language
from evaluators.plain_data import PlainData

_TEXTS = ("name", "title", "source_name", "line_comment", "function_driver", "install")
_LISTS = ("aliases", "compile", "run", "version", "mounts")
_KEYS = (*_TEXTS, *_LISTS, "environment")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+#_-]*")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\.[A-Za-z0-9]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TAKEN = ("dev", "proc", "sys", "work", "headers", "packages", "evaluators")  # the sandbox has its own
_RESERVED = ("program", "driver.h", "driver.cpp")


def load_language_file(path: str) -> Language:
    """The language that a record describes.

    Args:
        path: Of the file; taken from the current directory if it is relative.

    Raises:
        UserError: If anything in it, or in the driver that it names, cannot be used.
    """
    file = Path(path).resolve()
    text = read_text(Path(path), "language record")
    record = _read(str(file), text)
    if record.function_driver is None:
        return record
    driver = read_text(file.parent / record.driver, f"{path}: function_driver")
    if "{function}" not in driver:
        raise UserError(f"{path}: function_driver {record.driver!r} never says {{function}}, the name of what to call")
    return replace(record, driver=driver, digest=_digest(text, driver))


@functools.lru_cache(maxsize=64)
def _read(path: str, text: str) -> Language:
    data = parse_json(text, path) if path.lower().endswith(".json") else parse_yaml(text, path)
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no keys: it needs at least 'source_name' and one of 'compile' and 'run'")
    for key, value in data.items():
        _check_entry(path, key, value)
    if "source_name" not in data:
        raise UserError(f"{path}: source_name is missing: say how a program's file is named, as 'solution.awk'")
    name, source_name = data.get("name", Path(path).stem), data["source_name"]
    if not _NAME.fullmatch(name):
        raise UserError(f"{path}: name {name!r} must consist of letters, digits and '.+#_-', as 'awk'")
    if not _FILE_NAME.fullmatch(source_name) or source_name in _RESERVED:
        raise UserError(f"{path}: source_name {source_name!r} must be a file's name with an ending, as 'solution.awk'")
    compile_command, run_command = _command(path, data, "compile"), _command(path, data, "run")
    if compile_command is None and run_command is None:
        raise UserError(f'{path}: compile and run are both missing: give a command, as run: [awk, -f, "{{program}}"]')
    return Language(
        name=name,
        aliases=tuple(data.get("aliases", ())),
        source_name=source_name,
        line_comment=data.get("line_comment", "#"),
        compile_command=compile_command,
        runner="executable" if run_command is None else "command",
        run_command=run_command,
        environment=tuple(f"{key}={value}" for key, value in data.get("environment", {}).items()),
        version_command=tuple(data["version"]) if "version" in data else None,
        mounts=tuple(data.get("mounts", ())),
        function_driver="appended" if "function_driver" in data else None,
        driver=data.get("function_driver", ""),
        install=data.get("install", ""),
        title=data.get("title", ""),
        path=path,
        digest=_digest(text, ""),
    )


def _check_entry(path: str, key: PlainData, value: PlainData) -> None:
    if key not in _KEYS:
        raise UserError(f"{path}: {unknown_name('key', str(key), _KEYS)}")
    if key in _TEXTS and not (isinstance(value, str) and value):
        raise UserError(f"{path}: {key} is {_shown(value)}, but must be text")
    if key in _LISTS and not (isinstance(value, list) and value and all(isinstance(part, str) for part in value)):
        raise UserError(f'{path}: {key} is {_shown(value)}, but must be a list of texts, as [awk, -f, "{{program}}"]')
    if key == "environment":
        _check_environment(path, value)
    if key == "mounts":
        for mount in value:
            _check_mount(path, Path(mount))


def _check_mount(path: str, mount: Path) -> None:
    if not mount.is_absolute() or not mount.exists():
        raise UserError(f"{path}: mounts has {str(mount)!r}, but must have absolute paths that are there")
    resolved = mount.resolve()
    if len(resolved.parts) <= 2 or resolved.parts[1] in _TAKEN or Path.home().is_relative_to(resolved):
        raise UserError(
            f"{path}: mounts has {str(mount)!r}, which a program must not see as a whole: name a part of it"
        )


def _check_environment(path: str, value: PlainData) -> None:
    if not isinstance(value, dict):
        raise UserError(f"{path}: environment is {_shown(value)}, but must be names and texts, as {{LC_ALL: C}}")
    for name, text in value.items():
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
            raise UserError(f"{path}: environment has {name!r}, which is no variable's name, as LC_ALL")
        if not isinstance(text, str) or "\0" in text:
            raise UserError(f"{path}: environment.{name} is {_shown(text)}, but must be text: put it in quotes")


def _command(path: str, data: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    if key not in data:
        return None
    command = tuple(data[key])
    for placeholder in ("{source}", "{program}") if key == "compile" else ("{program}",):
        if not any(placeholder in argument for argument in command[1:]):
            raise UserError(f"{path}: {key} never says {placeholder}: put it where that file's name belongs")
    return command


def _digest(*texts: str) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()


def _shown(value: PlainData) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
