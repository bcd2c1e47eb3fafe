"""Count the witnessed models again, with the transformers library's own classes on PyTorch's meta device.

    python tests/witness/regenerate.py [slug ...]      # needs the optional extra `witness`; see README.md

Each file keeps what comes from outside (class, configuration, published figures, extras, buffers that only the released
file has); everything else in it is computed here. Nothing of the project is imported.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode

HERE = Path(__file__).parent
GIVEN = ("slug", "model_type", "class", "config", "config_source", "published", "extras", "buffers")
ORDER = (
    "slug", "model_type", "class", "config", "config_source", "total", "active", "active_excluding_token_table",
    "without_embeddings", "groups", "flops", "published", "tied", "buffers", "extras", "tensors",
)  # fmt: skip

# --- from transformers' names to the released file's ------------------------------------------------------------------
# (pattern, replacement), tried in turn on every name. The keys are classes; those of a nested configuration come last.
NO_PREFIX = [(r"^transformer\.", "")]
SPLIT_EXPERTS = [(r"\.experts\.(gate_proj|up_proj|down_proj)$", r".experts.{expert}.\1.weight")]
RENAMES: dict[str, list[tuple[str, str]]] = {
    "GPT2LMHeadModel": NO_PREFIX,
    "BloomForCausalLM": NO_PREFIX,
    "OPTForCausalLM": [(r"^model\.", "")],
    "GPTNeoXForCausalLM": [(r"^lm_head\.", "embed_out.")],
    # Google's BERT was saved with TensorFlow's names for the scale and the shift of a norm.
    "BertForMaskedLM": [(r"LayerNorm\.weight$", "LayerNorm.gamma"), (r"LayerNorm\.bias$", "LayerNorm.beta")],
    "MixtralForCausalLM": [
        (r"\.mlp\.gate\.", ".block_sparse_moe.gate."),
        (r"\.mlp\.experts\.gate_proj$", ".block_sparse_moe.experts.{expert}.w1.weight"),
        (r"\.mlp\.experts\.down_proj$", ".block_sparse_moe.experts.{expert}.w2.weight"),
        (r"\.mlp\.experts\.up_proj$", ".block_sparse_moe.experts.{expert}.w3.weight"),
    ],
    "Qwen2MoeForCausalLM": SPLIT_EXPERTS,
    "Qwen3MoeForCausalLM": SPLIT_EXPERTS,
    "DeepseekV2ForCausalLM": SPLIT_EXPERTS,
    "DeepseekV3ForCausalLM": SPLIT_EXPERTS,
    "Glm4MoeForCausalLM": SPLIT_EXPERTS,
    "ViTForImageClassification": [
        (r"^vit\.layers\.", "vit.encoder.layer."),
        (r"\.attention\.q_proj\.", ".attention.attention.query."),
        (r"\.attention\.k_proj\.", ".attention.attention.key."),
        (r"\.attention\.v_proj\.", ".attention.attention.value."),
        (r"\.attention\.o_proj\.", ".attention.output.dense."),
        (r"\.mlp\.fc1\.", ".intermediate.dense."),
        (r"\.mlp\.fc2\.", ".output.dense."),
    ],
}
RENAMES["ViTModel"] = [(r"^layers\.", "encoder.layer."), *RENAMES["ViTForImageClassification"][1:]]
RENAMES["BertForPreTraining"] = RENAMES["BertForMaskedLM"]
VISION = "vision_*, multi_modal_projector.*"
NESTED = [(r"^", "language_model.")]

# --- groups, by the released name alone; the first that matches -------------------------------------------------------
GROUPS: list[tuple[str, str]] = [
    ("unembedding", r"(^|\.)(lm_head|embed_out|proj_out|classifier|cls|pooler)\."),
    ("experts", r"\.experts\.|\.shared_experts?\.|\.shared_expert_gate\."),
    ("router", r"\.(mlp|block_sparse_moe)\.gate\.|\.router\."),
    ("norms", r"(?i)(^|\.)(ln_\w+|\w*norm|\w*norm_[12f]|\w*layernorm_\w+|norms)(\.\d+)?\.(weight|bias|gamma|beta)$"),
    ("embeddings", r"(^|\.)(wte|wpe|embed\w*|word_embeddings|embeddings|shared|project_(in|out)|conv[12])\."),
    ("attention", r"(attn|attention|Attention)\."),
    ("mlp", r"\.(mlp|ffn|fc[12]|intermediate|output|DenseReluDense|feed_forward)\."),
]
TOKEN_TABLE = r"(^|\.)(wte|embed_tokens|embed_in|word_embeddings|shared)\.weight$"

Shape = tuple[int, ...]


def main(slugs: list[str]) -> None:
    for path in sorted(HERE.glob("*.json")):
        if not slugs or path.stem in slugs:
            witness = count(json.loads(path.read_text(encoding="utf-8")))
            path.write_text(render(witness), encoding="utf-8")
            print(f"{path.stem}: {witness['total']:,}", flush=True)


def count(given: dict[str, Any]) -> dict[str, Any]:
    """Everything in a witness file that can be counted, from what was given to it."""
    config = build_config(given["config"])
    model = build(given["class"], config)
    rename = renamer(given["class"], nested="text_config" in given["config"])
    parameters, tied = unique(model.named_parameters(remove_duplicate=False), rename)
    expert_names = [name for name, _ in parameters if re.search(r"\.experts\.", name)]
    experts, chosen = routing(config) if expert_names else (1, 1)

    groups: dict[str, int] = {}
    active = token_table = 0
    for name, shape in parameters:
        size = math.prod(shape)
        group = next(group for group, pattern in GROUPS if re.search(pattern, strip_slots(name)))
        groups[group] = groups.get(group, 0) + size * (1 if "{expert}" not in name else experts)
        per_token = size if name not in expert_names else size * chosen // (1 if "{expert}" in name else experts)
        active += per_token
        if re.search(TOKEN_TABLE, name):
            token_table += size
    total = sum(groups.values())

    persistent = [(name, tuple(t.shape)) for name, t in model.state_dict().items() if name in buffer_names(model)]
    buffers = run_lengths(((rename(name), shape) for name, shape in persistent), experts)
    known = {entry[0] for entry in buffers}
    buffers += [entry for entry in given.get("buffers", []) if entry[0] not in known]
    extras = [entry for entry in given.get("extras", []) if entry["name"] != VISION]
    if "vision_config" in given["config"]:
        extras.append({"name": VISION, "elements": whole_file(given["config"]) - total, "why": "the image part"})
    return {
        **{key: given[key] for key in GIVEN if key in given},
        "extras": extras,
        "total": total,
        "active": active if expert_names else None,
        "active_excluding_token_table": active - token_table if expert_names else None,
        "without_embeddings": total - groups.get("embeddings", 0) - groups.get("unembedding", 0),
        "groups": {group: groups[group] for group in group_order() if group in groups},
        "flops": {str(length): flops(model, config, length, chosen) for length in lengths(given["class"], config)},
        "tied": tied,
        "buffers": buffers,
        "tensors": run_lengths(parameters, experts),
    }


# --- building ---------------------------------------------------------------------------------------------------------
def build_config(values: dict[str, Any]) -> Any:
    """The text configuration; rotary scaling changes no shape and no product, and some kinds cannot run on meta."""
    values = dict(values.get("text_config", values))
    values.pop("rope_scaling", None)
    model_type = str(values.pop("model_type"))
    config = transformers.AutoConfig.for_model({"kimi_k2": "deepseek_v3"}.get(model_type, model_type), **values)
    config._attn_implementation = "eager"
    return config


def whole_file(values: dict[str, Any]) -> int:
    """The parameters of a multimodal model, image part included."""
    rest = {key: value for key, value in values.items() if key not in ("model_type", "architectures")}
    config = transformers.AutoConfig.for_model(values["model_type"], **rest)
    return sum(tensor.numel() for tensor in build(values["architectures"][0], config).parameters())


def build(class_name: str, config: Any) -> Any:
    with torch.device("meta"):
        model = getattr(transformers, class_name)(config)
    model.tie_weights()
    if config.model_type == "t5" and not config.scale_decoder_outputs:
        # The published configuration (v1.1, flan) says "tie_word_embeddings": false and the file holds a head of its
        # own; this transformers keeps the fact under another name and ties the head all the same.
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.shared.weight))
    return model.eval()


def buffer_names(model: Any) -> set[str]:
    return {name for name, _ in model.named_buffers()}


def routing(config: Any) -> tuple[int, int]:
    """How many routed experts a block has, and how many of them one token uses."""
    inner = getattr(config, "ffn_config", config)
    experts = next(
        getattr(inner, key)
        for key in ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
        if getattr(inner, key, None)
    )
    return experts, next(getattr(inner, k) for k in ("num_experts_per_tok", "moe_top_k") if getattr(inner, k, None))


# --- names ------------------------------------------------------------------------------------------------------------
def renamer(class_name: str, nested: bool) -> Callable[[str], str]:
    rules = RENAMES.get(class_name, []) + (NESTED if nested else [])

    def rename(name: str) -> str:
        for pattern, replacement in rules:
            name = re.sub(pattern, replacement, name)
        return name

    return rename


def unique(
    named: Iterable[tuple[str, Any]], rename: Callable[[str], str]
) -> tuple[list[tuple[str, Shape]], list[list[str]]]:
    """Each stored tensor once, as the released file has it, and the names that are tied to one of them."""
    first: dict[int, str] = {}
    found: list[tuple[str, Shape]] = []
    tied: list[list[str]] = []
    for name, tensor in named:
        if id(tensor) in first:
            tied.append([rename(name), first[id(tensor)]])
            continue
        first[id(tensor)] = rename(name)
        for part, shape in unstacked(name, tuple(tensor.shape), rename):
            found.append((part, shape))
    return found, tied


def unstacked(name: str, shape: Shape, rename: Callable[[str], str]) -> Iterable[tuple[str, Shape]]:
    """Experts that transformers stacks, and joins gate with up, as the single matrices of the released file."""
    if rename(name.replace(".experts.gate_up_proj", ".experts.gate_proj")).endswith("{expert}.gate_proj.weight") or (
        rename(name.replace(".experts.gate_up_proj", ".experts.up_proj")).endswith("{expert}.w3.weight")
    ):
        _, rows, columns = shape
        for half in ("gate_proj", "up_proj"):
            yield rename(name.replace("gate_up_proj", half)), (rows // 2, columns)
    elif "{expert}" in rename(name):
        yield rename(name), shape[1:]
    else:
        yield rename(name), shape


def strip_slots(name: str) -> str:
    return name.replace("{expert}", "0")


def run_lengths(tensors: Iterable[tuple[str, Shape]], experts: int) -> list[list[Any]]:
    """Tensors whose names differ by the block's index alone, in one entry: name, shape, blocks, experts."""
    blocks: dict[tuple[str, Shape], list[int]] = {}
    for name, shape in tensors:
        found = re.search(r"\.(\d+)\.|^(\d+)\.", name)
        pattern = name if not found else name[: found.start(1)] + "{block}" + name[found.end(1) :]
        blocks.setdefault((pattern, shape), []).extend([int(found[1])] if found else [])
    entries: list[list[Any]] = []
    for (pattern, shape), numbers in blocks.items():
        entry: list[Any] = [pattern, list(shape)]
        if numbers:
            entry.append(ranges(numbers))
        if "{expert}" in pattern:
            entry.append(experts)
        entries.append(entry)
    return entries


def ranges(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def group_order() -> list[str]:
    return ["embeddings", "attention", "mlp", "experts", "router", "norms", "unembedding"]


# --- FLOPs ------------------------------------------------------------------------------------------------------------
def lengths(class_name: str, config: Any) -> list[int]:
    if class_name.startswith("ViT"):
        return [(config.image_size // config.patch_size) ** 2 + 1]
    context = next(
        (getattr(config, key) for key in ("max_target_positions", "max_position_embeddings", "max_seq_len")
         if isinstance(getattr(config, key, None), int)),
        1024,
    )  # fmt: skip
    context -= 2 if class_name.startswith("Roberta") else 0  # its table has two rows that no token stands on
    return [8, 128, min(1024, context)]


def flops(model: Any, config: Any, length: int, chosen: int) -> int:
    """The matrix products and convolutions of one pass, as PyTorch counts them; routed experts: k of E per token."""
    for name, module in model.named_modules():
        if name.endswith(".experts"):
            module.forward = partial(routed_products, module, length * chosen)
    with torch.device("meta"), torch.no_grad():
        tokens = torch.zeros(1, length, dtype=torch.long)
        inputs: dict[str, Any] = {"input_ids": tokens}
        if config.model_type == "vit":
            inputs = {"pixel_values": torch.zeros(1, config.num_channels, config.image_size, config.image_size)}
        elif config.model_type == "whisper":
            frames = 2 * config.max_source_positions
            inputs = {"input_features": torch.zeros(1, config.num_mel_bins, frames), "decoder_input_ids": tokens}
        elif config.is_encoder_decoder:
            inputs["decoder_input_ids"] = tokens
        elif config.model_type not in ("bert", "roberta"):
            inputs["attention_mask"] = torch.ones_like(tokens)  # or else the library looks for packed sequences
        with FlopCounterMode(display=False) as counter:
            model(**inputs)
    return int(counter.get_total_flops())


def routed_products(module: Any, rows: int, hidden: Any, *_: Any) -> Any:
    """What stands in for a block's experts: each of `rows` token-expert pairs through one expert's matrices.

    The library's own loop depends on the routing, which meta tensors cannot have; Llama 4's runs all experts on all
    tokens. The number of products is the point here, so that is all that is kept.
    """
    for name, weight in module.named_parameters():
        if name.endswith("bias"):
            continue
        if weight.dim() == 3:
            _, one, other = weight.shape
        else:  # DBRX lays the experts of a block one below the other
            one, other = weight.shape[0] // module.num_experts, weight.shape[1]
        torch.mm(torch.empty(rows, one, device="meta"), torch.empty(one, other, device="meta"))
    return torch.zeros_like(hidden)


# --- the file ---------------------------------------------------------------------------------------------------------
def render(witness: dict[str, Any]) -> str:
    """JSON with one line per key and one per tensor, so that a change is seen where it is."""
    lines: list[str] = []
    for key in ORDER:
        value = witness[key]
        if isinstance(value, list) and value:
            body = ",\n".join("  " + json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f" {json.dumps(key)}: [\n{body}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
