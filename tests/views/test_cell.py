"""Tests of views/cell.py: the cell as text, before any script has run."""

import re
from html import unescape

import pytest

import cell_worker
from anatomy.teaching import snippet
from anatomy.views import cell
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model

MARKUP = str(cell.view(State()))


def element(name: str, identifier: str) -> tuple[str, str]:
    """The opening tag and the text of the element with that id."""
    (found,) = re.findall(rf'(<{name}\b[^>]*\bid="{identifier}"[^>]*>)(.*?)</{name}>', MARKUP, re.DOTALL)
    opening, inner = found
    assert "<" not in inner
    return opening, unescape(inner)


def test_the_editor_holds_the_snippet_as_it_is() -> None:
    assert element("textarea", "code-cell")[1] == snippet.SOURCE
    assert not snippet.SOURCE.startswith("\n")


def test_where_there_is_no_numpy_nothing_else_is_said_than_the_plain_program_and_why() -> None:
    plain = cell.without_numpy(MARKUP)
    assert unescape(plain).replace(snippet.PLAIN, snippet.SOURCE).replace(cell.PLAINLY, cell.WITH_NUMPY) == unescape(
        MARKUP
    )
    assert "import numpy" not in plain


def test_the_editor_has_a_label_and_a_description() -> None:
    assert '<label for="code-cell">Python code</label>' in MARKUP
    assert 'aria-describedby="code-help"' in element("textarea", "code-cell")[0]
    assert "Ctrl + Enter" in element("p", "code-help")[1]


def test_the_expected_output_stands_there_without_a_run() -> None:
    assert element("pre", "code-expected")[1] == snippet.OUTPUT
    assert element("pre", "code-output")[1] == ""


@pytest.mark.parametrize(("name", "label"), [("run", "Run"), ("stop", "Stop"), ("reset", "Reset")])
def test_each_button_says_what_it_does_and_names_its_action(name: str, label: str) -> None:
    opening, text = element("button", f"code-{name}")
    assert text == label
    assert f'data-action="code-{name}"' in opening
    assert 'type="button"' in opening


def test_output_and_status_are_announced_and_the_output_can_be_scrolled_by_keyboard() -> None:
    output = element("pre", "code-output")[0]
    assert 'role="log"' in output
    assert 'aria-label="Output of the code"' in output
    assert 'tabindex="0"' in output
    assert 'role="status"' in element("p", "code-status")[0]


def test_it_is_the_same_for_every_state_so_that_typed_code_stays() -> None:
    assert cell.view(choose_model(State(), "llama-3-70b")) == MARKUP


def test_it_states_the_limit_that_the_worker_keeps() -> None:
    assert f"{cell_worker.LIMIT:,} characters" in MARKUP
