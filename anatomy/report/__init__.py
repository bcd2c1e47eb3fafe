"""The anatomy of a model at a T, the one record that faces show: figures, workings, JSON; nothing above counts."""

from anatomy.report.anatomy import Anatomy, describe

__all__ = ["Anatomy", "describe"]
