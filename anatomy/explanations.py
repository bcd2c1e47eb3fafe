"""What each part does, in plain words: sentences by part and trait, their numbers read off the model.

A sentence names a number as ``{width}`` and never types it; :class:`Facts` looks it up, worded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from anatomy import labels
from anatomy.formatting import exact
from anatomy.report import Anatomy, Part
from anatomy.tensors import Attention


@dataclass(frozen=True)
class Facts:
    """The numbers of a part that sentences may name, each worded when it is asked for."""

    anatomy: Anatomy
    part: Part

    def __getitem__(self, name: str) -> str:
        value = self.value(name)
        return exact(value) if isinstance(value, int) else str(value)

    def value(self, name: str) -> int | str:
        """The value behind a reference; ``KeyError`` where the part has no such thing."""
        model, found = self.anatomy.model, _FACTS.get(name)
        if found is None:
            raise KeyError(name)
        value = found(self)
        if value is None:
            raise KeyError(f"{name} of {self.part.id} of {model.name}")
        return value

    @property
    def attention(self) -> Attention | None:
        """The attention record that the part draws on."""
        kind = "cross" if "cross-attention" in self.part.id else "self"
        return labels.attention_of(self.anatomy.model, self.part.stack, self.part.blocks, kind)

    def shape(self, *symbols: str) -> tuple[int, ...] | None:
        """The shape of the first weight with one of these symbols."""
        return next((one.shape for one in self.part.weights if one.symbol in symbols), None)

    @property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """The embedding's rows by the last step of their path."""
        stack = self.part.stack
        rows = [row for row in self.anatomy.model.rows if row.part_id == "embedding" and row.stack in (None, stack)]
        return {row.part.rsplit("/", 1)[-1]: row.shape for row in rows}

    def has(self, *ids: str) -> bool:
        """Whether this block (or the model, outside blocks) has one of these parts."""
        return any(one.id in ids for one in self.anatomy.parts if one.blocks == self.part.blocks)


def _of(name: str) -> Callable[[Facts], int | None]:
    return lambda facts: getattr(facts.attention, name) if facts.attention else None


def _table(name: str) -> Callable[[Facts], int | None]:
    return lambda facts: facts.tables[name][0] if name in facts.tables else None


def _inner(facts: Facts) -> int | None:
    shape = facts.shape("W_down")
    return shape[0] if shape else None


def _shared_by(facts: Facts) -> int | None:
    record = facts.attention
    return record.query_heads // record.kv_heads if record else None


_FACTS: dict[str, Callable[[Facts], int | str | None]] = {
    "T": lambda facts: facts.anatomy.seq_len,
    "width": lambda facts: facts.anatomy.model.width,
    "vocabulary": lambda facts: facts.anatomy.model.vocabulary,
    "norm": lambda facts: facts.anatomy.model.traits.norm,
    "activation": lambda facts: facts.anatomy.model.traits.activation,
    "experts": lambda facts: facts.anatomy.model.traits.experts,
    "used": lambda facts: facts.anatomy.model.traits.experts_per_token,
    "heads": _of("query_heads"),
    "kv_heads": _of("kv_heads"),
    "size": _of("qk_size"),
    "v_size": _of("v_size"),
    "window": _of("window"),
    "chunk": _of("chunk"),
    "latent": _of("latent"),
    "rotary": _of("rotary"),
    "sharing": _shared_by,
    "positions": _table("position"),
    "types": _table("token-type"),
    "inner": _inner,
}


def explain(anatomy: Anatomy, part: Part) -> list[str]:
    """Paragraphs on a part: what it does, then what is particular about this model's.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> explain(shown, shown.find("residual"))[0][:43]
    'A vector of 768 numbers for each of the 8 t'
    """
    facts = Facts(anatomy, part)
    paragraphs = _PARTS[part.id](facts)
    return [" ".join(sentences).format_map(facts) for sentences in paragraphs if sentences]


Paragraphs = list[list[str]]


def _embedding(facts: Facts) -> Paragraphs:
    tables = facts.tables
    held = {row.part.rsplit("/", 1)[-1] for row in facts.anatomy.model.rows if row.part_id == "embedding"}
    own = {path for path in tables if path in held}
    said = [_TABLES[name] for name in _TABLES if name in own]
    extra = sorted(own - set(_TABLES))
    if extra:
        said.append("A projection brings the table's rows to the width of the stream.")
    return [said or [_EMBEDDING], [_POSITIONS[facts.anatomy.model.traits.positions]] if "position" not in own else []]


_EMBEDDING = "What the model reads becomes vectors of {width} numbers here, one per position."
_TABLES = {
    "token": (
        "Each token id picks one row of W_E, a table of {vocabulary} rows of {width} numbers: one row for every entry of "
        "the vocabulary. Nothing is multiplied; a row is copied out."
    ),
    "patch": (
        "The image is cut into patches, and one matrix, the same for every patch, turns the pixels of a patch into "
        "{width} numbers."
    ),
    "frame": (
        "The sound arrives as a spectrogram; two convolutions over time turn it into one vector of {width} numbers per "
        "frame."
    ),
    "class-token": "One learned vector is put before the patches; the classifier reads what has become of it.",
    "position": (
        "A second table holds one learned row for each of its {positions} positions. It is added, because attention by "
        "itself does not see in which order things stand."
    ),
    "token-type": "A small table with {types} rows tells which of two texts a token belongs to; its row is added too.",
}
_POSITIONS = {
    "learned": "",
    "rotary": (
        "There is no table of positions. The order of the tokens enters inside attention, where queries and keys are "
        "rotated by an angle that grows with their position (rotary positions, RoPE): that costs no parameters."
    ),
    "alibi": (
        "There is no table of positions. Attention subtracts from each score an amount that grows with the distance "
        "between query and key (ALiBi): that costs no parameters."
    ),
    "relative": (
        "There is no table of positions here. Attention adds to each score a learned number for the distance between "
        "query and key (relative positions), which the first block holds for all."
    ),
    "sinusoidal": (
        "The order of the positions is given by sines and cosines of different wavelengths, fixed before training and "
        "added to the rows."
    ),
    "none": "Nothing marks the order of the positions.",
}


def _residual(facts: Facts) -> Paragraphs:
    del facts
    return [
        [
            "A vector of {width} numbers for each of the {T} tokens, carried from the embeddings to the end. Every part "
            "of a block reads it, computes something, and adds its result back; nothing on it is ever overwritten.",
            "It holds no parameters: it is what the parameters act on.",
        ],
        ["Its shape is T × d: raise T and it has more rows; d = {width} is fixed when the model is built."],
    ]


def _residual_source(facts: Facts) -> Paragraphs:
    if facts.part.stack != "encoder" or len(facts.anatomy.model.stacks) < 2:
        return _residual(facts)
    return [
        [
            "A vector of {width} numbers for each position of the source, carried from its embedding to the end of the "
            "encoder. Every part of a block reads it and adds its result back. It holds no parameters.",
        ],
        ["Its shape is S × d, where S is the length of the source; the decoder's cross-attention reads what arrives."],
    ]


def _norm(reader: str) -> Callable[[Facts], Paragraphs]:
    return lambda facts: [[reader, _NORMS.get(facts.anatomy.model.traits.norm, "")]]


_NORMS = {
    "LayerNorm": (
        "LayerNorm takes each vector by itself, subtracts its mean, divides by its standard deviation, and scales each "
        "of the {width} numbers by a learned γ; where there is a learned shift β, it is added."
    ),
    "RMSNorm": (
        "RMSNorm takes each vector by itself, divides it by its root mean square, and scales each of the {width} numbers "
        "by a learned γ. It subtracts no mean and has no shift."
    ),
}
_READ = "A branch does not read the stream as it is, but a copy brought to a common size; the stream itself stays as it was."


def _attention(facts: Facts) -> Paragraphs:
    record = facts.attention
    if record is None:
        return [[_MIXING]]
    reach = (
        "with the keys at or before its own position"
        if record.causal
        else "with the keys of all positions, before and after it"
    )
    if record.latent is not None:
        made = [_LATENT]
    elif record.kv_heads == record.query_heads:
        made = [
            f"Each of {{heads}} heads turns every position into a query, a key and a value, compares each query {reach},"
        ]
        made += ["and mixes the values by the softmax of the scores. Queries and keys have {size} numbers per head."]
    elif record.kv_heads == 1:
        made = [f"{{heads}} query heads share one single key head and value head. Each compares its queries {reach},"]
        made += ["and mixes the values by the softmax of the scores."]
    else:
        made = ["{heads} query heads share {kv_heads} key and value heads, {sharing} to each:"]
        made += [f"a query head compares its queries {reach}, and mixes the values by the softmax of the scores."]
    return [
        [_MIXING, *made, _JOIN],
        [*_reach(record), *_saving(record), *_position(facts)],
    ]


_MIXING = "The only place where positions exchange information."
_JOIN = "W_O joins the heads back to {width} numbers, which are added to the stream."
_LATENT = (
    "Keys and values are not made from the stream directly: each token is first compressed to a latent of {latent} numbers, "
    "and from it {heads} heads make their keys and values. Only the latent and one rotary key of {rotary} numbers need be "
    "kept for later tokens. There is thus no single W_K: a key is the product of two matrices."
)


def _reach(record: Attention) -> Iterator[str]:
    if record.window:
        yield "In these blocks a query sees at most {window} tokens, its own among them (a sliding window)."
    elif record.chunk:
        yield "In these blocks a query sees only the tokens of its own chunk of {chunk}."
    if not record.causal:
        yield "No mask hides what comes later: this is bidirectional attention."


def _saving(record: Attention) -> Iterator[str]:
    if record.latent is None and record.kv_heads < record.query_heads:
        yield (
            "Sharing shrinks W_K and W_V, and above all the KV cache, by a factor of {sharing}; the scores are as many as "
            "before, one matrix per query head."
        )


def _position(facts: Facts) -> Iterator[str]:
    positions = facts.anatomy.model.traits.positions
    if positions == "rotary":
        yield "Queries and keys are rotated by their position before they meet (RoPE), which costs no parameters."
    elif positions == "alibi":
        yield "From each score an amount is subtracted that grows with the distance (ALiBi)."
    elif positions == "relative":
        yield "To each score a learned number for the distance is added."
    if facts.shape("sinks"):
        yield "Each head has a learned sink, a score that competes in the softmax and lets a head attend to nothing."


def _cross(facts: Facts) -> Paragraphs:
    del facts
    return [
        [
            "Here the decoder reads the source. Queries come from the decoder's stream; keys and values come from what the "
            "encoder has made of the source, all of it visible at once.",
            "Each of {heads} heads compares its queries with all source positions and mixes their values by the softmax of "
            "the scores.",
            _JOIN,
        ],
        ["The keys and values depend on the source only, so they are computed once and kept while the decoder writes."],
    ]


def _mlp(facts: Facts) -> Paragraphs:
    alone = "Takes each position by itself: no information passes between positions here."
    if facts.shape("W_gate") or facts.shape("W_gate, W_up"):
        how = (
            "Two matrices widen the {width} numbers to {inner}: W_up makes the content, W_gate decides how much of each "
            "number passes (together: {activation}). W_down brings the product back to {width}, which is added to the stream."
        )
        return [[alone, how], ["A gated MLP has three matrices where a plain one has two."]]
    how = (
        "W_up widens the {width} numbers to {inner}, the {activation} function bends them, and W_down brings them back to "
        "{width}, which are added to the stream."
    )
    return [[alone, how]]


def _router(facts: Facts) -> Paragraphs:
    del facts
    return [
        [
            "Decides, for each token anew, which experts work on it: one score for each of {experts} experts, of which the "
            "{used} with the highest scores are used and their results weighted.",
            "The router is small, but everything that the experts do hangs on it.",
        ]
    ]


def _experts(facts: Facts) -> Paragraphs:
    del facts
    return [
        [
            "{experts} MLPs of the same shape stand side by side, each with its own weights. A token passes through only "
            "{used} of them, those that the router chose for it; their outputs are weighted, summed and added to the stream.",
        ],
        [
            "All experts must be stored, but a token pays for {used}: that is why such a model has two sizes, its parameters "
            "and its active parameters."
        ],
    ]


def _shared_expert(facts: Facts) -> Paragraphs:
    del facts
    return [
        [
            "An MLP that every token passes through, whatever the router chose: it holds what all tokens need, so that the "
            "routed experts can specialise. Its result is added to theirs.",
        ]
    ]


def _pooler(facts: Facts) -> Paragraphs:
    del facts
    return [
        [
            "Takes the vector of the first position alone, multiplies it with one matrix and applies tanh: a summary of the text."
        ]
    ]


def _unembedding(facts: Facts) -> Paragraphs:
    model = facts.anatomy.model
    if not any(one.symbol == "W_U" for one in facts.part.weights):
        return [["The head that turns the last vectors into the model's answer."]]
    patches = any(row.part.endswith("/patch") for row in model.rows)
    if patches:
        return [["One matrix turns the last vector of the class token into a score for each class."]]
    said = [
        "Turns the last vector of each position into {vocabulary} scores (logits), one for every entry of the vocabulary; "
        "their softmax is the model's forecast of the token."
    ]
    if model.tied_unembedding:
        return [
            said,
            [
                "It is tied: W_U is the token table turned on its side. It is stored and counted once, there, so it holds 0 "
                "parameters of its own; but it is a real matrix product, and its FLOPs count."
            ],
        ]
    return [said, ["It is not tied: W_U is a matrix of its own, as large as the token table."]]


_PARTS: dict[str, Callable[[Facts], Paragraphs]] = {
    "embedding": _embedding,
    "embedding-norm": _norm("The vectors are brought to a common size before they enter the first block."),
    "residual": _residual_source,
    "norm-attention": _norm(_READ),
    "norm-cross-attention": _norm(_READ),
    "norm-mlp": _norm(_READ),
    "norm-block": _norm(
        "Attention and MLP both read this one copy of the stream, brought to a common size, side by side."
    ),
    "norm-post-attention": _norm(
        "What attention has made is brought to a common size, so that no block can swamp the stream."
    ),
    "norm-post-cross-attention": _norm("After cross-attention the vectors are brought to a common size."),
    "norm-post-mlp": _norm("What the MLP has made is brought to a common size, so that no block can swamp the stream."),
    "attention": _attention,
    "cross-attention": _cross,
    "mlp": _mlp,
    "router": _router,
    "experts": _experts,
    "shared-expert": _shared_expert,
    "final-norm": _norm(
        "The stream, to which every block has added, is brought to a common size once more before the end."
    ),
    "pooler": _pooler,
    "unembedding": _unembedding,
}
