"""The field for a configuration of one's own: what it holds, what it says, and what may be done."""

import json
from dataclasses import replace

import pytest

from anatomy.views.page import regions
from anatomy.visit import brought
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model
from tests.checkpoints import GPT2
from tests.elements import Element, elements

TEXT = json.dumps(GPT2)
OWN = brought.own_config(State(), TEXT)
SPARSE = brought.own_config(State(), json.dumps({key: value for key, value in GPT2.items() if key != "n_inner"}))
KEPT = " This browser keeps it between visits until it is removed."
UNTIL = " It stays until another configuration can be read."
LEFT_OUT = f" Left out, and taken from the documented defaults: {', '.join(SPARSE.loaded.defaults)}."


def region(state: State) -> Element:
    """The region as elements."""
    return elements(regions(state, ("own",))["own"])


@pytest.mark.parametrize(
    ("state", "text", "refused", "said"),
    [
        (State(), "", "", ""),
        (brought.own_config(State(), "[]"), "[]", "config.json: a list of 0 items at the top", ""),
        (OWN, TEXT, "", f"Your model has 3,160 parameters, and the page shows it.{LEFT_OUT}{KEPT}"),
        (
            brought.own_config(OWN, "[]"),
            "[]",
            "config.json: a list of 0 items at the top",
            f"Your model has 3,160 parameters, and the page shows it.{LEFT_OUT}{UNTIL}",
        ),
        (choose_model(OWN, "gpt2"), TEXT, "", f"Your model has 3,160 parameters. Show it again.{KEPT}"),
        (
            replace(choose_model(OWN, "gpt2"), draft="{"),
            "{",
            "",
            f"Your model has 3,160 parameters. Show it again.{UNTIL}",
        ),
    ],
    ids=["nothing", "refused", "shown", "shown and refused", "elsewhere", "elsewhere and refused"],
)
def test_the_field(state: State, text: str, refused: str, said: str) -> None:
    shown = region(state)
    field = shown.one("textarea", id="own-config")
    # A browser drops the first line break.
    assert field.text == f"\n{text}"
    assert field.get("aria-invalid") == ("true" if refused else None)
    assert shown.one("p", id="own-config-error").text.startswith(refused)
    assert bool(shown.one("p", id="own-config-error").text) == bool(refused)
    state_ = shown.one("p", id="own-config-state")
    assert state_.text == said
    assert state_.values == ([("3160", "3,160")] if said else [])
    again = [(one["href"], one["data-action"]) for one in shown.all("a", id="own-again")]
    assert again == ([("#model=own", "go")] if "Show it again" in said else [])
    may_go = shown.one("button", id="own-remove").get("disabled") is None
    assert may_go == (text != "")
    for name, action in (("own-show", "own-show"), ("own-remove", "own-remove")):
        button = shown.one("button", id=name)
        assert (button["type"], button["data-action"]) == ("button", action)
    label, file = shown.one("label", for_="own-file"), shown.one("input", id="own-file")
    assert (label.text, file["type"], file["accept"]) == ("or choose a file", "file", ".json,application/json")
