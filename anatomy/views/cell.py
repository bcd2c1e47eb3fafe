"""The code cell: GPT-2 small counted from its shapes, as text to read, edit and run."""

from __future__ import annotations

from html import escape

from anatomy.teaching.snippet import OUTPUT, PLAIN, SOURCE
from anatomy.views.markup import (
    Attributes,
    Safe,
    join,
    tag,
)
from anatomy.views.workings import disclosed
from anatomy.visit.state import State

ABOUT = (
    "Ctrl + Enter (⌘ + Enter on a Mac) in the editor runs the code too. It runs in your browser, in a worker of its "
    "own; what it prints is shown up to 100,000 characters. Your changes are kept in this browser until Reset."
)

WITH_NUMPY = (
    "The same count in a few lines of Python with NumPy: every trained tensor of a block by its shape, their sizes "
    "added up. Change the code and run it; each run starts anew."
)
PLAINLY = (
    "The same count in a few lines of Python, plain since this copy of the page has no NumPy: every trained tensor of "
    "a block by its shape, their sizes added up. Change the code and run it; each run starts anew."
)


def without_numpy(markup: str) -> Safe:
    """The same markup for a copy of the page that has no NumPy: its program does without, and prints the same.

    >>> "math.prod(shape)" in without_numpy(view(State()))
    True
    """
    for said, instead in ((SOURCE, PLAIN), (WITH_NUMPY, PLAINLY)):
        assert markup.count(escape(said, quote=False)) == 1, "the cell says it once"
        markup = markup.replace(escape(said, quote=False), escape(instead, quote=False))
    return Safe(markup)


def view(_state: State) -> Safe:
    """The editor with its controls, where its output goes, and what the code prints as it stands.

    It is the same for every state, so that what a reader has typed and run stays when another model is chosen.
    A text area moves on at Tab, as it should. A button that has nothing to do is only marked so (``aria-disabled``):
    a disabled one would lose the focus of whoever has just pressed it.

    >>> "12 L d^2 shortcut: 84,934,656" in view(State())
    True
    """
    editor: Attributes = {
        "id": "code-cell",
        "class": "code",
        "rows": SOURCE.count("\n"),
        "aria-describedby": "code-help",
        "wrap": "off",
        "spellcheck": "false",
        "autocapitalize": "off",
        "autocomplete": "off",
    }
    shown: Attributes = {
        "id": "code-output",
        "class": "code",
        "role": "log",
        "aria-label": "Output of the code",
        "tabindex": 0,
    }
    return join(
        tag("h2", {"id": "cell-title"}, "Count GPT-2 small’s parameters from its shapes"),
        tag(
            "div",
            {"class": "cell"},
            tag(
                "div",
                None,
                tag("label", {"for": "code-cell"}, "Python code"),
                # A parser drops one newline at the start of a text area, so the code may not begin with one.
                tag("textarea", editor, SOURCE),
            ),
            tag("div", None, _beside(shown)),
        ),
    )


def _beside(shown: Attributes) -> list[Safe]:
    return [
        tag("p", None, WITH_NUMPY),
        tag(
            "div",
            {"class": "code-controls"},
            _button("run", "Run"),
            _button("stop", "Stop", idle=True),
            _button("reset", "Reset"),
        ),
        tag("noscript", None, tag("p", None, "Running the code needs JavaScript; what it prints stands below.")),
        tag("p", {"id": "code-status", "role": "status", "data-state": "new"}, "Python for this cell starts at Run."),
        tag("pre", shown),
        tag(
            "figure",
            {"class": "code-expected"},
            tag("figcaption", None, "Unchanged, it prints:"),
            tag("pre", {"id": "code-expected", "class": "code"}, OUTPUT),
        ),
        disclosed("code-about", "About this cell", tag("p", {"id": "code-help", "class": "note"}, ABOUT)),
    ]


def _button(name: str, label: str, *, idle: bool = False) -> Safe:
    wanted: Attributes = {
        "type": "button",
        "id": f"code-{name}",
        "data-action": f"code-{name}",
        "aria-disabled": "true" if idle else None,
    }
    return tag("button", wanted, label)
