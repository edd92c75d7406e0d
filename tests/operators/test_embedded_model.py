"""The embedded model's child process, with a runtime in place of llama.cpp that answers at once."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from evaluators.exceptions import InfrastructureError, UserError
from operators.models.chat import ChatRequest, Completion, Message, Price, Sampling
from operators.models.embedded import EmbeddedModel

RUNTIME = """
import json, os, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

print("a runtime that talks on standard output")

class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    def __init__(self, params):
        weights = Path(params.model.path)
        if weights.read_bytes() == b"broken":
            sys.exit("cannot load: broken weights")
        facts = {name: value for name, value in vars(params).items() if isinstance(value, (int, str, list))}
        facts |= {"threads": params.cpuparams.n_threads, "environment": dict(os.environ), "pid": os.getpid()}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][-1]["content"]
                mark = weights.with_name("crashed")
                if asked == "crash" or (asked == "crash once" and not mark.exists()):
                    mark.touch()
                    print("last words", file=sys.stderr, flush=True)
                    os._exit(9)
                body = json.dumps({"choices": [{"message": {"content": json.dumps(facts)}}]}).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{server.server_port}"
"""


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    (site / "xllamacpp-1.2.3.dist-info").mkdir(parents=True)
    (site / "xllamacpp-1.2.3.dist-info" / "METADATA").write_text("Name: xllamacpp\nVersion: 1.2.3\n")
    (site / "xllamacpp.py").write_text(RUNTIME)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    file = tmp_path / "tiny.gguf"
    file.write_bytes(b"weights")
    return file


def request(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),), Sampling(), 1, (text,), "debug")


def ask(model: EmbeddedModel, *texts: str) -> list[Completion]:
    async def all_of_them() -> list[Completion]:
        try:
            return [await model.complete(request(text)) for text in texts]
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def facts(completion: Completion) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(completion.text)
    return told


def test_one_slot_is_reproducible_and_several_share_a_cache(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary")
    one = facts(ask(EmbeddedModel(weights, threads=3), "hello")[0])
    assert (one["n_parallel"], one["n_ctx"], one["threads"], one["port"]) == (1, 4096, 3, 0)
    assert one["hostnames"] == ["127.0.0.1"]
    assert one["cache_prompt"] is False
    assert one["environment"]["OMP_WAIT_POLICY"] == "PASSIVE"
    assert "canary" not in one["environment"].values()
    four = facts(ask(EmbeddedModel(weights, slots=4, context_tokens=1000), "hello")[0])
    assert (four["n_parallel"], four["n_ctx"], four["cache_prompt"]) == (4, 4000, True)


def test_identity_is_checksum_runtime_and_settings(weights: Path) -> None:
    model = EmbeddedModel(weights, slots=2, threads=1)
    digest = hashlib.sha256(b"weights").hexdigest()
    assert model.identity == f"gguf sha256={digest} xllamacpp=1.2.3 slots=2 context=4096"
    assert model.identity == EmbeddedModel(weights, slots=2, threads=7).identity
    assert model.identity != EmbeddedModel(weights, slots=1).identity
    assert (model.concurrency, model.price) == (2, Price(0, 0, "runs on this machine"))
    assert "cc324af0" in EmbeddedModel().identity


def test_child_stays_for_all_requests_and_ends_with_the_model(weights: Path) -> None:
    first, second = (facts(completion)["pid"] for completion in ask(EmbeddedModel(weights), "a", "b"))
    assert first == second
    assert not psutil.pid_exists(first)


def test_child_outlives_an_event_loop_but_not_the_model(weights: Path) -> None:
    model = EmbeddedModel(weights)
    first, second = (facts(asyncio.run(model.complete(request(text))))["pid"] for text in "ab")
    assert first == second
    asyncio.run(model.close())
    assert not psutil.pid_exists(first)


def test_crashed_child_is_started_once_more(weights: Path) -> None:
    before, after = ask(EmbeddedModel(weights), "hello", "crash once")
    assert facts(before)["pid"] != facts(after)["pid"]


def test_child_that_crashes_again_is_given_up(weights: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"ended twice .exit status 9.: .*last words"):
        ask(EmbeddedModel(weights), "crash")


def test_many_requests_at_once_start_one_child(weights: Path) -> None:
    async def together() -> set[int]:
        model = EmbeddedModel(weights, slots=4)
        try:
            return {facts(c)["pid"] for c in await asyncio.gather(*(model.complete(request(t)) for t in "abcdefgh"))}
        finally:
            await model.close()

    assert len(asyncio.run(together())) == 1


def test_weights_that_cannot_be_loaded(weights: Path) -> None:
    weights.write_bytes(b"broken")
    with pytest.raises(InfrastructureError, match=r"did not start from .*broken weights"):
        ask(EmbeddedModel(weights), "hello")


PARENT = """
import asyncio, sys
from pathlib import Path
from operators.models.chat import ChatRequest, Message, Sampling
from operators.models.embedded import EmbeddedModel

async def main():
    model = EmbeddedModel(Path(sys.argv[1]))
    print((await model.complete(ChatRequest((Message("user", "a"),), Sampling(), 1, (), "x"))).text, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_child_dies_with_its_parent(weights: Path) -> None:
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, os.environ["PYTHONPATH"]])}
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(weights)], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert parent.stdout is not None
    child = psutil.Process(json.loads(parent.stdout.readline())["pid"])
    parent.kill()
    parent.wait()
    parent.stdout.close()
    child.wait(30)
    assert not child.is_running()


def test_missing_file_and_missing_runtime_say_what_to_type(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"none\.gguf does not exist"):
        EmbeddedModel(weights.with_name("none.gguf"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UserError, match=r"pip install 'evo-synthesis\[local\]'"):
        EmbeddedModel(weights)
