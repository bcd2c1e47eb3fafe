"""The text of the page's code cell: a reader counts GPT-2 small's parameters from its shapes, with NumPy."""

from typing import Final

SOURCE: Final = '''\
import numpy as np

vocabulary, positions, d, blocks = 50257, 1024, 768, 12  # GPT-2 small

# Every trained tensor of one block: its name and shape in the checkpoint.
block = {
    "ln_1.weight": (d,),
    "ln_1.bias": (d,),
    "attn.c_attn.weight": (d, 3 * d),  # W_Q, W_K and W_V side by side
    "attn.c_attn.bias": (3 * d,),
    "attn.c_proj.weight": (d, d),  # W_O
    "attn.c_proj.bias": (d,),
    "ln_2.weight": (d,),
    "ln_2.bias": (d,),
    "mlp.c_fc.weight": (d, 4 * d),
    "mlp.c_fc.bias": (4 * d,),
    "mlp.c_proj.weight": (4 * d, d),
    "mlp.c_proj.bias": (d,),
}

# Outside the blocks: the two embeddings and the last norm. The unembedding
# is the token table once more, so it adds nothing.
outside = [(vocabulary, d), (positions, d), (d,), (d,)]


def numbers(shapes):
    """How many numbers each shape holds."""
    # In a browser NumPy counts in 32 bits unless it is told otherwise.
    return np.array([np.prod(shape, dtype=np.int64) for shape in shapes])


held = numbers(block.values())
in_mlp = np.array([name.startswith("mlp.") for name in block])

print(f"one block: {held.sum():,}")
print(f"total: {blocks * held.sum() + numbers(outside).sum():,}")
print(f"MLP share of a block: {held[in_mlp].sum() / held.sum():.0%}")
print(f"12 L d^2 shortcut: {12 * blocks * d**2:,}")  # weight matrices only
'''

OUTPUT: Final = """\
one block: 7,087,872
total: 124,439,808
MLP share of a block: 67%
12 L d^2 shortcut: 84,934,656
"""
