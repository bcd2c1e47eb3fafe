"""The page's only file that touches the browser: it hears events, makes a new state, and patches what changed."""

from __future__ import annotations

import json
from typing import Any

from pyscript import document, ffi, window
from pyscript.js_modules import idiomorph

import cell
import kept
import picked
from anatomy.teaching.challenges import results
from anatomy.views.page import PROMPT, VIEWS, marked, regions
from anatomy.views.wording import hooks
from anatomy.visit import brought, lengths, steps
from anatomy.visit.address import from_hash
from anatomy.visit.state import SEQ_LEN, State

REGIONS = ", ".join(f"#{name}" for name in VIEWS)
MORPH = ffi.to_js({"morphStyle": "innerHTML"})
AT_ONCE = ffi.to_js({"behavior": "instant"})
IN_PLACE = ffi.to_js({"preventScroll": True})
# While a number is being typed, the field keeps what its user types.
MORPH_TYPING = ffi.to_js({"morphStyle": "innerHTML", "ignoreActiveValue": True})


class Page:
    """The state on show and the markup that was last put in the document."""

    def __init__(self) -> None:
        self.state = State()
        self.shown = regions(self.state)
        self.typing = False
        # Regions that are still to be brought up to the state, one in a task, so that input is heard between them.
        self.waiting: list[str] = []
        self.next = ffi.create_proxy(self.step)
        # A frame is painted after its callback; a task of its own comes after that.
        self.painting = ffi.create_proxy(lambda _: window.setTimeout(self.next, 0))
        # The hash to be written in place of that one: while T is dragged, more come than browsers let one write.
        self.address: tuple[str, str] | None = None

    def show(self, state: State, *, typing: bool = False) -> None:
        """Show another state, with what it shows counted as visited and solved."""
        self.render(state.settled(), typing=typing)

    def render(self, state: State, *, typing: bool = False) -> None:
        """Patch what answers at once, have the rest follow, and keep the progress between visits.

        The attribute data-settled is true once no region waits (which `State.settled` has nothing to do with).
        """
        if state.solved != self.state.solved:
            _keep("solved", json.dumps(sorted(state.solved)) if state.solved else "", "What you solved")
        if state.own != self.state.own:
            _keep("own", state.own.text if state.own else "", "Your model")
        self.state, self.typing = state, typing
        for name in PROMPT:
            self.patch(name)
        self.mark()
        if not self.waiting:
            window.requestAnimationFrame(self.painting)
        self.waiting = [name for name in VIEWS if name not in PROMPT]
        document.documentElement.dataset.settled = "false"

    def patch(self, name: str) -> bool:
        """Bring a region of the document up to the state, and say whether anything in it was to be changed."""
        markup = regions(self.state, (name,))[name]
        if markup == self.shown[name]:
            return False
        self.shown[name] = markup
        region = document.getElementById(name)
        opened = [one.id for one in region.querySelectorAll("details[open][id]")]
        idiomorph.Idiomorph.morph(region, marked(markup, self.state), MORPH_TYPING if self.typing else MORPH)
        # A working that its reader opened stays open while the figures in it change.
        for ident in opened:
            if still := document.getElementById(ident):
                still.open = True
        return True

    def touched(self, control: Any) -> None:
        """A control shows what its user chose and no longer what its region's markup says: patch that in any case."""
        if region := control.closest(REGIONS):
            self.shown[str(region.id)] = ""

    def step(self, *_: object) -> None:
        """Bring the next of the waiting regions up to the state."""
        while self.waiting and not self.patch(self.waiting.pop(0)):
            pass
        if self.waiting:
            window.setTimeout(self.next, 0)
            return
        self.write_address()
        document.documentElement.dataset.settled = "true"

    def finish(self) -> None:
        """Bring everything up to the state now."""
        while self.waiting or self.address:
            self.step()

    def mark(self) -> None:
        """Mark the selected part wherever it is named: no markup of a region says which one that is."""
        selected = self._selected()
        for one in document.querySelectorAll("[data-part][aria-current]"):
            if not one.matches(selected):
                one.removeAttribute("aria-current")
        for one in document.querySelectorAll(f"{selected}:not([aria-current])"):
            one.setAttribute("aria-current", "true")

    def _selected(self) -> str:
        named = hooks(self.state.anatomy, self.state.selected)
        return "".join(f'[{key}="{value}"]' if value else f":not([{key}])" for key, value in named.items())

    def show_panel(self) -> None:
        """Bring the heading of the panel into sight, where it is not."""
        heading = document.querySelector("#panel h2")
        box, bar = heading.getBoundingClientRect(), document.getElementById("bar").getBoundingClientRect()
        if box.top < bar.bottom or box.bottom > window.innerHeight:
            # At once: a smooth scroll would be ended by what is patched meanwhile.
            heading.scrollIntoView(AT_ONCE)

    def go(self, state: State, *, replace: bool = False, typing: bool = False) -> None:
        """Show a state that the reader chose, and write it into the address so that Back leads here again."""
        if not replace:
            self.write_address()
        self.show(state, typing=typing)
        wanted, now = self.state.to_hash(), str(window.location.hash)
        if replace:
            self.address = wanted, now
        elif wanted != now:
            window.history.pushState(None, "", wanted)

    def write_address(self) -> None:
        """Write the hash that waits for it, unless the reader has gone elsewhere meanwhile."""
        if self.address and self.address[0] != self.address[1] == window.location.hash:
            window.history.replaceState(None, "", self.address[0])
        self.address = None


def _say(text: str) -> Any:
    return ffi.create_proxy(lambda *_: setattr(document.getElementById("told"), "textContent", text))


COPIED = _say("The link to what the page shows is copied.")
NOT_COPIED = _say("This browser does not let the page copy; the address bar holds the link.")
TAKEN = _say("The results are copied as text.")
NOT_TAKEN = _say("This browser does not let the page copy.")
page = Page()
bringing = picked.start(page)


def _keep(name: str, text: str, what: str) -> None:
    if reason := kept.put(name, text):
        document.getElementById("python-status").textContent = f"{what} is not kept for your next visit: {reason}."


def _text(attribute: Any) -> str | None:
    """An attribute's text; None where the element has no such attribute (JavaScript's null)."""
    return str(attribute) if attribute else None


def _all_models() -> Any:
    """The dialog of all models, which nobody needs at the start."""
    import all_models

    return all_models.opened(page)


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
        page.go(steps.select_part(page.state, part or "", stack, blocks))
        page.show_panel()
    elif action == "seq-len":
        page.go(steps.choose_seq_len(page.state, control.getAttribute("data-value")))
    elif action == "go":
        event.preventDefault()
        page.go(from_hash(page.state, control.getAttribute("href")))
    elif action == "copy-link":
        page.finish()
        window.navigator.clipboard.writeText(window.location.href).then(COPIED, NOT_COPIED)
    elif action == "copy-results":
        window.navigator.clipboard.writeText(results(page.state.offered, page.state.solved)).then(TAKEN, NOT_TAKEN)
    elif action == "reset-challenges":
        page.render(steps.without_progress(page.state))
    elif action.startswith("all-models"):
        if slug := _all_models().act(action, _text(control.getAttribute("data-value")) or ""):
            page.go(steps.choose_model(page.state, slug))
    elif action == "own-show":
        bringing.show()
        if page.state.own and brought.OWN not in page.state.notices:
            lead("diagram")
    elif action == "own-remove":
        page.go(brought.without_own(page.state))
    elif action == "check-clear":
        page.go(brought.without_checkpoint(page.state))
    else:
        cell.act(action)
    if shows := _text(control.getAttribute("data-show")):
        lead(shows)


def lead(shows: str) -> None:
    """Lead the reader to a section, once it shows what was chosen."""
    page.finish()
    section = document.getElementById(shows)
    if shows == "panel":
        page.show_panel()
    else:
        section.scrollIntoView(AT_ONCE)
    section.focus(IN_PLACE)


def pressed(event: Any) -> None:
    """Page Up and Page Down on the slider double and halve T: its own steps for them are as long as its scale is."""
    if event.target.id == "seq-len-slider" and event.key in ("PageUp", "PageDown"):
        event.preventDefault()
        state = page.state
        wanted = lengths.doubled(state.seq_len, state.anatomy.longest, half=event.key == "PageDown")
        page.go(steps.choose_seq_len(state, str(wanted)))


def _length(control: Any) -> str:
    """The T that a control asks for: the field says it, the slider says which step of its scale."""
    if control.id == "seq-len-slider":
        return str(lengths.length_at(int(control.value), page.state.anatomy.longest))
    return str(control.value)


def changed(event: Any) -> None:
    """A control was set for good."""
    control = event.target
    option = control.getAttribute("data-action") == "option"
    # Not a text of the reader's, which a patch must leave alone.
    if option or control.id in ("model", "with"):
        page.touched(control)
    if control.id == "model":
        page.go(steps.choose_model(page.state, control.value))
    elif control.id == "with":
        page.go(steps.choose_other(page.state, control.value))
    elif control.id in ("seq-len", "seq-len-slider"):
        if control.id == "seq-len" or control.value != control.defaultValue:
            page.go(steps.choose_seq_len(page.state, _length(control)))
    elif option:
        page.go(steps.choose_option(page.state, control.name, control.value))


def typed(event: Any) -> None:
    """A number is being typed or the slider dragged: follow what is legal, complain about nothing yet."""
    control = event.target
    if control.id == "own-config":
        bringing.typed()
        return
    if control.hasAttribute("data-only"):
        _all_models().narrow()
        return
    if control.id not in ("seq-len", "seq-len-slider") or _length(control) == str(page.state.seq_len):
        return
    following = steps.choose_seq_len(page.state, _length(control))
    if not following.notices:
        page.go(following, replace=page.state.changed == SEQ_LEN, typing=True)


def arrived(_event: Any = None) -> None:
    """The address changed by Back, Forward, a link or by hand."""
    before = page.state.selected.id
    page.show(from_hash(page.state, window.location.hash))
    if page.state.selected.id != before:
        page.show_panel()


def printing(_event: Any = None) -> None:
    """On paper stands where its reader finds the same again."""
    page.finish()
    document.getElementById("printed").textContent = window.location.href


def start() -> None:
    """Take over the page: the address and what was chosen while Python was loading decide what is shown."""
    page.shown["panel"] = ""  # another part may stand there already
    page.state = steps.with_progress(page.state, brought.solved(kept.get("solved")[0]))
    page.state = brought.with_own(page.state, kept.get("own")[0])
    state = from_hash(page.state, window.location.hash)
    model, seq_len = document.getElementById("model"), document.getElementById("seq-len")
    slider = document.getElementById("seq-len-slider")
    asked = state
    if model.value != page.state.model:
        state = steps.choose_model(state, model.value)
    if document.getElementById("with").value:
        state = steps.choose_other(state, document.getElementById("with").value)
    early = [_length(control) for control in (seq_len, slider) if control.value != control.defaultValue]
    if early:
        state = steps.choose_seq_len(state, early[0])
    for control in document.querySelectorAll('[data-action="option"]'):
        if control.value != str(getattr(page.state.options, control.name)):
            state = steps.choose_option(state, control.name, control.value)
    pasted = str(document.getElementById("own-config").value)
    if pasted.strip():
        state = brought.own_config(state, pasted)
    if state is asked:
        page.show(state)
    else:
        page.go(state, replace=True)
    page.finish()
    listen = {"click": clicked, "change": changed, "input": typed, "keydown": pressed}
    for name, heard in listen.items():
        document.addEventListener(name, ffi.create_proxy(heard))
    window.addEventListener("hashchange", ffi.create_proxy(arrived))
    window.addEventListener("beforeprint", ffi.create_proxy(printing))
    cell.start()
    said = "Python is running: everything on this page answers."
    if kept.forbidden():
        said += " This browser forbids pages to keep anything, so nothing is kept."
    document.getElementById("python-status").textContent = said
    document.documentElement.dataset.python = "ready"


start()
