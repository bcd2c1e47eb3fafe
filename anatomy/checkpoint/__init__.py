"""A checkpoint on disk against a model's rows: headers only, tensor by tensor, with the sum that leads to the total."""

from anatomy.checkpoint.files import Checkpoint, assemble, load
from anatomy.checkpoint.headers import CheckpointError
from anatomy.checkpoint.matching import Report, check

__all__ = ["Checkpoint", "CheckpointError", "Report", "assemble", "check", "load"]
