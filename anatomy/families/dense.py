"""Dense decoders of 2024 to 2026 that recombine known parts: other norms, biases, windows and names than Llama's."""

from __future__ import annotations

from types import MappingProxyType

from anatomy.families import windows
from anatomy.families.kin import ATTENTION, BOTH, Kin, Vector, decoder
from anatomy.families.outputs import PLAIN, SEQUENCES, TOKENS, classes
from anatomy.model.architecture import NORM_BEHIND, PRE_NORM, SANDWICH
from anatomy.model.rows import Model
from anatomy.reading.config import Config

_LLAMA = classes("Llama", TOKENS)
_BARE = MappingProxyType({"use_bias": "biases, also of the unembedding"})
# EXAONE 3 keeps GPT-2's names.
_EXAONE = MappingProxyType({
    "model.embed_tokens": "transformer.wte", "model.layers": "transformer.h", "model.norm": "transformer.ln_f",
    ".self_attn.": ".attn.attention.", ".o_proj": ".out_proj", ".gate_proj": ".c_fc_0", ".up_proj": ".c_fc_1",
    ".down_proj": ".c_proj", ".input_layernorm": ".ln_1", ".post_attention_layernorm": ".ln_2",
})  # fmt: skip
_GLM4 = MappingProxyType({
    "input_layernorm": "norm-attention", "post_self_attn_layernorm": "norm-post-attention",
    "post_attention_layernorm": "norm-mlp", "post_mlp_layernorm": "norm-post-mlp",
})  # fmt: skip
_PERI = MappingProxyType({
    "input_layernorm": "norm-attention", "post_norm1": "norm-post-attention",
    "post_attention_layernorm": "norm-mlp", "post_norm2": "norm-post-mlp",
})  # fmt: skip
_HUNYUAN = MappingProxyType({".q_norm": ".query_layernorm", ".k_norm": ".key_layernorm"})
_FED = MappingProxyType({"attention_layernorm": "norm-attention", "feedforward_layernorm": "norm-mlp"})
_BEFORE = MappingProxyType({"input_layernorm": "norm-attention", "pre_feedforward_layernorm": "norm-mlp"})
_INTERN = MappingProxyType({"attention_bias": ("qkv_bias",), "mlp_bias": ("bias",)})

# Defaults: ApertusConfig, ArceeConfig, ... of transformers.
KIN = {
    "apertus": Kin(
        classes("Apertus", ("ForCausalLM", "Model", "ForTokenClassification")), 65536, own_size=False,
        biases=ATTENTION, qk_norm="size", mlp="plain", norms=_FED, activation=("xIELU",),
        only=MappingProxyType({"hidden_act": "xielu"}),
        vectors=(Vector("mlp.act_fn.alpha_p", "mlp/activation", "1", "α_p"),
                 Vector("mlp.act_fn.alpha_n", "mlp/activation", "1", "α_n")),
    ),
    "arcee": Kin(classes("Arcee", TOKENS), 4096, biases=BOTH, mlp="plain", activation=("relu2", "hidden_act")),
    "cwm": Kin(
        classes("Cwm"), 131072, kv_heads=8, head_size=128, biases=("", "mlp_bias"), windows=windows.from_the_first(4),
    ),
    "ernie4_5": Kin(classes("Ernie4_5"), 131072, kv_heads=2, head_size=128, tied=True, off=_BARE),
    "exaone": Kin(
        ("ExaoneForCausalLM", "ExaoneModel", *_LLAMA), 4096, kv_heads=8, biases=BOTH, renamed=_EXAONE,
        also=MappingProxyType({"num_hidden_layers": ("num_layers",)}),
        activation=("silu", "hidden_act", "activation_function"),
    ),
    "exaone4": Kin(
        classes("Exaone4", TOKENS), 2048, kv_heads=32, qk_norm="size", flow=NORM_BEHIND, windows=windows.but_every(4),
    ),
    "glm": Kin(
        classes("Glm", TOKENS), 131072, kv_heads=2, head_size=128, biases=ATTENTION, biased=ATTENTION,
        output_bias="no", mlp="fused",
    ),
    "glm4": Kin(
        classes("Glm4", TOKENS), 131072, kv_heads=2, head_size=128, biases=ATTENTION, biased=ATTENTION,
        output_bias="no", mlp="fused", flow=SANDWICH, norms=_GLM4,
    ),
    "granite_swa": Kin(
        classes("GraniteSWA"), 8192, kv_heads=4, own_size=False, tied=True, biases=BOTH,
        vectors=(Vector("self_attn.sinks", "attention/sinks", "heads", "sinks"),),
        windows=windows.from_the_first(4, 128),
    ),
    "helium": Kin(
        classes("Helium", TOKENS), 4096, kv_heads=20, head_size=128, square=True, biases=BOTH, output_bias="no",
    ),
    "hunyuan_v1_dense": Kin(
        classes("HunYuanDenseV1", SEQUENCES), 2048, biases=ATTENTION, qk_norm="size", renamed=_HUNYUAN,
    ),
    "hyperclovax": Kin(
        classes("HyperCLOVAX"), 2048, biases=BOTH, flow=SANDWICH, norms=_PERI, flow_key="use_post_norm",
    ),
    "internlm3": Kin(
        ("InternLM3ForCausalLM", "InternLM3Model", *_LLAMA), 32768, kv_heads=2, head_size=128, biases=BOTH,
        also=_INTERN,
    ),
    "iquestcoder": Kin(
        ("IQuestCoderForCausalLM", "IQuestCoderModel", *_LLAMA), 131072, kv_heads=8, head_size=128, biases=BOTH,
        off=MappingProxyType({"use_sliding_window": "the class refuses windows"}),
    ),
    "jais2": Kin(
        classes("Jais2"), 8192, biases=BOTH, biased=BOTH, mlp="plain", norm="LayerNorm", shift=True,
        activation=("relu2", "hidden_act"),
    ),
    "ministral": Kin(classes("Ministral", TOKENS), 131072, kv_heads=8, windows=windows.everywhere_or_listed(4096)),
    "ministral3": Kin(
        classes("Ministral3", TOKENS), 262144, kv_heads=8, head_size=128, windows=windows.everywhere(None),
    ),
    "nemotron": Kin(
        classes("Nemotron", TOKENS), 4096, biases=BOTH, mlp="plain", norm="LayerNorm", shift=True,
        activation=("relu2", "hidden_act"),
    ),
    "olmo3": Kin(
        classes("Olmo3", SEQUENCES), 2048, own_size=False, biases=ATTENTION, qk_norm="all", flow=NORM_BEHIND,
        windows=windows.but_every(4, keyed=False),
    ),
    "seed_oss": Kin(
        classes("SeedOss", TOKENS), 524288, kv_heads=8, head_size=128, biases=BOTH, biased=ATTENTION,
        output_bias="attention_out_bias",
    ),
    "vaultgemma": Kin(
        classes("VaultGemma", PLAIN), 8192, kv_heads=4, head_size=256, tied=True, biases=ATTENTION, flow=PRE_NORM,
        norms=_BEFORE, activation=("gelu", "hidden_activation"), windows=windows.but_every(2, keyed=False),
    ),
}  # fmt: skip


def model(config: Config) -> Model:
    """EXAONE, GLM-4, Ministral, Seed-OSS and the others of the table, of any size; raises ``ConfigError``."""
    return decoder(config, KIN[str(config.values["model_type"])])
