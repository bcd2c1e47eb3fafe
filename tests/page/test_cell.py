"""The code cell in a real browser: a real NumPy, output as it comes, Stop, Reset, and all of it by keyboard."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import build
from anatomy.teaching import snippet
from builder import wheels
from builder.pins import Pins
from builder.server import running

from .conftest import Visit

START = 60_000  # a worker may start on a slow machine
ENDLESS = "print('before')\nprint('and on', end='')\nwhile True:\n    pass\n"


def reaches(page: Page, *states: str) -> None:
    """Wait until the cell says one of these."""
    page.locator(", ".join(f'#code-status[data-state="{state}"]' for state in states)).wait_for(timeout=START)


def run(page: Page, code: str) -> str:
    """Run some code to its end; its output."""
    page.get_by_label("Python code").fill(code)
    page.get_by_role("button", name="Run", exact=True).click()
    reaches(page, "done", "error")
    return output(page)


def original(page: Page) -> str:
    """The program that the page came with."""
    return snippet.SOURCE if page.locator("#cell").get_attribute("data-numpy") else snippet.PLAIN


def output(page: Page) -> str:
    return page.get_by_role("log", name="Output of the code").text_content() or ""


def stop(page: Page) -> None:
    page.get_by_role("button", name="Stop", exact=True).click()
    reaches(page, "stopped")


@pytest.fixture(scope="session")
def older_url(older_site: build.Files, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site on the older runtime, which has a real NumPy, served."""
    folder: Path = tmp_path_factory.mktemp("older")
    build.write(older_site, folder)
    with running(folder) as url:
        yield url


def test_with_a_real_numpy_the_snippet_prints_exactly_the_four_lines(visit: Visit, older_url: str) -> None:
    page = visit(older_url)
    page.get_by_role("button", name="Run", exact=True).click()
    reaches(page, "done")
    assert output(page) == snippet.OUTPUT
    assert output(page) == page.locator("#code-expected").text_content()
    found = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert f"{older_url}pyodide/" in "\n".join(found)
    assert all(address.startswith(older_url) for address in found if address.startswith("http"))
    # Once more, NumPy being there; and what was edited counts.
    assert run(page, snippet.SOURCE.replace("768, 12", "1024, 24")).splitlines()[:2] == [
        "one block: 12,596,224",
        "total: 354,823,168",
    ]
    assert run(page, "import numpy as np\nprint(np.zeros((2, 3)).reshape(7))").splitlines()[:2] == [
        "Traceback (most recent call last):",
        '  File "<cell>", line 2, in <module>',
    ]
    # A new worker after Stop gets NumPy anew.
    page.get_by_label("Python code").fill("import numpy as np\nprint(np.arange(3).sum())\nwhile True: pass")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#code-output")).to_have_text("3\n")
    stop(page)
    assert run(page, "import numpy as np\nprint(np.arange(4).sum())") == "6\n"


@pytest.fixture(scope="session")
def stand_in_url(site: build.Files, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site with its own runtime's micropip, and with a stand-in for the NumPy that Pyodide's lock names."""
    read = wheels.contents

    def contents(pinned: Pins, lock: bytes, *places: Any) -> dict[str, bytes]:
        (numpy,) = (wheel for wheel in pinned.wheels if wheel.name == "numpy")
        others = tuple(wheel for wheel in pinned.wheels if wheel is not numpy)
        entry = json.loads(lock)["packages"]["numpy"]
        return {**read(replace(pinned, wheels=others), lock, *places), entry["file_name"]: wheel_of(entry)}

    folder = tmp_path_factory.mktemp("stand-in")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wheels, "contents", contents)
        build.write(build.files(), folder)
    with running(folder) as url:
        yield url


def wheel_of(entry: Mapping[str, str]) -> bytes:
    """A wheel of that name whose module knows its version and nothing else."""
    name, version, *tags = entry["file_name"].removesuffix(".whl").split("-")
    about = f"{name}-{version}.dist-info"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}/__init__.py", f"__version__ = {version!r}\n")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {'-'.join(tags)}\n")
        archive.writestr(f"{about}/RECORD", "")
    return buffer.getvalue()


def test_micropip_of_the_newest_runtime_installs_the_wheel_that_the_lock_names(visit: Visit, stand_in_url: str) -> None:
    page = visit(stand_in_url)
    version = page.locator("#cell").get_attribute("data-numpy")
    assert version
    assert run(page, "import numpy\nprint(numpy.__version__)") == f"{version}\n"


def test_the_page_as_built_runs_its_program_whether_or_not_it_has_numpy(page: Page) -> None:
    editor = page.get_by_label("Python code")
    assert editor.input_value() == original(page)
    assert run(page, editor.input_value()) == snippet.OUTPUT == page.locator("#code-expected").text_content()


def test_without_numpy_code_that_imports_it_is_told_so(page: Page) -> None:
    page.locator("#cell").evaluate("cell => { cell.dataset.numpy = ''; }")
    assert run(page, snippet.SOURCE).startswith("NumPy is not part of this copy of the page")
    assert "Traceback" not in output(page)


def test_the_worker_is_made_at_the_first_run_and_kept_for_the_next(page: Page) -> None:
    assert page.workers == []
    assert run(page, "print(1)") == "1\n"
    assert len(page.workers) == 1
    assert run(page, "print(2)") == "2\n"
    assert len(page.workers) == 1


def test_run_while_python_starts_is_remembered_with_the_latest_code(page: Page) -> None:
    editor, button = page.get_by_label("Python code"), page.get_by_role("button", name="Run", exact=True)
    editor.fill("print('first')")
    button.click()
    assert page.locator("#code-status").get_attribute("data-state") == "starting"
    editor.fill("print('second')")
    button.click()
    reaches(page, "done")
    assert output(page) == "second\n"


def test_stop_while_python_starts_gives_up_and_the_next_run_works(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    stop(page)
    assert run(page, "print('after all')") == "after all\n"


def test_output_is_shown_while_the_code_runs_and_stop_ends_an_endless_loop(shared_page: Page) -> None:
    page = shared_page
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    page.get_by_label("Python code").fill(ENDLESS)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#code-output")).to_have_text("before\nand on", timeout=START)
    expect(page.locator("#code-status")).to_have_text("Running. Stop ends it.")
    stop(page)
    assert output(page) == "before\nand on"
    assert run(page, "print('again')") == "again\n"


def test_the_page_stays_alive_beside_an_endless_loop(shared_page: Page) -> None:
    page = shared_page
    page.get_by_label("Python code").fill(ENDLESS)
    page.get_by_role("button", name="Run", exact=True).click()
    reaches(page, "running")
    page.locator("#model").select_option("llama-3-70b")
    expect(page.locator("#figures")).to_contain_text("70.6B")
    assert page.get_by_label("Python code").input_value() == ENDLESS
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#code-status")).to_contain_text("still running")
    stop(page)


def test_a_flood_of_output_is_cut_and_leaves_the_page_alive(shared_page: Page) -> None:
    page = shared_page
    page.get_by_label("Python code").fill("while True:\n    print('more and more')")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#code-output")).to_contain_text("The output is cut here", timeout=START)
    assert len(output(page)) < 110_000
    assert page.locator("#code-output > *").count() < 2000
    page.wait_for_function(
        "() => { const log = document.getElementById('code-output');"
        " return log.scrollTop + log.clientHeight >= log.scrollHeight - 2 }"
    )
    stop(page)


def test_the_last_of_many_lines_is_seen_before_an_endless_loop(shared_page: Page) -> None:
    page = shared_page
    page.get_by_label("Python code").fill("for n in range(300):\n    print(n)\nwhile True: pass")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#code-output")).to_contain_text("298\n299\n", timeout=START)
    stop(page)


def test_an_error_shows_the_traceback_of_the_readers_code_only(shared_page: Page) -> None:
    said = run(shared_page, "def half(n):\n    return n / 0\n\nprint('so far')\nhalf(1)")
    lines = said.splitlines()
    assert lines[:3] == ["so far", "Traceback (most recent call last):", '  File "<cell>", line 5, in <module>']
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "    return n / 0" in lines
    assert said.count("File ") == 2
    expect(shared_page.locator("#code-status")).to_contain_text("ended with an error")


def test_a_syntax_error_shows_its_line_and_caret(shared_page: Page) -> None:
    said = run(shared_page, "total = (1 +\nprint(total")
    assert said.startswith('  File "<cell>", line ')
    assert "^" in said
    assert said.splitlines()[-1].startswith("SyntaxError: ")


def test_input_is_refused_with_a_sentence(shared_page: Page) -> None:
    assert "the cell has no keyboard" in run(shared_page, "name = input('Name? ')")


def test_every_run_starts_anew(shared_page: Page) -> None:
    run(shared_page, "left = 1")
    assert run(shared_page, "print('left' in globals())") == "False\n"


def test_markup_in_the_output_is_text(shared_page: Page) -> None:
    assert run(shared_page, "print('<b>not bold</b>')") == "<b>not bold</b>\n"
    assert shared_page.locator("#code-output b").count() == 0


def test_reset_brings_the_original_back_and_clears_the_output(shared_page: Page) -> None:
    run(shared_page, "print('mine')")
    shared_page.get_by_role("button", name="Reset", exact=True).click()
    reaches(shared_page, "reset")
    assert shared_page.get_by_label("Python code").input_value() == original(shared_page)
    assert output(shared_page) == ""


def test_reset_ends_what_is_running(shared_page: Page) -> None:
    page = shared_page
    page.get_by_label("Python code").fill(ENDLESS)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#code-output")).to_contain_text("before", timeout=START)
    page.get_by_role("button", name="Reset", exact=True).click()
    reaches(page, "reset")
    assert run(page, "print('fresh')") == "fresh\n"


def test_edited_code_is_kept_between_visits_until_reset(page: Page) -> None:
    editor = page.get_by_label("Python code")
    editor.fill("print('kept')")
    page.reload()
    expect(editor).to_have_value("print('kept')", timeout=START)
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(editor).to_have_value(original(page))
    assert page.evaluate("localStorage.length") == 0


def test_code_too_long_to_be_kept_is_said_so_and_costs_no_start_anything(page: Page) -> None:
    editor, status = page.get_by_label("Python code"), page.locator("#code-status")
    editor.fill("#" * 100_001)
    expect(status).to_contain_text("not kept for your next visit: it holds 100,001 characters, and at most 100,000")
    run(page, "#" * 100_001)
    expect(status).to_contain_text("Finished. Ready to run again. The code is not kept")
    assert page.evaluate("localStorage.length") == 0
    editor.fill("#" * 100_000)
    expect(status).to_have_text("Finished. Ready to run again.")
    page.evaluate("localStorage[Object.keys(localStorage)[0]] = '#'.repeat(3_000_000)")
    page.reload()
    expect(status).to_contain_text("is not brought back: it holds 3,000,000 characters", timeout=15_000)
    expect(editor).to_have_value(original(page))


def test_what_the_browser_has_no_room_for_is_said_not_to_be_kept(visit: Visit) -> None:
    full = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
    page = visit(prepare=lambda page: page.add_init_script(full))
    page.get_by_label("Python code").fill("print('mine')")
    expect(page.locator("#code-status")).to_contain_text(
        "The code is not kept for your next visit: this browser has no"
    )
    page.locator("#model").select_option("mistral-7b-v0.1")
    expect(page.locator("#python-status")).to_contain_text("What you solved is not kept for your next visit")


def test_the_cell_works_by_keyboard_alone(shared_page: Page) -> None:
    page = shared_page
    editor = page.get_by_label("Python code")
    editor.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("print('typed')")
    page.keyboard.press("Control+Enter")
    reaches(page, "done")
    assert output(page) == "typed\n"
    assert editor.input_value() == "print('typed')"
    page.keyboard.press("Meta+Enter")
    expect(page.locator("#code-output")).to_have_text("typed\n")
    # Tab leaves the editor, and the buttons follow in order.
    for name in ("Run", "Stop", "Reset"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#code-output")).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Shift+Tab")
    expect(editor).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("while True: print('on', end='')")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    reaches(page, "running")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    reaches(page, "stopped")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_focused()


def test_stop_with_nothing_running_says_so(shared_page: Page) -> None:
    run(shared_page, "print(1)")
    shared_page.get_by_role("button", name="Stop", exact=True).press("Enter")
    expect(shared_page.locator("#code-status")).to_have_text("Nothing is running.")
    assert output(shared_page) == "1\n"


def test_a_worker_that_cannot_be_had_is_told_in_a_sentence_and_run_tries_again(visit: Visit) -> None:
    # The service worker would answer from what it keeps.
    page = visit(service_workers="block")
    page.guard.expected.append("Failed to load resource")  # type: ignore[attr-defined]
    page.route("**/cell_worker*.py", lambda route: route.fulfill(status=404))
    page.get_by_label("Python code").fill("print('at last')")
    page.get_by_role("button", name="Run", exact=True).click()
    reaches(page, "failed")
    expect(page.locator("#code-status")).to_contain_text("Run starts it anew")
    page.unroute("**/cell_worker*.py")
    page.get_by_role("button", name="Run", exact=True).click()
    reaches(page, "done")
    assert output(page) == "at last\n"
