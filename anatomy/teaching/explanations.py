"""What each part does, in plain words: which sentences tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anatomy.model.architecture import Attention
from anatomy.report.anatomy import Anatomy, Part
from anatomy.teaching.facts import Facts, spare
from anatomy.teaching.prose import SENTENCES

# The keys of sentences, a list for each paragraph.
Paragraphs = Iterator[list[str]]


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
    keys = [_positions(facts) if name == "position" else name for name in told]
    if facts.tables.get("token-type", (0,))[0] == 1:
        keys[-1] = "token-type-one"
    if "token" in keys:
        keys[1:1] = ["factor"] if facts.shape("W_in") else []
        keys[1:1] = ["shared"] if any(weight.tied_to for weight in facts.part.weights) else []
    yield keys or ["input"]
    if "position" not in told:
        yield [f"at-{traits.positions}"]


def _positions(facts: Facts) -> str:
    for table in ("patch", "frame"):
        if table in facts.tables:
            return f"position-{table}"
    return "position-spare" if (spare(facts) or 0) > 0 else "position"


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
        yield [kind, *(["shift" if facts.shape("β") else "no-shift"] if kind == "LayerNorm" else [])]

    return told


def _after_add(facts: Facts) -> str | None:
    flows = [branch for stack in facts.anatomy.model.stacks for branch in stack.flow if stack.id == facts.part.stack]
    return "after-add" if any(branch.norm_after == facts.part.id for branch in flows) else None


def _attention(facts: Facts) -> Paragraphs:
    record = facts.attention
    if record is None:
        yield ["mixing"]
        return
    crossed = any(one.kind == "cross" and one.stack == record.stack for one in facts.anatomy.model.attention)
    mixing = "mixing-decoder" if crossed else "mixing"
    seen = "causal" if record.causal else "both-ways"
    if record.latent is not None:
        yield [mixing, "latent", seen, "join"]
    elif record.kv_heads == record.query_heads:
        yield [mixing, "multi-head", seen, "head-size", "join"]
    else:
        yield [mixing, "multi-query" if record.kv_heads == 1 else "grouped-query", seen, "join"]
    yield [key for key, holds in _particulars(facts, record) if holds]


def _particulars(facts: Facts, record: Attention) -> Iterator[tuple[str, bool]]:
    yield "latent-kept", record.latent is not None
    yield "latent-queries", bool(facts.shape("W_DQ"))
    yield "latent-norm", bool(facts.shape("γ_DKV"))
    shared = record.latent is None and record.kv_heads < record.query_heads
    yield "sharing" if record.causal else "sharing-both-ways", shared
    yield "window" if record.causal else "window-both-ways", bool(record.window)
    yield "chunk", bool(record.chunk) and not record.window
    yield "no-mask", not record.causal
    yield "qk-norm", facts.holds("q-norm")
    told = facts.anatomy.model.traits.positions in ("rotary", "alibi", "relative")
    yield f"in-{_told_positions(facts, record)}", told
    yield "sinks", facts.holds("sinks")


# Families whose blocks that see everything do not rotate, and those that as a rule rotate a part of each head.
_UNROTATED, _PARTLY_ROTATED = ("llama4", "llama4_text", "cohere2"), ("gptj", "gpt_neox", "phi", "stablelm", "glm4_moe")


def _told_positions(facts: Facts, record: Attention) -> str:
    model = facts.anatomy.model
    positions = model.traits.positions
    if positions == "relative":
        return "relative-held" if facts.shape("b_rel") else positions
    if positions != "rotary":
        return positions
    if record.latent is not None:
        return "rotary-latent"
    if model.model_type in _UNROTATED and any(one.window or one.chunk for one in model.attention):
        return "rotary" if record.window or record.chunk else "none"
    if model.model_type == "smollm3":
        return "rotary-some"
    return "rotary-part" if model.model_type in _PARTLY_ROTATED else "rotary"


def _mlp(facts: Facts) -> Paragraphs:
    gated = facts.shape("W_gate") is not None
    flows = [branch for stack in facts.anatomy.model.stacks for branch in stack.flow]
    beside = any(facts.part.id in branch.parts and branch.reads != "stream" for branch in flows)
    yield ["alone", *(["beside"] if beside else []), "gated" if gated else "plain"]
    yield ["gated-three"] if gated else []


def _unembedding(facts: Facts) -> Paragraphs:
    model = facts.anatomy.model
    if not facts.shape("W_U"):
        yield ["head"]
    elif model.vocabulary is None:
        yield ["classes"]
    else:
        prepared = ["transform"] if facts.shape("W_T") else []
        yield ["logits", *prepared, *(["score-bias"] if facts.shape("b_U") else [])]
        yield ["tied" if model.tied_unembedding else "untied"]


def _router(facts: Facts) -> Paragraphs:
    yield ["router-one" if facts.anatomy.model.traits.experts_per_token == 1 else "router"]
    yield ["router-balance"] if any(weight.buffer for weight in facts.part.weights) else []


def _experts(facts: Facts) -> Paragraphs:
    yield ["experts-one" if facts.anatomy.model.traits.experts_per_token == 1 else "experts"]
    yield ["experts-stored"]


def _shared_expert(facts: Facts) -> Paragraphs:
    yield ["shared-expert", *(["shared-scale"] if facts.shape("W_scale") else [])]


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
    "router": _router,
    "experts": _experts,
    "shared-expert": _shared_expert,
    "final-norm": _norm("last"),
    "pooler": _told(["pooler"]),
    "head": _classifier,
    "unembedding": _unembedding,
}
