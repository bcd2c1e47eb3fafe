"""What each part does, in plain words: which sentences tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anatomy.model.architecture import Attention, Branch
from anatomy.model.blocks import contains
from anatomy.report.anatomy import Anatomy, Part
from anatomy.teaching import computing, phrases
from anatomy.teaching.facts import Facts, side_by_side, spare
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
    computation = facts.anatomy.model.computation
    if computation is None or computation.embedding_scale.changes:
        token = "token-scaled" if computation else "token-unread"
        keys = [token if key == "token" else key for key in keys]
    if facts.tables.get("token-type", (0,))[0] == 1:
        keys[-1] = "token-type-one"
    if "token" in told:
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
    model = facts.anatomy.model
    stack = next((one for one in model.stacks if one.id == facts.part.stack), model.stacks[0])
    source = stack.positions != "tokens"
    yield ["stream-source" if source else "stream", f"stream-{_wired(stack.flow)}", "stream-holds"]
    if source:
        yield ["stream-source-fixed" if "source" in model.fixed_lengths else "stream-source-shape"]
    else:
        yield ["stream-shape-fixed" if "tokens" in model.fixed_lengths else "stream-shape"]


def _wired(flow: tuple[Branch, ...]) -> str:
    if any(branch.norm_after for branch in flow):
        return "post"
    behind = any(part.startswith("norm-post-") for branch in flow for part in branch.parts)
    before = flow[0].parts[0].startswith("norm-")
    return ("sandwich" if before else "behind") if behind else "pre"


def _norm(said: str) -> Callable[[Facts], Paragraphs]:
    def told(facts: Facts) -> Paragraphs:
        yield [_after_add(facts) or said]
        kind = facts.anatomy.model.traits.norm
        computation = facts.anatomy.model.computation
        if not facts.part.weights:
            yield ["LayerNorm-bare"]
            return
        offset = "-offset" if computation and computation.norm_offset else ""
        shift = ["shift" if facts.shape("β") else "no-shift"] if kind == "LayerNorm" else []
        yield [f"{kind}{offset}", *shift]

    return told


def _after_add(facts: Facts) -> str | None:
    flow = phrases.flow_of(facts.anatomy, facts.part)
    return "after-add" if any(branch.norm_after == facts.part.id for branch in flow) else None


def _attention(facts: Facts) -> Paragraphs:
    record = facts.attention
    if record is None:
        yield ["mixing"]
        return
    crossed = any(one.kind == "cross" and one.stack == record.stack for one in facts.anatomy.model.attention)
    mixing = "mixing-decoder" if crossed else "mixing"
    seen = "causal" if record.causal else "both-ways"
    if record.latent is not None:
        form = "latent"
    elif record.kv_heads == record.query_heads:
        form = "multi-head"
    else:
        form = "multi-query" if record.kv_heads == 1 else "grouped-query"
    yield [mixing, form, seen, "join"]
    yield [key for key, holds in _particulars(facts, record) if holds]


def _particulars(facts: Facts, record: Attention) -> Iterator[tuple[str, bool]]:
    model = facts.anatomy.model
    computation = model.computation
    yield "latent-kept", record.latent is not None
    yield "latent-queries", bool(facts.shape("W_DQ"))
    yield "latent-norm", bool(facts.shape("γ_DKV"))
    shared = record.latent is None and record.kv_heads < record.query_heads
    yield "sharing" if record.causal else "sharing-both-ways", shared
    if record.window and record.causal:
        yield "window-idle" if model.context and record.window >= model.context else "window", True
    yield "window-both-ways", bool(record.window) and not record.causal
    yield "chunk", bool(record.chunk) and not record.window
    yield "no-mask-image" if "patches" in model.fixed_lengths else "no-mask", not record.causal
    yield f"qk-norm-{_normed(facts)}", facts.holds("q-norm")
    if computation:
        yield from computing.scores(computation)
    told = model.traits.positions in ("alibi", "relative")
    if model.traits.positions == "rotary":
        yield from ((key, True) for key in computing.rotation(model, record))
    yield f"in-{model.traits.positions}{'-held' if facts.shape('b_rel') else ''}", told
    if computation and facts.part.blocks:
        bare = computation.bare_qk_norm
        yield "bare-qk-norm", bool(bare) and contains(bare, facts.part.blocks[0].start)
    yield "sinks", facts.holds("sinks")


def _normed(facts: Facts) -> str:
    """What one scale of a norm of queries serves: every head alike, all together, or each head on its own."""
    scale = next((one for one in facts.part.weights if one.symbol == "γ_Q"), None)
    if scale and (len(scale.shape) == 2 or scale.count > 1):
        return "each"
    return "all" if scale and facts.attention and scale.shape[0] > facts.attention.qk_size else "shared"


def _mlp(facts: Facts) -> Paragraphs:
    gated = facts.shape("W_gate") is not None
    branch = phrases.branch_of(facts.anatomy, facts.part)
    beside = {"norm": ["beside-shared"], "same": ["beside-own"]}.get(branch.reads if branch else "", [])
    yield ["alone", *beside, "gated" if gated else "plain"]
    yield ["gated-three"] if gated else []


def _unembedding(facts: Facts) -> Paragraphs:
    model = facts.anatomy.model
    if not facts.shape("W_U"):
        yield ["head"]
    elif model.vocabulary is None:
        yield ["classes"]
    else:
        prepared = ["transform"] if facts.shape("W_T") else []
        yield ["logits" if model.decodes else "logits-hidden", *prepared, *computing.logits(model.computation)]
        bias = ["score-bias"] if facts.shape("b_U") else []
        yield [*bias, "tied" if model.tied_unembedding else "untied"]


def _router(facts: Facts) -> Paragraphs:
    one = facts.anatomy.model.traits.experts_per_token == 1
    chosen, *weights = computing.routing(facts.anatomy.model.computation)
    yield ["router-one" if one else chosen, *weights]
    biased = [weight for weight in facts.part.weights if weight.symbol == "b_router"]
    yield ["router-small", *["router-balance" if weight.buffer else "router-bias" for weight in biased]]


def _experts(facts: Facts) -> Paragraphs:
    yield ["experts-one" if facts.anatomy.model.traits.experts_per_token == 1 else "experts"]
    computation = facts.anatomy.model.computation
    yield ["experts-gated", *(["experts-clamped"] if computation and computation.gate else [])]
    yield ["experts-stored"]


def _shared_expert(facts: Facts) -> Paragraphs:
    several = ["shared-several"] if (side_by_side(facts) or 1) > 1 else []
    yield ["shared-expert", *several, *(["shared-scale"] if facts.shape("W_scale") else []), "experts-gated"]


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
