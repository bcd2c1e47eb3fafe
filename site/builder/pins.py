"""The pinned browser runtime: which files of which packages the site carries, as runtime.json states them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builder.failure import BuildError


@dataclass(frozen=True)
class PinnedFile:
    """One file of a package: its path there, its hash, and what the site does with it."""

    path: str
    sha256: str
    preload: str = ""  # "module" or "fetch" where the page may ask for it early
    notice: bool = False  # a licence text: quoted in THIRD-PARTY.txt, not shipped as a file

    @property
    def name(self) -> str:
        """The file's name without the folders of its package."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Package:
    """An npm package and the folder of the site that its files go to."""

    name: str
    version: str
    licence: str
    source: str
    folder: str
    files: tuple[PinnedFile, ...]
    licence_texts: tuple[str, ...] = ()  # in licences/, for a package that ships none

    @property
    def label(self) -> str:
        """The package as npm writes it: name@version."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True)
class Wheel:
    """A Python package for the page's cell: Pyodide's own wheel, or PyPI's where a version and a hash are pinned."""

    name: str
    licence: str
    source: str
    version: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Pins:
    """All that runtime.json pins."""

    path: Path
    packages: tuple[Package, ...]
    wheels: tuple[Wheel, ...]
    node: str  # the PyPI package that carries an npm, as name==version
    snapshot: bool = False  # whether the page starts by interpreter.mjs, which is written for one Pyodide

    def package(self, name: str) -> Package:
        """The npm package of that name."""
        for package in self.packages:
            if package.name == name:
                return package
        raise BuildError(f"{self.path.name}: no npm package {name!r} among {[each.name for each in self.packages]}.")


def read(path: Path) -> Pins:
    """The pins in the file at `path`."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return Pins(
            path=path,
            packages=tuple(_package(entry) for entry in data["npm"]),
            wheels=tuple(Wheel(**entry) for entry in data["wheels"]),
            node=data["node"],
            snapshot=data.get("snapshot", False),
        )
    except OSError as error:
        raise BuildError(f"{path}: not readable ({error.strerror}); give one like site/runtime.json.") from error
    except KeyError as error:
        raise BuildError(f"{path}: key {error} is missing; site/runtime.json shows the keys wanted.") from error
    except (ValueError, TypeError) as error:
        raise BuildError(f"{path}: {error}; site/runtime.json shows what is wanted.") from error


def _package(entry: Mapping[str, Any]) -> Package:
    fields = dict(entry)
    files = tuple(PinnedFile(**file) for file in fields.pop("files"))
    texts = tuple(fields.pop("licence_texts", ()))
    return Package(files=files, licence_texts=texts, **fields)
