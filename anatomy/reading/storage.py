"""What a configuration says of how its weights are stored: ``torch_dtype`` and ``quantization_config``.

Nothing here refuses a configuration, since no shape depends on it: what is not known for certain stays unnamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anatomy.model.storage import FP8, Storage

_TYPES = {
    **dict.fromkeys(("float32", "float", "fp32"), "fp32"),
    **dict.fromkeys(("bfloat16", "bf16"), "bf16"),
    **dict.fromkeys(("float16", "half", "fp16"), "fp16"),
}
# A method without a name, or with one of some other form.
UNNAMED = "another method"
# Lists of modules grow with the blocks; a longer one is no published configuration's.
_MAX_APART = 10_000


def storage(values: Mapping[str, Any]) -> Storage:
    """How the weights are stored; a class of several models says it for all of them, or for its text part.

    >>> storage({"torch_dtype": "bfloat16"}).dtype, storage({"dtype": "torch.float32"}).dtype, storage({}).dtype
    ('bf16', 'fp32', None)
    """
    text = values.get("text_config")
    inside = text if isinstance(text, Mapping) else {}
    named = (where.get(key) for where in (values, inside) for key in ("torch_dtype", "dtype"))
    dtype = next((_TYPES[one] for one in map(_plain, named) if one in _TYPES), None)
    quantised = values.get("quantization_config") or inside.get("quantization_config")
    if not quantised:
        return Storage(dtype)
    if not isinstance(quantised, Mapping):
        return Storage(dtype, UNNAMED)
    method = quantised.get("quant_method")
    kept = quantised.get("modules_to_not_convert") or []
    apart = tuple(one for one in kept if isinstance(one, str)) if isinstance(kept, list) else ()
    if not isinstance(method, str) or not isinstance(kept, list) or len(apart) != len(kept) or len(kept) > _MAX_APART:
        return Storage(dtype, UNNAMED)
    return Storage(dtype, method, _block(quantised) if method == FP8 else None, apart)


def _plain(value: object) -> str:
    return value.removeprefix("torch.") if isinstance(value, str) else ""


def _block(quantised: Mapping[str, Any]) -> tuple[int, int] | None:
    sizes = quantised.get("weight_block_size")
    if not isinstance(sizes, list) or len(sizes) != 2:
        return None
    high, wide = sizes
    if any(isinstance(one, bool) or not isinstance(one, int) or not 1 <= one <= 10**6 for one in sizes):
        return None
    return high, wide
