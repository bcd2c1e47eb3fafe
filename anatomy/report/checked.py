"""What ``anatomy check`` prints as JSON."""

from __future__ import annotations

from typing import Any

from anatomy.catalog import LoadedModel
from anatomy.checkpoint import Report, account, verdict
from anatomy.checkpoint.matching import Finding


def checked(report: Report, chosen: LoadedModel, why: str = "") -> dict[str, Any]:
    """What ``check --json`` prints: the verdict, the sum, and every tensor."""
    return {
        "model": {"slug": chosen.slug, "name": chosen.name, "parameters": chosen.parameters, "chosen": why or None},
        "checkpoint": {
            "path": report.checkpoint.name,
            "files": list(report.checkpoint.files),
            "absent_files": list(report.checkpoint.absent),
            "faults": list(report.checkpoint.faults),
            "elements": None if report.checkpoint.names_only else report.checkpoint.elements,
        },
        "fits": report.fits,
        "verdict": verdict.headline(report, chosen.name),
        "remarks": verdict.remarks(report),
        "counts": dict(report.counts),
        "sum": None
        if report.checkpoint.names_only
        else [
            {"elements": step.elements, "tensors": step.tensors or None, "each": step.each, "what": step.what}
            for step in account.steps(report)
        ],
        "tensors": [_finding(finding) for finding in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    stored = finding.stored
    return {
        "name": finding.name,
        "status": finding.status,
        "file": stored.file if stored else None,
        "dtype": stored.dtype if stored else None,
        "shape": list(stored.shape) if stored and stored.shape is not None else None,
        "expected_shape": None if finding.expected is None else list(finding.expected),
        "why": finding.why or None,
        "packing": {"format": finding.packing.format, "bits": finding.packing.bits} if finding.packing else None,
    }
