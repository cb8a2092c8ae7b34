"""Trainings that have left the realm of numbers end with a sentence."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from ..networks.policy import PolicyOutput
from ..support.errors import UserError


def check_finite(tensors: Iterable[Tensor]) -> None:
    """Refuse to go on with what is no longer finite."""
    if not all(torch.isfinite(tensor).all() for tensor in tensors):
        raise UserError(
            "The training diverged (its numbers are no longer finite); begin again with a lower learning rate."
        )


def check_output(output: PolicyOutput) -> None:
    """The same of what a policy says."""
    check_finite((output.log_rule, output.split_logit, output.split_log_sigma))
