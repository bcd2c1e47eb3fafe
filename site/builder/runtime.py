"""The pinned npm packages as bytes: from the cache if every hash agrees, else fetched anew and checked."""

import hashlib
import tarfile
from collections.abc import Sequence
from pathlib import Path

from builder import cache as caching
from builder.clients import npm_pack
from builder.failure import BuildError
from builder.pins import Package, PinnedFile, Pins

Contents = dict[tuple[str, str], bytes]  # (package name, path in the package) -> bytes


def contents(pins: Pins, cache: Path) -> Contents:
    """Every pinned file of every npm package, each with the hash that its pin states."""
    stale = [package for package in pins.packages if _unlike_its_pins(package, cache)]
    if stale:
        _fetch(stale, cache, pins.node)
    for package in stale:
        wrong = _unlike_its_pins(package, cache)
        if wrong:
            raise BuildError(_complaint(package, wrong[0], cache, pins.path.name))
    return {
        (package.name, file.path): _kept(package, file, cache).read_bytes()
        for package in pins.packages
        for file in package.files
    }


def _kept(package: Package, file: PinnedFile, cache: Path) -> Path:
    return cache / package.label / file.path


def _unlike_its_pins(package: Package, cache: Path) -> list[PinnedFile]:
    return [file for file in package.files if sha256(_kept(package, file, cache)) != file.sha256]


def sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal; empty where there is no such file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _fetch(packages: Sequence[Package], cache: Path, node: str) -> None:
    with caching.making(cache) as folder:
        npm_pack([package.label for package in packages], folder, cache=cache, node=node)
        for package in packages:
            # npm's name for a tarball: @pyscript/core at 1.2.3 is pyscript-core-1.2.3.tgz.
            flat = package.name.removeprefix("@").replace("/", "-")
            _unpack(folder / f"{flat}-{package.version}.tgz", package, cache)


def _unpack(tarball: Path, package: Package, cache: Path) -> None:
    """Keep the pinned files of a tarball and nothing else of it."""
    with tarfile.open(tarball) as tar:
        for file in package.files:
            try:
                member = tar.extractfile(f"package/{file.path}")
            except KeyError:
                member = None
            if member is None:
                raise BuildError(f"{package.label} as npm gave it has no file {file.path}, which its pins name.")
            target = _kept(package, file, cache)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(member.read())


def _complaint(package: Package, file: PinnedFile, cache: Path, pins: str) -> str:
    found = sha256(_kept(package, file, cache))
    return f"{file.path} of {package.label} is not the pinned file: {pins} expects sha256 {file.sha256}, found {found}."
