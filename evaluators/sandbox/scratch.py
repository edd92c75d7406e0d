"""Scratch folders that bear their owner's process number, so that those of a killed engine can be swept."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "evo-scratch-"


def scratch_folder() -> Path:
    """Make an empty folder for this process; folders of processes that are gone are removed first."""
    sweep()
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))


def sweep() -> None:
    """Remove the scratch folders of this user's processes that are gone, such as by ``kill -9``."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = path.name.removeprefix(_PREFIX).partition("-")[0]
        with contextlib.suppress(FileNotFoundError):  # somebody else sweeps too
            if owner.isdigit() and not Path(f"/proc/{owner}").exists() and path.stat().st_uid == os.getuid():
                shutil.rmtree(path)
