"""What the page keeps of a visitor from visit to visit: a few texts, of this copy of the page alone."""

from __future__ import annotations

from pyscript import window

# A host may hold other copies of the page beside this one: what they keep is theirs.
_OURS = f"anatomy {window.URL.new('./', window.location.href).href} "
_ONCE = "anatomy:"  # so keys once began, whatever the copy
# Far more than anyone types; a browser needs half a minute to lay out some millions.
MOST = {"code": 100_000, "own": 2_000_000, "solved": 10_000}  # characters


def forbidden() -> bool:
    """Whether this browser lets pages keep nothing at all."""
    try:
        return not window.localStorage
    except Exception:
        return True


def get(name: str) -> tuple[str, str]:
    """The text that is kept under a name, and why it is not to be had; both empty where there is none."""
    try:
        storage = window.localStorage
        once = storage.getItem(_ONCE + name)
        if once:
            # The first copy that finds it takes it over.
            if not storage.getItem(_OURS + name):
                storage.setItem(_OURS + name, once)
            storage.removeItem(_ONCE + name)
        text = str(storage.getItem(_OURS + name) or "")
    except Exception:  # a browser may forbid storage
        return "", ""
    return ("", _too_long(name, text)) if len(text) > MOST[name] else (text, "")


def put(name: str, text: str) -> str:
    """Keep a text under a name, or nothing where it is empty; gives the reason where it cannot be kept."""
    try:
        window.localStorage.removeItem(_OURS + name)
        if len(text) > MOST[name]:
            return _too_long(name, text)
        if text:
            window.localStorage.setItem(_OURS + name, text)
    except Exception:
        return "this browser has no room for it, or forbids it" if text else ""
    return ""


def _too_long(name: str, text: str) -> str:
    return f"it holds {len(text):,} characters, and at most {MOST[name]:,} are kept"
