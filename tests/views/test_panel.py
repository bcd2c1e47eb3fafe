"""The panel: a table that adds up to the part, drawn to one scale, and the sentence of counts."""

import re

import pytest

from anatomy import entries
from anatomy.report.anatomy import Anatomy, Part
from anatomy.views import bar, panel, shapes
from anatomy.views.drawing import scale
from anatomy.visit.address import from_hash
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_seq_len, select_part
from tests.elements import elements


def rows(markup: str, kind: str) -> dict[str, str]:
    """The table's rows by symbol."""
    found = re.findall(rf'<tr class="{kind}[^"]*" data-symbol="([^"]*)">(.*?)</tr>', markup)
    return dict(found)


def values(markup: str) -> list[int]:
    return [int(value) for value in re.findall(r'<data value="(\d+)">', markup)]


def parts() -> list[tuple[str, Anatomy, Part]]:
    states = [choose_model(State(), slug) for slug in entries()]
    return [
        (f"{one.model} {part.id} {part.blocks_label}", one.anatomy, part)
        for one in states
        for part in one.anatomy.parts
    ]


def test_the_weights_of_every_table_add_up_to_the_part() -> None:
    for name, anatomy, part in parts():
        held = part.parameters if part.parameters_per_block is None else part.parameters_per_block
        assert sum(values(shapes.table(anatomy, part))) == held, name


def test_gpt2_attention() -> None:
    made = panel.view(State())
    weights = rows(made, "weight")
    assert list(weights) == ["W_Q", "W_K", "W_V", "W_O", "b_Q, b_K, b_V", "b_O"]
    assert "768 × 768" in weights["W_Q"]
    assert '<data value="589824">589,824</data>' in weights["W_Q"]
    scores = rows(made, "activation")["Scores, per head"]
    assert "8 × 8" in scores
    assert "grows with T²" in scores
    assert "not a weight" in scores
    said = re.sub(r"<[^>]+>", "", made)
    assert "2,362,368 parameters per block, 28,348,416 across all 12, 23% of the model" in said
    assert "Shapes for multi-head self-attention" in said
    assert re.findall(r'data-count="([^"]+)"', made) == ["per-block", "total", "share", "flops"]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("#part=embedding", "39,383,808 parameters, 32% of the model"),
        ("#part=unembedding", "0 parameters of its own: it reuses the token table"),
        ("#part=residual", "0 parameters: nothing here is trained"),
        ("#part=mlp", "4,722,432 parameters per block, 56,669,184 across all 12, 46% of the model"),
        (
            "#model=llama-3-70b&part=mlp",
            "704,643,072 parameters per block, 56,371,445,760 across all 80, 80% of the model",
        ),
        ("#model=deepseek-v3&part=experts", "across its 58, 97% of the model"),
    ],
)
def test_the_count_is_a_sentence(place: str, said: str) -> None:
    assert said in re.sub(r"<[^>]+>", "", panel.view(from_hash(State(), place)))


def test_a_change_of_t_marks_what_changed_and_no_weight() -> None:
    assert 'class="mark' not in panel.view(State())
    made = panel.view(choose_seq_len(State(), "64"))
    assert all('class="mark unchanged"' in row for row in rows(made, "weight").values())
    assert all('class="mark changed"' in row for row in rows(made, "activation").values())


def test_experts_are_counted_beside_their_shape() -> None:
    made = panel.view(from_hash(State(), "#model=deepseek-v3&part=experts"))
    assert "× 256 experts" in rows(made, "weight")["W_gate"]


def figures(place: str, kind: str = "weight") -> dict[str, tuple[float, ...]]:
    """How wide and high each tensor of the panel is drawn, by symbol."""
    return {
        symbol: tuple(float(side) for side in re.findall(r' (?:width|height)="([\d.]+)"', row.split("<rect")[1]))
        for symbol, row in rows(panel.view(from_hash(State(), place)), kind).items()
    }


def test_tensors_are_drawn_to_one_scale_whatever_t_and_part() -> None:
    # The longest side of a block of Llama 3 70B is an MLP's: 28,672.
    attention = figures("#model=llama-3-70b&t=1&part=attention")
    assert attention["W_Q"] == (24, 24)
    assert attention["W_K"] == (3, 24)
    assert figures("#model=llama-3-70b&t=1&part=mlp")["W_up"] == (scale.SIDE, 24)
    assert figures("#model=llama-3-70b&t=8192&part=attention") == attention
    assert [scale.longest(from_hash(State(), f"#model=llama-3-70b&t={t}").anatomy) for t in (1, 8192)] == [28672] * 2
    scores = {
        t: figures(f"#model=llama-3-70b&t={t}&part=attention", "activation")["Scores, per head"]
        for t in (1, 2048, 8192)
    }
    assert scores == {1: (3, 3), 2048: (6, 6), 8192: (24, 24)}


def test_what_the_scale_has_no_room_for_breaks_and_says_how_much_larger_it_is() -> None:
    def said(place: str, symbol: str, kind: str = "weight") -> str:
        row = rows(panel.view(from_hash(State(), place)), kind)[symbol]
        gaps = row.count('class="gap"')
        return f"{gaps}: {''.join(re.findall(r'class=.factor.>([^<]*)<', row))}"

    assert said("#part=embedding", "W_E") == "1: 16 times taller than shown"
    assert said("#part=embedding", "W_pos") == "0: "
    assert said("#part=unembedding", "W_U") == "1: 16 times wider than shown"
    assert said("#t=1024&part=unembedding", "Logits", "activation") == "1: 16 times wider than shown"
    long = "#model=llama-3.2-1b&t=131072&part=attention"
    assert said(long, "Scores, per head", "activation") == "2: 16 times wider and taller than shown"
    assert said(long, "Queries, per head", "activation") == "1: 16 times taller than shown"


def test_experts_are_a_stack_of_tiles_of_which_those_used_are_filled() -> None:
    mixtral = rows(panel.view(from_hash(State(), "#model=mixtral-8x7b&part=experts")), "weight")
    for symbol in ("W_gate", "W_up", "W_down"):
        assert (mixtral[symbol].count('class="lit"'), mixtral[symbol].count('class="unlit"')) == (2, 6)
    many = rows(panel.view(from_hash(State(), "#model=deepseek-v3&part=experts")), "weight")
    assert 'class="lit"' in many["W_gate"]
    assert "Of each stack of 256 tiles the 8 that a token uses are filled." in panel.view(
        from_hash(State(), "#model=deepseek-v3&part=experts")
    )


def test_a_cell_reads_as_a_sentence() -> None:
    changed = elements(panel.view(choose_seq_len(State(), "64")))
    said = {row["data-symbol"]: row.all("td")[0].text for row in changed.all("tr") if row.get("data-symbol")}
    assert said["Queries, per head"] == "64 × 64, grows with T, changed"
    assert said["W_Q"] == "768 × 768, unchanged"
    assert (
        "7,168 × 2,048 × 256 experts"
        in elements(panel.view(from_hash(State(), "#model=deepseek-v3&part=experts"))).text
    )


def test_how_a_tensor_is_stored_is_said() -> None:
    gpt2, llama = panel.view(State()), panel.view(from_hash(State(), "#model=llama-3-8b&part=attention"))
    assert "W<sub>Q</sub>, W<sub>K</sub>, W<sub>V</sub> in one; in × out" in gpt2
    assert "h.<wbr>{block}.<wbr>attn.<wbr>c_attn.<wbr>weight" in gpt2
    assert "out × in" in llama
    assert "it is wte.weight" in panel.view(from_hash(State(), "#part=unembedding"))


@pytest.mark.parametrize("part", [part.id for part in State().anatomy.parts])
def test_the_selected_part_is_said_aloud(part: str) -> None:
    state = select_part(State(), part)
    assert bar.line(state).startswith(state.selected.label)
