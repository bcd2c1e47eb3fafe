"""Tests of the service worker and of the edition in one file, as the build makes them."""

import hashlib
import json
import re

import pytest

import build
from builder import listing, offline, one_file, sources
from builder.failure import BuildError


def listed(site: dict[str, bytes]) -> dict[str, str]:
    (text,) = re.findall(r"JSON\.parse\(String\.raw`(.*)`\)", site[offline.NAME].decode())
    found: dict[str, str] = json.loads(text)
    return found


def test_the_worker_keeps_by_its_hash_every_file_that_a_visitor_needs(site: dict[str, bytes]) -> None:
    kept = {"index.html" if path == "./" else path: sha256 for path, sha256 in listed(site).items()}
    packed = {path for path in site if path.endswith(".wasm")}  # in the file that Python starts from
    assert len(packed) == 1
    assert set(site) - set(kept) == {offline.NAME, one_file.NAME, listing.NAME, *packed}
    assert kept == {path: hashlib.sha256(site[path]).hexdigest() for path in kept}


def test_another_version_of_any_file_is_another_version_of_the_worker(site: dict[str, bytes]) -> None:
    source = sources.find(build.SITE, offline.NAME)
    files = {path: data for path, data in site.items() if path not in offline.spared(site)}
    assert offline.worker(source, files) == site[offline.NAME]
    other = offline.worker(source, files | {build.NOTICES: b"others"})
    assert re.findall(rb'VERSION = "(\w+)"', other) != re.findall(rb'VERSION = "(\w+)"', site[offline.NAME])


def test_small_files_come_first(site: dict[str, bytes]) -> None:
    sizes = [len(site["index.html" if path == "./" else path]) for path in listed(site)]
    assert sizes == sorted(sizes)


def test_the_manifest_names_icons_that_are_there(site: dict[str, bytes]) -> None:
    (manifest,) = (json.loads(data) for path, data in site.items() if path.endswith(".webmanifest"))
    assert len(manifest["icons"]) >= 3
    for icon in manifest["icons"]:
        data = site[icon["src"]]
        if icon["type"] == "image/png":
            width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
            assert icon["sizes"] == f"{width}x{height}"


def test_a_reference_that_the_page_words_otherwise_fails_the_build(site: dict[str, bytes]) -> None:
    with pytest.raises(BuildError, match=r"the edition in one file: .* stands 0 times in the page, not once"):
        one_file.document("<html></html>", site_by_path(site), build.SITE)


def test_another_pyscript_whose_worker_is_another_fails_the_build(site: dict[str, bytes]) -> None:
    files = site_by_path(site)
    path = next(path for path in files if re.fullmatch(r"pyscript/core-[\w-]+\.js", path))
    with pytest.raises(BuildError, match=r"module:import\(o\) stands 0 times in pyscript/core-[\w-]+\.js, not twice"):
        one_file.document("", files | {path: files[path].replace(b"module:import(o)", b"module:import(a)")}, build.SITE)


def site_by_path(site: dict[str, bytes]) -> dict[str, bytes]:
    """The files by their paths before they got hashes."""
    found = {re.sub(r"(?<=[./])[0-9a-f]{10}[./]", "", path): data for path, data in site.items()}
    for name in ("interpreter", "restore", "unpack", "pyodide/pyodide", "pyodide/pyodide.asm", "fzstd/index"):
        found[f"{name}.mjs"] = found[f"{name}.js"]
    return found
