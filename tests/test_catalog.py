"""The catalogue, and the one door through which a configuration becomes a model."""

import json
import re
from itertools import groupby
from pathlib import Path

import pytest

import anatomy
from anatomy import catalog

FOLDER = Path(__file__).parent.parent / "model_configs"
KEYS = {"slug", "name", "maker", "released", "repository", "released_total", "config", "source"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_an_entry_is_whole_and_its_published_total_is_ours(path: Path) -> None:
    entry = json.loads(path.read_text("utf-8"))
    assert set(entry) - {"note"} == KEYS
    assert entry["slug"] == path.stem
    assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", entry["released"])
    assert entry["repository"] or entry["note"]
    if entry["released_total"] is not None:
        assert anatomy.load(path.stem).parameters == entry["released_total"]


def test_makers_stand_together_with_their_newest_series_first_and_a_series_by_size() -> None:
    entries = list(anatomy.entries().values())
    makers = [entry.maker for entry in entries]
    assert makers == sorted(makers, key=str.casefold)
    # As far as their names tell two models apart, the larger one is the one that holds more.
    for maker, of_maker in groupby(entries, key=lambda entry: entry.maker):
        newest = []
        for series, found in groupby(of_maker, key=lambda entry: catalog._named(entry)[0]):
            members = list(found)
            newest.append(max(entry.released for entry in members))
            sizes = [anatomy.load(entry.slug).parameters for entry in members]
            assert sizes == sorted(sizes), (maker, series)
        assert newest == sorted(newest, reverse=True), maker
    names = [entry.name for entry in entries if entry.maker == "Alibaba"]
    assert names[:5] == ["Qwen3 0.6B", "Qwen3 4B", "Qwen3 8B", "Qwen3 30B A3B", "Qwen3 235B A22B"]
    assert [name for name in (entry.name for entry in entries) if name.startswith("GPT-2")] == [
        "GPT-2 small",
        "GPT-2 medium",
        "GPT-2 large",
        "GPT-2 XL",
    ]


def test_a_slug_a_path_and_a_dict_are_the_same_model(tmp_path: Path) -> None:
    values = dict(anatomy.entries()["llama-3-8b"].config)
    path = tmp_path / "my-llama" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(values))
    by_path = anatomy.load(path)
    assert by_path.name == "my-llama"
    assert by_path.slug is None
    totals = {anatomy.load(one).parameters for one in ("llama-3-8b", str(path), path, values)}
    assert totals == {8030261248}


def test_what_is_no_model_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(anatomy.AnatomyError, match="neither in the catalogue nor a file; known: "):
        anatomy.load("gpt-5")
    for impossible in ("x" * 5000, "a\0b"):
        with pytest.raises(anatomy.AnatomyError, match=r"cannot be read|neither in") as caught:
            anatomy.load(impossible)
        assert len(str(caught.value)) < 1000
    large = tmp_path / "config.json"
    large.write_bytes(b" " * 2_000_001)
    with pytest.raises(anatomy.ConfigError, match="over 2,000,000 bytes"):
        anatomy.load(large)


def test_to_load_one_model_reads_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    kept = Path.read_text

    def noted(path: Path, *arguments: str, **named: str) -> str:
        read.append(path.name)
        return kept(path, *arguments, **named)

    monkeypatch.setattr(Path, "read_text", noted)
    for cached in (catalog._entry, catalog._catalogued):
        cached.cache_clear()
    assert anatomy.load("vit-base").parameters == 86567656
    assert read == ["vit-base.json"]
