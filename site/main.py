"""The page's only file that touches the browser: it hears events, makes a new state, and patches what changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pyscript import document, ffi, window
from pyscript.js_modules import idiomorph

import brought
import cell
from anatomy import state as states
from anatomy import visitor
from anatomy.hashes import from_hash
from anatomy.state import State
from anatomy.views.page import PROMPT, UNHURRIED, regions

SOLVED, OWN = "anatomy:solved", "anatomy:own"
MORPH = ffi.to_js({"morphStyle": "innerHTML"})
# While a number is being typed, the field keeps what its user types.
MORPH_TYPING = ffi.to_js({"morphStyle": "innerHTML", "ignoreActiveValue": True})


class Page:
    """The state on show and the markup that was last put in the document."""

    def __init__(self) -> None:
        self.state = State()
        self.shown = regions(self.state)
        self.typing = self.waiting = False
        # A frame is painted after its callback; a task of its own comes after that.
        finishing = ffi.create_proxy(self.finish)
        self.painting = ffi.create_proxy(lambda _: window.setTimeout(finishing, 0))

    def show(self, state: State, *, typing: bool = False) -> None:
        """Show another state, with what it shows counted as visited and solved."""
        self.render(state.settled(), typing=typing)

    def render(self, state: State, *, typing: bool = False) -> None:
        """Patch the regions whose markup changed, and keep the progress between visits."""
        if state.solved != self.state.solved:
            _store(SOLVED, json.dumps(sorted(state.solved)) if state.solved else None)
        if state.own != self.state.own:
            _store(OWN, state.own.text if state.own else None)
        self.state, self.typing = state, typing
        self.patch(PROMPT)
        if not self.waiting:
            self.waiting = True
            window.requestAnimationFrame(self.painting)

    def patch(self, names: Iterable[str]) -> None:
        """Bring these regions of the document up to the state."""
        changed = {name: made for name, made in regions(self.state, names).items() if made != self.shown[name]}
        opened = [one.id for one in document.querySelectorAll("details[open][id]")] if changed else []
        for name, markup in changed.items():
            how = MORPH_TYPING if self.typing else MORPH
            idiomorph.Idiomorph.morph(document.getElementById(name), markup, how)
        self.shown |= changed
        # A working that its reader opened stays open while the figures in it change.
        for ident in opened:
            if still := document.getElementById(ident):
                still.open = True

    def finish(self, *_: object) -> None:
        """Patch what could wait until the answer was painted."""
        self.waiting = False
        self.patch(UNHURRIED)

    def go(self, state: State, *, replace: bool = False, typing: bool = False) -> None:
        """Show a state that the reader chose, and write it into the address so that Back leads here again."""
        self.show(state, typing=typing)
        wanted = self.state.to_hash()
        if wanted != window.location.hash:
            write = window.history.replaceState if replace else window.history.pushState
            write(None, "", wanted)


page = Page()
bringing = brought.start(page)


def _stored(key: str) -> str | None:
    try:
        return str(window.localStorage.getItem(key) or "") or None
    except Exception:  # a browser may forbid storage; progress is then not kept
        return None


def _store(key: str, value: str | None) -> None:
    try:
        if value is None:
            window.localStorage.removeItem(key)
        else:
            window.localStorage.setItem(key, value)
    except Exception:
        return


def _solved_before() -> frozenset[str]:
    try:
        kept = json.loads(_stored(SOLVED) or "[]")
    except ValueError:
        return frozenset()
    return frozenset(one for one in kept if isinstance(one, str)) if isinstance(kept, list) else frozenset()


def _text(attribute: Any) -> str | None:
    """An attribute's text; None where the element has no such attribute (JavaScript's null)."""
    return str(attribute) if attribute else None


def clicked(event: Any) -> None:
    """A click, or Enter on a link or button: what it means is said by the nearest data-action."""
    control = event.target.closest("[data-action]")
    if not control or event.metaKey or event.ctrlKey or event.shiftKey:
        return
    action = control.getAttribute("data-action")
    if action == "part":
        if control.localName != "summary":
            event.preventDefault()
        chosen = control.closest("[data-part]")
        part, stack, blocks = (_text(chosen.getAttribute(f"data-{name}")) for name in ("part", "stack", "blocks"))
        page.go(states.select_part(page.state, part or "", stack, blocks))
    elif action == "seq-len":
        page.go(states.choose_seq_len(page.state, control.getAttribute("data-value")))
    elif action == "go":
        event.preventDefault()
        page.go(from_hash(page.state, control.getAttribute("href")))
        shows = _text(control.getAttribute("data-show"))
        if shows:
            section = document.getElementById(shows)
            section.scrollIntoView()
            section.focus()
    elif action == "reset-challenges":
        page.render(states.without_progress(page.state))
    elif action == "own-show":
        bringing.show()
    elif action == "own-remove":
        page.go(visitor.without_own(page.state))
    elif action == "check-clear":
        page.go(visitor.without_checkpoint(page.state))
    else:
        cell.act(action)


def changed(event: Any) -> None:
    """A control was set for good."""
    control = event.target
    if control.id == "model":
        page.go(states.choose_model(page.state, control.value))
    elif control.id == "with":
        page.go(states.choose_other(page.state, control.value))
    elif control.id in ("seq-len", "seq-len-slider"):
        page.go(states.choose_seq_len(page.state, control.value))
    elif control.getAttribute("data-action") == "option":
        page.go(states.choose_option(page.state, control.name, control.value))


def typed(event: Any) -> None:
    """A number is being typed or the slider dragged: follow what is legal, complain about nothing yet."""
    control = event.target
    if control.id == "own-config":
        bringing.typed()
        return
    if control.id not in ("seq-len", "seq-len-slider") or control.value == str(page.state.seq_len):
        return
    following = states.choose_seq_len(page.state, control.value)
    if not following.notices:
        page.go(following, replace=page.state.changed == states.SEQ_LEN, typing=True)


def arrived(_event: Any = None) -> None:
    """The address changed by Back, Forward, a link or by hand."""
    page.show(from_hash(page.state, window.location.hash))


def start() -> None:
    """Take over the page: the address and what was chosen while Python was loading decide what is shown."""
    page.state = states.with_progress(page.state, _solved_before())
    page.state = visitor.with_own(page.state, _stored(OWN) or "")
    state = from_hash(page.state, window.location.hash)
    model, seq_len = document.getElementById("model"), document.getElementById("seq-len")
    slider = document.getElementById("seq-len-slider")
    asked = state
    if model.value != page.state.model:
        state = states.choose_model(state, model.value)
    if document.getElementById("with").value:
        state = states.choose_other(state, document.getElementById("with").value)
    early = [control.value for control in (seq_len, slider) if control.value != str(page.state.seq_len)]
    if early:
        state = states.choose_seq_len(state, early[0])
    for control in document.querySelectorAll('[data-action="option"]'):
        chosen = control.checked if control.type == "radio" else True
        if chosen and control.value != str(getattr(page.state.options, control.name)):
            state = states.choose_option(state, control.name, control.value)
    pasted = str(document.getElementById("own-config").value)
    if pasted.strip():
        state = visitor.own_config(state, pasted)
    if state is asked:
        page.show(state)
    else:
        page.go(state, replace=True)
    page.finish()
    listen = {"click": clicked, "change": changed, "input": typed}
    for name, heard in listen.items():
        document.addEventListener(name, ffi.create_proxy(heard))
    window.addEventListener("hashchange", ffi.create_proxy(arrived))
    cell.start()
    document.getElementById("python-status").textContent = "Python is running: everything on this page answers."
    document.documentElement.dataset.python = "ready"


start()
