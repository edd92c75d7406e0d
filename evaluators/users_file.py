"""Something of a Python file of the user's own, written ``path/file.py:attribute``: a checker, a selector, a script."""

from __future__ import annotations

import importlib.util
import os
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluators.exceptions import UserError, near_file, unknown_name, users_code


def load_from_file(kind: str, path: str, attribute: str) -> Any:
    """Import a Python file, which is code that the user trusts, and take something from it.

    Args:
        kind: What it shall be, for messages, such as ``"checker"``.
        path: Of the file.
        attribute: Its name in the file.

    Raises:
        UserError: If there is no such file or name, or the file fails while it is imported.
    """
    digest = sha256(read_users_file(kind, path)).hexdigest()
    spec = importlib.util.spec_from_file_location(f"evo_users_file_{digest[:16]}", Path(path).absolute())
    if spec is None or spec.loader is None:
        raise UserError(f"{kind}: {path!r} is no Python file: write it as path/file.py:attribute")
    module = importlib.util.module_from_spec(spec)
    with users_code(f"{kind}: the import of {path}"):
        spec.loader.exec_module(module)
    return attribute_of(kind, module, path, attribute)


def attribute_of(kind: str, module: ModuleType, where: str, attribute: str) -> Any:
    """Take something from a module.

    Args:
        kind: What it shall be, for messages.
        module: Whence.
        where: How the user named the module.
        attribute: Its name there.

    Raises:
        UserError: If it is not there.
    """
    if not hasattr(module, attribute):
        names = [
            name for name, value in vars(module).items() if not (name.startswith("_") or isinstance(value, ModuleType))
        ]
        raise unknown_name(f"{kind} in {where}", attribute, names)
    return getattr(module, attribute)


def read_users_file(kind: str, path: str) -> bytes:
    """The content of a user's Python file.

    Raises:
        UserError: If it cannot be read; names the nearest file of its folder.
    """
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise UserError(
            f"{kind} {path!r}: there is no such file; write it as path/file.py:attribute{near_file(path)}"
        ) from error
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise UserError(f"{kind}: cannot read {path!r} ({reason}): write it as path/file.py:attribute") from error
