"""Real ``.safetensors`` files for tests, written by the safetensors library from a model's own tensors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy
from safetensors.numpy import save_file

import anatomy
from anatomy.checkpoint.files import Checkpoint, assemble
from anatomy.checkpoint.headers import Shard, Stored

GPT2 = {"model_type": "gpt2", "vocab_size": 50, "n_positions": 16, "n_embd": 8, "n_layer": 3, "n_head": 2}
LLAMA = {
    "model_type": "llama",
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 40,
    "max_position_embeddings": 64,
}

Arrays = dict[str, Any]


def arrays(config: Mapping[str, Any], dtype: str = "float32") -> Arrays:
    """Zeros in place of every tensor that a released file of the model holds."""
    return {tensor.name: numpy.zeros(tensor.shape, dtype) for tensor in anatomy.load(config).tensors()}


def masks(blocks: int, context: int) -> Arrays:
    """GPT-2's causal masks, as its released files hold them."""
    return {f"h.{n}.attn.bias": numpy.ones((1, 1, context, context), "float32") for n in range(blocks)}


def write(path: Path, tensors: Arrays) -> Path:
    """One file."""
    save_file(tensors, path, metadata={"format": "pt"})
    return path


def write_shards(folder: Path, tensors: Arrays, count: int) -> Path:
    """Several files and their index; the path is the index's."""
    names = sorted(tensors)
    weight_map = {}
    for number in range(count):
        file = f"model-{number + 1:05d}-of-{count:05d}.safetensors"
        share = {name: tensors[name] for name in names[number::count]}
        save_file(share, folder / file, metadata={"format": "pt"})
        weight_map.update(dict.fromkeys(share, file))
    total = sum(array.nbytes for array in tensors.values())
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": weight_map}), encoding="utf-8")
    return index


def claimed(tensors: Iterable[tuple[str, tuple[int, ...]]], dtype: str = "BF16") -> Checkpoint:
    """A checkpoint as headers would describe it, for models too large to write."""
    stored = tuple(Stored(name, tuple(shape), dtype, "model.safetensors") for name, shape in tensors)
    return assemble([Shard("model.safetensors", stored, {})])


def raw(entries: Mapping[str, Any], data: int = 0, length: int | None = None) -> bytes:
    """The bytes of a file with a header of one's own making, ``data`` bytes of tensors and any claimed length."""
    text = json.dumps(entries).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + bytes(data)


def entry(begin: int, end: int, shape: list[int] | None = None, dtype: str = "F32") -> dict[str, Any]:
    """A header's entry."""
    size = [(end - begin) // 4] if shape is None else shape
    return {"dtype": dtype, "shape": size, "data_offsets": [begin, end]}


# Small sizes by key, wherever a configuration has the key; what is not named here keeps its published value.
_SIZES = {
    32: "hidden_size n_embd n_embed d_model word_embed_proj_dim",
    48: "intermediate_size ffn_dim encoder_ffn_dim decoder_ffn_dim d_ff ffn_hidden_size n_inner inner_dim "
    "moe_intermediate_size shared_expert_intermediate_size intermediate_size_mlp",
    3: "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers num_decoder_layers",
    4: "num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads "
    "num_experts num_local_experts n_routed_experts moe_num_experts",
    2: "num_key_value_heads kv_n_heads num_kv_heads num_experts_per_tok moe_top_k experts_per_token",
    8: "head_dim d_kv qk_nope_head_dim v_head_dim q_lora_rank kv_lora_rank num_mel_bins rotary_dim",
    6: "qk_rope_head_dim",
    64: "vocab_size max_position_embeddings n_positions n_ctx max_seq_len max_sequence_length",
}
_SMALL = {key: size for size, keys in _SIZES.items() for key in keys.split()}


def small(model_type: str) -> dict[str, Any]:
    """A released configuration of this type with every size made small, so that its file can be written for real."""
    entry = next(entry for entry in anatomy.entries().values() if entry.config["model_type"] == model_type)
    return _shrunk(entry.config)


def _shrunk(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    # A model of as many KV heads as query heads stays one.
    alike = values.get("num_key_value_heads") == values.get("num_attention_heads")
    for key, value in values.items():
        if alike and key == "num_key_value_heads":
            found[key] = _SMALL["num_attention_heads"]
        elif isinstance(value, Mapping):
            found[key] = _shrunk(value)
        elif key in _SMALL and isinstance(value, int):
            # One KV head stays one.
            found[key] = min(value, _SMALL[key])
        elif key in ("layer_types", "no_rope_layers", "attention_layers") and isinstance(value, list):
            found[key] = value[: _SMALL["n_layer"]]
        else:
            found[key] = value
    return found
