"""MPT (MosaicML 2023): ALiBi instead of positions, LayerNorm without a shift, fused QKV, no biases anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, fused_attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import norm, plain_mlp
from anatomy.model.architecture import Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

# Released files name the class of their own code, MPTForCausalLM.
CAUSAL = ("MPTForCausalLM", "MptForCausalLM")


def model(config: Config) -> Model:
    """MPT of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of MptConfig and MptAttentionConfig in transformers: an MLP four times as wide, ALiBi, no biases,
    a tied unembedding, a context of 2,048.
    """
    architecture = config.architecture((*CAUSAL, "MptModel"))
    width = config.integer("d_model", "hidden_size")
    blocks = config.integer("n_layers", "num_hidden_layers")
    query = config.integer("n_heads", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_seq_len", default=2048)
    tied = config.boolean("tie_word_embeddings", default=True)
    config.only("expansion_ratio", None, 4, why="MptMLP is four times as wide")
    config.only("no_bias", None, True, why="MPT has no biases")
    config.only("norm_type", None, "low_precision_layernorm", "layernorm", why="another norm has other tensors")
    if config.values.get("attn_config") is not None:
        inside = config.nested("attn_config")
        inside.only("attn_type", None, "multihead_attention", why="fewer KV heads")
        inside.only("qk_ln", None, False, why="QK norms")
        inside.only("alibi", None, True, why="learned positions")
    if config.values.get("ffn_config") is not None:
        inside = config.nested("ffn_config")
        inside.only("ffn_type", None, "mptmlp", why="another MLP has other tensors")
        # llm-foundry lets it overrule expansion_ratio.
        inside.only("ffn_hidden_size", None, 4 * width, why="MptMLP is four times as wide")
    heads = Heads(query, query, config.divided("d_model", width, "n_heads", query))
    # Files of a bare model (MptModel) carry no "transformer." before their names.
    prefix = "transformer." if architecture in CAUSAL else ""
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, prefix, "wte")
    every, layer = frame.every, prefix + "blocks.{block}"

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from norm(f"{layer}.norm_1", "block/norm-attention", width, blocks=every)
        yield from fused_attention(f"{layer}.attn.Wqkv", f"{layer}.attn.out_proj", width, heads, every)
        yield from norm(f"{layer}.norm_2", "block/norm-mlp", width, blocks=every)
        yield from plain_mlp(f"{layer}.ffn.up_proj", f"{layer}.ffn.down_proj", width, 4 * width, every, bias=False)
        yield from norm(f"{prefix}norm_f", "final-norm", width)
        yield from frame.head()

    return frame.model(tuple(rows()), records(heads, (every, None)), Traits("LayerNorm", "alibi", "GELU"))
