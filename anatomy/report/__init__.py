"""The anatomy of a model at a T, the one record that faces show; nothing above it counts."""

from anatomy.report.anatomy import Anatomy, describe

__all__ = ["Anatomy", "describe"]
