"""Rows that several families share: projections, norms, gated and plain MLPs, look-up tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from anatomy.model.blocks import Blocks
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import Config

ONE = Fraction(1)
# The stored names of the four projections of attention, in stored order, as most families have them.
PROJECTIONS: Mapping[str, str] = MappingProxyType(
    {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "o_proj"}
)
GATED = ("gate_proj", "up_proj", "down_proj")
# What a norm inside attention normalises: queries, keys, or the latents that DQ and DKV compress to.
_NORMED = {"q-norm": "_Q", "k-norm": "_K", "query-norm": "_DQ", "kv-norm": "_DKV"}


def linear(
    name: str,
    part: str,
    *matrices: Matrix,
    blocks: Blocks = (),
    bias: bool = False,
    multiplies: str = "tokens",
    copies: int = 1,
    share: Fraction = ONE,
    transposed: bool = False,
    layout: str = "",
) -> Iterator[Row]:
    """A projection stored as ``name.weight`` (out, in), with its bias where it has one.

    Several matrices with the same input are one fused tensor, its outputs one after another unless ``layout`` says
    otherwise. ``transposed`` is GPT-2's Conv1D, which stores (in, out).

    >>> next(linear("h.{block}.attn.c_proj", "block/attention/output", Matrix("W_O", 768, 768))).shape
    (768, 768)
    """
    inputs = matrices[0].inputs
    outputs = sum(matrix.outputs * matrix.count for matrix in matrices)
    yield Row(
        f"{name}.weight",
        (inputs, outputs) if transposed else (outputs, inputs),
        part,
        blocks,
        copies=copies,
        matrices=matrices,
        multiplies=multiplies,
        share=share,
        layout=layout,
    )
    if bias:
        symbol = ", ".join(matrix.symbol.replace("W_", "b_") for matrix in matrices)
        yield Row(f"{name}.bias", (outputs,), part, blocks, copies=copies, share=share, symbol=symbol, layout=layout)


def norm(
    name: str,
    part: str,
    size: int,
    *,
    blocks: Blocks = (),
    bias: bool = False,
    names: tuple[str, str] = ("weight", "bias"),
) -> Iterator[Row]:
    """A LayerNorm (``bias``) or RMSNorm over ``size`` numbers: a scale γ, and a shift β where it has one.

    Norms of queries and of keys stand in one part, so their symbols say which is which.

    >>> [row.name for row in norm("ln_f", "final-norm", 768, bias=True)]
    ['ln_f.weight', 'ln_f.bias']
    """
    of = _NORMED.get(part.rsplit("/", 1)[-1], "")
    yield Row(f"{name}.{names[0]}", (size,), part, blocks, symbol=f"γ{of}")
    if bias:
        yield Row(f"{name}.{names[1]}", (size,), part, blocks, symbol=f"β{of}")


def table(name: str, part: str, entries: int, width: int, symbol: str) -> Row:
    """A look-up table of ``entries`` rows of ``width`` numbers: nothing is multiplied."""
    return Row(f"{name}.weight", (entries, width), part, symbol=symbol)


class Heads(NamedTuple):
    """How many query heads, how many KV heads, and the size of each."""

    query: int
    kv: int
    size: int


def heads(
    config: Config,
    width: int,
    kv_default: int | None = None,
    size_default: int | None = None,
    query_default: int | None = None,
    own_size: bool = True,
) -> Heads:
    """The heads that ``num_attention_heads``, ``num_key_value_heads`` and ``head_dim`` give.

    Without defaults of the family's own the number of query heads is required, there are as many KV heads, and the
    heads share the width; without ``own_size`` they share it whatever ``head_dim`` says, so it may say nothing else.

    >>> heads(Config({"num_attention_heads": 32, "num_key_value_heads": 8}), 4096)
    Heads(query=32, kv=8, size=128)
    """
    query = config.integer("num_attention_heads", **({"default": query_default} if query_default else {}))
    kv = config.integer("num_key_value_heads", default=kv_default or query, null=query)
    config.divided("num_attention_heads", query, "num_key_value_heads", kv)
    if not own_size:
        size = config.divided("hidden_size", width, "num_attention_heads", query)
        config.only("head_dim", None, size, why="hidden_size / num_attention_heads")
        return Heads(query, kv, size)
    # A head_dim that is null shares the width even where a default stands for one that is left out (GptOssConfig).
    stated = config.integer_or_none("head_dim", size_default)
    size = stated or config.divided("hidden_size", width, "num_attention_heads", query)
    return Heads(query, kv, config.integer("head_dim", default=size))


def attention(
    name: str,
    width: int,
    heads: Heads,
    blocks: Blocks,
    *,
    bias: bool = False,
    output_bias: bool | None = None,
    key_bias: bool | None = None,
    names: Mapping[str, str] = PROJECTIONS,
    part: str = "block/attention",
    queries: str = "tokens",
    keys: str = "tokens",
) -> Iterator[Row]:
    """The query, key, value and output projections of a block, each stored on its own, in the order of ``names``.

    ``queries`` and ``keys`` are what the two sides run over: in cross-attention, keys and values read the source.

    >>> rows = attention("layers.{block}.self_attn", 4096, Heads(32, 8, 128), (range(32),))
    >>> [(row.name, row.shape) for row in rows][1]
    ('layers.{block}.self_attn.k_proj.weight', (1024, 4096))
    """
    every, few = heads.query * heads.size, heads.kv * heads.size
    matrices = {
        "query": Matrix("W_Q", width, every),
        "key": Matrix("W_K", width, few),
        "value": Matrix("W_V", width, few),
        "output": Matrix("W_O", every, width),
    }
    own = {"output": output_bias, "key": key_bias}
    for role, stored in names.items():
        stated = own.get(role)
        has_bias = bias if stated is None else stated
        over = keys if role in ("key", "value") else queries
        yield from linear(
            f"{name}.{stored}", f"{part}/{role}", matrices[role], blocks=blocks, bias=has_bias, multiplies=over
        )


def fused_qkv(width: int, heads: Heads) -> tuple[Matrix, Matrix, Matrix]:
    """The three matrices inside a fused projection, whatever the order in which their rows are stored.

    >>> sum(matrix.outputs for matrix in fused_qkv(4544, Heads(71, 1, 64)))
    4672
    """
    few = heads.kv * heads.size
    return Matrix("W_Q", width, heads.query * heads.size), Matrix("W_K", width, few), Matrix("W_V", width, few)


def gated_mlp(
    name: str,
    width: int,
    inner: int,
    blocks: Blocks,
    *,
    bias: bool = False,
    names: tuple[str, str, str] = GATED,
    part: str = "block/mlp",
    multiplies: str = "tokens",
    copies: int = 1,
    share: Fraction = ONE,
) -> Iterator[Row]:
    """A gated MLP: ``down(activation(gate(x)) * up(x))``, three matrices; with ``copies``, experts stored one by one.

    >>> sum(row.elements for row in gated_mlp("layers.{block}.mlp", 4096, 11008, (range(32),)))
    135266304
    """
    matrices = (Matrix("W_gate", width, inner), Matrix("W_up", width, inner), Matrix("W_down", inner, width))
    for stored, role, matrix in zip(names, ("gate", "up", "down"), matrices, strict=True):
        yield from linear(
            f"{name}.{stored}",
            f"{part}/{role}",
            matrix,
            blocks=blocks,
            bias=bias,
            multiplies=multiplies,
            copies=copies,
            share=share,
        )


def plain_mlp(
    up_name: str,
    down_name: str,
    width: int,
    inner: int,
    blocks: Blocks,
    *,
    bias: bool,
    part: str = "block/mlp",
    multiplies: str = "tokens",
) -> Iterator[Row]:
    """An MLP of two matrices: ``down(activation(up(x)))``."""
    up, down = Matrix("W_up", width, inner), Matrix("W_down", inner, width)
    yield from linear(up_name, f"{part}/up", up, blocks=blocks, bias=bias, multiplies=multiplies)
    yield from linear(down_name, f"{part}/down", down, blocks=blocks, bias=bias, multiplies=multiplies)


def unembedding(name: str, tied_to: str | None, vocabulary: int, width: int, part: str = "unembedding") -> Row:
    """The matrix from the width to the vocabulary, applied at every position.

    Where it is stored as another tensor it holds 0 parameters, and is still a matrix product.

    >>> unembedding("lm_head.weight", "wte.weight", 50257, 768).parameters
    0
    """
    matrix = Matrix("W_U", width, vocabulary)
    return Row(name, (vocabulary, width), part, matrices=(matrix,), multiplies="tokens", tied_to=tied_to)


# How papers write the activations that configurations name; with a gate, the gated unit built on it.
_PLAIN = {"relu": "ReLU", "silu": "SiLU", "swish": "SiLU", "relu2": "squared ReLU"}
_GATED = {"GELU": "GeGLU", "SiLU": "SwiGLU", "ReLU": "ReGLU"}


def activation(config: Config, *keys: str, default: str, gated: bool = False) -> str:
    """What papers call the activation that a key names; it changes no shape, so any value is let through.

    >>> activation(Config({"hidden_act": "silu"}), "hidden_act", default="silu", gated=True)
    'SwiGLU'
    """
    stated = next((value for key in keys if isinstance(value := config.values.get(key), str)), default)
    plain = "GELU" if stated.startswith(("gelu", "quick_gelu")) else _PLAIN.get(stated, stated)
    return _GATED.get(plain, f"gated {plain}") if gated else plain
