"""The tensors that a part computes at a sequence length, by name and shape; weights are elsewhere and never change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from anatomy.counts import flops
from anatomy.model.architecture import Attention
from anatomy.model.rows import Matrix, Model, Row


@dataclass(frozen=True, slots=True)
class Activation:
    """A tensor that the part computes; ``depends_on`` has ``T`` or ``S`` once for each axis of that length."""

    symbol: str
    shape: tuple[int, ...]
    depends_on: str = ""


class Scene:
    """A part of a model in a forward pass: its rows, and the length of what its stack runs over."""

    def __init__(
        self, model: Model, seq_len: int, stack: str | None, attention: Attention | None, rows: Sequence[Row]
    ) -> None:
        self.model, self.stack, self.attention, self.rows = model, stack, attention, rows
        self.lengths = flops.positions(model, seq_len)
        positions = flops.stack_positions(model, stack) if stack else "tokens"
        self.axis, self.length = ("T" if positions == "tokens" else "S"), self.lengths[positions]

    def matrix(self, *steps: str) -> Matrix | None:
        """The first matrix of a row whose part path ends in one of ``steps``."""
        return next(
            (row.matrices[0] for row in self.rows if row.part.rsplit("/", 1)[-1] in steps if row.matrices), None
        )

    def along(self, symbol: str, *sizes: int) -> Activation:
        """A tensor with these numbers for each position of the stack."""
        return Activation(symbol, (self.length, *sizes), self.axis)

    @property
    def out(self) -> Activation:
        """What the part adds to the stream, or hands on in its place."""
        return self.along("Out", self.model.width)


def activations(
    model: Model, seq_len: int, part_id: str, stack: str | None, attention: Attention | None, rows: Sequence[Row]
) -> Iterator[Activation]:
    """What a part with these rows computes, in order of computation.

    >>> import anatomy
    >>> gpt2 = anatomy.load("gpt2")
    >>> mlp = [row for row in gpt2.rows if row.part_id == "mlp"]
    >>> [one.shape for one in activations(gpt2, 8, "mlp", "decoder", None, mlp)]
    [(8, 3072), (8, 768)]
    """
    scene = Scene(model, seq_len, stack, attention, rows)
    yield from _COMPUTED.get(part_id, _handed_on)(scene)


def _handed_on(scene: Scene) -> Iterator[Activation]:
    yield scene.out


def _embedding(scene: Scene) -> Iterator[Activation]:
    lengths, width = scene.lengths, scene.model.width
    if scene.stack is None:
        # One table for both stacks: it is looked up once for the source and once for what is written.
        for side, positions, axis in (("source", "source", "S"), ("target", "tokens", "T")):
            yield Activation(f"Token ids, {side}", (lengths[positions],), axis)
            yield Activation(f"Out, {side}", (lengths[positions], width), axis)
        return
    if any(row.part.endswith("/token") for row in scene.rows):
        yield Activation("Token ids", (scene.length,), scene.axis)
    if patch := scene.matrix("patch"):
        yield Activation("Patches", (lengths["patches"], patch.inputs))
    # A stem of convolutions: the sound as it comes in, then what each but the last one makes of it.
    stem = [row for row in scene.rows if row.part.endswith("/frame") and row.matrices]
    for number, row in enumerate(stem, 1):
        frames = lengths["frames"]
        if number == 1:
            yield Activation("Frames", (frames, row.shape[1]))
        if number < len(stem):
            yield Activation(f"After convolution {number}", (frames, row.shape[0]))
    yield scene.out


def _attention(scene: Scene) -> Iterator[Activation]:
    if record := scene.attention:
        keys, axis = (scene.lengths["source"], "S") if record.kind == "cross" else (scene.length, scene.axis)
        per = "head" if record.kv_heads == record.query_heads else "KV head"
        if down := scene.matrix("query-down"):
            yield scene.along("Query latent", down.outputs)
        yield scene.along("Queries, per head", record.qk_size)
        if record.latent is not None:
            yield Activation("KV latent", (keys, record.latent), axis)
        if record.rotary is not None:
            yield Activation("Rotary key, all heads", (keys, record.rotary), axis)
        yield Activation(f"Keys, per {per}", (keys, record.qk_size), axis)
        yield Activation(f"Values, per {per}", (keys, record.v_size), axis)
        yield Activation("Scores, per head", (scene.length, keys), scene.axis + axis)
    yield scene.out


def _mlp(scene: Scene) -> Iterator[Activation]:
    if down := scene.matrix("down"):
        yield from (scene.along(name, down.inputs) for name in _gated(scene))
        yield scene.along("Hidden", down.inputs)
    # Qwen's shared expert: one number per token scales what it says.
    if scale := scene.matrix("scale"):
        yield scene.along("Weight of the shared expert", scale.outputs)
    yield scene.out


def _gated(scene: Scene) -> tuple[str, ...]:
    """What a gated MLP multiplies number by number to get its hidden vector."""
    symbols = {matrix.symbol for row in scene.rows for matrix in row.matrices}
    return ("Gate", "Up") if "W_gate" in symbols else ()


def _router(scene: Scene) -> Iterator[Activation]:
    traits = scene.model.traits
    if traits.experts and traits.experts_per_token:
        yield scene.along("Expert scores", traits.experts)
        yield scene.along("Weights of experts used", traits.experts_per_token)


def _experts(scene: Scene) -> Iterator[Activation]:
    used = scene.model.traits.experts_per_token
    if used and (down := scene.matrix("down")):
        yield from (scene.along(f"{name}, experts used", used, down.inputs) for name in _gated(scene))
        yield scene.along("Hidden, experts used", used, down.inputs)
    yield scene.out


def _pooler(scene: Scene) -> Iterator[Activation]:
    yield from (Activation("Pooled", (1, matrix.outputs)) for row in scene.rows for matrix in row.matrices)


def _head(scene: Scene) -> Iterator[Activation]:
    if transform := scene.matrix("transform"):
        yield scene.along("Hidden", transform.outputs)
    for row in scene.rows:
        for matrix in row.matrices:
            if not row.part.endswith("/transform"):
                at_one = row.multiplies == "one"
                yield Activation("Logits", (1, matrix.outputs)) if at_one else scene.along("Logits", matrix.outputs)


_COMPUTED: dict[str, Callable[[Scene], Iterator[Activation]]] = {
    "embedding": _embedding,
    "attention": _attention,
    "cross-attention": _attention,
    "mlp": _mlp,
    "shared-expert": _mlp,
    "router": _router,
    "experts": _experts,
    "pooler": _pooler,
    "head": _head,
    "unembedding": _head,
}
