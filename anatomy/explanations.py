"""What each part does, in plain words: which sentences tell of it, and the numbers they name, read off the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from anatomy import labels
from anatomy.formatting import exact
from anatomy.prose import SENTENCES
from anatomy.report import Anatomy, Part
from anatomy.tensors import Attention

# The keys of sentences, a list for each paragraph.
Paragraphs = Iterator[list[str]]


@dataclass(frozen=True)
class Facts:
    """What sentences may ask of a part; a reference without an answer is a ``KeyError``, never a gap in a sentence."""

    anatomy: Anatomy
    part: Part

    def __getitem__(self, name: str) -> str:
        value = _NUMBERS[name](self)
        if value is None:
            raise KeyError(f"{name} of {self.part.id} of {self.anatomy.model.name}")
        return exact(value) if isinstance(value, int) else value

    @property
    def attention(self) -> Attention | None:
        """The attention record that the part draws on."""
        kind = "cross" if "cross-attention" in self.part.id else "self"
        return labels.attention_of(self.anatomy.model, self.part.stack, self.part.blocks, kind)

    @property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """What the embedding holds: stored shapes by the last step of their paths."""
        stack = self.part.stack
        rows = [row for row in self.anatomy.model.rows if row.part_id == "embedding" and row.stack in (None, stack)]
        return {row.part.rsplit("/", 1)[-1]: row.shape for row in rows if not row.symbol.startswith("b_")}

    def shape(self, symbol: str) -> tuple[int, ...] | None:
        """The shape of the weight with this symbol."""
        return next((one.shape for one in self.part.weights if symbol in one.symbol.split(", ")), None)

    def holds(self, step: str) -> bool:
        """Whether a row of this part is called so in its path."""
        rows = self.anatomy.model.rows
        return any(row.part_id == self.part.id and row.part.rsplit("/", 1)[-1] == step for row in rows)


def _of(name: str) -> Callable[[Facts], int | None]:
    return lambda facts: getattr(facts.attention, name) if facts.attention else None


def _entries(table: str) -> Callable[[Facts], int | None]:
    return lambda facts: facts.tables[table][0] if table in facts.tables else None


def _inner(facts: Facts) -> int | None:
    shape = facts.shape("W_down")
    return shape[0] if shape else None


def _sharing(facts: Facts) -> int | None:
    return facts.attention.query_heads // facts.attention.kv_heads if facts.attention else None


_NUMBERS: dict[str, Callable[[Facts], int | str | None]] = {
    "T": lambda facts: facts.anatomy.seq_len,
    "width": lambda facts: facts.anatomy.model.width,
    "vocabulary": lambda facts: facts.anatomy.model.vocabulary,
    "activation": lambda facts: facts.anatomy.model.traits.activation,
    "experts": lambda facts: facts.anatomy.model.traits.experts,
    "used": lambda facts: facts.anatomy.model.traits.experts_per_token,
    "heads": _of("query_heads"),
    "kv_heads": _of("kv_heads"),
    "size": _of("qk_size"),
    "window": _of("window"),
    "chunk": _of("chunk"),
    "latent": _of("latent"),
    "rotary": _of("rotary"),
    "sharing": _sharing,
    "positions": _entries("position"),
    "types": _entries("token-type"),
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
    paragraphs = [list(keys) for keys in _PARTS[part.id](facts)]
    return [" ".join(SENTENCES[key] for key in keys).format_map(facts) for keys in paragraphs if keys]


# What an embedding may hold, in the order in which it is told.
_TABLES = ("token", "patch", "frame", "class-token", "position", "token-type")


def _embedding(facts: Facts) -> Paragraphs:
    traits = facts.anatomy.model.traits
    told = [name for name in _TABLES if name in facts.tables]
    yield [*(told or ["input"]), *(["factor"] if facts.shape("W_in") else [])]
    if "position" not in told:
        yield [f"at-{traits.positions}"]


def _residual(facts: Facts) -> Paragraphs:
    source = any(stack.id == facts.part.stack and stack.positions != "tokens" for stack in facts.anatomy.model.stacks)
    yield ["stream-source" if source else "stream", "stream-holds"]
    yield ["stream-source-shape" if source else "stream-shape"]


def _norm(said: str) -> Callable[[Facts], Paragraphs]:
    def told(facts: Facts) -> Paragraphs:
        yield [_after_add(facts) or said]
        kind = facts.anatomy.model.traits.norm
        if not facts.part.weights:
            yield ["LayerNorm-bare"]
            return
        yield [kind, *(["shift"] if kind == "LayerNorm" and facts.shape("β") else [])]

    return told


def _after_add(facts: Facts) -> str | None:
    flows = [branch for stack in facts.anatomy.model.stacks for branch in stack.flow if stack.id == facts.part.stack]
    return "after-add" if any(branch.norm_after == facts.part.id for branch in flows) else None


def _attention(facts: Facts) -> Paragraphs:
    record = facts.attention
    if record is None:
        yield ["mixing"]
        return
    seen = "causal" if record.causal else "both-ways"
    if record.latent is not None:
        yield ["mixing", "latent", seen, "join"]
    elif record.kv_heads == record.query_heads:
        yield ["mixing", "multi-head", seen, "head-size", "join"]
    else:
        yield ["mixing", "multi-query" if record.kv_heads == 1 else "grouped-query", seen, "join"]
    yield [key for key, holds in _particulars(facts, record) if holds]


def _particulars(facts: Facts, record: Attention) -> Iterator[tuple[str, bool]]:
    positions = facts.anatomy.model.traits.positions
    yield "latent-kept", record.latent is not None
    yield "sharing", record.latent is None and record.kv_heads < record.query_heads
    yield "window", bool(record.window)
    yield "chunk", bool(record.chunk) and not record.window
    yield "no-mask", not record.causal
    split = positions == "rotary" and record.latent is not None
    yield "in-rotary-latent" if split else f"in-{positions}", positions in ("rotary", "alibi", "relative")
    yield "qk-norm", facts.holds("q-norm")
    yield "sinks", facts.holds("sinks")


def _mlp(facts: Facts) -> Paragraphs:
    gated = facts.shape("W_gate") is not None
    yield ["alone", "gated" if gated else "plain"]
    yield ["gated-three"] if gated else []


def _unembedding(facts: Facts) -> Paragraphs:
    model = facts.anatomy.model
    if not facts.shape("W_U"):
        yield ["head"]
    elif model.vocabulary is None:
        yield ["classes"]
    else:
        yield ["logits"]
        yield ["tied" if model.tied_unembedding else "untied"]


def _classifier(facts: Facts) -> Paragraphs:
    yield ["classes" if "class-token" in facts.tables else "head"]


def _told(*paragraphs: list[str]) -> Callable[[Facts], Paragraphs]:
    return lambda _facts: iter(paragraphs)


_PARTS: dict[str, Callable[[Facts], Paragraphs]] = {
    "embedding": _embedding,
    "embedding-norm": _norm("first"),
    "residual": _residual,
    "norm-attention": _norm("reads"),
    "norm-cross-attention": _norm("reads"),
    "norm-mlp": _norm("reads"),
    "norm-block": _norm("reads-both"),
    "norm-post-attention": _norm("after-branch"),
    "norm-post-cross-attention": _norm("after-branch"),
    "norm-post-mlp": _norm("after-branch"),
    "attention": _attention,
    "cross-attention": _told(["cross", "join"], ["cross-kept"]),
    "mlp": _mlp,
    "router": _told(["router"]),
    "experts": _told(["experts"], ["experts-stored"]),
    "shared-expert": _told(["shared-expert"]),
    "final-norm": _norm("last"),
    "pooler": _told(["pooler"]),
    "head": _classifier,
    "unembedding": _unembedding,
}
