"""EmbeddedModel: a model file run on this machine, in a child process."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from evaluators.exceptions import InfrastructureError, UserError, near_file
from operators.models.chat import ChatRequest, Completion, Price
from operators.models.openai_endpoint import OpenAIModel
from operators.models.prices import ON_THIS_MACHINE
from operators.models.weights import QWEN_CODER_1_5B, FetchProgress, checksum, ensure_weights

_RUNTIME = "xllamacpp"
_START_SECONDS = 300.0
_ANSWER_SECONDS = 3600.0
_LAST_SECONDS = 5.0


@dataclass
class _Server:
    """A running child process with the client that asks it."""

    process: subprocess.Popen[str]
    client: OpenAIModel
    messages: IO[bytes]


class EmbeddedModel:
    """A model file run on this machine by llama.cpp, in a child process on the loopback.

    With one slot, answers are reproducible: the same request gives the same text, in any process and with any number
    of threads. With several, requests share the processor better, and texts vary.

    The child starts at the first request, which fetches the default model's file if need be. It ends with the thread
    that started it, or at :meth:`close`.

    Args:
        path: A GGUF file; None for Qwen2.5-Coder-1.5B-Instruct.
        slots: Requests answered at the same time.
        context_tokens: Most tokens of prompt and answer together, in each slot.
        threads: None for one less than there are processors, as candidate programs run on them too.
        progress: Called while the default model's file is fetched.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        slots: int = 1,
        context_tokens: int = 4096,
        threads: int | None = None,
        progress: Callable[[FetchProgress], None] | None = None,
    ) -> None:
        if path is not None and not path.is_file():
            raise UserError(
                f"model file {path} does not exist: give the path of a .gguf file, or 'embedded'{near_file(str(path))}"
            )
        if importlib.util.find_spec(_RUNTIME) is None:
            raise UserError(
                f"the package {_RUNTIME} is missing, and runs models on this machine: "
                "type \"pip install 'evo-synthesis[local]'\", or give an endpoint's model with --model NAME"
            )
        self._path = path
        self._slots = slots
        self._context_tokens = context_tokens
        self._threads = threads or max(1, len(os.sched_getaffinity(0)) - 1)
        self._progress = progress
        self._server: _Server | None = None
        self._restarts_left = 1
        self._locks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = weakref.WeakKeyDictionary()
        self._identity = ""

    @property
    def concurrency(self) -> int:
        """As many calls as there are slots."""
        return self._slots

    @property
    def price(self) -> Price:
        """Nothing."""
        return ON_THIS_MACHINE

    @property
    def identity(self) -> str:
        """Checksum of the weights, version of the runtime, and the settings that texts depend on.

        Raises:
            UserError: If the model file cannot be read.
        """
        if not self._identity:
            weights = QWEN_CODER_1_5B.sha256 if self._path is None else checksum(self._path)
            runtime = importlib.metadata.version(_RUNTIME)
            settings = f"slots={self._slots} context={self._context_tokens}"
            self._identity = f"gguf sha256={weights} {_RUNTIME}={runtime} {settings}"
        return self._identity

    def __repr__(self) -> str:
        return f"EmbeddedModel({self.identity!r})"

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request.

        Raises:
            UserError: If the model file cannot be fetched or read.
            InfrastructureError: If the child process fails twice.
        """
        while True:
            server = await self._running()
            try:
                return await server.client.complete(request)
            except InfrastructureError:
                if not await asyncio.to_thread(_has_ended, server.process):
                    raise

    async def close(self) -> None:
        """End the child process."""
        server, self._server = self._server, None
        if server is not None:
            await server.client.close()
            _end(server.process)
            server.messages.close()

    async def _running(self) -> _Server:
        loop = asyncio.get_running_loop()
        async with self._locks.setdefault(loop, asyncio.Lock()):
            server = self._server
            if server is not None and server.process.poll() is not None:
                told = _last_lines(server.messages)
                await self.close()
                if not self._restarts_left:
                    code = server.process.returncode
                    raise InfrastructureError(f"the embedded model ended twice (exit status {code}): {told}")
                self._restarts_left -= 1
            if self._server is None:
                path = self._path
                if path is None:
                    path = await asyncio.to_thread(ensure_weights, self._progress)
                self._server = await self._start(path)
            return self._server

    async def _start(self, path: Path) -> _Server:
        process, messages = self._spawn(path)
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(messages.close)
            on_failure.callback(_end, process)
            try:
                assert process.stdout is not None
                line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), _START_SECONDS)
                address = json.loads(line)["address"]
            except (TimeoutError, ValueError) as error:
                told = _last_lines(messages)
                raise InfrastructureError(f"the embedded model did not start from {path}: {told}") from error
            on_failure.pop_all()
        client = OpenAIModel(
            "embedded",
            base_url=f"{address}/v1",
            concurrency=self._slots,
            timeout_seconds=_ANSWER_SECONDS,
            max_retries=0,
            price=ON_THIS_MACHINE,
            identity=self.identity,
            trust_env=False,
        )
        return _Server(process, client, messages)

    def _spawn(self, path: Path) -> tuple[subprocess.Popen[str], IO[bytes]]:
        # In the caller's thread: the child dies with the thread that started it, and one of a pool may end too soon.
        messages = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        command = [sys.executable, "-m", "operators.models.embedded_server", str(path.resolve())]
        command += ["--slots", str(self._slots), "--context-tokens", str(self._context_tokens)]
        command += ["--threads", str(self._threads)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages, env=_environment(), text=True
        )
        return process, messages


def _environment() -> dict[str, str]:
    """The child's environment: the engine's, less the keys, with threads that do not spin while they wait."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}
    root = str(Path(__file__).parents[2])
    paths = [root, environment["PYTHONPATH"]] if environment.get("PYTHONPATH") else [root]
    return environment | {"OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": os.pathsep.join(paths)}


def _has_ended(process: subprocess.Popen[str]) -> bool:
    """Tell whether a child that lost its connection has crashed; a connection ends a little before its process."""
    try:
        process.wait(_LAST_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _last_lines(messages: IO[bytes]) -> str:
    messages.seek(max(0, messages.seek(0, os.SEEK_END) - 2000))
    lines = messages.read().decode("utf-8", "replace").strip().splitlines()
    return " | ".join(lines[-3:]) or "it said nothing"
