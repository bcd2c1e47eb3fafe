"""What a model is beside its rows: how its blocks attend, how parts are wired, and what words need."""

from __future__ import annotations

from dataclasses import dataclass

from anatomy.model.blocks import Blocks


@dataclass(frozen=True, slots=True)
class Attention:
    """How some blocks attend: sizes are per head; ``window`` keys at most where it is local.

    ``chunk`` is the length of the chunks that local attention of Llama 4's kind does not look across. ``latent`` and
    ``rotary`` are multi-head latent attention's compressed KV size and its decoupled rotary key size: what it caches.
    """

    stack: str
    blocks: Blocks
    query_heads: int
    kv_heads: int
    qk_size: int
    v_size: int
    window: int | None = None
    causal: bool = True
    kind: str = "self"
    latent: int | None = None
    rotary: int | None = None
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """A path that leaves the residual stream and is added back: its parts in order of computation.

    ``reads`` says from where: the ``stream`` as it is now, the stream at the ``same`` point as the branch before it (a
    parallel block with its own norm), or the ``norm`` of the branch before it (a parallel block with one shared norm).
    ``norm_after`` is the part that normalises the stream after the addition (post-norm models).
    """

    parts: tuple[str, ...]
    reads: str = "stream"
    norm_after: str | None = None


# How a block is wired: norms before each part, after each addition, behind each part (before the addition), or on both
# sides of it; then attention and MLP in parallel, behind one norm or behind a norm each. A branch names all parts that
# a block may have; those that a block lacks are skipped.
PRE_NORM = (
    Branch(("norm-attention", "attention")),
    Branch(("norm-mlp", "mlp", "router", "experts", "shared-expert")),
)
POST_NORM = (Branch(("attention",), norm_after="norm-post-attention"), Branch(("mlp",), norm_after="norm-post-mlp"))
NORM_BEHIND = (Branch(("attention", "norm-post-attention")), Branch(("mlp", "norm-post-mlp")))
SANDWICH = (
    Branch(("norm-attention", "attention", "norm-post-attention")),
    Branch(("norm-mlp", "mlp", "norm-post-mlp")),
)
ONE_NORM = (Branch(("norm-block", "attention")), Branch(("mlp",), reads="norm"))
TWO_NORMS = (Branch(("norm-attention", "attention")), Branch(("norm-mlp", "mlp"), reads="same"))
# A decoder that also attends to what the encoder gives.
PRE_NORM_CROSS = (PRE_NORM[0], Branch(("norm-cross-attention", "cross-attention")), PRE_NORM[1])
POST_NORM_CROSS = (
    POST_NORM[0],
    Branch(("cross-attention",), norm_after="norm-post-cross-attention"),
    POST_NORM[1],
)


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of blocks: how many, what positions it runs over, and how a block's parts are wired.

    ``flow`` may name parts that only some blocks hold; a block's own parts decide. ``bare`` are the parts that every
    block (or the stack's end) has though they hold no tensors: norms without a scale.
    """

    id: str
    blocks: int
    flow: tuple[Branch, ...] = PRE_NORM
    positions: str = "tokens"
    bare: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """Tensors that a released file may hold beside the parameters: a name pattern (regular expression) and why."""

    pattern: str
    why: str
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Traits:
    """What words and drawing need to know and no shape tells.

    ``norm``: LayerNorm or RMSNorm; ``positions``: learned, rotary, alibi, relative, sinusoidal or none;
    ``activation``: as papers write it (GELU, SwiGLU); ``experts_per_token`` where experts are routed.
    """

    norm: str
    positions: str
    activation: str
    experts: int | None = None
    experts_per_token: int | None = None
