"""DBRX (Databricks 2024): LayerNorm without shifts, fused QKV, experts of a block stacked in one tensor."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, fused_attention, records
from anatomy.families.experts import experts
from anatomy.families.frame import Frame
from anatomy.families.layers import gate_and_up, linear, norm
from anatomy.model.architecture import Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("DbrxForCausalLM",)


def model(config: Config) -> Model:
    """DBRX of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of DbrxConfig, DbrxAttentionConfig and DbrxFFNConfig in transformers: one KV head, 1 of 4
    experts, a context of 2,048.
    """
    architecture = config.architecture(ARCHITECTURES)
    config.repeats("d_model", "hidden_size")
    width = config.integer("d_model")
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
    mixture = experts(feeding, ("moe_num_experts",), ("moe_top_k",), 4, 1)
    frame = Frame(config, architecture, width, blocks, vocabulary, context, False, "transformer.", "wte")
    every, layer = frame.every, "transformer.blocks.{block}"

    def stacked(name: str, matrix: Matrix, what: str) -> Row:
        # One expert below the other; w2 too is stored (inner, d), so that its transpose multiplies.
        shape, part = (mixture.held * inner, width), f"block/experts/{what}"
        return Row(name, shape, part, every, matrices=(matrix,), multiplies="tokens", share=mixture.share)

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        at, mlp = f"{layer}.norm_attn_norm", f"{layer}.ffn.experts.mlp"
        yield from norm(f"{at}.norm_1", "block/norm-attention", width, blocks=every)
        yield from fused_attention(f"{at}.attn.Wqkv", f"{at}.attn.out_proj", width, sizes, every)
        yield from norm(f"{at}.norm_2", "block/norm-mlp", width, blocks=every)
        router = Matrix("W_router", width, mixture.held)
        yield from linear(f"{layer}.ffn.router.layer", "block/router", router, blocks=every)
        gate, up = gate_and_up(width, inner, mixture.held)
        yield stacked(f"{mlp}.w1", gate, "gate")
        yield stacked(f"{mlp}.v1", up, "up")
        yield stacked(f"{mlp}.w2", Matrix("W_down", inner, width, mixture.held), "down")
        yield from norm("transformer.norm_f", "final-norm", width)
        yield from frame.head()

    traits = Traits("LayerNorm", "rotary", "SwiGLU", *mixture)
    return frame.model(tuple(rows()), records(sizes, (every, None)), traits)
