"""Has the served site built anew whenever something that it is made of has changed."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

# Seconds between two looks. A few hundred files are looked at in a hundredth of a second.
_EVERY = 0.25
_LEFT_OUT = ("__pycache__",)

Stamps = dict[str, tuple[int, int]]


def stamps(places: Sequence[Path]) -> Stamps:
    """When each file in these places was last written, and its size."""
    found: Stamps = {}
    for place in places:
        # What goes away meanwhile, the next look misses.
        with contextlib.suppress(FileNotFoundError):
            found |= {str(place): _stamp(place)} if place.is_file() else {}
        for folder, inner, names in os.walk(place):
            inner[:] = [name for name in inner if name not in _LEFT_OUT]
            with contextlib.suppress(FileNotFoundError):
                found |= {str(path): _stamp(path) for path in (Path(folder, name) for name in names)}
    return found


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@contextlib.contextmanager
def following(places: Sequence[Path], before: Stamps, command: Sequence[str]) -> Iterator[None]:
    """Run `command` each time that the places are no longer as `before`, for as long as the block runs."""
    ended = threading.Event()
    thread = threading.Thread(target=_follow, args=(places, before, command, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _follow(places: Sequence[Path], before: Stamps, command: Sequence[str], ended: threading.Event) -> None:
    while not ended.wait(_EVERY):
        now = stamps(places)
        if now != before:
            before = now
            _build(command)


def _build(command: Sequence[str]) -> None:
    """A build by a Python of its own, which reads every module anew; one that fails has written nothing."""
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip(), file=sys.stderr)
        print("The edit does not build; what is served is the last site that did.", flush=True)
    else:
        print(f"Built anew in {time.monotonic() - began:.1f} s; reload the page.", flush=True)
