"""The challenges: what to find, and whether it was found."""

from __future__ import annotations

from anatomy.teaching.challenges import CHALLENGES, Challenge
from anatomy.views.markup import (
    Safe,
    join,
    symbol,
    tag,
)
from anatomy.visit.state import State


def view(state: State) -> Safe:
    """The list of challenges and how many are solved.

    >>> "0 of 3 complete" in view(State())
    True
    """
    done = sum(one.id in state.solved for one in CHALLENGES)
    return join(
        tag("h2", {"id": "challenges-title"}, "Challenges"),
        tag("p", {"id": "challenges-progress", "role": "status"}, f"{done} of {len(CHALLENGES)} complete"),
        tag("ol", None, [_item(one, state.solved.get(one.id)) for one in CHALLENGES]),
        tag(
            "button",
            {"type": "button", "id": "reset-challenges", "data-action": "reset-challenges", "hidden": not done},
            "Start the challenges again",
        ),
    )


def _item(challenge: Challenge, by: str | None) -> Safe:
    done = by is not None
    return tag(
        "li",
        {"data-challenge": challenge.id, "data-done": "true" if done else "false"},
        tag(
            "p", None, symbol(challenge.prompt), " ", tag("span", {"class": "done"}, "(done)" if done else "(not yet)")
        ),
        tag("p", {"class": "by"}, symbol(f"Solved: {by}.")) if by else None,
        tag(
            "details",
            {"id": f"hint-{challenge.id}"},
            tag("summary", None, "Hint"),
            tag("p", None, symbol(challenge.hint)),
        ),
    )
