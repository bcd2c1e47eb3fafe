"""How numbers, shapes, parts and formulas are worded, on a model alone; no markup and no figure of its own."""
