"""Trainings that have left the realm of numbers end with a sentence."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from ..networks.policy import PolicyOutput
from ..support.errors import UserError


def check_finite(tensors: Iterable[Tensor]) -> None:
    """Refuse to go on with weights that are no longer finite."""
    _refuse_unless(all(bool(torch.isfinite(tensor).all()) for tensor in tensors))


def check_output(output: PolicyOutput) -> None:
    """Refuse to go on with what a policy says if it is no number; what is impossible may be minus infinity."""
    parts = (output.log_rule, output.split_logit, output.split_log_sigma)
    _refuse_unless(not any(bool(torch.isnan(part).any()) for part in parts))


def _refuse_unless(sound: bool) -> None:
    if not sound:
        raise UserError(
            "The training diverged (its numbers are no longer finite); begin again with a lower learning rate."
        )
