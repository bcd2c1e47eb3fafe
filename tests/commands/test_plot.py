"""``anatomy plot``: an SVG file that stands alone, or one line that says why there is none."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from anatomy.cli import main
from anatomy.commands.plot import STYLE

SVG = "{http://www.w3.org/2000/svg}"
SHEET = (Path(__file__).parent.parent.parent / "site" / "style.css").read_text("utf-8")
COLOUR = re.compile(r"--([a-z]+): (#[0-9a-f]+)")


def test_the_colours_are_those_of_the_style_sheet() -> None:
    light, dark = (dict(COLOUR.findall(part)) for part in STYLE.split("@media"))
    of_the_page, in_the_dark = (dict(COLOUR.findall(block)) for block in re.findall(r":root \{([^}]*)\}", SHEET)[:2])
    assert set(light) == set(dark)
    assert light.items() <= of_the_page.items()
    assert dark.items() <= in_the_dark.items()


def test_the_lines_are_those_of_the_style_sheet() -> None:
    rules = re.findall(r"([.a-z][.\w -]*) \{([^{}]*)\}", STYLE.partition(".paper")[2].partition("}")[2])
    assert len(rules) == 14
    for selector, said in rules:
        if selector != ".heading":  # the file's own
            assert f"{selector} {{{said}}}" in SHEET, selector


def test_a_file_that_stands_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "flops.svg"
    assert main(["plot", "gpt2", "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"Wrote {out}: At T = 8 a token costs 0.25 G FLOPs")
    root = ElementTree.parse(out).getroot()
    assert root.tag == f"{SVG}svg"
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert "attention overtakes at T = 6,703" in texts
    assert "GPT-2 small: FLOPs per token against T" in texts
    assert "href" not in out.read_text("utf-8")
    title, style, paper, heading, picture = root
    assert (title.text or "").startswith("GPT-2 small: FLOPs per token against T. At T = 8 a token costs 0.25 G FLOPs")
    assert (style.tag, style.text) == (f"{SVG}style", STYLE)
    wide, high = root.attrib["width"], root.attrib["height"]
    assert root.attrib["viewBox"] == f"0 0 {wide} {high}"
    assert paper.attrib == {"class": "paper", "width": wide, "height": high}
    assert heading.attrib == {"class": "heading", "x": "20", "y": "30"}
    assert int(picture.attrib["x"]) + int(picture.attrib["width"]) == int(wide) - 20
    assert picture.attrib["y"] == "48"
    assert int(picture.attrib["height"]) == int(high) - 64


def test_the_cache_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    call = ["plot", "gemma-3-1b", "--what", "kv-cache", "--seq-len", "2048", "--batch", "2", "--out", "-"]
    assert main(call) == 0
    text = capsys.readouterr().out
    ElementTree.fromstring(text)
    assert "window full at T = 512" in text
    assert "T = 2,048: 39.8 MB" in text


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["plot", "vit-base", "--out", "x.svg"], "ViT base has no curve of flops: it runs at one length only"),
        (["plot", "bert-base-uncased", "--what", "kv-cache", "--out", "x.svg"], "it keeps no KV cache"),
        (["plot", "gpt2", "--out", "/no/such/folder/x.svg"], '"/no/such/folder/x.svg" cannot be written: No such file'),
        (["plot", "gpt2", "--seq-len", "1025", "--out", "-"], "accepted: an integer from 1 to 1,024"),
        (["plot", "gpt2", "--batch", "0", "--out", "-"], 'Batch "0" is no whole number'),
        (["plot", "nothing", "--out", "-"], "nothing"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(call: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(call) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert said in found.err
    assert found.err.count("\n") == 1


def test_show_says_costs_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "mixtral-8x7b", "--seq-len", "4096"]) == 0
    text = capsys.readouterr().out
    for said in ("decode step, cache of 4,096", "training step, recomputing", "weights in int4", "GiB", "8x7B"):
        assert said in text
