"""A candidate in Python, inside its own process: compile it, or run it on one case.

Nothing here is trusted to tell the truth after the candidate's code has begun: what it writes is text and data for
the engine to judge.
"""

from __future__ import annotations

import _thread
import atexit
import builtins
import fcntl
import io
import json
import linecache
import marshal
import os
import random
import re
import resource
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any, cast

from evaluators import plain_data
from evaluators.sandbox.ledger import Ledger

SOURCE_NAME = "solution.py"

_MAX_MESSAGE = 400
_REPORT = 3
_KEPT = 60  # descriptors from here on are copies of the standard ones
_MEMORY_EVERY = 16  # cases: asking costs as much as a small case
_REACHES_OUT = re.compile(rb"random|statistics|importlib|__|exec|eval|modules|builtins|attr|gc|ctypes|inspect")
"""In the text of programs that may draw numbers or change builtins; for all others there is nothing to make good."""
_IS_MAIN = re.compile(rb"__name__|__main__")
_STREAM_NAMES = ("<stdin>", "<stdout>", "<stderr>")
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

packages: str | None = None
"""A directory of packages that the program may import; set before it runs."""


def compile_source(source: bytes, write: Callable[[bytes], object]) -> int:
    """Compile a program and write what :func:`run` takes; diagnostics go to standard error.

    Args:
        source: The whole source file.
        write: Takes the result.

    Returns:
        The exit status: 0 if it compiled.
    """
    try:
        code = compile(source, SOURCE_NAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        lines = traceback.format_exception_only(type(error), error)
        text = "".join(lines).replace("\0", "\\0")
        os.write(2, text[: 2**16].encode("utf-8", "backslashreplace"))
        return 1
    write(marshal.dumps((source, code)))
    return 0


def run(compiled: bytes, function: str | None, arguments: int | None, report: int) -> int:
    """Run a program as its own process would, and report how it ended.

    Args:
        compiled: What :func:`compile_source` wrote.
        function: Name of the function to call, or None to run the program as a script.
        arguments: Descriptor that holds the function's arguments as plain data.
        report: Descriptor that takes one line of JSON: ``{"result": ...}``, or ``{"error": ...}``.

    Returns:
        The exit status.
    """
    code = _prepare_process(compiled)
    random.seed(0)  # a program that draws numbers draws the same ones each time
    text = b""
    if arguments is not None:
        with os.fdopen(arguments, "rb") as file:
            text = file.read()
    return _run_case(code, function, text, report)


def run_cases(
    source: bytes, function: str | None, inputs: int, cases: Sequence[tuple[int, int]], ledger: Ledger
) -> int:
    """Compile a program, and run it on many cases in this process, one after the other.

    It ends early, and leaves the rest to another process, after a case that would not leave the next one a clean
    interpreter.

    Args:
        source: The whole source file.
        function: Name of the function to call, or None to run the program as a script.
        inputs: Descriptor that holds the inputs of all cases.
        cases: Offset and length of each input.
        ledger: Takes what each case leaves.

    Returns:
        The exit status: 0 if it compiled; else the diagnostics are on standard error.
    """
    compiled: list[bytes] = []
    status = compile_source(source, compiled.append)
    if status != 0:
        return status
    code = _prepare_process(compiled[0])
    ledger.begin()
    reaches_out = _REACHES_OUT.search(_IS_MAIN.sub(b"", source)) is not None
    clean = dict(vars(builtins))
    # A program may close or replace its standard files, as `open(0)` does, so that each case gets them anew.
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _KEPT) for descriptor in range(_REPORT + 1)]
    given, *outputs = kept
    clock, seek, restore, end = time.process_time, os.lseek, os.dup2, os.SEEK_END
    before, memory = clock(), 0
    for number, (offset, length) in enumerate(cases):
        text = os.pread(inputs, length, offset)
        try:
            if function is None:
                os.pwrite(given, text, 0)
                if seek(given, 0, end) != length:
                    os.ftruncate(given, length)
                seek(given, 0, os.SEEK_SET)
            if reaches_out:
                random.seed(0)  # a program that draws numbers draws the same ones each time
            status = _run_case(code, function, text, _REPORT)
            stdout, stderr, report = sizes = [seek(descriptor, 0, end) for descriptor in outputs]
            if not ledger.has_room(stdout + stderr + report):
                return 0
            now = clock()
            if number % _MEMORY_EVERY == 0:
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            ledger.append((status, stdout, stderr, report, int(1e6 * (now - before)), memory), outputs)
            before = now
            if _thread._count() or (reaches_out and vars(builtins) != clean):
                return 0
            for descriptor, size in zip(outputs, sizes, strict=True):
                if size:
                    os.ftruncate(descriptor, 0)
                    seek(descriptor, 0, os.SEEK_SET)
            for descriptor, copy in enumerate(kept):
                restore(copy, descriptor)
        except OSError:  # it closed every descriptor: the next process goes on with this case or the next one
            return status
    return 0


def _run_case(code: types.CodeType, function: str | None, arguments: bytes, report: int) -> int:
    module = _prepare_case("__main__" if function is None else "solution")
    write = os.write
    status = 0
    try:
        try:
            values = () if function is None else plain_data.loads(arguments)
            exec(code, module.__dict__)  # noqa: S102 - the purpose of it all
            if function is not None:
                result = _call(module, function, values)
                write(report, b'{"result":' + plain_data.dumps(result, accept_subclasses=True).encode() + b"}")
        finally:
            _finish()
    except SystemExit as leaving:
        status = _exit_status(leaving.code)
    except BaseException as error:  # noqa: BLE001 - whatever a candidate raises is its result
        status = 1
        _report(error, report, write)
    for stream in {id(stream): stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)}.values():
        status = max(status, _flush(stream))
    # What it left is freed now, not at some later time, when that might close the next case's files.
    module.__dict__.clear()
    sys.stdin = sys.stdout = sys.stderr = sys.__stdin__ = sys.__stdout__ = sys.__stderr__ = None  # type: ignore[misc]
    return status


def _prepare_process(compiled: bytes) -> types.CodeType:
    source, code = marshal.loads(compiled)  # noqa: S302 - written by our own compile step
    os.environ.clear()
    if packages is not None:
        sys.path.append(packages)
        os.environ.update(_ONE_THREAD)
    for inherited in [key for key in sys.modules if key == "evaluators" or key.startswith("evaluators.")]:
        del sys.modules[inherited]
    text = source.decode("utf-8", "replace")
    linecache.cache[SOURCE_NAME] = (len(text), None, text.splitlines(keepends=True), SOURCE_NAME)
    return cast("types.CodeType", code)


def _prepare_case(name: str) -> types.ModuleType:
    sys.stdin = sys.__stdin__ = _stream(0, "r", "surrogateescape")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(1, "w", "strict")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "w", "backslashreplace")  # type: ignore[misc]
    sys.argv = [SOURCE_NAME]
    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = builtins
    module.__file__ = SOURCE_NAME
    sys.modules["__main__"] = module
    sys.modules[name] = module
    return module


_outputs: dict[int, io.TextIOWrapper] = {}


def _stream(descriptor: int, mode: str, errors: str) -> io.TextIOWrapper:
    """A standard stream: a new one for the input, whose buffer may hold the last case's, else the last usable one."""
    last = _outputs.get(descriptor)
    try:
        if last is not None and not last.closed and last.encoding == "utf-8" and last.errors == errors:
            return last
    except ValueError:  # detached
        pass
    raw = io.FileIO(descriptor, mode, closefd=False)
    buffer: Any = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    raw.name = _STREAM_NAMES[descriptor]
    stream = io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=descriptor == 2)
    if mode == "w":
        _outputs[descriptor] = stream
    return stream


def _call(module: types.ModuleType, name: str, values: tuple[Any, ...]) -> Any:
    function = module.__dict__.get(name)
    if function is None:
        raise NameError(f"the program defines no function {name!r}")
    return function(*values)


def _finish() -> None:
    """What an interpreter does before it ends: wait for threads, and run what was registered for the end."""
    if _thread._count():
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    atexit._run_exitfuncs()


def _exit_status(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    os.write(2, str(code)[:_MAX_MESSAGE].encode("utf-8", "backslashreplace") + b"\n")
    return 1


def _flush(stream: Any) -> int:
    try:
        if stream is not None and not stream.closed:
            stream.flush()
    except BaseException as error:  # noqa: BLE001 - as above
        os.write(2, f"{type(error).__name__} at the last flush\n".encode("utf-8", "backslashreplace"))
        return 120
    return 0


def _report(error: BaseException, report: int, write: Callable[[int, bytes], int]) -> None:
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != SOURCE_NAME:
        frames = frames.tb_next
    try:
        line, frame = 0, frames
        while frame is not None:
            if frame.tb_frame.f_code.co_filename == SOURCE_NAME:
                line = frame.tb_lineno
            frame = frame.tb_next
        message = str(error)[:_MAX_MESSAGE]
        text = "".join(traceback.format_exception(type(error), error, frames))
    except BaseException as second:  # noqa: BLE001 - an exception whose own text fails
        message, text = f"its message cannot be shown ({type(second).__name__})", ""
    write(2, text.encode("utf-8", "backslashreplace"))
    facts = {"error": type(error).__name__, "message": message, "line": line}
    write(report, json.dumps(facts).encode("ascii"))
