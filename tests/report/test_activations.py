"""What parts compute: every kind of part by the shapes that its architecture gives, and none left without."""

import pytest

import anatomy
from anatomy.report.anatomy import Activation, default_seq_len, describe


def computed(slug: str, part_id: str, stack: str | None = None, seq_len: int = 8) -> dict[str, tuple[int, ...]]:
    model = anatomy.load(slug)
    part = describe(model, default_seq_len(model, seq_len)).find(part_id, stack)
    assert part
    return {one.symbol: one.shape for one in part.activations}


def test_attention_scores_every_pair() -> None:
    assert computed("llama-3-8b", "attention", seq_len=5) == {
        "Queries, per head": (5, 128),
        "Keys, per KV head": (5, 128),
        "Values, per KV head": (5, 128),
        "Scores, per head": (5, 5),
        "Out": (5, 4096),
    }


def test_latent_attention_computes_its_latents_and_the_one_rotary_key() -> None:
    assert computed("deepseek-v3", "attention") == {
        "Query latent": (8, 1536),
        "Queries, per head": (8, 192),
        "KV latent": (8, 512),
        "Rotary key, all heads": (8, 64),
        "Keys, per head": (8, 192),
        "Values, per head": (8, 128),
        "Scores, per head": (8, 8),
        "Out": (8, 7168),
    }
    assert "Query latent" not in computed("deepseek-v2-lite", "attention")


def test_cross_attention_is_as_long_as_the_source_on_one_side() -> None:
    found = computed("whisper-small", "cross-attention", "decoder")
    assert (found["Queries, per head"], found["Keys, per head"]) == ((8, 64), (1500, 64))
    assert found["Scores, per head"] == (8, 1500)


def test_a_router_scores_all_experts_and_weighs_those_used() -> None:
    assert computed("mixtral-8x7b", "router") == {"Expert scores": (8, 8), "Weights of experts used": (8, 2)}
    inside = {f"{name}, experts used": (8, 2, 14336) for name in ("Gate", "Up", "Hidden")}
    assert computed("mixtral-8x7b", "experts") == {**inside, "Out": (8, 4096)}
    assert computed("gpt-oss-20b", "experts")["Hidden, experts used"] == (8, 4, 2880)
    assert computed("deepseek-v3", "shared-expert")["Hidden"] == (8, 2048)


def test_a_gated_mlp_computes_gate_and_up_and_qwens_shared_expert_its_own_weight() -> None:
    assert list(computed("llama-3-8b", "mlp")) == ["Gate", "Up", "Hidden", "Out"]
    assert list(computed("phi-3-mini", "mlp")) == ["Gate", "Up", "Hidden", "Out"]
    assert list(computed("gpt2", "mlp")) == ["Hidden", "Out"]
    assert computed("qwen1.5-moe-a2.7b", "shared-expert")["Weight of the shared expert"] == (8, 1)


def test_embeddings_take_tokens_patches_or_frames() -> None:
    assert computed("gpt2", "embedding") == {"Token ids": (8,), "Out": (8, 768)}
    assert computed("vit-base", "embedding") == {"Patches": (196, 768), "Out": (197, 768)}
    assert computed("whisper-small", "embedding", "encoder") == {
        "Frames": (3000, 80),
        "After convolution 1": (3000, 768),
        "Out": (1500, 768),
    }


def test_a_shared_table_is_looked_up_for_the_source_and_for_the_target() -> None:
    part = describe(anatomy.load("t5-small"), 8).parts[0]
    assert [(one.symbol, one.depends_on) for one in part.activations] == [
        ("Token ids, source", "S"),
        ("Out, source", "S"),
        ("Token ids, target", "T"),
        ("Out, target", "T"),
    ]


def test_heads_answer_at_every_position_or_at_one() -> None:
    assert computed("bert-base-uncased", "unembedding") == {"Hidden": (8, 768), "Logits": (8, 30522)}
    assert computed("vit-base", "head") == {"Logits": (1, 1000)}
    assert computed("vit-base-in21k", "pooler") == {"Pooled": (1, 768)}


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_every_part_computes_something_of_a_positive_size(slug: str) -> None:
    model = anatomy.load(slug)
    for part in describe(model, default_seq_len(model)).parts:
        assert part.activations, part.id
        for one in part.activations:
            assert isinstance(one, Activation)
            assert min(one.shape) > 0
            assert set(one.depends_on) <= {"T", "S"}
