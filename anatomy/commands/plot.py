"""``anatomy plot``: a curve of the page as an SVG file of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from anatomy.commands import ask, output
from anatomy.model.switches import (
    CHOICES,
    DEFAULT,
    KEYS,
    chosen,
)
from anatomy.reading.refusals import AnatomyError, plain_line, shown
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.views import curves
from anatomy.views.drawing.plot import Plot, standalone

FLOPS, KV_CACHE = "flops", "kv-cache"
WHAT = (FLOPS, KV_CACHE)
# The colours and lines of the page's style sheet, which a file of its own cannot refer to; a test holds them equal.
STYLE = """
svg { font-family: system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
svg { --paper: #fbfaf7; --ink: #1d1d1b; --soft: #5d5a52; --line: #d9d5cb; --edge: #857f73 }
svg { --emb: #0b6496; --att: #b04408; --mlp: #0a7350 }
@media (prefers-color-scheme: dark) {
  svg { --paper: #171614; --ink: #ece9e2; --soft: #b0ab9f; --line: #3a3833; --edge: #8a8578 }
  svg { --emb: #6db7e6; --att: #f2a172; --mlp: #63c9a2 }
}
.paper { fill: var(--paper) }
text { font-size: 13px; fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; \
stroke-linejoin: round }
.tick { font-size: 12px; fill: var(--soft) }
.heading { font-size: 17px; font-weight: 600 }
.grid { stroke: var(--line) }
.curve { fill: none; stroke-width: 2.5; vector-effect: non-scaling-stroke; stroke-linejoin: round }
.s-both { stroke: var(--ink); stroke-width: 3.5 }
.s-weights { stroke: var(--mlp) }
.s-square { stroke: var(--att); stroke-dasharray: 7 4 }
.s-third { stroke: var(--emb); stroke-dasharray: 2 4 }
.beyond { fill: var(--paper); opacity: .62 }
.mark line { stroke: var(--edge); stroke-dasharray: 2 3 }
.mark circle { fill: var(--paper); stroke: var(--ink); stroke-width: 2 }
.m-now line { stroke: var(--ink); stroke-dasharray: none }
.m-now text { font-weight: 600 }
""".replace("\n", "")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    ask.model(parser)
    parser.add_argument("--out", required=True, metavar="FILE", help="the SVG file to write, - for standard output")
    parser.add_argument("--what", choices=WHAT, default=FLOPS, help=f"the curve (default: {FLOPS})")
    ask.seq_len(parser, "the T that is marked")
    for switch, values in CHOICES.items():
        if switch != "weights":
            # Each command's own function is kept as ``run``, so the pass has another name here.
            name = "--pass" if switch == "run" else f"--{switch}"
            usual = getattr(DEFAULT, switch)
            text = f"{', '.join(values)} (default: {usual})"
            parser.add_argument(name, dest=f"{switch}_", choices=values, default=usual, metavar="CHOICE", help=text)
    parser.add_argument(
        "--batch", dest="batch_", default="1", metavar="N", help="sequences that the cache is for (default: 1)"
    )


def run(options: argparse.Namespace) -> str | None:
    """Write the file and say so; raises ``AnatomyError`` where there is nothing to draw or nowhere to write."""
    model = output.model(options.model)
    seq_len = default_seq_len(model) if options.seq_len is None else options.seq_len
    switches = DEFAULT
    for switch in KEYS:
        if switch != "weights":
            switches = chosen(switches, switch, getattr(options, f"{switch}_"))
    found = describe(model, seq_len).under(switches)
    plot = curves.flops_plot(found) if options.what == FLOPS else curves.cache_plot(found)
    if plot is None:
        why = "it runs at one length only" if options.what == FLOPS else "it keeps no KV cache"
        raise AnatomyError(f"{model.name} has no curve of {options.what}: {why}; accepted: another model")
    text = svg(plot, model.name)
    if options.out == "-":
        return text
    try:
        Path(options.out).write_text(text + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        accepted = "the path of a file in a folder that is there, or - for standard output"
        raise AnatomyError(f"--out {shown(options.out)} cannot be written: {said}; accepted: {accepted}") from None
    return f"Wrote {plain_line(options.out)}: {plot.said}"


def svg(plot: Plot, name: str) -> str:
    """The plot as the text of an SVG file.

    >>> import anatomy
    >>> from anatomy.views import curves
    >>> text = svg(curves.flops_plot(describe(anatomy.load("gpt2"), 8).costs), "GPT-2 small")
    >>> text.startswith('<svg xmlns="http://www.w3.org/2000/svg"'), "attention overtakes at T = 6,703" in text
    (True, True)
    """
    # XML has no place for control characters, however they are spelt.
    return str(standalone(plot, f"{plain_line(name)}: {plot.unit} against T", STYLE))
