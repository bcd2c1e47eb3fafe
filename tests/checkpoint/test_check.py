"""Checkpoints against models: matching, missing, unexpected, explained, packed; and the sum, for released files too."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

import anatomy
from anatomy.checkpoint import (
    Report,
    account,
    assemble,
    check,
    load,
    verdict,
)
from anatomy.checkpoint.headers import Shard, Stored
from anatomy.checkpoint.matching import LISTED, STATUSES
from tests import witness
from tests.checkpoints import GPT2, LLAMA, Arrays, arrays, claimed, masks, small, write, write_shards

FAMILIES = sorted({entry.config["model_type"] for entry in anatomy.entries().values()})


def checked(config: dict[str, Any], path: Path) -> Report:
    report = check(anatomy.load(config), load(path))
    assert sum(step.elements for step in account.steps(report)) == report.checkpoint.elements
    return report


def said(report: Report) -> str:
    return " ".join([verdict.headline(report, "the model"), *verdict.remarks(report)])


def statuses(report: Report) -> dict[str, int]:
    return {status: number for status, number in report.counts.items() if number}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_whole_file_and_whole_shards_of_each_family_fit(family: str, tmp_path: Path) -> None:
    config = small(family)
    tensors = arrays(config)
    buffers = sum(row.tensors for row in anatomy.load(config).rows if row.buffer)
    for path in (write(tmp_path / "one.safetensors", tensors), write_shards(tmp_path, tensors, 3)):
        report = checked(config, path)
        assert report.fits
        assert statuses(report) == {"matching": len(tensors) - buffers} | ({"extra": buffers} if buffers else {})
        assert verdict.headline(report, "it") == f"The tensors are those of it: all {len(tensors) - buffers} match."


@pytest.mark.parametrize("architecture", ["BertForMaskedLM", "BertForPreTraining"])
def test_norms_named_by_either_era_are_the_same(architecture: str, tmp_path: Path) -> None:
    config = {**small("bert"), "architectures": [architecture]}
    googles = arrays(config)
    todays = {name.replace(".gamma", ".weight").replace(".beta", ".bias"): one for name, one in googles.items()}
    assert sum(name.endswith((".gamma", ".beta")) for name in googles) == 2 * (1 + 2 * 3 + 1)
    for number, tensors in enumerate((googles, todays)):
        report = checked(config, write(tmp_path / f"{number}.safetensors", tensors))
        assert statuses(report) == {"matching": len(googles)}
    both = todays | {"bert.embeddings.LayerNorm.gamma": googles["bert.embeddings.LayerNorm.gamma"]}
    report = checked(config, write(tmp_path / "both.safetensors", both))
    assert statuses(report) == {"matching": len(googles), "unexpected": 1}
    (again,) = report.of("unexpected")
    assert again.why == "the same tensor is there as bert.embeddings.LayerNorm.gamma"


@pytest.mark.parametrize("family", FAMILIES)
def test_one_tensor_less_or_of_another_shape_is_noticed_in_each_family(family: str, tmp_path: Path) -> None:
    config = small(family)
    tensors = arrays(config)
    held = [tensor.name for tensor in anatomy.load(config).tensors() if not tensor.row.buffer]
    lost, bent = held[len(held) // 2], held[-1]
    del tensors[lost]
    tensors[bent] = numpy.zeros((2, *tensors[bent].shape), "float32")
    report = checked(config, write(tmp_path / "model.safetensors", tensors))
    assert [one.name for one in report.of("missing", "wrong shape", "unexpected")] == [bent, lost]


def test_the_sum_of_the_issue(tmp_path: Path) -> None:
    report = checked(GPT2, write(tmp_path / "model.safetensors", arrays(GPT2) | masks(3, 16)))
    assert report.fits
    assert account.sentence(report) == "3,928 in the file = 3,160 parameters + 3 causal masks of 256"


@pytest.mark.parametrize("prefix", ["transformer.", "module.transformer.", "language_model.model.", "model."])
def test_prefixes_are_understood_and_named(prefix: str, tmp_path: Path) -> None:
    tensors = {prefix + name: array for name, array in (arrays(GPT2) | masks(3, 16)).items()}
    report = checked(GPT2, write(tmp_path / "model.safetensors", tensors))
    assert report.fits
    assert f"Names start with {prefix} here and without it in the released file" in said(report)


def test_a_file_saved_from_inside_its_wrapper_is_understood(tmp_path: Path) -> None:
    tensors = {name.removeprefix("model."): array for name, array in arrays(LLAMA).items()}
    report = checked(LLAMA, write(tmp_path / "model.safetensors", tensors))
    assert report.fits
    assert "Names start with model. in the released file and without it here" in said(report)


def test_missing_misshapen_and_unexpected_tensors_are_told_apart(tmp_path: Path) -> None:
    tensors = arrays(GPT2)
    del tensors["h.1.ln_1.weight"]
    tensors["wte.weight"] = numpy.zeros((51, 8), "float32")
    tensors["h.3.ln_1.weight"] = numpy.zeros(8, "float32")
    tensors["<img src=x onerror=alert(1)>"] = numpy.zeros(3, "float32")
    report = checked(GPT2, write(tmp_path / "model.safetensors", tensors))
    assert not report.fits
    named = {status: [one.name for one in report.of(status)] for status in ("missing", "wrong shape", "unexpected")}
    assert named == {
        "missing": ["h.1.ln_1.weight"],
        "wrong shape": ["wte.weight"],
        "unexpected": ["<img src=x onerror=alert(1)>", "h.3.ln_1.weight"],
    }
    assert "1 tensor is missing, 1 tensor has another shape and 2 tensors are unexpected" in said(report)


def test_a_tied_head_may_be_stored_again_or_in_place_of_its_table(tmp_path: Path) -> None:
    again = arrays(GPT2)
    again["lm_head.weight"] = again["wte.weight"].copy()
    report = checked(GPT2, write(tmp_path / "again.safetensors", again))
    assert report.fits
    assert "400 (unembedding tied to wte.weight, stored again)" in said(report)
    instead = dict(again)
    del instead["wte.weight"]
    report = checked(GPT2, write(tmp_path / "instead.safetensors", instead))
    assert report.fits
    assert account.sentence(report) == "3,160 in the file = 3,160 parameters"


def test_a_missing_head_may_be_tied(tmp_path: Path) -> None:
    tensors = arrays(LLAMA)
    del tensors["lm_head.weight"]
    report = checked(LLAMA, write(tmp_path / "model.safetensors", tensors))
    assert not report.fits
    assert "Only the unembedding is missing" in said(report)


def test_a_head_of_another_class_is_explained(tmp_path: Path) -> None:
    tensors = arrays(GPT2) | {"score.weight": numpy.zeros((2, 8), "float32")}
    report = checked(GPT2, write(tmp_path / "model.safetensors", tensors))
    assert report.fits
    assert "16 (head of another class than GPT2LMHeadModel)" in said(report)


def test_an_adapter_is_said_to_be_one(tmp_path: Path) -> None:
    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_{}.weight"
    tensors = {name.format(one): numpy.zeros((2, 16), "float32") for one in "AB"}
    report = checked(LLAMA, write(tmp_path / "adapter_model.safetensors", tensors))
    assert not report.fits
    assert "The file holds a LoRA adapter" in said(report)


def test_an_index_alone_checks_names_only(tmp_path: Path) -> None:
    index = write_shards(tmp_path, arrays(LLAMA), 2)
    for shard in tmp_path.glob("*.safetensors"):
        shard.unlink()
    report = checked(LLAMA, index)
    assert report.fits
    assert statuses(report) == {"unread": 39}
    assert "Without its files no shape can be checked" in said(report)


def test_a_missing_shard_is_no_fit_and_named(tmp_path: Path) -> None:
    index = write_shards(tmp_path, arrays(LLAMA), 3)
    (tmp_path / "model-00003-of-00003.safetensors").unlink()
    report = checked(LLAMA, index)
    assert not report.fits
    assert report.counts["unread"] == 13
    assert "What is here fits the model, but 1 file of the checkpoint is not here." in said(report)
    assert "not here: model-00003-of-00003.safetensors." in said(report)


def test_another_model_altogether(tmp_path: Path) -> None:
    report = checked(LLAMA, write(tmp_path / "model.safetensors", arrays(GPT2)))
    assert "none of its 39 is there" in said(report)


def test_names_with_leading_zeros_or_slots_are_other_names(tmp_path: Path) -> None:
    tensors = arrays(GPT2)
    for name in ("h.00.ln_1.weight", "h.{block}.ln_1.weight", "h.\u0663.ln_1.weight", "h..ln_1.weight"):
        tensors[name] = numpy.zeros(8, "float32")
    report = checked(GPT2, write(tmp_path / "model.safetensors", tensors))
    assert report.counts["unexpected"] == 4


def test_two_names_for_one_tensor(tmp_path: Path) -> None:
    tensors = arrays(GPT2)
    tensors["transformer.ln_f.weight"] = tensors["ln_f.weight"].copy()
    report = checked(GPT2, write(tmp_path / "model.safetensors", tensors))
    (finding,) = report.of("unexpected")
    assert (finding.name, finding.why) == ("transformer.ln_f.weight", "the same tensor is there as ln_f.weight")


def test_a_model_of_a_billion_blocks_costs_no_more_than_its_report(tmp_path: Path) -> None:
    report = checked({**GPT2, "n_layer": 10**9}, write(tmp_path / "model.safetensors", arrays(GPT2)))
    assert report.counts["missing"] == 12 * (10**9 - 3)
    assert sum(1 for _ in report.of("missing")) == LISTED


# Quantised forms of one projection (out, in) = (24, 16): what stands in the file in place of it.
def _gptq(stem: str) -> Arrays:
    return {
        f"{stem}.qweight": numpy.zeros((2, 24), "int32"),
        f"{stem}.qzeros": numpy.zeros((1, 3), "int32"),
        f"{stem}.scales": numpy.zeros((1, 24), "float16"),
        f"{stem}.g_idx": numpy.zeros(16, "int32"),
        f"{stem}.bias": numpy.zeros(24, "float16"),
    }


def _awq(stem: str) -> Arrays:
    return {
        f"{stem}.qweight": numpy.zeros((16, 3), "int32"),
        f"{stem}.qzeros": numpy.zeros((1, 3), "int32"),
        f"{stem}.scales": numpy.zeros((1, 24), "float16"),
    }


def _bitsandbytes(stem: str) -> Arrays:
    return {
        f"{stem}.weight": numpy.zeros((192, 1), "uint8"),
        f"{stem}.weight.absmax": numpy.zeros(6, "uint8"),
        f"{stem}.weight.quant_map": numpy.zeros(16, "float32"),
        f"{stem}.weight.nested_absmax": numpy.zeros(1, "float32"),
        f"{stem}.weight.nested_quant_map": numpy.zeros(256, "float32"),
        f"{stem}.weight.quant_state.bitsandbytes__nf4": numpy.zeros(80, "uint8"),
    }


def _compressed(stem: str) -> Arrays:
    return {
        f"{stem}.weight_packed": numpy.zeros((24, 2), "int32"),
        f"{stem}.weight_scale": numpy.zeros((24, 1), "float16"),
        f"{stem}.weight_shape": numpy.zeros(2, "int64"),
    }


def _mlx(stem: str) -> Arrays:
    return {
        f"{stem}.weight": numpy.zeros((24, 2), "uint32"),
        f"{stem}.scales": numpy.zeros((24, 1), "float16"),
        f"{stem}.biases": numpy.zeros((24, 1), "float16"),
    }


def _eight_bit(stem: str) -> Arrays:
    return {
        f"{stem}.weight": numpy.zeros((24, 16), "int8"),
        f"{stem}.SCB": numpy.zeros(24, "float32"),
        f"{stem}.weight_format": numpy.zeros((), "uint8"),
    }


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_gptq, "1 weight is stored quantised (GPTQ, 4 bits a number), several numbers to a word"),
        (_awq, "1 weight is stored quantised (AWQ, 4 bits a number), several numbers to a word"),
        (_bitsandbytes, "(bitsandbytes 4-bit, 4 bits a number), several numbers to a word"),
        (_compressed, "(compressed-tensors, 4 bits a number), several numbers to a word"),
        (_mlx, "(MLX, 4 bits a number), several numbers to a word"),
        (_eight_bit, "(bitsandbytes 8-bit, 8 bits a number), with scales beside them"),
    ],
)
def test_quantised_files_are_recognised_and_said_to_be_so(make: Any, words: str, tmp_path: Path) -> None:
    tensors = arrays(LLAMA)
    stem = "model.layers.2.mlp.up_proj"
    del tensors[f"{stem}.weight"]
    report = checked(LLAMA, write(tmp_path / "model.safetensors", tensors | make(stem)))
    assert report.fits, list(report.of("missing", "unexpected", "wrong shape"))
    assert words in said(report)
    # All of it is explained: the packed words, and each tensor beside them.
    assert report.counts["packed"] + report.counts["extra"] in (len(make(stem)), len(make(stem)) - 1)


def test_packed_words_of_another_size_are_a_wrong_shape(tmp_path: Path) -> None:
    tensors = arrays(LLAMA)
    stem = "model.layers.2.mlp.up_proj"
    del tensors[f"{stem}.weight"]
    report = checked(
        LLAMA, write(tmp_path / "m.safetensors", tensors | {f"{stem}.qweight": numpy.zeros((2, 23), "int32")})
    )
    assert report.counts["wrong shape"] == 1
    assert report.counts["missing"] == 0


def test_fp8_with_its_scales() -> None:
    model = anatomy.load(LLAMA)
    stored = []
    for tensor in model.tensors():
        projection = tensor.name.endswith("_proj.weight")
        stored.append(Stored(tensor.name, tensor.shape, "F8_E4M3" if projection else "BF16", "m.safetensors"))
        if projection:
            stored.append(Stored(f"{tensor.name}_scale_inv", (1, 1), "F32", "m.safetensors"))
    report = check(model, assemble([Shard("m.safetensors", tuple(stored), {})]))
    assert report.fits
    assert "28 weights are stored quantised (FP8, 8 bits a number), with scales beside them that are no" in said(report)
    assert account.sentence(report).endswith("parameters + 28 × 1 (block scales of FP8 weights)")


def _released(slug: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What the released file holds: parameters, buffers and extras, less what a packed form replaces."""
    found = witness.load(slug)
    replaced = {one["replaces"] for one in found.extras if "replaces" in one}
    patterns = [re.compile(re.escape(name).replace(r"\{block\}", r"\d+")) for name in replaced]
    for name, shape in found.expanded() + found.expanded_buffers():
        if not any(pattern.fullmatch(name) for pattern in patterns):
            yield name, shape
    for extra in found.extras:
        if "shape" not in extra:
            continue
        blocks = witness.indices(extra["blocks"]) if extra.get("blocks") else [0]
        for block in blocks:
            for expert in range(extra.get("experts", 1)):
                name = extra["name"].replace("{block}", str(block)).replace("{expert}", str(expert))
                yield name, tuple(extra["shape"])


@pytest.mark.parametrize("slug", [slug for slug in witness.slugs() if slug in anatomy.entries()])
def test_a_released_file_is_its_model(slug: str) -> None:
    found = witness.load(slug)
    packed = any("replaces" in extra for extra in found.extras)
    checkpoint = claimed(_released(slug), "U8" if packed else "BF16")
    model = anatomy.load(slug)
    report = check(model, checkpoint)
    assert report.fits, [(one.name, one.status, one.stored, one.expected) for one in verdict.differences(report)][:5]
    assert sum(step.elements for step in account.steps(report)) == checkpoint.elements
    if found.published.get("file_elements") and all("shape" in extra for extra in found.extras):
        assert checkpoint.elements == found.published["file_elements"]


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("gpt2", "137,022,720 in the file = 124,439,808 parameters + 12 causal masks of 1,048,576."),
        ("falcon-7b", "295,469,056 (unembedding tied to transformer.word_embeddings.weight, stored again)"),
        ("t5-small", "60,506,880 in the file = 60,506,624 parameters + 256 (table that no forward pass reads)"),
        ("deepseek-v3", "58 × 256 (buffer e_score_correction_bias)"),
        ("deepseek-v3", "13,463,426,304 in 788 tensors (multi-token prediction)"),
        ("llama-2-7b", "32 × 64 (rotary inverse frequencies)"),
        ("roberta-base", "514 (position ids)"),
        ("bert-base-uncased", "590,592 in 2 tensors (pooler of BertForPreTraining)"),
        ("gpt-oss-20b", "48 weights are stored quantised (MXFP4, 4 bits a number), several numbers to a word"),
    ],
)
def test_the_peculiarities_of_released_files_are_said_as_what_they_are(slug: str, words: str) -> None:
    dtype = "U8" if slug.startswith("gpt-oss") else "BF16"
    assert words in said(check(anatomy.load(slug), claimed(_released(slug), dtype)))


def test_deepseek_s_scales_of_both_kinds() -> None:
    stored = [Stored(name, shape, "BF16", "m.safetensors") for name, shape in _released("deepseek-v3")]
    quantised = re.compile(r".+(_proj(_with_mqa)?|experts\.\d+\.\w+)\.weight")
    scales = [
        Stored(f"{one.name}_scale_inv", tuple(-(-size // 128) for size in one.shape or ()), "F32", "m.safetensors")
        for one in stored
        if quantised.fullmatch(one.name) and "eh_proj" not in one.name
    ]
    checkpoint = assemble([Shard("m.safetensors", (*stored, *scales), {})])
    report = check(anatomy.load("deepseek-v3"), checkpoint)
    assert report.fits
    # What the Hub counts of this repository, scales and all.
    assert checkpoint.elements == witness.load("deepseek-v3").published["file_elements"]
    assert sum(step.elements for step in account.steps(report)) == checkpoint.elements


def test_a_vision_tower_is_reported_and_not_counted() -> None:
    slug = "gemma-3-4b"
    tensors = [*_released(slug), ("vision_tower.vision_model.embeddings.patch_embedding.weight", (1152, 3, 14, 14))]
    report = check(anatomy.load(slug), claimed(tensors))
    assert report.fits
    assert "677,376 (the image encoder, not counted)" in said(report)


def test_every_status_has_a_place_in_the_counts() -> None:
    assert tuple(check(anatomy.load("gpt2"), claimed([("x", (1,))])).counts) == STATUSES
