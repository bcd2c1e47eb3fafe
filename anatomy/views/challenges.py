"""The challenges: what to find, and whether it was found."""

from __future__ import annotations

from collections.abc import Iterable

from anatomy.teaching.challenges import FIRST, Challenge
from anatomy.teaching.further import CHALLENGES, LEVELS
from anatomy.views.markup import (
    Child,
    Safe,
    join,
    symbol,
    tag,
)
from anatomy.visit.state import State
from anatomy.words.formatting import exact

LEVEL_NAMES = ("Parts and what they hold", "Costs, lengths and pairs")


def view(state: State) -> Safe:
    """The first challenges and how many of them are solved; a link may have chosen fewer.

    >>> "0 of 3 complete" in view(State())
    True
    """
    first = _offered(state, FIRST)
    nothing_done = not any(one.id in state.solved for one in state.offered)
    return join(
        tag("h2", {"id": "challenges-title"}, "Challenges"),
        _chosen(state) if state.tasks else None,
        tag("p", {"id": "challenges-progress", "role": "status"}, _progress(state, first)) if first else None,
        tag("ol", None, [_item(one, state) for one in first]) if first else None,
        _button("reset-challenges", "Start the challenges again", hidden=nothing_done),
        " ",
        _button("copy-results", "Copy results as text", hidden=nothing_done),
    )


def more(state: State) -> Safe:
    """The further challenges, folded by level; open where a link chose some of them.

    >>> "0 of 12 complete" in more(State())
    True
    """
    levels = [(name, _offered(state, level)) for name, level in zip(LEVEL_NAMES, LEVELS, strict=True)]
    offered = [one for _, level in levels for one in level]
    if not offered:
        return join()
    return tag(
        "details",
        {"id": "more-challenges-fold", "class": "more-challenges", "open": bool(state.tasks)},
        tag(
            "summary",
            None,
            tag("h2", {"id": "more-challenges-title"}, "More challenges"),
            " ",
            tag("span", {"id": "more-challenges-progress", "role": "status"}, _progress(state, offered)),
        ),
        tag("div", {"class": "pair"}, [_level(state, name, level) for name, level in levels if level]),
        _for_teachers(),
    )


def _offered(state: State, challenges: Iterable[Challenge]) -> list[Challenge]:
    return [one for one in challenges if one in state.offered]


def _progress(state: State, challenges: list[Challenge]) -> str:
    return f"{exact(sum(one.id in state.solved for one in challenges))} of {exact(len(challenges))} complete"


def _chosen(state: State) -> Safe:
    every = tag("a", {"href": state.to_hash(tasks=()), "data-action": "go", "id": "all-challenges"}, "Show all")
    said = f"A link chose {exact(len(state.offered))} of {exact(len(CHALLENGES))} challenges. "
    return tag("p", {"class": "note"}, said, every)


def _level(state: State, name: str, challenges: list[Challenge]) -> Safe:
    return tag("div", None, tag("h3", None, name), tag("ol", None, [_item(one, state) for one in challenges]))


def _for_teachers() -> Safe:
    sample = State(tasks=("scores", "cache")).to_hash()
    names: list[Child] = []
    for one in CHALLENGES:
        names += [", " if names else None, tag("code", None, one.id)]
    return tag(
        "details",
        {"id": "choose-challenges"},
        tag("summary", None, "Give some of them as a link"),
        tag(
            "p",
            None,
            "Write which into the address, as in ",
            tag("a", {"href": sample, "data-action": "go", "id": "sample-challenges"}, "challenges=scores,cache"),
            ". They are called ",
            names,
            ".",
        ),
    )


def _button(action: str, words: str, *, hidden: bool) -> Safe:
    return tag("button", {"type": "button", "id": action, "data-action": action, "hidden": hidden}, words)


def _item(challenge: Challenge, state: State) -> Safe:
    by = state.solved.get(challenge.id)
    done = by is not None
    hint, further = challenge.hints
    return tag(
        "li",
        {"data-challenge": challenge.id, "data-done": "true" if done else "false"},
        tag(
            "p", None, symbol(challenge.prompt), " ", tag("span", {"class": "done"}, "(done)" if done else "(not yet)")
        ),
        tag("p", {"class": "by"}, symbol(f"Solved: {by}.")) if by else None,
        _hint(f"hint-{challenge.id}", "Hint", hint, _hint(f"hint-{challenge.id}-2", "Another hint", further)),
    )


def _hint(ident: str, summary: str, words: str, more: Safe | None = None) -> Safe:
    return tag("details", {"id": ident}, tag("summary", None, summary), tag("p", None, symbol(words)), more)
