"""The embedded model's server: a child process that answers OpenAI's protocol on the loopback.

Started by :mod:`operators.models.embedded`. Its first line of output is a JSON object with its address. It ends when
its standard input ends or its parent dies, so that it never outlives the engine.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import signal
import sys


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--context-tokens", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    options = parser.parse_args()
    _die_with_parent()
    # The runtime writes to standard output too; only the address may go to the parent.
    to_parent = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = options.slots
    params.n_ctx = options.slots * options.context_tokens
    params.kv_unified = False
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    # A prompt that was partly in the cache is computed in other batches, and gives other texts.
    params.cache_prompt = options.slots > 1
    params.cont_batching = options.slots > 1
    params.cache_ram_mib = 0  # without this, old prompts may fill 8 GB
    params.warmup = False
    params.verbosity = 2  # warnings and errors
    params.model_alias = {"embedded"}
    server = xllamacpp.Server(params)
    print(json.dumps({"address": server.listening_address}), file=to_parent, flush=True)
    sys.stdin.read()
    # The runtime's threads may be in the middle of an answer that nobody waits for.
    os._exit(0)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)


if __name__ == "__main__":
    main()
