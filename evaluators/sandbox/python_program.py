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
import mmap
import os
import random
import re
import resource
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable
from typing import Any, cast

from evaluators import plain_data
from evaluators.sandbox.inputs import offsets
from evaluators.sandbox.ledger import LedgerWriter

SOURCE_NAME = "solution.py"

_MAX_MESSAGE = 400
_REPORT = 3
_KEPT = 60  # descriptors from here on are copies of the standard ones
_MOST_KEPT_FRAMES = 50  # entries
_MEMORY_EVERY = 16  # cases: asking costs as much as a small case
_REACHES_OUT = re.compile(rb"random|statistics|importlib|__|exec|eval|modules|builtins|attr|gc|ctypes|inspect")
"""In the text of programs that may draw numbers or change builtins; for all others there is nothing to make good."""
_IS_MAIN = re.compile(rb"__name__|__main__")
_TOUCHES_DESCRIPTORS = re.compile(rb"os|io|open|close|fd|detach|fileno|exec|eval|attr|__|ctypes")
"""In the text of programs that may close or replace their standard files; all others leave them alone."""
_MINDS_PLACES = re.compile(
    rb"seek|tell|truncat|pwrite|writev|sendfile|splice|copy_file_range|mmap|reconfigure|utf.?(?:16|32|8.?sig)"
)
"""In the text of programs that may see, or change, what cases before wrote: a process runs only one case of them."""
_STREAM_NAMES = ("<stdin>", "<stdout>", "<stderr>")
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

packages: str | None = None
"""A directory of packages that the program may import; set before it runs."""


def compile_source(source: bytes) -> types.CodeType | None:
    """Compile a program; None if it cannot be, and the diagnostics are on standard error.

    Args:
        source: The whole source file.
    """
    try:
        return compile(source, SOURCE_NAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        lines = traceback.format_exception_only(type(error), error)
        text = "".join(lines).replace("\0", "\\0")
        os.write(2, text[: 2**16].encode("utf-8", "backslashreplace"))
        return None


def compile_into(source: bytes, write: Callable[[bytes], object]) -> int:
    """Compile a program, and write what :func:`run` takes; returns the exit status, 0 if it compiled."""
    code = compile_source(source)
    if code is None:
        return 1
    write(marshal.dumps((source, code)))
    return 0


def run(compiled: bytes, function: str | None, arguments: int | None, report: int) -> int:
    """Run a program as its own process would, and report how it ended.

    Args:
        compiled: What :func:`compile_into` wrote.
        function: Name of the function to call, or None to run the program as a script.
        arguments: Descriptor that holds the function's arguments as plain data.
        report: Descriptor that takes one line of JSON: ``{"result": ...}``, or ``{"error": ...}``.

    Returns:
        The exit status.
    """
    source, code = marshal.loads(compiled)  # noqa: S302 - written by our own compile step
    _prepare_process(source)
    random.seed(0)  # a program that draws numbers draws the same ones each time
    text = b""
    if arguments is not None:
        with os.fdopen(arguments, "rb") as file:
            text = file.read()
    return _run_case(code, function, text, report)


def run_cases(source: bytes, function: str | None, inputs: int, first: int, ledger: int, room: int) -> int:
    """Compile a program, and run it on many cases in this process, one after the other.

    It ends early, and leaves the rest to another process, after a case that would not leave the next one a clean
    interpreter, and when the cases together have written more than there is room for.

    Args:
        source: The whole source file.
        function: Name of the function to call, or None to run the program as a script.
        inputs: Descriptor of the inputs of all cases; see inputs.py.
        first: Which case to begin with.
        ledger: Descriptor of the ledger, which has a row for each case from the first on.
        room: Bytes that a standard file may have for another case to begin.

    Returns:
        The exit status: 0 if it compiled; else the diagnostics are on standard error.
    """
    code = compile_source(source)
    if code is None:
        return 1
    _prepare_process(source)
    append = LedgerWriter(ledger).append
    reaches_out = _REACHES_OUT.search(_IS_MAIN.sub(b"", source)) is not None
    touches_descriptors = _TOUCHES_DESCRIPTORS.search(source) is not None
    alone = _MINDS_PLACES.search(source) is not None
    clean = dict(vars(builtins)) if reaches_out else {}
    # A program may close or replace its standard files, as `open(0)` does, so that each case gets them anew.
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _KEPT) for descriptor in range(_REPORT + 1)]
    given, stdout, stderr, report = kept
    clock, seek, end_of_file = time.process_time, os.lseek, os.SEEK_END
    texts = mmap.mmap(inputs, os.fstat(inputs).st_size, access=mmap.ACCESS_READ)
    begin, *ends = offsets(inputs)[first:]
    before, memory, status = clock(), 0, 0
    for number, end in enumerate(ends):
        text = texts[begin:end]
        begin = end
        try:
            if function is None:
                os.pwrite(given, text, 0)
                if seek(given, 0, end_of_file) != len(text):
                    os.ftruncate(given, len(text))
            if reaches_out:
                random.seed(0)  # a program that draws numbers draws the same ones each time
            status = _run_case(code, function, text, _REPORT)
            written = seek(stdout, 0, end_of_file), seek(stderr, 0, end_of_file), seek(report, 0, end_of_file)
            now = clock()
            if number % _MEMORY_EVERY == 0:
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            append(status, *written, int(1e6 * (now - before)), memory)
            before = now
            if alone or max(written) > room or _thread._count() or (reaches_out and vars(builtins) != clean):
                return 0
            if touches_descriptors:
                for descriptor, copy in enumerate(kept):
                    os.dup2(copy, descriptor)
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


def _prepare_process(source: bytes) -> None:
    if packages is not None:
        sys.path.append(packages)
        os.environ.update(_ONE_THREAD)
    text = source.decode("utf-8", "replace")
    linecache.cache[SOURCE_NAME] = (len(text), None, text.splitlines(keepends=True), SOURCE_NAME)


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


_streams: dict[int, io.TextIOWrapper] = {}


def _stream(descriptor: int, mode: str, errors: str) -> io.TextIOWrapper:
    """A standard stream: the last case's if that is as good as new."""
    last = _streams.get(descriptor)
    try:
        usable = last is not None and not last.closed and last.encoding == "utf-8" and last.errors == errors
        if last is not None and usable and not vars(last) and (mode == "w" or _rewound(last)):
            return last
    except (ValueError, OSError):  # detached, or closed below
        pass
    raw = io.FileIO(descriptor, mode, closefd=False)
    buffer: Any = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    raw.name = _STREAM_NAMES[descriptor]
    stream = io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=descriptor == 2)
    if mode == "r":
        stream.seek(0)
    _streams[descriptor] = stream
    return stream


def _rewound(stream: io.TextIOWrapper) -> bool:
    """Go back to the beginning of a file that has changed: past what a buffer may hold of it first."""
    cast("io.BufferedReader", stream.buffer).seek(0, os.SEEK_END)
    stream.seek(0)
    return True


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
        text = _traceback(error, frames)
    except BaseException as second:  # noqa: BLE001 - an exception whose own text fails
        message, text = f"its message cannot be shown ({type(second).__name__})", ""
    write(2, text.encode("utf-8", "backslashreplace"))
    facts = {"error": type(error).__name__, "message": message, "line": line}
    write(report, json.dumps(facts).encode("ascii"))


_shown: dict[tuple[Any, ...], str] = {}


def _traceback(error: BaseException, frames: types.TracebackType | None) -> str:
    """As ``traceback.format_exception``, which takes longer than most cases, with each place shown once a process."""
    place: list[object] = []
    frame = frames
    while frame is not None and len(place) <= _MOST_KEPT_FRAMES:
        place += [frame.tb_frame.f_code, frame.tb_lasti]
        frame = frame.tb_next
    unusual = error.__cause__ is not None or error.__context__ is not None
    if frames is None or frame is not None or unusual or isinstance(error, SyntaxError | BaseExceptionGroup):
        return "".join(traceback.format_exception(type(error), error, frames))
    if tuple(place) not in _shown:
        _shown[tuple(place)] = "".join(traceback.format_tb(frames))
    last = traceback.format_exception_only(type(error), error)
    return "".join(["Traceback (most recent call last):\n", _shown[tuple(place)], *last])
