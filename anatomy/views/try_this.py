"""Three things to try: add the parts up, raise T, compare two models."""

from __future__ import annotations

from dataclasses import replace

from anatomy.formatting import exact
from anatomy.report import Anatomy, Part
from anatomy.state import State, visit_key
from anatomy.views.markup import Child, Safe, data, join, tag
from anatomy.views.wording import plural, where


def view(state: State) -> Safe:
    """The suggestions, with the running sum of the parts that were visited.

    >>> "1 of 8 parts" in view(State())
    True
    """
    longest = state.anatomy.longest
    far = longest if state.seq_len != longest else 1
    raised = replace(state, seq_len=far).link(state.selected)
    fixed = "tokens" in state.loaded.fixed_lengths
    return join(
        tag("h2", {"id": "try-this-title"}, "Try this"),
        tag(
            "ol",
            None,
            tag("li", None, _sum(state)),
            tag(
                "li",
                None,
                tag("p", None, f"{state.loaded.name} reads {exact(longest)} positions, always: no shape of it changes.")
                if fixed
                else tag(
                    "p",
                    None,
                    "Watch which shapes change with T: ",
                    _link(raised, "try-length", "T = " + exact(far)),
                    ". What changed is marked in the table; weights never do.",
                ),
            ),
            tag(
                "li",
                None,
                tag(
                    "p",
                    None,
                    _link(
                        "#model=gpt2&t=8&part=embedding&with=llama-3-70b",
                        "try-compare",
                        "Compare where the parameters live in GPT-2 small and in Llama 3 70B",
                        show="comparison",
                    ),
                    ": as a model grows, its embeddings become a trifle.",
                ),
            ),
        ),
    )


def _sum(state: State) -> list[Safe]:
    anatomy, model = state.anatomy, state.loaded
    seen = {key for slug, key in state.visited if slug == state.model}
    visited = [part for part in anatomy.parts if visit_key(anatomy, part) in seen]
    missing = [part for part in anatomy.parts if visit_key(anatomy, part) not in seen]
    held = sum(part.parameters for part in visited)
    released = model.entry.released_total if model.entry else None
    if missing:
        verdict: Child = [
            "Still to select: ",
            [
                [
                    ", " if at else "",
                    _link(state.link(part), f"try-{visit_key(anatomy, part)}", _name(anatomy, part)),
                ]
                for at, part in enumerate(missing)
            ],
            ".",
        ]
    elif released == held:
        verdict = "All parts are added up: exactly what the released checkpoint holds."
    else:
        verdict = "All parts are added up: that is the total."
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
        tag("p", None, verdict),
    ]


def _name(anatomy: Anatomy, part: Part) -> str:
    place = where(anatomy, part)
    return f"{part.label} ({place})" if place else part.label


def _link(href: str, name: str, *words: Child, show: str | None = None) -> Safe:
    return tag("a", {"href": href, "data-action": "go", "data-show": show, "id": name}, *words)
