"""The visitor's own configuration: a field to paste into, a file to choose or drop, and what became of it."""

from __future__ import annotations

from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    tag,
)
from anatomy.visit.brought import OWN
from anatomy.visit.own import OWN_NAME, OWN_SLUG
from anatomy.visit.state import State
from anatomy.words.formatting import exact


def view(state: State) -> Safe:
    """The field, its error, and the buttons.

    >>> 'id="own-config"' in view(State())
    True
    """
    return join(
        tag("h2", {"id": "own-title"}, "Your own model"),
        tag(
            "p",
            {"class": "reading"},
            "Paste a model’s ",
            tag("code", None, "config.json"),
            ", choose the file, or drop it anywhere on this page: diagram, tables and figures then show that model. "
            "It is read here, by this page; nothing leaves this machine.",
        ),
        tag("label", {"for": "own-config"}, "A config.json, as text"),
        tag(
            "textarea",
            {
                "id": "own-config",
                "class": "code",
                "rows": 4,
                "spellcheck": "false",
                "autocomplete": "off",
                "autocapitalize": "off",
                "aria-describedby": "own-config-error own-config-state",
                "aria-invalid": "true" if OWN in state.notices else None,
                "placeholder": '{"model_type": "llama", "hidden_size": 4096, …}',
            },
            # A browser drops the first line break of a text area.
            "\n" + (state.draft or (state.own.text if state.own else "")),
        ),
        tag("p", {"id": "own-config-error", "class": "notice", "role": "status"}, state.notices.get(OWN)),
        tag("p", {"id": "own-config-state", "class": "note"}, _said(state)),
        tag(
            "div",
            {"class": "file-controls"},
            tag("button", {"type": "button", "id": "own-show", "data-action": "own-show"}, "Show this model"),
            tag(
                "span",
                {"class": "file"},
                tag("label", {"for": "own-file"}, "or choose a file"),
                tag("input", {"type": "file", "id": "own-file", "accept": ".json,application/json"}),
            ),
            tag(
                "button",
                {"type": "button", "id": "own-remove", "data-action": "own-remove", "disabled": not _any(state)},
                "Remove it",
            ),
        ),
    )


def _any(state: State) -> bool:
    return bool(state.own or state.draft)


def _said(state: State) -> Child:
    if state.own is None:
        return None
    model = state.own.model
    total: list[Child] = [f"{OWN_NAME} has ", data(model.parameters, exact(model.parameters)), " parameters"]
    kept = " This browser keeps it between visits until it is removed."
    if state.draft:
        kept = " It stays until another configuration can be read."
    defaults = ", ".join(model.defaults)
    taken = f" Left out, and taken from the documented defaults: {defaults}." if defaults else ""
    if state.model == OWN_SLUG:
        return [total, ", and the page shows it.", taken, kept]
    link = tag("a", {"href": f"#model={OWN_SLUG}", "data-action": "go", "id": "own-again"}, "Show it again")
    return [total, ". ", link, ".", kept]
