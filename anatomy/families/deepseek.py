"""DeepSeek V2, V3 and Kimi K2: latent attention; the first blocks dense, the others routed with shared experts."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.experts import experts, routed
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gated_mlp, linear, norm
from anatomy.families.outputs import classes
from anatomy.model.architecture import Attention, Known, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """DeepSeek V2, V3 and Kimi K2 of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of DeepseekV2Config and DeepseekV3Config in transformers.
    """
    second = config.values["model_type"] == "deepseek_v2"
    architecture = config.architecture(classes("DeepseekV2" if second else "DeepseekV3"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    heads = config.integer("num_attention_heads")
    # Of no effect; a file saved from DeepseekV3Config's defaults says 128 whatever the heads are.
    why = "latent attention has a key for each query head"
    config.only("num_key_value_heads", heads, None, *(() if second else (128,)), why=why)
    query_latent = config.integer_or_none("q_lora_rank", 1536)
    latent = config.integer("kv_lora_rank", default=512)
    rotary = config.integer("qk_rope_head_dim", default=64)
    plain = config.integer("qk_nope_head_dim", default=128)
    v_size = config.integer("v_head_dim", default=128)
    bias = config.boolean("attention_bias", default=False)
    config.only("mlp_bias", False, None, why="biases add tensors")
    first = min(config.integer("first_k_dense_replace", default=0 if second else 3, minimum=0), blocks)
    config.only("moe_layer_freq", 1, None, why="transformers does not read it, the released code does")
    dense, mixed = ((range(first),) if first else ()), ((range(first, blocks),) if first < blocks else ())
    mapped, unread = ("num_experts", "num_local_experts") if second else ("num_local_experts", "num_experts")
    if mixed:
        config.repeats("n_routed_experts", unread)
        mixture = experts(config, ("n_routed_experts", mapped), ("num_experts_per_tok",))
        expert_inner = config.integer("moe_intermediate_size")
        shared = expert_inner * config.integer("n_shared_experts", default=2 if second else 1, null=0, minimum=0)
    else:
        config.ignores("n_routed_experts", mapped, unread, "moe_intermediate_size", "n_shared_experts")
    inner = config.integer("intermediate_size") if dense else 0
    frame = Frame.read(config, architecture, width, blocks, context=2048 if second else 4096)
    every, layer = frame.every, frame.layer

    def latent_attention(name: str) -> Iterator[Row]:
        part = "block/attention"
        if query_latent is None:
            query = Matrix("W_Q", width, heads * (plain + rotary))
            yield from linear(f"{name}.q_proj", f"{part}/query", query, blocks=every)
        else:
            down, up = Matrix("W_DQ", width, query_latent), Matrix("W_UQ", query_latent, heads * (plain + rotary))
            yield from linear(f"{name}.q_a_proj", f"{part}/query-down", down, blocks=every, bias=bias)
            yield from norm(f"{name}.q_a_layernorm", f"{part}/query-norm", query_latent, blocks=every)
            yield from linear(f"{name}.q_b_proj", f"{part}/query-up", up, blocks=every)
        # W_KR makes the one rotary key that all heads of a token share.
        down, shared_key = Matrix("W_DKV", width, latent), Matrix("W_KR", width, rotary)
        yield from linear(f"{name}.kv_a_proj_with_mqa", f"{part}/kv-down", down, shared_key, blocks=every, bias=bias)
        yield from norm(f"{name}.kv_a_layernorm", f"{part}/kv-norm", latent, blocks=every)
        key, value = Matrix("W_UK", latent, heads * plain), Matrix("W_UV", latent, heads * v_size)
        yield from linear(f"{name}.kv_b_proj", f"{part}/kv-up", key, value, blocks=every)
        out = Matrix("W_O", heads * v_size, width)
        yield from linear(f"{name}.o_proj", f"{part}/output", out, blocks=every, bias=bias)

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from latent_attention(f"{layer}.self_attn")
        if dense:
            yield from gated_mlp(f"{layer}.mlp", width, inner, dense)
        if mixed:
            yield from routed(f"{layer}.mlp", width, expert_inner, mixture, mixed, correction=not second)
        if mixed and shared:
            yield from gated_mlp(f"{layer}.mlp.shared_experts", width, shared, mixed, part="block/shared-expert")
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    record = Attention("decoder", every, heads, heads, plain + rotary, v_size, latent=latent, rotary=rotary)
    gate = activation(config, "hidden_act", default="silu", gated=True)
    return frame.model(
        tuple(rows()),
        (record,),
        Traits("RMSNorm", "rotary", gate, *(mixture if mixed else ())),
        known=(
            Known(r".+\.weight_scale_inv", "scales of an FP8 checkpoint"),
            Known(rf"model\.layers\.{blocks}\..+", "multi-token-prediction module"),
            Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),
        ),
    )
