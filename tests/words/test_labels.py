"""What parts are called where no model says more."""

import pytest

from anatomy.words.labels import usual


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("embedding/token", "Embedding"),
        ("embedding-norm", "Embedding norm"),
        ("block/norm-mlp/weight", "Norm before MLP"),
        ("block/attention/qkv", "Attention"),
        ("block/router", "Router"),
        ("block/experts/up", "Experts"),
        ("block/shared-expert/up", "Shared expert"),
        ("encoder/block/cross-attention/q", "Encoder cross-attention"),
        ("decoder/block/norm-post-mlp", "Decoder norm after mlp"),
        ("decoder/block/mlp/up", "Decoder MLP"),
        ("final-norm", "Final norm"),
        ("unembedding", "Unembedding"),
    ],
)
def test_a_part_by_its_path(path: str, label: str) -> None:
    assert usual(path) == label
