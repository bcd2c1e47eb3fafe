"""The footer: what the figures count, what they are checked against, and what the page sends (nothing)."""

from __future__ import annotations

from anatomy import catalog
from anatomy.reading.config import shown
from anatomy.views.markup import Safe, join, tag
from anatomy.views.workings import disclosed
from anatomy.visit.state import State

CONVENTIONS = (
    (
        "Parameters",
        "every trained number of the model’s modules, each tied tensor once; buffers such as causal masks and rotary "
        "frequencies are none.",
    ),
    (
        "Without embeddings",
        "the total less the groups embeddings and unembedding, as the Pythia paper counts.",
    ),
    (
        "FLOPs",
        "matrix products and convolutions of one forward pass, a multiply-add being 2, the unembedding at every "
        "position; look-ups, biases, norms, softmax and activation functions count 0.",
    ),
    (
        "Attention square",
        "every query meets all T keys, as eager code computes; what the mask would save is given beside it.",
    ),
    ("Units", "K, M, B and G are powers of 1,000. Shapes are in × out, however a checkpoint stores them."),
)


def view(state: State) -> Safe:
    """The conventions, the source of this model's figures, and the promise of privacy.

    >>> "each tied tensor once" in view(State())
    True
    """
    checked = [entry for entry in catalog.entries().values() if entry.repository]
    others = [entry.name for entry in catalog.entries().values() if not entry.repository]
    return join(
        tag("h2", {"id": "footer-title"}, "How this is counted"),
        tag(
            "p",
            None,
            "Parameter counts are computed from each model’s published configuration and checked against the released "
            f"checkpoints in the tests, for {len(checked)} models, to the last digit.",
        ),
        disclosed(
            "w-conventions",
            "Which convention each figure uses, and where they come from",
            tag(
                "dl",
                {"class": "conventions"},
                [(tag("dt", None, word), tag("dd", None, said)) for word, said in CONVENTIONS],
            ),
            _unreleased(others),
            _source(state),
            _defaults(state),
        ),
        tag("p", None, "Everything is computed on this machine; nothing that you enter or choose leaves it."),
    )


def _unreleased(names: list[str]) -> Safe | None:
    said = f"Of {' and '.join(names)} no checkpoint was released: it is counted from its paper."
    return tag("p", None, said) if names else None


def _source(state: State) -> Safe | None:
    entry = state.loaded.entry
    if entry is None:
        return None
    said = f"{entry.name}: {entry.repository or entry.source}, released {entry.released}."
    return tag("p", None, said, _note(entry.note))


def _note(note: str) -> str:
    return f" {note}" if note else ""


def _defaults(state: State) -> Safe | None:
    taken = state.loaded.defaults
    if not taken:
        return None
    listed = [
        (", " if at else "", tag("code", None, f"{key} = {shown(value)}"))
        for at, (key, value) in enumerate(taken.items())
    ]
    return tag("p", None, "Not in its configuration, so taken from the family’s documented default: ", listed, ".")
