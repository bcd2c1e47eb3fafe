"""THIRD-PARTY.txt: what the site carries of others, in which version, under which licence."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from builder.pins import Package, Pins, Wheel

LICENCES = Path(__file__).parent / "licences"
_RULE = "=" * 78
_HEAD = """Third-party software in this copy of Transformer Anatomy
{rule}

Everything below lies in this site as its makers published it, except that
pyodide-lock.json lists only the wheels that lie beside it.
Transformer Anatomy itself is under the Apache License 2.0.
"""


def text(pins: Pins, files: Mapping[str, bytes]) -> str:
    """The whole notice for the site's files by their logical paths."""
    parts = [_HEAD.format(rule=_RULE)]
    parts += [_package(package, files) for package in pins.packages]
    for wheel in pins.wheels:
        prefix = f"pyodide/{wheel.name}-"
        parts += [_wheel(wheel, path, data) for path, data in files.items() if path.startswith(prefix)]
    return f"\n{_RULE}\n".join(parts)


def _package(package: Package, files: Mapping[str, bytes]) -> str:
    """One npm package's entry, with the licence texts that it carries or that lie here for it."""
    texts = [files[f"{package.folder}/{file.name}"].decode() for file in package.files if file.notice]
    texts += [(LICENCES / name).read_text("utf-8") for name in package.licence_texts]
    shipped = ", ".join(file.name for file in package.files if not file.notice)
    title = f"{package.name} {package.version}"
    return _entry(title, package.licence, package.source, f"{package.folder}/: {shipped}", texts)


def _wheel(wheel: Wheel, path: str, data: bytes) -> str:
    """One wheel's entry, with the licence texts that lie in its metadata."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        inside = [name for name in archive.namelist() if ".dist-info/" in name and "LICENSE" in name.rsplit("/", 1)[1]]
        texts = [archive.read(name).decode() for name in sorted(inside)]
    folder, name = path.split("/")
    return _entry(f"{wheel.name} {name.split('-')[1]}", wheel.licence, wheel.source, f"{folder}/: {name}", texts)


def _entry(title: str, licence: str, source: str, place: str, texts: list[str]) -> str:
    head = f"\n{title}\nLicence: {licence}\nSource: {source}\nIn this site: {place}\n"
    return "\n".join([head, *texts])
