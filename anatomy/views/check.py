"""The visitor's checkpoint against the model on show: what matches, what differs, and the sum between the two."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from anatomy.catalog import LoadedModel
from anatomy.checkpoint import (
    Checkpoint,
    Report,
    check,
    fitting,
    verdict,
)
from anatomy.checkpoint.matching import (
    EXTRA,
    MATCHING,
    PACKED,
    UNREAD,
    Finding,
)
from anatomy.checkpoint.verdict import Kind, plural
from anatomy.views.markup import (
    Child,
    Safe,
    join,
    tag,
)
from anatomy.visit.brought import CHECK
from anatomy.visit.state import State
from anatomy.words.formatting import exact, shape

# A page lists so many tensors that differ, and so many file names; the command line has all of them.
LISTED, FILES = 60, 4
# The sign beside a status, so that no colour is needed: fine, explained, different.
SIGNS = {MATCHING: "✓", PACKED: "✓", UNREAD: "·", EXTRA: "i"}


def view(state: State) -> Safe:
    """The file field and the report.

    >>> 'id="check-report"' in view(State())
    True
    """
    return join(
        tag("h2", {"id": "check-title"}, "Check a checkpoint"),
        tag(
            "p",
            {"class": "reading"},
            f"Is a file on your disk really {state.loaded.called}? Choose its ",
            tag("code", None, ".safetensors"),
            " files, their ",
            tag("code", None, "index.json"),
            ", or both, or drop them anywhere on this page. Only their headers are read, also of files of many "
            "gigabytes; nothing leaves this machine.",
        ),
        tag(
            "div",
            {"class": "file-controls"},
            tag(
                "span",
                {"class": "file"},
                tag("label", {"for": "check-checkpoint"}, "Files of one checkpoint"),
                tag(
                    "input",
                    {
                        "type": "file",
                        "id": "check-checkpoint",
                        "multiple": True,
                        "accept": ".safetensors,.json",
                        "aria-describedby": "check-notice",
                    },
                ),
            ),
            tag(
                "button",
                {
                    "type": "button",
                    "id": "check-clear",
                    "data-action": "check-clear",
                    "disabled": state.checkpoint is None,
                },
                "Clear the report",
            ),
        ),
        tag("p", {"id": "check-notice", "class": "notice", "role": "status"}, state.notices.get(CHECK)),
        tag("div", {"id": "check-report"}, _report(state)),
    )


def _report(state: State) -> Child:
    if state.checkpoint is None:
        return None
    report = check(state.loaded, state.checkpoint)
    name = state.loaded.called
    return [
        tag(
            "p",
            {"class": "verdict", "role": "status", "data-fits": "true" if report.fits else "false"},
            tag("span", {"class": "sign", "aria-hidden": "true"}, "✓ " if report.fits else "✗ "),
            verdict.headline(report, name),
        ),
        tag("p", {"class": "note"}, _files(state.checkpoint)),
        _suggestion(state, report),
        tag("ul", {"class": "remarks"}, [tag("li", None, sentence) for sentence in verdict.remarks(report)]),
        _differences(report),
        _kinds(verdict.kinds(report, MATCHING, PACKED, UNREAD, EXTRA)),
    ]


def _files(checkpoint: Checkpoint) -> str:
    files = checkpoint.files or (checkpoint.name,)
    more = f" and {exact(len(files) - FILES)} more" if len(files) > FILES else ""
    return f"Read: {', '.join(files[:FILES])}{more}; {plural(len(checkpoint.tensors), 'tensor')}."


@lru_cache(maxsize=4)
def _better(checkpoint: Checkpoint) -> fitting.Fit:
    return fitting.best(checkpoint)


def _suggestion(state: State, report: Report) -> Child:
    """Another model to check against, where these tensors are another's."""
    held = report.counts[MATCHING] + report.counts[PACKED] + report.counts[UNREAD]
    if report.fits or report.counts[PACKED]:
        return None
    fit = _better(report.checkpoint)
    if not fit.likely or fit.matching <= held or fit.model.slug == state.model:
        return None
    return tag("p", {"class": "suggestion"}, "They look like those of ", _show(fit.model), ".")


def _show(model: LoadedModel) -> Safe:
    words = f"{model.name}: show that model and check against it"
    return tag("a", {"href": f"#model={model.slug}", "data-action": "go", "id": "check-fit"}, words)


def _differences(report: Report) -> Child:
    different = verdict.differences(report)
    if not different:
        return None
    total = sum(report.counts[status] for status in ("missing", "wrong shape", "unexpected"))
    more = total - min(len(different), LISTED)
    rows = [
        tag(
            "tr",
            {"data-status": one.status},
            tag("td", None, tag("span", {"class": "sign", "aria-hidden": "true"}, "✗ "), one.status),
            tag("th", {"scope": "row"}, tag("code", None, one.name)),
            tag("td", None, _sizes(one)),
        )
        for one in different[:LISTED]
    ]
    return [
        _table("differs", f"Tensors that differ: {exact(total)}", ("", "Tensor", "Shape"), rows),
        tag("p", {"class": "note"}, f"And {exact(more)} more.") if more else None,
    ]


def _sizes(one: Finding) -> str:
    words = []
    if one.stored and one.stored.shape is not None:
        words.append(f"{_size(one.stored.shape)} in the file")
    if one.expected is not None:
        words.append(f"{_size(one.expected)} expected")
    if one.why:
        words.append(one.why)
    return ", ".join(words)


def _size(sizes: tuple[int, ...] | None) -> str:
    return "" if sizes is None else shape(sizes) or "one number"


def _kinds(kinds: Iterable[Kind]) -> Child:
    rows = [
        tag(
            "tr",
            {"data-status": kind.status},
            tag(
                "td",
                None,
                tag("span", {"class": "sign", "aria-hidden": "true"}, SIGNS[kind.status] + " "),
                f"{exact(kind.tensors)} {kind.status}",
            ),
            tag("th", {"scope": "row"}, tag("code", None, kind.name)),
            tag("td", None, _size(kind.shape), tag("span", {"class": "more"}, kind.why) if kind.why else None),
        )
        for kind in kinds
    ]
    return _table("kinds", "Tensors by kind", ("", "Tensor", "Shape"), rows) if rows else None


def _table(style: str, caption: str, heads: tuple[str, ...], rows: list[Safe]) -> Safe:
    return tag(
        "table",
        {"class": f"checked {style}"},
        tag("caption", None, caption),
        tag("thead", None, tag("tr", None, [tag("th", {"scope": "col"}, head or "Status") for head in heads])),
        tag("tbody", None, rows),
    )
