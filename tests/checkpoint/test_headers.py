"""Reading checkpoints: what the safetensors library writes is read, anything hostile or broken gets its sentence."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError, safe_open

from anatomy.checkpoint import CheckpointError, headers, load
from tests.checkpoints import GPT2, LLAMA, arrays, entry, raw, write, write_shards

GOOD = {"a": entry(0, 8), "b": entry(8, 12)}


def read(content: bytes) -> headers.Shard:
    return headers.read(io.BytesIO(content), "model.safetensors")


def test_what_the_library_writes_is_read(tmp_path: Path) -> None:
    tensors = arrays(GPT2)
    checkpoint = load(write(tmp_path / "model.safetensors", tensors))
    assert {name: one.shape for name, one in checkpoint.tensors.items()} == {n: t.shape for n, t in tensors.items()}
    assert checkpoint.elements == sum(tensor.size for tensor in tensors.values())
    assert checkpoint.files == ("model.safetensors",)


def test_nothing_after_the_header_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "model.safetensors", arrays(GPT2))

    class Watched(io.FileIO):
        furthest = 0

        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            Watched.furthest = max(Watched.furthest, self.tell())
            return found

    with Watched(path) as file:
        headers.read(file, "model.safetensors")
    length = int.from_bytes(path.read_bytes()[:8], "little")
    assert Watched.furthest == 8 + length


def test_shards_with_their_index_are_one_checkpoint(tmp_path: Path) -> None:
    tensors = arrays(LLAMA)
    for path in (write_shards(tmp_path, tensors, 3), tmp_path):
        checkpoint = load(path)
        assert checkpoint.tensors.keys() == tensors.keys()
        assert len(checkpoint.files) == 3
        assert checkpoint.absent == ()
        assert checkpoint.faults == ()


def test_an_index_without_its_shards_gives_names(tmp_path: Path) -> None:
    index = write_shards(tmp_path, arrays(LLAMA), 3)
    for shard in tmp_path.glob("*.safetensors"):
        shard.unlink()
    checkpoint = load(index)
    assert checkpoint.names_only
    assert checkpoint.tensors.keys() == arrays(LLAMA).keys()
    assert len(checkpoint.absent) == 3


def test_a_missing_shard_is_named_with_and_without_the_index(tmp_path: Path) -> None:
    index = write_shards(tmp_path, arrays(LLAMA), 3)
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    assert load(index).absent == ("model-00002-of-00003.safetensors",)
    index.unlink()
    assert load(tmp_path).absent == ("model-00002-of-00003.safetensors",)


def test_an_index_that_disagrees_with_its_files_is_said(tmp_path: Path) -> None:
    index = write_shards(tmp_path, arrays(LLAMA), 2)
    content = json.loads(index.read_text("utf-8"))
    content["weight_map"]["model.extra"] = "model-00001-of-00002.safetensors"
    del content["weight_map"]["model.norm.weight"]
    index.write_text(json.dumps(content), encoding="utf-8")
    said = " ".join(load(index).faults)
    assert "model.extra" in said
    assert "model.norm.weight" in said


def test_two_files_that_hold_the_same_tensor_are_no_checkpoint(tmp_path: Path) -> None:
    write(tmp_path / "a.safetensors", arrays(GPT2))
    write(tmp_path / "b.safetensors", arrays(GPT2))
    with pytest.raises(CheckpointError, match="each tensor once") as caught:
        load(tmp_path)
    assert '"h.0.attn.c_attn.bias" is in a.safetensors and in b.safetensors' in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "the file is a PNG picture"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "the file is a JPEG picture"),
        (b"PK\x03\x04\x14\x00\x08\x08" + bytes(100), "zip archive"),
        (b"GGUF" + b"\xff" * 100, "a GGUF file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a Git LFS pointer"),
        (b"<!doctype html><html></html>", "a web page"),
        (b'{"model_type": "gpt2"}', "a JSON text"),
        (b"\x01\x00", "holds 2 bytes, too few"),
        (raw({}, length=2**60), "claims 1,152,921,504,606,846,976 bytes, and the file holds 2"),
        (raw({}, length=2**64 - 1), "claims 18,446,744,073,709,551,615 bytes"),
        (raw(GOOD)[:40], "claims 123 bytes, and the file holds 32"),
        (raw(GOOD, length=1), "claims 1 bytes"),
        (raw(GOOD, data=11), "the tensors take 12 bytes, and the file holds 11"),
        (raw(GOOD, data=13), "1 bytes follow the last tensor"),
        (raw(GOOD, data=12, length=50), "no JSON"),
        (raw({"a": entry(0, 8), "b": entry(4, 12)}, data=12), "starts at byte 4, and the tensor before it ends at 8"),
        (raw({"a": entry(0, 8), "b": entry(12, 16)}, data=16), "starts at byte 12, and the tensor before it ends at 8"),
        (raw({"a": entry(4, 8)}, data=8), "starts at byte 4"),
        (raw({"a": entry(0, 8, dtype="F128")}, data=8), 'dtype of "a" is "F128"; accepted: F4'),
        (raw({"a": entry(0, 8, [3])}, data=8), "has shape [3] of F32, and its data_offsets hold 8 bytes"),
        (raw({"a": entry(0, 8, [2**62, 2**62])}, data=8), "data_offsets hold 8 bytes"),
        (raw({"a": entry(0, 8, [-2, -1])}, data=8), "the shape"),
        (raw({"a": {**entry(0, 8), "shape": [2.0]}}, data=8), "the shape"),
        (raw({"a": {**entry(0, 8), "shape": [True, 2]}}, data=8), "the shape"),
        (raw({"a": {**entry(0, 8), "shape": "2"}}, data=8), "the shape"),
        (raw({"a": {**entry(0, 8), "shape": [1] * 65}}, data=8), "the shape"),
        (raw({"a": {**entry(0, 8), "data_offsets": [8, 0]}}, data=8), "begin not after end"),
        (raw({"a": {**entry(0, 8), "data_offsets": [0]}}, data=8), "data_offsets"),
        (raw({"a": {"dtype": "F32", "shape": [2]}}, data=8), "has the keys"),
        (raw({"a": 7}, data=8), '"a" is 7'),
        (raw({"__metadata__": {"format": 7}}), "__metadata__"),
        (raw({"__metadata__": "pt"}), "__metadata__"),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00[]", "the header is a list"),
        (b"\x04\x00\x00\x00\x00\x00\x00\x00\xff\xfe\xff\xfe", "no UTF-8"),
        ((200_000).to_bytes(8, "little") + b"[" * 200_000, "the header is nested more than 32 levels deep"),
        ((60).to_bytes(8, "little") + b'{"a": ' + b"9" * 53 + b"}", "integer of 53 digits"),
        (
            (lambda text: len(text).to_bytes(8, "little") + text + bytes(8))(
                b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},'
                b' "a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}'
            ),
            '"a" is there twice',
        ),
    ],
)
def test_hostile_and_broken_files_get_a_sentence(content: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        read(content)
    text = str(caught.value)
    assert said in text
    assert text.startswith("model.safetensors: ")
    assert "; accepted: " in text
    assert "\n" not in text
    assert len(text) < 500
    # What is refused here is refused by the format's own library too.
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    opened: Any = None
    try:
        with safe_open(path, framework="numpy") as opened:
            assert "twice" in said or "metadata" in said
    except (SafetensorError, OSError, ValueError):
        assert opened is None


def test_a_header_may_be_padded_and_a_tensor_empty() -> None:
    text = json.dumps({"a": entry(0, 0, [0, 2**60]), "b": entry(0, 4, [])}).encode() + b"   "
    shard = read(len(text).to_bytes(8, "little") + text + bytes(4))
    assert [one.elements for one in shard.tensors] == [0, 1]


def test_a_shorter_limit_can_be_asked_for() -> None:
    with pytest.raises(CheckpointError, match="claims 123 bytes; accepted: at most 100"):
        headers.header_length(raw(GOOD, 12), len(raw(GOOD, 12)), "model.safetensors", limit=100)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no JSON"),
        (b"[]", "is a list"),
        (b"{}", "weight_map is missing"),
        (b"[" * 8_000, "the index is nested more than 32 levels deep"),
        (b'{"a":' * 20_000, "the index is nested more than 32 levels deep"),
        (b'{"weight_map": []}', "weight_map is a list"),
        (b'{"weight_map": {}}', "names no tensor"),
        (b'{"weight_map": {"a": 1}}', 'the file of "a" is 1'),
        (b'{"weight_map": {"a": "../../secret.safetensors"}}', "accepted: a file name without a folder"),
        (b'{"weight_map": {"a": "/etc/passwd"}}', "accepted: a file name without a folder"),
        (b'{"weight_map": {"a": "b\\\\c"}}', "accepted: a file name without a folder"),
        (b'{"weight_map": {"a": ".."}}', "accepted: a file name without a folder"),
        (b'{"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}}', "there twice"),
    ],
)
def test_a_bad_index_gets_a_sentence(content: bytes, said: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        headers.index(content, "model.safetensors.index.json")
    assert said in str(caught.value)


def test_paths_that_are_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK\x03\x04")
    cases = {
        tmp_path / "nothing": "there is no such file",
        tmp_path: "holds no .safetensors file (but pytorch_model.bin)",
        tmp_path / "pytorch_model.bin": "the file is a zip archive",
        Path("/dev/null"): "neither a file nor a folder",
    }
    for path, said in cases.items():
        with pytest.raises(CheckpointError) as caught:
            load(path)
        assert said in str(caught.value)


def test_the_usual_file_comes_before_others_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "model.safetensors", arrays(GPT2))
    write(tmp_path / "model.fp16.safetensors", arrays(GPT2, "float16"))
    assert load(tmp_path).files == ("model.safetensors",)
