"""Tests of builder.notices: whose software the site carries, and under which terms."""

import io
import zipfile
from pathlib import Path

from builder import notices
from builder.pins import Package, PinnedFile, Pins, Wheel

COPYING = PinnedFile("COPYING", "", notice=True)


def wheel(licence: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("numpy-2.0.dist-info/LICENSE.txt", licence)
        archive.writestr("numpy/LICENSE.txt", "the terms of one of its parts")
    return buffer.getvalue()


def text(files: dict[str, bytes]) -> str:
    packages = (
        Package("morph", "1.0", "0BSD", "its home", "morph", (PinnedFile("dist/m.js", ""), COPYING)),
        Package("pyodide", "2.0", "MPL-2.0", "another home", "pyodide", (), ("MPL-2.0.txt",)),
    )
    pins = Pins(Path("runtime.json"), packages, (Wheel("numpy", "BSD-3-Clause", "a third"),), "")
    return notices.text(pins, {"morph/m.js": b"", "morph/COPYING": b"as you like", **files})


def test_a_package_is_named_with_version_licence_source_files_and_terms() -> None:
    assert "\nmorph 1.0\nLicence: 0BSD\nSource: its home\nIn this site: morph/: m.js\n\nas you like" in text({})


def test_a_package_without_a_licence_file_gets_the_text_that_lies_here() -> None:
    assert "Mozilla Public License Version 2.0" in text({})


def test_a_shipped_wheel_is_named_with_the_terms_in_its_metadata() -> None:
    whole = text({"pyodide/numpy-2.0-cp314.whl": wheel("in its way")})
    assert "\nnumpy 2.0\nLicence: BSD-3-Clause\nSource: a third\n" in whole
    assert "\nIn this site: pyodide/: numpy-2.0-cp314.whl\n\nin its way" in whole
    assert "the terms of one of its parts" not in whole


def test_a_wheel_that_is_not_shipped_is_not_named() -> None:
    assert "numpy" not in text({})
