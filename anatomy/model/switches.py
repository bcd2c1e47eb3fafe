"""The switches of costs, as plain data: which pass is counted, in which number types, for how many sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from anatomy.model.rows import Model
from anatomy.reading.refusals import AnatomyError, shown

PREFILL, DECODE, TRAIN, RECOMPUTE = "prefill", "decode", "train", "recompute"
# How much of the attention square is counted, and at which positions the unembedding is applied.
FULL, WINDOWS, CAUSAL = "full", "windows", "causal"
EVERY, LAST = "every", "last"
# Bytes per number of the number types; fp16 takes what bf16 takes, so that the switches offer one of them.
DTYPES = {
    "fp32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "int8": Fraction(1),
    "int4": Fraction(1, 2),
}
TYPES = tuple(dtype for dtype in DTYPES if dtype != "fp16")
# Weights as the published file holds them.
RELEASED = "released"
# The types for which formats keep some numbers in 16 bits.
SMALL = ("fp8", "int8", "int4")
MAX_BATCH = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """The switches; a field's default is what the page shows first.

    ``run`` is a prefill of T tokens, a decode step, or a training step (with activations kept, or computed again);
    ``square`` how much of the attention square is counted; ``unembedding`` at which positions it is applied;
    ``weights`` and ``cache`` the number types (``released`` as the file stores them), ``batch`` the sequences at once.
    """

    run: str = PREFILL
    square: str = FULL
    unembedding: str = EVERY
    weights: str = RELEASED
    cache: str = "bf16"
    batch: int = 1


DEFAULT = Options()
# What each switch may say, and its key in the location hash.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "run": (PREFILL, DECODE, TRAIN, RECOMPUTE),
    "square": (FULL, WINDOWS, CAUSAL),
    "unembedding": (EVERY, LAST),
    "weights": (RELEASED, *TYPES),
    "cache": TYPES,
}
KEYS: Mapping[str, str] = {
    "run": "run",
    "square": "sq",
    "unembedding": "un",
    "weights": "w",
    "cache": "kv",
    "batch": "b",
}


def chosen(options: Options, switch: str, text: str) -> Options:
    """The options with one switch set as a control or a hash says.

    >>> chosen(Options(), "run", "decode").run, chosen(Options(), "batch", "16").batch
    ('decode', 16)

    Raises ``AnatomyError`` with a sentence on what would be accepted.
    """
    if switch == "batch":
        plain = text.strip().replace(",", "")
        if not (plain.isascii() and plain.isdigit() and len(plain) <= 9 and 1 <= int(plain) <= MAX_BATCH):
            raise AnatomyError(f"Batch {shown(text)} is no whole number from 1 to {MAX_BATCH:,}.")
        return replace(options, batch=int(plain))
    if switch not in CHOICES:
        raise AnatomyError(f"There is no switch {shown(switch)}; there are {', '.join(KEYS)}.")
    if text not in CHOICES[switch]:
        raise AnatomyError(f"{shown(text)} is nothing to choose there; accepted: {', '.join(CHOICES[switch])}.")
    return Options(**{**{field.name: getattr(options, field.name) for field in fields(Options)}, switch: text})


def effective(options: Options, model: Model) -> Options:
    """What can be counted of a model: encoders have no decode step, and some passes fix where the unembedding goes.

    >>> import anatomy
    >>> effective(Options(run=DECODE), anatomy.load("bert-base-uncased")).run
    'prefill'
    """
    run = PREFILL if options.run == DECODE and not model.decodes else options.run
    return replace(options, run=run, unembedding=options.unembedding if last_only(options, model) else EVERY)


def last_only(options: Options, model: Model) -> bool:
    """Whether the unembedding may be applied at the last position only: where a prefill is followed by sampling.

    >>> import anatomy
    >>> last_only(Options(), anatomy.load("gpt2")), last_only(Options(run=TRAIN), anatomy.load("gpt2"))
    (True, False)
    """
    return options.run == PREFILL and model.unembeds and model.decodes


def to_keys(options: Options) -> dict[str, str]:
    """The keys of the location hash; what equals the default is left out.

    >>> to_keys(Options(run="decode", batch=4))
    {'run': 'decode', 'b': '4'}
    """
    worded = {field.name: getattr(options, field.name) for field in fields(Options)}
    return {KEYS[name]: str(value) for name, value in worded.items() if value != getattr(DEFAULT, name)}


def from_keys(keys: Mapping[str, str]) -> tuple[Options, dict[str, str]]:
    """The options that a hash asks for, and a sentence for each switch whose value it gets wrong (the default stays).

    >>> from_keys({"run": "decode", "b": "0"})[1]
    {'batch': 'Batch "0" is no whole number from 1 to 1,000,000.'}
    """
    options, notices = DEFAULT, {}
    for switch, key in KEYS.items():
        if key in keys:
            try:
                options = chosen(options, switch, keys[key])
            except AnatomyError as error:
                notices[switch] = str(error)
    return options, notices
