"""Tests of builder.server: what a browser is told about each file."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest

from builder import server
from builder.failure import BuildError


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    for suffix in ("bin", "css", "html", "js", "json", "mjs", "svg", "wasm", "webmanifest", "whl", "zip", "odd"):
        (tmp_path / f"file.{suffix}").write_bytes(b"x")
    with server.running(tmp_path) as url:
        yield url


def get(url: str) -> HTTPResponse:
    answer = urllib.request.urlopen(url)
    assert isinstance(answer, HTTPResponse)
    answer.read()
    answer.close()
    return answer


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [
        ("js", "text/javascript"),
        ("mjs", "text/javascript"),
        ("wasm", "application/wasm"),
        ("json", "application/json"),
        ("css", "text/css"),
        ("html", "text/html"),
        ("svg", "image/svg+xml"),
        ("webmanifest", "application/manifest+json"),
        ("zip", "application/zip"),
        ("whl", "application/zip"),
        ("bin", "application/octet-stream"),
        ("odd", "application/octet-stream"),
    ],
)
def test_each_kind_of_file_has_the_type_that_browsers_want(address: str, suffix: str, kind: str) -> None:
    assert get(f"{address}file.{suffix}").headers.get_content_type() == kind


def test_browsers_are_to_ask_again(address: str) -> None:
    assert get(f"{address}file.js").headers["Cache-Control"] == "no-cache"


def test_a_file_that_is_not_there_is_not_found(address: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404") as missing:
        get(f"{address}none.js")
    missing.value.close()


def test_only_this_machine_is_served(address: str) -> None:
    assert address.startswith("http://127.0.0.1:")


def test_a_taken_port_is_told(address: str, tmp_path: Path) -> None:
    port = int(address.rstrip("/").rsplit(":", 1)[1])
    with pytest.raises(BuildError, match=f"port {port} cannot be used"):
        server.SiteServer(tmp_path, port)
