"""The edition in one file, opened from a disk without a network: it does what the page does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from builder import one_file
from tests.page.brought import drop
from tests.page.conftest import FIRST, READY, START_TIMEOUT, run, show
from tests.page.test_own import BERT_TINY
from tests.page.test_reading import PARTS


@pytest.fixture(scope="module")
def opened(browser: Browser, site: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The file as a double click opens it, with the network off; trouble fails the module."""
    path = tmp_path_factory.mktemp("disk") / one_file.NAME
    path.write_bytes(site[one_file.NAME])
    context = browser.new_context(offline=True)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)

    def asked(request: Request) -> None:
        if not request.url.startswith(("blob:", "data:", path.as_uri())):
            troubles.append(f"asked for {request.url}")

    context.on("request", asked)
    page.goto(path.as_uri())
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    yield page
    context.close()
    assert troubles == []


def test_it_starts_from_its_own_snapshot_and_says_that_it_needs_no_network(opened: Page) -> None:
    assert opened.evaluate("document.documentElement.dataset.start") == "snapshot"
    expect(opened.locator("#offline-status")).to_contain_text("needs no network")
    assert opened.locator("#one-file a").count() == 0


def test_every_model_can_be_chosen_and_the_address_carries_it(opened: Page) -> None:
    slugs = opened.locator("#model option").evaluate_all("(all) => all.map((it) => it.value)")
    for slug in slugs:
        opened.select_option("#model", slug)
        opened.wait_for_function("(slug) => location.hash.includes(`model=${slug}&`)", arg=slug)
    opened.select_option("#model", "gpt2")
    expect(opened.locator("#figures [data-figure=parameters]").first).to_contain_text("124M")


def test_every_part_can_be_selected(opened: Page) -> None:
    show(opened, FIRST)
    parts = opened.locator("details[data-part]").evaluate_all("(all) => all.map((it) => it.dataset.part)")
    assert parts == PARTS
    opened.locator("#all-parts > summary").click()
    for part in parts:
        opened.locator(f'details[data-part="{part}"] summary').click()
        opened.wait_for_function("(part) => location.hash.endsWith(`part=${part}`)", arg=part)


def test_the_cell_runs_stops_and_says_that_it_has_no_numpy(opened: Page) -> None:
    assert run(opened, "import difflib\nprint(6 * 7)").strip() == "42"
    assert "NumPy is not part of this copy" in run(opened, "import numpy")
    opened.locator("#code-cell").fill("print('begun')\nwhile True: pass")
    opened.locator("#code-run").click()
    expect(opened.locator("#code-output")).to_contain_text("begun", timeout=START_TIMEOUT)
    opened.locator("#code-stop").click()
    expect(opened.locator("#code-status")).to_have_attribute("data-state", "stopped")
    assert run(opened, "print('again')").strip() == "again"


def test_a_file_of_the_reader_s_own_can_be_dropped(opened: Page) -> None:
    drop(opened, {"config.json": json.dumps(BERT_TINY).encode()})
    expect(opened.locator("#figures [data-figure=parameters] data").first).to_have_attribute("value", "4385920")
    opened.locator("#own-remove").click()
    expect(opened.locator("#model")).to_have_value("gpt2")


def test_the_notices_are_inside(opened: Page) -> None:
    link = opened.locator('a[data-held="THIRD-PARTY.txt"]')
    text = opened.evaluate("(url) => fetch(url).then((answer) => answer.text())", link.get_attribute("href"))
    assert "Mozilla Public License" in text


def test_the_page_links_to_it_with_its_size(site: dict[str, bytes], site_folder: Path) -> None:
    size = (site_folder / one_file.NAME).stat().st_size
    link = f'<a href="{one_file.NAME}" download>Download for offline use</a> (one file, {size / 1e6:.0f} MB)'
    assert link in site["index.html"].decode()


def test_nothing_in_it_names_a_host_but_links_for_its_reader(site: dict[str, bytes]) -> None:
    page = site[one_file.NAME].decode().partition('<script type="application/octet-stream"')[0]
    assert "'self'" not in page.partition("</head>")[0]
    page = re.sub(r'<a href="https://arxiv\.org/abs/[\d.]+">', "", page)
    assert "https://" not in page.replace(one_file.HOME, "").replace("https://github.com", "")
