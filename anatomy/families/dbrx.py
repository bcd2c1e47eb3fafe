"""DBRX (Databricks 2024): LayerNorm without shifts, fused QKV, experts of a block stacked in one tensor."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    Heads,
    fused_qkv,
    linear,
    norm,
    table,
    unembedding,
)
from anatomy.families.windows import records
from anatomy.model.architecture import Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("DbrxForCausalLM",)


def model(config: Config) -> Model:
    """DBRX of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of DbrxConfig, DbrxAttentionConfig and DbrxFFNConfig in transformers: one KV head, 1 of 4
    experts, a context of 2,048.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("d_model", "hidden_size")
    blocks = config.integer("n_layers", "num_hidden_layers")
    heads = config.integer("n_heads", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_seq_len", "max_position_embeddings", default=2048)
    config.only("tie_word_embeddings", False, None, why="no DBRX is tied")
    attending = config.nested("attn_config")
    kv_heads = attending.integer("kv_n_heads", default=1)
    attending.divided("n_heads", heads, "kv_n_heads", kv_heads)
    sizes = Heads(heads, kv_heads, config.divided("d_model", width, "n_heads", heads))
    feeding = config.nested("ffn_config")
    inner = feeding.integer("ffn_hidden_size")
    experts = feeding.integer("moe_num_experts", default=4)
    used = feeding.integer("moe_top_k", default=1)
    share = feeding.share("moe_top_k", used, "moe_num_experts", experts)
    every = (range(blocks),)
    block = "transformer.blocks.{block}"

    def stacked(name: str, matrix: Matrix, what: str) -> Row:
        # One expert below the other; w2 too is stored (inner, d), so that its transpose multiplies.
        shape = (experts * inner, width)
        part = f"block/experts/{what}"
        return Row(name, shape, part, every, matrices=(matrix,), multiplies="tokens", share=share)

    def rows() -> Iterator[Row]:
        yield table("transformer.wte", "embedding/token", vocabulary, width, "W_E")
        yield from norm(f"{block}.norm_attn_norm.norm_1", "block/norm-attention", width, blocks=every)
        fused, out = f"{block}.norm_attn_norm.attn", Matrix("W_O", sizes.query * sizes.size, width)
        yield from linear(f"{fused}.Wqkv", "block/attention/qkv", *fused_qkv(width, sizes), blocks=every)
        yield from linear(f"{fused}.out_proj", "block/attention/output", out, blocks=every)
        yield from norm(f"{block}.norm_attn_norm.norm_2", "block/norm-mlp", width, blocks=every)
        yield from linear(f"{block}.ffn.router.layer", "block/router", Matrix("W_router", width, experts), blocks=every)
        mlp = f"{block}.ffn.experts.mlp"
        yield stacked(f"{mlp}.w1", Matrix("W_gate", width, inner, experts), "gate")
        yield stacked(f"{mlp}.v1", Matrix("W_up", width, inner, experts), "up")
        yield stacked(f"{mlp}.w2", Matrix("W_down", inner, width, experts), "down")
        yield from norm("transformer.norm_f", "final-norm", width)
        yield unembedding("lm_head.weight", None, vocabulary, width)

    return Model(
        model_type="dbrx",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, None)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("LayerNorm", "rotary", "SwiGLU", experts=experts, experts_per_token=used),
        defaults=config.defaults,
    )
