"""The totals of encoders and encoder-decoders."""

from __future__ import annotations

from collections.abc import Mapping

from tests.recount.keys import Keys, RefusedError, over, tables


def bert(keys: Keys) -> int:
    """BERT and RoBERTa."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    over(d, keys.size("num_attention_heads"))
    words, positions = keys.size("vocab_size"), keys.size("max_position_embeddings", default=512)
    types = keys.size("type_vocab_size", default=2)
    if keys.kind == "roberta" and keys.size("pad_token_id", default=1, least=0) + 1 >= positions:
        raise RefusedError("max_position_embeddings")
    total = (words + positions + types + 2) * d + blocks * (4 * d * (d + 1) + 2 * d * f + d + f + 4 * d)
    if keys.bare or keys.architecture == "BertForPreTraining":
        total += d * (d + 1)
    if not keys.bare:
        total += words + d * (d + 1) + 2 * d
    return total + (keys.architecture == "BertForPreTraining") * 2 * (d + 1)


def vit(keys: Keys) -> int:
    """ViT."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    over(d, keys.size("num_attention_heads"))
    patch, channels = keys.size("patch_size", default=16), keys.size("num_channels", default=3)
    positions = over(keys.size("image_size", default=224), patch) ** 2 + 1
    block = 3 * d * (d + keys.flag("qkv_bias", True)) + d * (d + 1) + 2 * d * f + d + f + 4 * d
    total = d + positions * d + (channels * patch * patch + 1) * d + blocks * block + 2 * d
    if keys.bare:
        return total + keys.size("pooler_output_size", default=d, null=d) * (d + 1)
    keys.read.add("id2label")
    names = keys.values.get("id2label")
    if names is None:
        return total + keys.size("num_labels", default=2) * (d + 1)
    if (
        not isinstance(names, Mapping)
        or not names
        or keys.values.get("num_labels", len(names)) not in (None, len(names))
    ):
        raise RefusedError("id2label")
    return total + len(names) * (d + 1)


def t5(keys: Keys) -> int:
    """T5."""
    d, f, h = keys.size("d_model", "hidden_size"), keys.size("d_ff"), keys.size("num_heads", "num_attention_heads")
    encoder = keys.size("num_layers", "num_hidden_layers")
    decoder = keys.size("num_decoder_layers", default=encoder, null=encoder)
    size, buckets = keys.size("d_kv", "head_dim", default=64), keys.size("relative_attention_num_buckets", default=32)
    keys.read.add("feed_forward_proj")
    kind = keys.values.get("feed_forward_proj")
    if kind not in (None, "relu", "gelu", "gelu_new", "silu", "gated-relu", "gated-gelu", "gated-silu"):
        raise RefusedError("feed_forward_proj")
    keys.read.add("is_gated_act")
    if keys.values.get("is_gated_act") not in (None, bool(kind and kind.startswith("gated-"))):
        raise RefusedError("is_gated_act")
    keys.read |= {"scale_decoder_outputs", "tie_word_embeddings"}
    if keys.values.get("scale_decoder_outputs") is False and keys.values.get("tie_word_embeddings", True) is True:
        raise RefusedError("scale_decoder_outputs")
    attention, mlp = 4 * d * h * size + d, (3 if kind and kind.startswith("gated-") else 2) * d * f + d
    total = encoder * (attention + mlp) + decoder * (2 * attention + mlp) + 2 * (buckets * h + d)
    return tables(keys, d, True) + total


def sides(keys: Keys, d: int, key_bias: bool) -> int:
    """The blocks of BART's or Whisper's encoder and decoder."""
    total = 0
    for name, attentions in (("encoder", 1), ("decoder", 2)):
        deep, many = (("num_hidden_layers",), ("num_attention_heads",)) if name == "encoder" else ((), ())
        blocks, f = keys.size(f"{name}_layers", *deep), keys.size(f"{name}_ffn_dim")
        over(d, keys.size(f"{name}_attention_heads", *many))
        attention = 4 * d * (d + 1) - (0 if key_bias else d) + 2 * d
        total += blocks * (attentions * attention + 2 * d * f + d + f + 2 * d)
    return total


def bart(keys: Keys) -> int:
    """BART."""
    d, positions = keys.size("d_model", "hidden_size"), keys.size("max_position_embeddings", default=1024)
    return keys.size("vocab_size") * d + 2 * (positions + 2 + 2) * d + sides(keys, d, True)


def whisper(keys: Keys) -> int:
    """Whisper."""
    d, bins = keys.size("d_model", "hidden_size"), keys.size("num_mel_bins", default=80)
    source, context = keys.size("max_source_positions", default=1500), keys.size("max_target_positions", default=448)
    convolutions = 3 * bins * d + d + 3 * d * d + d
    return convolutions + (source + context + keys.size("vocab_size") + 4) * d + sides(keys, d, False)
