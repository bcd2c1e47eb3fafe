"""Three things to try: add the parts up, raise T, compare two models."""

from __future__ import annotations

from anatomy.report.anatomy import Part
from anatomy.views.markup import (
    Attributes,
    Child,
    Safe,
    data,
    join,
    tag,
)
from anatomy.views.wording import plural, where
from anatomy.visit.state import State, visit_key
from anatomy.words.formatting import exact

# What "Compare" leads to.
COMPARED = State(part="embedding", other="llama-3-70b")


def view(state: State) -> Safe:
    """The suggestions, with the running sum of the parts that were visited.

    >>> "1 of 8 parts" in view(State())
    True
    """
    return join(
        tag("h2", {"id": "try-this-title"}, "Try this"),
        tag(
            "ol",
            None,
            tag("li", None, _sum(state)),
            tag("li", None, _raise(state)),
            tag(
                "li",
                None,
                tag(
                    "p",
                    None,
                    _link(
                        COMPARED.to_hash(tasks=state.tasks),
                        "try-compare",
                        "Compare where the parameters live in GPT-2 small and in Llama 3 70B",
                        show="comparison",
                    ),
                    ": as a model grows, its embeddings become a trifle.",
                ),
            ),
        ),
    )


def _raise(state: State) -> Safe:
    longest, name = state.anatomy.longest, state.loaded.name
    if "tokens" in state.loaded.fixed_lengths:
        return tag("p", None, f"{name} reads {exact(longest)} positions, always: no shape of it changes.")
    far = longest if state.seq_len != longest else 1
    wanted: Attributes = {"type": "button", "id": "try-length", "class": "inline", "data-action": "seq-len"}
    wanted = {**wanted, "data-value": far, "data-show": "panel"}
    return tag(
        "p",
        None,
        "Watch which shapes change with ",
        tag("i", None, "T"),
        ": ",
        # A button and not a link: a change of T by a control is what the table marks.
        tag("button", wanted, f"T = {exact(far)}"),
        ". What changed is marked in the table; weights never do.",
    )


def _sum(state: State) -> list[Child]:
    anatomy, model = state.anatomy, state.loaded
    seen = {key for slug, key in state.visited if slug == state.model}
    visited = [part for part in anatomy.parts if visit_key(anatomy, part) in seen]
    missing = [part for part in anatomy.parts if visit_key(anatomy, part) not in seen]
    held = sum(part.parameters for part in visited)
    released = model.entry.released_total if model.entry else None
    if missing:
        verdict: Child = tag("p", {"class": "todo"}, "Next: ", _chip(state, missing[0]))
    elif released == held:
        verdict = tag("p", None, "All parts are added up: exactly what the released checkpoint holds.")
    else:
        verdict = tag("p", None, "All parts are added up: that is the total.")
    return [
        tag("p", None, f"Select every part of {model.name} and add up the parameters yourself."),
        tag(
            "p",
            {"class": "sum", "id": "running-sum"},
            f"{exact(len(visited))} of {plural(len(anatomy.parts), 'part')} so far: ",
            data(held, exact(held)),
            " of ",
            data(model.parameters, exact(model.parameters)),
            " parameters.",
        ),
        verdict,
    ]


def _chip(state: State, part: Part) -> Safe:
    anatomy = state.anatomy
    place = where(anatomy, part)
    label = f"{part.label} ({place})" if place else part.label
    return tag(
        "a",
        {"href": state.link(part), "data-action": "go", "data-show": "panel", "class": "chip", "id": "try-next"},
        tag("span", {"class": f"key g-{part.group}"}),
        label,
    )


def _link(href: str, name: str, *words: Child, show: str | None = None) -> Safe:
    return tag("a", {"href": href, "data-action": "go", "data-show": show, "id": name}, *words)
