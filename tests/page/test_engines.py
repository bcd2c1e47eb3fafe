"""The page's core in other engines: `pytest --engines firefox,webkit`; without the option nothing of this runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder import one_file
from tests.page.engines import ENGINES, Browser
from tests.page.hosts import Host, version

READY = "document.documentElement.dataset.python === 'ready'"
PARTS = "[...document.querySelectorAll('details[data-part]')].map((it) => it.dataset.part)"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One run of each test in each engine that was asked for."""
    if "engine" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--engines")
        metafunc.parametrize("engine", [name for name in asked.split(",") if name], indirect=True, scope="module")


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """A fresh browser of that engine."""
    with ENGINES[request.param]() as browser:
        yield browser


@pytest.fixture(scope="module")
def host(engine: Browser, site: dict[str, bytes]) -> Iterator[Host]:
    host = Host(version(site, "one"))
    yield host
    host.stop()
    assert host.violations == []


def opened(engine: Browser, url: str) -> Browser:
    engine.open("about:blank")
    engine.open(url)
    engine.until(READY)
    return engine


def text(selector: str) -> str:
    return f"document.querySelector({selector!r}).textContent"


def run(engine: Browser, code: str) -> str:
    engine.set("#code-cell", code)
    engine.click("#code-run")
    engine.until("['done', 'error'].includes(document.getElementById('code-status').dataset.state)")
    return str(engine.value(text("#code-output")))


def test_it_starts_from_the_snapshot(engine: Browser, host: Host) -> None:
    assert opened(engine, host.url).value("document.documentElement.dataset.start") == "snapshot"


def test_every_part_answers(engine: Browser, host: Host) -> None:
    opened(engine, host.url)
    parts = engine.value(PARTS)
    assert len(parts) == 8
    engine.value("document.getElementById('all-parts').open = true")
    for part in parts:
        engine.click(f'details[data-part="{part}"] summary .name')
        engine.until(f"location.hash.endsWith('part={part}')")
        name = engine.value(f"document.querySelector('details[data-part=\"{part}\"] .name').firstChild.textContent")
        assert engine.value(text("#panel h2")) == name


def test_model_and_length_can_be_changed(engine: Browser, host: Host) -> None:
    opened(engine, host.url)
    engine.set("#model", "llama-3-70b")
    engine.until(f"{text('#figures [data-figure=parameters]')}.includes('70.6B')")
    engine.set("#seq-len", "8192")
    engine.until("location.hash.includes('t=8192')")
    engine.value("history.back()")
    engine.until("location.hash.includes('t=8&')")


def test_a_challenge_can_be_solved_and_is_kept(engine: Browser, host: Host) -> None:
    opened(engine, host.url)
    engine.set("#model", "mistral-7b-v0.1")
    engine.until("document.querySelector('li[data-challenge=mlp]').dataset.done === 'true'")
    opened(engine, host.url)
    engine.until("document.querySelector('li[data-challenge=mlp]').dataset.done === 'true'")


def test_the_cell_runs_and_stops(engine: Browser, host: Host) -> None:
    opened(engine, host.url)
    assert run(engine, "import difflib\nprint(6 * 7)").strip() == "42"
    engine.set("#code-cell", "print('begun')\nwhile True: pass")
    engine.click("#code-run")
    engine.until(f"{text('#code-output')}.includes('begun')")
    engine.click("#code-stop")
    engine.until("document.getElementById('code-status').dataset.state === 'stopped'")
    assert run(engine, "print('again')").strip() == "again"


def test_it_works_without_the_server(engine: Browser, host: Host) -> None:
    opened(engine, host.url)
    engine.until(f"{text('#offline-status')}.includes('works offline')")
    host.stop()
    try:
        for _ in range(2):
            opened(engine, host.url)
            assert run(engine, "print(6 * 7)").strip() == "42"
    finally:
        host.start()


def test_a_newer_version_is_offered_and_taken(engine: Browser, host: Host, site: dict[str, bytes]) -> None:
    opened(engine, host.url)
    engine.until(f"{text('#offline-status')}.includes('works offline')")
    host.files = version(site, "two")
    opened(engine, host.url)
    engine.until(f"{text('#python-status')}.includes('A newer version is ready')")
    assert engine.value(text("h1")).endswith("one")
    engine.click("#update")
    engine.until(f"{text('h1')}.endsWith('two') && {READY}")


def test_the_one_file_works_from_a_disk(engine: Browser, site: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / one_file.NAME
    path.write_bytes(site[one_file.NAME])
    opened(engine, path.as_uri())
    assert engine.value("document.documentElement.dataset.start") == "snapshot"
    engine.set("#model", "llama-3-70b")
    engine.until(f"{text('#figures [data-figure=parameters]')}.includes('70.6B')")
    assert run(engine, "print(6 * 7)").strip() == "42"


def test_a_breach_of_the_policy_would_be_noticed(engine: Browser, host: Host) -> None:
    """That `host` ends with none means something."""
    opened(engine, host.url)
    engine.value("(document.body.append(Object.assign(new Image(), { src: 'https://elsewhere.example/1.png' })), 1)")
    host.await_violation("elsewhere.example")
    assert all("elsewhere.example" in report for report in host.violations)
    host.violations.clear()
