"""What a killed engine can leave behind, and how the next one finds it: it bears its owner's process number."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
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


def end_stuck_starts() -> None:
    """End bubblewraps whose engine was killed in the middle of starting them.

    Its two processes talk while they set a sandbox up. Where the first one dies with the engine in between, the second
    waits without end; there is nothing in the sandbox yet.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):  # gone, or another user's
            if (process / "comm").read_text() != "bwrap\n":
                continue
            engine = _engine_of((process / "cmdline").read_bytes().rstrip(b"\0").rpartition(b"\0")[2])
            if engine is not None and not Path(f"/proc/{engine}").exists():
                os.kill(int(process.name), signal.SIGKILL)


def _engine_of(settings_text: bytes) -> int | None:
    """The process number of the engine that stands in a supervisor's settings; None if they are none."""
    try:
        settings = json.loads(settings_text)
    except ValueError:
        return None
    engine = settings.get("engine") if isinstance(settings, dict) else None
    return engine if isinstance(engine, int) else None
