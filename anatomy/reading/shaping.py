"""Keys that shape tensors in some class: one that its family does not read says that the network is another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_STRUCTURES = {
    "sizes of single blocks": """
        per_layer_config block_configs layer_head_num layer_inter_size num_attention_heads_per_layer
        num_key_value_heads_per_layer num_query_heads_per_layer intermediate_size_per_layer""",
    "routed experts": """
        num_experts num_local_experts n_routed_experts moe_num_experts moe_intermediate_size n_shared_experts
        num_shared_experts moe_num_shared_experts shared_expert_intermediate_size shared_intermediate_size
        moe_shared_expert_intermediate_size expert_ffn_hidden_size zero_expert_num""",
    "latent attention": "kv_lora_rank q_lora_rank o_lora_rank qk_rope_head_dim qk_nope_head_dim v_head_dim",
    "an indexer that chooses keys": """
        index_topk index_n_heads index_head_dim index_block_size indexer_types indexer_n_heads indexer_kv_heads
        indexer_head_dim compress_ratios compress_rates""",
    "recurrent blocks": """
        layers_block_type hybrid_override_pattern full_attn_idxs attn_layer_indices attn_layer_period block_types
        linear_attn_config linear_num_key_heads linear_num_value_heads linear_key_head_dim linear_value_head_dim
        linear_conv_kernel_dim mamba_d_state mamba_d_conv mamba_n_heads mamba_num_heads mamba_head_dim mamba_expand
        ssm_state_size state_size conv_L_cache lru_width""",
    "embeddings of single blocks": """
        vocab_size_per_layer_input hidden_size_per_layer_input altup_num_inputs laurel_rank""",
    "blocks that share keys and values": "num_kv_shared_layers kv_source_layers",
    "several residual streams": "hc_mult",
}
# key -> the structure that it belongs to.
SHAPING: Mapping[str, str] = MappingProxyType(
    {key: structure for structure, keys in _STRUCTURES.items() for key in keys.split()}
)
