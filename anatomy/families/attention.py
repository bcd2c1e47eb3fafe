"""Attention: how many heads of which size, the rows of its projections, and the records of how blocks attend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from anatomy.families.layers import linear, norm
from anatomy.model.architecture import Attention
from anatomy.model.blocks import Blocks, count
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import Config

# The stored names of the four projections of attention, in stored order, as most families have them.
PROJECTIONS: Mapping[str, str] = MappingProxyType(
    {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "o_proj"}
)


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
    return Heads(query, kv, config.integer("head_dim", default=size, null=size))


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


def fused_attention(
    fused: str,
    output: str,
    width: int,
    heads: Heads,
    blocks: Blocks,
    *,
    bias: bool = False,
    layout: str = "",
    transposed: bool = False,
) -> Iterator[Row]:
    """The projections of a block where queries, keys and values are one tensor; ``layout`` says how its rows lie.

    >>> [row.shape for row in fused_attention("Wqkv", "out_proj", 4096, Heads(32, 32, 128), (range(32),))]
    [(12288, 4096), (4096, 4096)]
    """
    qkv, out = fused_qkv(width, heads), Matrix("W_O", heads.query * heads.size, width)
    part = "block/attention"
    yield from linear(fused, f"{part}/qkv", *qkv, blocks=blocks, bias=bias, layout=layout, transposed=transposed)
    yield from linear(output, f"{part}/output", out, blocks=blocks, bias=bias, transposed=transposed)


def qk_norms(name: str, heads: Heads, blocks: Blocks, *, over: str = "size") -> Iterator[Row]:
    """The norms of queries and of keys.

    ``over`` says what one scale serves: every head alike (``size``), all heads together (``all``), or each head on its
    own (``each``), stored as one matrix of heads x head size.

    >>> [row.shape for row in qk_norms("layers.{block}.self_attn", Heads(32, 8, 128), (range(36),))]
    [(128,), (128,)]
    """
    for letter, many in (("q", heads.query), ("k", heads.kv)):
        stored, part = f"{name}.{letter}_norm", f"block/attention/{letter}-norm"
        if over == "each":
            yield Row(f"{stored}.weight", (many, heads.size), part, blocks, symbol=f"γ_{letter.upper()}")
        else:
            yield from norm(stored, part, heads.size if over == "size" else many * heads.size, blocks=blocks)


def records(heads: Heads, *pairs: tuple[Blocks, int | None]) -> tuple[Attention, ...]:
    """An attention record for every pair of blocks and their window (None: none), pairs without blocks left out.

    >>> [record.window for record in records(Heads(8, 4, 256), ((range(0, 26, 2),), 4096), ((), None))]
    [4096]
    """
    return tuple(
        Attention("decoder", blocks, heads.query, heads.kv, heads.size, heads.size, window=window)
        for blocks, window in pairs
        if count(blocks)
    )


def both_ways(*records: Attention) -> tuple[Attention, ...]:
    """The records of a decoder made an encoder: a window of w reaches w / 2 tokens to either side.

    >>> [record.window for record in both_ways(*records(Heads(3, 1, 256), ((range(5),), 512)))]
    [513]
    """
    return tuple(
        replace(one, stack="encoder", causal=False, window=one.window and one.window // 2 * 2 + 1) for one in records
    )


def encoding(heads: Heads, blocks: Blocks) -> tuple[Attention]:
    """The record of an encoder, in whose blocks every position sees every other."""
    return (Attention("encoder", blocks, heads.query, heads.kv, heads.size, heads.size, causal=False),)


def crossing(depth: Mapping[str, int], heads: Mapping[str, Heads]) -> tuple[Attention, ...]:
    """Self-attention of both stacks, the decoder's causal, and the decoder's attention to the source."""
    (encoder,) = encoding(heads["encoder"], (range(depth["encoder"]),))
    (decoder,) = records(heads["decoder"], ((range(depth["decoder"]),), None))
    return encoder, decoder, replace(decoder, causal=False, kind="cross")
