"""The text of the page's code cell: a reader counts GPT-2 small's parameters from its shapes."""

from typing import Final

# The clearest form that fits on the page without scrolling: 25 lines.
SOURCE: Final = """\
import numpy as np

vocabulary, positions, d, blocks = 50257, 1024, 768, 12  # GPT-2 small

# Every trained tensor of one block: its name and shape in the checkpoint.
block = {
    "ln_1.weight": (d,), "ln_1.bias": (d,),
    "attn.c_attn.weight": (d, 3 * d), "attn.c_attn.bias": (3 * d,),  # W_Q, W_K, W_V
    "attn.c_proj.weight": (d, d), "attn.c_proj.bias": (d,),  # W_O
    "ln_2.weight": (d,), "ln_2.bias": (d,),
    "mlp.c_fc.weight": (d, 4 * d), "mlp.c_fc.bias": (4 * d,),
    "mlp.c_proj.weight": (4 * d, d), "mlp.c_proj.bias": (d,),
}
# The embeddings and the last norm; the unembedding is the token table once more.
outside = [(vocabulary, d), (positions, d), (d,), (d,)]

sizes = {name: np.prod(shape, dtype=np.int64) for name, shape in block.items()}
one_block = sum(sizes.values())
in_mlp = sum(size for name, size in sizes.items() if name.startswith("mlp."))
total = blocks * one_block + sum(np.prod(shape, dtype=np.int64) for shape in outside)

print(f"one block: {one_block:,}")
print(f"total: {total:,}")
print(f"MLP share of a block: {in_mlp / one_block:.0%}")
print(f"12 L d^2 shortcut: {12 * blocks * d**2:,}")  # weight matrices only
"""
# The same program where there is no NumPy: Python's own product.
PLAIN: Final = SOURCE.replace("import numpy as np", "import math").replace(
    "np.prod(shape, dtype=np.int64)", "math.prod(shape)"
)

OUTPUT: Final = """\
one block: 7,087,872
total: 124,439,808
MLP share of a block: 67%
12 L d^2 shortcut: 84,934,656
"""
