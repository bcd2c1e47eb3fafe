"""One build at a time in a folder: a second one waits, and a killed one is waited for no longer."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextlib.contextmanager
def alone(folder: Path, note: Callable[[str], None]) -> Iterator[None]:
    """The folder, made where it is missing, for this process alone as long as the block runs.

    The system lets go of the lock when the process ends, however that ends. Windows, and file systems without locks,
    have none: there two builds at once are not kept apart.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        _lock(opened, lambda: note(f"Another build is at work in {folder}; this one waits for it."))
        yield
    finally:
        os.close(opened)


def _lock(opened: int, wait: Callable[[], None]) -> None:
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        wait()
        fcntl.flock(opened, fcntl.LOCK_EX)
    except OSError:  # a file system that has no locks
        return
