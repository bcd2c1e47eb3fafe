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
QWEN2_TIED = {**LLAMA, "model_type": "qwen2", "tie_word_embeddings": True}

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
