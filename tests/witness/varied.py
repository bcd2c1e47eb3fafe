"""Small random configurations of the classes of transformers, and what those classes hold and multiply.

    python tests/witness/varied.py [TYPE[:CLASS] ...]      # writes the lines of these classes, or of all

varied.jsonl has a line for each: the configuration, how many parameters and stored tensors the class then holds, a
digest of the tensors' names and shapes (see ``digest``) and the FLOPs of passes over 3, 17 and 64 tokens. It needs the
optional extra `witness` and downloads nothing. Nothing of the project is imported.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "varied.jsonl"
LENGTHS = (3, 17, 64)
EACH = 6
Shape = tuple[int, ...]
Values = dict[str, Any]
# What a configuration says that no tensor and no product depends on; or that asks for another output.
KEPT = re.compile(
    r"use_cache|return_dict|output_|torchscript|gradient|is_encoder_decoder|.*_token_id|.*dropout|.*drop|layerdrop"
    r"|initializer.*|.*eps|.*epsilon|rope_.*|pretraining_tp|tokenizer_class|quantization_config|.*_coef|.*_loss.*"
    r"|.*partial.*|scale_attn.*|.*_factor|.*_multiplier|.*scaling.*|problem_type|dtype|chunk_size_feed_forward"
    r"|forced_.*|auto_map|transformers_version|bad_words.*|use_bfloat16|language|lang.*|mask_.*|apply_spec_augment"
    r"|median_filter.*|begin_suppress.*|suppress.*|classifier_proj.*|num_labels|finetuning_task|tie_encoder_decoder"
)
DEPTH = re.compile(r"(num|n)_(hidden_|decoder_|encoder_)?layers?|(en|de)coder_layers")
WIDTH = re.compile(r"hidden_size|d_model|n_embd|dim|emb_dim|width")
HEADS = re.compile(r"(num_|n_)(attention_)?heads?|(en|de)coder_attention_heads")
FEW = re.compile(r"num_key_value_heads|num_kv_heads|multi_query_group_num")
INNER = re.compile(
    r"(?!num|n_|max).*(intermediate_size|inner|ffn_dim|ffn_hidden_size|ffn_size|d_ff|hidden_dim)(_mlp)?|n_inner"
)
SIZES = re.compile(r".*(head_dim|head_size|d_kv)|kv_channels")
RANKS = re.compile(r".*lora_rank|embedding_size|embedding_rank")
POSITIONS = re.compile(r"max_position_embeddings|n_positions|max_.*_positions|max_seq_len|n_ctx|max_sequence_length")
ACTIVATIONS = ("gelu", "relu", "silu", "gelu_new")


def draw(config_class: Any, chance: random.Random) -> Values:
    """A small configuration: sizes drawn so that they fit each other, options now and then turned round."""
    heads = chance.choice([1, 2, 4, 6])
    size = chance.choice([8, 12, 16])
    width = heads * size
    common = {"depth": chance.randint(1, 4), "inner": chance.choice([24, 40, 56])}
    values: Values = {"vocab_size": chance.randint(60, 99), "pad_token_id": chance.choice([0, 1, 1])}
    known = {field.name: field for field in fields(config_class)}
    for name, field in known.items():
        default = field.default
        if name in values or name.startswith("_") or KEPT.fullmatch(name) or name.endswith("_config"):
            continue
        value = _drawn(name, default, chance, heads, size, width, common)
        if value is not ...:
            values[name] = value
    for name in ("bos_token_id", "eos_token_id", "decoder_start_token_id"):
        if name in known:
            values[name] = 2
    return {name: value for name, value in values.items() if name in known}


def _drawn(
    name: str, default: Any, chance: random.Random, heads: int, size: int, width: int, common: Mapping[str, int]
) -> Any:
    if DEPTH.fullmatch(name):
        return common["depth"] if "coder" not in name else chance.randint(1, 3)
    if WIDTH.fullmatch(name):
        return width
    if HEADS.fullmatch(name):
        return heads if isinstance(default, int) else ...
    if FEW.fullmatch(name):
        few = chance.choice([one for one in range(1, heads + 1) if heads % one == 0])
        return chance.choice([few, few, ...]) if default is None else few
    if INNER.fullmatch(name):
        return chance.choice([common["inner"], 32]) if default is not None or chance.random() < 0.3 else ...
    if SIZES.fullmatch(name):
        return chance.choice([size, 8, 16, 24, ...]) if default is None else chance.choice([size, size, 8, 16, 24])
    if RANKS.fullmatch(name):
        return chance.choice([width, 8, 24]) if default is not None else chance.choice([..., 16])
    if POSITIONS.fullmatch(name):
        return chance.randint(70, 90)
    if re.fullmatch(r".*experts_per_tok.*|num_experts_per_token|moe_top_?k|moe_k|top_k_experts|top_k", name):
        return chance.choice([1, 2, 2, 2, 3])
    if re.fullmatch(r"(moe_|num_|n_)*(routed_|local_)?experts|expert_num", name):
        return chance.choice([4, 6, 8])
    if re.fullmatch(r"(num_|n_|moe_num_)shared_experts?", name):
        return chance.randint(0, 2)
    if re.fullmatch(r"n_group|topk_group|num_groups?|num_limited_groups", name):
        return 1
    if re.fullmatch(r"first_k_dense_replace|moe_layer_start_index|num_dense_layers|moe_start_layer", name):
        return chance.randint(0, 2)
    if isinstance(default, bool):
        return chance.choice([default, default, not default, ...])
    if re.search("window|chunk_size", name) and (isinstance(default, int) or default is None):
        return chance.choice([5, 9, None, ...]) if default is None else chance.choice([4, 9, 16])
    if isinstance(default, str):
        return chance.choice(ACTIVATIONS) if re.search("act|hidden_act", name) and chance.random() < 0.3 else ...
    if isinstance(default, int):
        if default > 16:
            return chance.choice([8, 12, 16, 24, 32])
        return chance.choice([default, default, ..., max(1, default - 1), default + 1])
    return ...


def classes(model_type: str) -> list[str]:
    """The names of the classes that the library maps a type to: for text, and bare."""
    from transformers.models.auto import modeling_auto

    found: list[str] = []
    for mapping in MAPPINGS:
        name = getattr(modeling_auto, mapping).get(model_type)
        for one in (name,) if isinstance(name, str) else name or ():
            found += [one] if one not in found else []
    return found


MAPPINGS = (
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
    "MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES",
    "MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES",
    "MODEL_FOR_MULTIPLE_CHOICE_MAPPING_NAMES",
    "MODEL_MAPPING_NAMES",
)


def variants(
    model_type: str, class_name: str, how_many: int, seed: int = 0, written: bool = True
) -> Iterator[tuple[Values, Values]]:
    """Configurations that the class can be built from, each with what it then holds; at most 6 times as many tries.

    Half are given as they were drawn, half as the library writes them out; all as drawn without ``written``.
    """
    import transformers

    _quiet()
    chance = random.Random(f"{model_type} {class_name} {seed}")
    config_class = type(transformers.AutoConfig.for_model(model_type))
    left = 6 * how_many
    while how_many and left:
        left -= 1
        values = draw(config_class, chance)
        if class_name.endswith(("Classification", "MultipleChoice")) and chance.random() < 0.7:
            values["num_labels"] = chance.randint(1, 5)
        said = {"model_type": model_type, "architectures": [class_name], **values}
        try:
            config = config_class(**json.loads(json.dumps(values)))
            config.architectures = [class_name]
            saved = json.loads(json.dumps(config.to_dict()))
            held = counted(class_name, config)
        except Exception as error:  # a draw whose values the class cannot bring together
            _failures[type(error).__name__ + ": " + str(error)[:160]] += 1
            continue
        how_many -= 1
        yield (said if chance.random() < 0.5 or not written else saved), held


_failures: Counter[str] = Counter()


def failures() -> list[tuple[str, int]]:
    """Why draws could not be built since the last call, the commonest first."""
    found = _failures.most_common()
    _failures.clear()
    return found


def _quiet() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    import torch

    torch.set_num_threads(1)


def counted(class_name: str, config: Any, flops: bool = True) -> Values:
    """What the class holds when it is built from a configuration, and what one pass multiplies."""
    import torch
    import transformers

    config._attn_implementation = "eager"
    # Each token through the experts that it is routed to, and no other.
    config._experts_implementation = "batched_mm"
    torch.manual_seed(0)
    model = getattr(transformers, class_name)(config).eval()
    parameters = {id(tensor): tuple(tensor.shape) for tensor in model.parameters()}
    held = {
        "total": sum(map(math.prod, parameters.values())),
        "shapes": sorted(parameters.values()),
        "stored": stored(model),
        "flops": {},
    }
    if flops:
        held["flops"] = {length: products(model, config, length) for length in LENGTHS}
    return held


def stored(model: Any) -> dict[str, Shape]:
    """The tensors of a file that the library saves, buffers left out, under their names in it."""
    from transformers.core_model_loading import revert_weight_conversion
    from transformers.modeling_utils import remove_tied_weights_from_state_dict

    buffers = {name for name, _ in model.named_buffers()}
    state = {name: tensor for name, tensor in model.state_dict().items() if name not in buffers}
    for name in model._keys_to_ignore_on_save or ():
        state.pop(name, None)
    state = revert_weight_conversion(model, remove_tied_weights_from_state_dict(state, model))
    return {name: tuple(tensor.shape) for name, tensor in state.items() if tensor.numel()}


def products(model: Any, config: Any, length: int) -> int:
    """The FLOPs of a pass over so many tokens, and as many source tokens, as PyTorch counts them."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    shape = (1, 1, length) if type(model).__name__.endswith("MultipleChoice") else (1, length)
    tokens = torch.full(shape, 5)
    inputs: Values = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    if config.is_encoder_decoder and not type(model).__name__.endswith(("ForCausalLM", "EncoderModel")):
        inputs["decoder_input_ids"] = tokens
    if type(model).__name__.endswith(("SequenceClassification", "QuestionAnswering")) and config.is_encoder_decoder:
        tokens[..., -1] = config.eos_token_id if isinstance(config.eos_token_id, int) else 2
        inputs.pop("decoder_input_ids", None)
    for name, module in model.named_modules():
        # Llama 4's runs every expert on every token; what counts is those that a token is routed to.
        if name.endswith(".experts") and type(module).__name__ == "Llama4TextExperts":
            module.forward = partial(_routed, module, length * config.num_experts_per_tok)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(**inputs, use_cache=False) if hasattr(config, "use_cache") else model(**inputs)
    return int(counter.get_total_flops())


def _routed(module: Any, rows: int, hidden: Any) -> Any:
    import torch

    for weight in module.parameters():
        torch.mm(torch.zeros(rows, weight.shape[1]), weight[0])
    return torch.zeros_like(hidden)


# What files put before the names of tensors, or leave out.
_PREFIX = re.compile(r"(?:(?:model|transformer|language_model|[a-z_0-9]*bert[a-z_0-9]*|backbone)\.)+")
_ERA = {"gamma": "weight", "beta": "bias"}


def digest(tensors: Mapping[str, Shape] | Iterable[tuple[str, Shape]]) -> str:
    """A digest of names and shapes, in no order and without the prefixes that files of one model differ in.

    >>> digest({"model.norm.weight": (8,)}) == digest({"norm.gamma": (8,)})
    True
    """
    lines = []
    for name, shape in sorted(dict(tensors).items()):
        stem, _, last = _PREFIX.sub("", name, count=1).rpartition(".")
        lines.append(f"{stem}.{_ERA.get(last, last)} {list(shape)}")
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def load() -> list[Values]:
    """The committed cases."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def main(names: list[str]) -> None:
    """Write the cases of these classes anew."""
    cases = load() if FILE.exists() else []
    wanted = [(name.partition(":")[0], name.partition(":")[2] or classes(name)[0]) for name in names]
    known = {(case["config"]["model_type"], case["config"]["architectures"][0]) for case in cases}
    for model_type, class_name in wanted or sorted(known):
        cases = [case for case in cases if _of(case) != (model_type, class_name)]
        for said, held in variants(model_type, class_name, EACH, written=False):
            stored = held["stored"]
            cases.append({
                "config": said, "total": held["total"], "tensors": len(stored), "digest": digest(stored),
                "flops": {str(length): held["flops"][length] for length in LENGTHS},
            })  # fmt: skip
    cases.sort(key=_of)
    FILE.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")


def _of(case: Values) -> tuple[str, str]:
    return case["config"]["model_type"], case["config"]["architectures"][0]


if __name__ == "__main__":
    main(sys.argv[1:])
