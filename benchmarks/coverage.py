"""How much of transformers is counted: per mapping the types that are right, text part only, refused, or wrong.

python benchmarks/coverage.py                  every type of the four mappings, each tried on its default configuration
                                               and on 12 random ones of its class (needs the extra `witness`)
python benchmarks/coverage.py --list           and what each refused type lacks
python benchmarks/coverage.py --tries 100      on as many random configurations
python benchmarks/coverage.py llama mixtral    these types only

A type is right where every configuration is counted as its class of the library counts it (parameters, names and shapes
of a saved file, FLOPs of passes over 3, 17 and 64 tokens) or refused, and at least one is counted. What the library
says is kept in a folder beside other temporary files, so that a second run only counts.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

import anatomy
from anatomy.checkpoint import check
from anatomy.checkpoint.files import assemble
from anatomy.checkpoint.headers import Shard, Stored
from anatomy.families import FAMILIES
from anatomy.reading.config import ConfigError
from tests.witness import varied

# Mapping -> what it is called, and how many of its types are to be right.
MAPPINGS = {
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES": ("causal", 104),
    "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES": ("seq2seq", 18),
    "MODEL_FOR_MASKED_LM_MAPPING_NAMES": ("masked", 30),
    "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES": ("sequence classification", 77),
}
RIGHT, TEXT, REFUSED, WRONG = "right", "text part only", "refused", "wrong"
Case = tuple[dict[str, Any], dict[str, Any]]


def cases(model_type: str, class_name: str, tries: int) -> list[Case]:
    """Configurations of a class, its default first, each with what the library's class holds; kept between runs."""
    import transformers

    folder = Path(tempfile.gettempdir()) / f"anatomy-coverage-{transformers.__version__}"
    file = folder / f"{model_type}-{class_name}-{tries}.json"
    if not file.exists():
        found = list(default(model_type, class_name))
        # Configurations inside configurations are tried as they stand by default alone.
        if not transformers.AutoConfig.for_model(model_type).sub_configs:
            found += varied.variants(model_type, class_name, tries)
        folder.mkdir(exist_ok=True)
        file.write_text(json.dumps(found), encoding="utf-8")
    return [(said, held) for said, held in json.loads(file.read_text(encoding="utf-8"))]


def default(model_type: str, class_name: str) -> Iterator[Case]:
    """The class's default configuration with its parameters, counted on the meta device; nothing where it has none."""
    import torch
    import transformers

    try:
        config = transformers.AutoConfig.for_model(model_type)
        said = {**json.loads(json.dumps(config.to_dict())), "architectures": [class_name]}
        with torch.device("meta"):
            model = getattr(transformers, class_name)(config)
        model.tie_weights()
    except Exception:  # some classes cannot be built from their own default
        return
    yield said, {"total": sum(tensor.numel() for tensor in model.parameters())}


def judged(said: dict[str, Any], held: dict[str, Any]) -> tuple[str, str]:
    """What is said of one configuration: a verdict, and the reason."""
    try:
        model = anatomy.load(said)
    except ConfigError as error:
        return REFUSED, str(error)
    if model.not_counted:
        return TEXT, ", ".join(model.not_counted)
    if model.parameters != held["total"]:
        return WRONG, f"{model.parameters:,} parameters, not {held['total']:,}"
    for length, flops in held.get("flops", {}).items():
        if model.flops(int(length)).per_pass != flops:
            return WRONG, f"{model.flops(int(length)).per_pass:,} FLOPs at {length}, not {flops:,}"
    if "stored" in held:
        tensors = tuple(Stored(name, tuple(shape), "F32", "file") for name, shape in held["stored"].items())
        report = check(model, assemble([Shard("file", tensors, {})]))
        if not report.fits:
            return WRONG, f"a saved file does not fit: {dict(report.counts)}"
    return RIGHT, ""


def verdict(model_type: str, class_name: str, tries: int) -> tuple[str, str, int]:
    """What is said of a type, why, and how many configurations were tried."""
    if model_type not in FAMILIES:
        return (*judged({"model_type": model_type}, {}), 0)
    every = [(*judged(said, held), said) for said, held in cases(model_type, class_name, tries)]
    for one in (WRONG, TEXT, RIGHT):
        for found, why, said in every:
            if found == one:
                shown = f"{why}: {json.dumps(said)}" if one == WRONG else why
                return one, shown, len(every)
    return REFUSED, every[0][1] if every else "the library builds no configuration of it", len(every)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("types", nargs="*")
    parser.add_argument("--list", action="store_true", help="what each type that is not right lacks")
    parser.add_argument("--tries", type=int, default=12, help="random configurations per class")
    chosen = parser.parse_args(arguments)
    from transformers.models.auto import modeling_auto

    wrong = tried = 0
    for mapping, (name, goal) in MAPPINGS.items():
        names = getattr(modeling_auto, mapping)
        found: dict[str, tuple[str, str, int]] = {}
        for model_type, named in names.items():
            if not chosen.types or model_type in chosen.types:
                class_name = named if isinstance(named, str) else named[0]
                found[model_type] = verdict(model_type, class_name, chosen.tries)
        counts = Counter(kind for kind, _, _ in found.values())
        tried += sum(number for _, _, number in found.values())
        wrong += counts[WRONG]
        kinds = ", ".join(f"{counts[kind]} {kind}" for kind in (RIGHT, TEXT, REFUSED, WRONG))
        print(f"{name:<24} {len(found):>3} types: {kinds}; goal {goal} right", flush=True)
        for model_type, (kind, why, _) in found.items():
            if kind == WRONG or (chosen.list and kind != RIGHT):
                print(f"    {model_type}: {kind}; {re.sub('; accepted.*', '', why)[:600]}")
    print(f"{tried:,} configurations tried, {wrong} types wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
