"""What the code cell's worker runs: the reader's code, its output while it runs, and tracebacks of that code alone.

It stands by itself, without the page's package: PyScript fetches this one file into a fresh interpreter.
"""

import importlib.abc
import io
import linecache
import re
import sys
import time
import traceback
import types
from collections.abc import Callable, Sequence

CELL = "<cell>"
LIMIT = 100_000  # characters of output that a run may print
LONGEST_ERROR = 10_000
LONGEST = 300  # characters of an error that a sentence quotes
CUT = f"\n[The output is cut here, after {LIMIT:,} characters. The code runs on; Stop ends it.]\n"

# Every piece of output is a message to the page, and thousands of messages a second would freeze it: a run may send
# this many at once and so many more per second; what comes faster is sent in bundles.
BURST = 1000
PER_SECOND = 50

NO_NUMPY = (
    "NumPy is not part of this copy of the page, so code that imports it cannot run here. Plain Python can: Reset "
    "brings back a program that does without."
)

# A piece of output goes to the page as its kind ("out", "error" or "note") and its text.
Send = Callable[[str, str], object]


class Output:
    """What a run prints: passed on at once while it is little, in bundles while it is much, and cut at the limit."""

    def __init__(self, send: Send, clock: Callable[[], float] = time.monotonic) -> None:
        self._send, self._clock = send, clock
        self._pending: list[str] = []
        self._kind = "out"
        self._left = LIMIT
        self._allowed, self._since = float(BURST), clock()

    def write(self, kind: str, text: str) -> None:
        """Take one more piece."""
        if not text or self._left < 0:
            return
        if kind != self._kind:
            self.flush()
        self._kind = kind
        cut = len(text) > self._left
        self._pending.append(text[: self._left])
        self._left = -1 if cut else self._left - len(text)
        if cut:
            self.flush()
            self._send("note", CUT)
        elif self._may_send():
            self.flush()

    def flush(self) -> None:
        """Send what waits."""
        if self._pending:
            self._send(self._kind, "".join(self._pending))
            self._pending.clear()

    def _may_send(self) -> bool:
        now = self._clock()
        self._allowed = min(BURST, self._allowed + (now - self._since) * PER_SECOND)
        self._since = now
        if self._allowed < 1:
            return False
        self._allowed -= 1
        return True


class Stream(io.TextIOBase):
    """A standard stream that writes to the run's output."""

    def __init__(self, output: Output, kind: str) -> None:
        super().__init__()
        self._output, self._kind = output, kind

    def writable(self) -> bool:
        """A stream to write to."""
        return True

    def write(self, text: str) -> int:
        """Pass the text on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._output.write(self._kind, text)
        return len(text)


class NoInput(io.TextIOBase):
    """A standard input that says why it has nothing to read."""

    def readable(self) -> bool:
        """Not a stream to read from."""
        return False

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]
        """What input() calls."""
        raise RuntimeError("input() cannot ask anything here: the cell has no keyboard. Write the value into the code.")

    def read(self, _size: int | None = -1, /) -> str:
        """As readline."""
        return self.readline()


class NumpyMissingError(ModuleNotFoundError):
    """NumPy was imported where it is not to be had; its text is the whole story, so it needs no traceback."""


class NumpyGuard(importlib.abc.MetaPathFinder):
    """Lets `import numpy` fail with the reason why there is no NumPy."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: object = None, /) -> None:
        """Find nothing, and say why for NumPy."""
        if name == "numpy":
            raise NumpyMissingError(self.reason, name=name)


def guard_numpy(reason: str) -> None:
    """Let imports of NumPy fail with this reason, or with no special one where it is empty."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, NumpyGuard)]
    if reason:
        sys.meta_path.insert(0, NumpyGuard(reason))


def names_numpy(code: str) -> bool:
    """Whether the code can be about to import NumPy; a comment that names it may cost a load, which does no harm."""
    return re.search(r"\bnumpy\b", code) is not None


def traceback_of(error: BaseException) -> str:
    """A traceback as Python prints it, with the frames of the reader's own code alone."""
    shown = traceback.TracebackException.from_exception(error)
    waiting: list[traceback.TracebackException | None] = [shown]
    while waiting:
        if one := waiting.pop():
            frames = [frame for frame in one.stack if frame.filename == CELL]
            # Without frames there is nothing to trace, so the heading goes too, as Python has it for a SyntaxError.
            one.stack = traceback.StackSummary.from_list(frames) if frames else None  # type: ignore[assignment]
            waiting += [one.__cause__, one.__context__, *(one.exceptions or ())]
    text = "".join(shown.format())
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}\n[The error's text is cut here.]\n"


def run(code: str, send: Send) -> str:
    """Run the code as a program of its own: "done", or "error" where it did not come to its end."""
    output = Output(send)
    # Tracebacks and warnings quote the code's lines from here.
    linecache.cache[CELL] = (len(code), None, io.StringIO(code).readlines(), CELL)
    main = types.ModuleType("__main__")
    kept = sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"]
    sys.stdin, sys.stdout, sys.stderr = NoInput(), Stream(output, "out"), Stream(output, "error")
    sys.modules["__main__"] = main
    try:
        exec(compile(code, CELL, "exec", dont_inherit=True), main.__dict__)
        return "done"
    except SystemExit as asked:
        if asked.code is None or asked.code == 0:
            return "done"
        failure = f"{asked.code}\n" if isinstance(asked.code, str) else f"The code exits with status {asked.code}.\n"
    except NumpyMissingError as missing:
        failure = f"{missing}\n"
    except BaseException as error:
        failure = traceback_of(error)
    finally:
        sys.stdin, sys.stdout, sys.stderr, sys.modules["__main__"] = kept
        output.flush()
    send("error", failure)
    return "error"


async def install_numpy(version: str) -> str:
    """Have micropip install the NumPy that lies beside the interpreter; the reason in a sentence where it fails."""
    import pyodide_js

    try:
        await pyodide_js.loadPackage("micropip")
        import micropip  # type: ignore[import-not-found]

        # Without an index to ask, micropip takes what the site's own lock file lists and looks nowhere else.
        await micropip.install(f"numpy=={version}", index_urls=[])
        import numpy  # noqa: F401
    except Exception as error:
        last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        return f"NumPy {version} belongs to this copy of the page, but it could not be loaded ({last[0][:LONGEST]})."
    return ""


def serve() -> None:
    """Offer the page what it may ask of this worker: ``run(code, version of NumPy in this copy or "")``."""
    from pyscript import sync

    async def asked(code: str, numpy: str) -> str:
        if "numpy" not in sys.modules and names_numpy(code):
            if numpy:
                sync.emit("status", "loading-numpy")
            guard_numpy(await install_numpy(numpy) if numpy else NO_NUMPY)
        sync.emit("status", "running")
        return run(code, sync.emit)

    sync.run = asked


if __name__ == "__main__":
    serve()
