"""The command line's check and compare: what they print, and their exit status."""

import json
from pathlib import Path

import numpy
import pytest

import anatomy
from anatomy import cli
from tests.checkpoints import GPT2, LLAMA, arrays, masks, raw, small, write, write_shards


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        status = cli.main(arguments)
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small GPT-2 with its masks and its configuration, as a released repository has them."""
    write(tmp_path / "model.safetensors", arrays(GPT2) | masks(3, 16))
    (tmp_path / "config.json").write_text(json.dumps(GPT2), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("path", ["", "model.safetensors"])
def test_the_configuration_beside_the_file_is_used_and_named(
    capsys: pytest.CaptureFixture[str], folder: Path, path: str
) -> None:
    status, out, _ = run(capsys, "check", str(folder / path))
    assert status == 0
    assert "all 40 match" in out
    assert "Checked against the config.json beside the file" in out
    assert "3,928 in the file = 3,160 parameters + 3 causal masks of 256." in out
    assert "causal mask" in out


def test_a_named_model_comes_before_the_configuration_beside_the_file(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    config = tmp_path_factory.mktemp("other") / "config.json"
    config.write_text(json.dumps({**GPT2, "n_layer": 2}), encoding="utf-8")
    status, out, _ = run(capsys, "check", str(config), str(folder))
    assert status == 1
    assert "12 tensors are unexpected" in out
    assert "unexpected: h.2.ln_1.weight  8 in model.safetensors" in out


def test_differences_are_listed_tensor_by_tensor(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    tensors = arrays(GPT2)
    del tensors["h.1.ln_1.weight"]
    tensors["wte.weight"] = numpy.zeros((51, 8), "float32")
    tensors["<img src=x onerror=alert(1)>\x1b[31m"] = numpy.zeros(3, "float32")
    write(folder / "model.safetensors", tensors)
    status, out, _ = run(capsys, "check", str(folder))
    assert status == 1
    assert "missing: h.1.ln_1.weight  expected 8" in out
    assert "wrong shape: wte.weight  51 × 8 in model.safetensors; expected 50 × 8" in out
    assert "unexpected: <img src=x onerror=alert(1)>\\x1b[31m  3 in model.safetensors" in out
    assert "\x1b" not in out


def test_the_catalogue_s_best_fit_is_used_and_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = anatomy.load("pythia-70m")
    index = {"weight_map": {tensor.name: "model-00001-of-00001.safetensors" for tensor in model.tensors()}}
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(json.dumps(index), encoding="utf-8")
    status, out, _ = run(capsys, "check", str(path))
    assert status == 0
    assert "Checked against the catalogue's best fit, Pythia 70M" in out
    assert "Without its files no shape can be checked" in out


def test_a_file_that_nothing_fits_wants_a_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write(tmp_path / "x.safetensors", {"a": numpy.zeros(3, "float32")})
    status, out, err = run(capsys, "check", str(path))
    assert (status, out) == (2, "")
    assert "no model of the catalogue fits" in err
    assert "accepted: anatomy check MODEL x.safetensors" in err


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize(
    ("own", "parameters", "words"),
    [(True, 636, "it holds a head of its own"), (False, 556, "its head is the token table")],
)
def test_the_file_settles_what_t5_s_configuration_leaves_open(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, own: bool, parameters: int, words: str, beside: bool
) -> None:
    sizes = {"d_model": 4, "d_ff": 8, "d_kv": 2, "num_layers": 1, "num_heads": 2, "vocab_size": 20}
    values = {"model_type": "t5", **sizes}
    write(tmp_path / "model.safetensors", arrays({**values, "tie_word_embeddings": not own}))
    saved = {**values, "tie_word_embeddings": True, "scale_decoder_outputs": False}
    config = tmp_path / ("config.json" if beside else "other.json")
    config.write_text(json.dumps(saved), encoding="utf-8")
    named = [] if beside else [str(config)]
    status, out, _ = run(capsys, "check", *named, str(tmp_path))
    assert status == 0
    assert f"leaves one thing open: here {words}." in out
    assert f"{parameters:,} in the file = {parameters:,} parameters" in out


def test_shards_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA), encoding="utf-8")
    index = write_shards(tmp_path, arrays(LLAMA), 3)
    status, out, _ = run(capsys, "check", str(config), str(index), "--json")
    report = json.loads(out)
    assert status == 0
    assert report["fits"] is True
    assert report["counts"]["matching"] == len(report["tensors"]) == 39
    assert sum(step["elements"] for step in report["sum"]) == report["checkpoint"]["elements"]
    assert {one["status"] for one in report["tensors"]} == {"matching"}
    assert report["model"]["parameters"] == anatomy.load(LLAMA).parameters


@pytest.mark.parametrize("family", ["deepseek_v3", "t5", "whisper", "vit", "gpt_oss"])
def test_every_kind_of_family_from_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path, family: str) -> None:
    config = small(family)
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_shards(tmp_path, arrays(config), 2)
    status, out, _ = run(capsys, "check", str(tmp_path))
    assert status == 0, out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "the file is a PNG picture"),
        (raw({}, length=2**60), "claims 1,152,921,504,606,846,976 bytes"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    for arguments in (["check", "gpt2", str(path)], ["check", str(path)]):
        status, out, err = run(capsys, *arguments)
        assert (status, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1
    status, _, err = run(capsys, "check", "gpt2", str(tmp_path / "nothing\x1b[31m"))
    assert (status, "\x1b" in err) == (2, False)


def test_a_broken_configuration_beside_the_file_is_said(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "gpt9"}', encoding="utf-8")
    status, _, err = run(capsys, "check", str(folder))
    assert status == 2
    assert 'model_type is "gpt9"' in err


def test_compare_in_words_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "gpt2", "llama-3-70b")
    assert status == 0
    assert "In Llama 3 70B, 64 query heads share 8 KV heads; GPT-2 small has 12 of each." in out
    assert "12,079,595,520" in out
    status, out, _ = run(capsys, "compare", "gpt2", "llama-3-70b", "--seq-len", "1024", "--json")
    side = json.loads(out)
    assert (status, side["seq_len"]) == (0, 1024)
    assert side["figures"][3]["first"] == 284812800
    attention = next(line for line in side["parts"] if line["id"] == "attention")
    top, bottom = attention["ratio_exact"]
    assert top * 28348416 == bottom * 12079595520


def test_compare_at_a_length_that_one_does_not_take(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "compare", "gpt2", "llama-3-70b", "--seq-len", "8192")
    assert status == 2
    assert "GPT-2 small: sequence length is 8192; accepted: an integer from 1 to 1,024" in err
    status, out, _ = run(capsys, "compare", "gpt2", "vit-base")
    assert status == 0
    assert out.startswith("T = 197")
