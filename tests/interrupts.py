"""Programs that a test interrupts: they hear it even where the tests ignore it (under nohup), and end with the test."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HEARING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@contextmanager
def hearing(*arguments: str, cwd: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A Python with these arguments whose streams are pipes, and that an interrupt reaches."""
    command = [sys.executable, "-c", _HEARING, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            process.kill()
