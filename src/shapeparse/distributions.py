"""The logit-normal distribution over split locations, as a density and as probabilities of whole-pixel cuts."""

from __future__ import annotations

import math

import torch
from torch import Tensor

EDGE = 1e-6
"""Locations are kept this far inside (0, 1), where the density is defined."""


def logit_normal_log_density(location: Tensor, logit: Tensor, log_sigma: Tensor) -> Tensor:
    """log density of l in (0, 1) when logit(l) is normal: that of the normal, with the Jacobian 1 / (l (1 - l))."""
    inside = location.clamp(EDGE, 1 - EDGE)
    standard = (torch.logit(inside) - logit) * torch.exp(-log_sigma)
    normal = -0.5 * standard**2 - log_sigma - 0.5 * math.log(2 * math.pi)
    return normal - torch.log(inside) - torch.log1p(-inside)


def logit_normal_cut_probability(cut: Tensor, extent: Tensor, logit: Tensor, log_sigma: Tensor) -> Tensor:
    """Probability that a location drawn from the logit-normal rounds to ``cut`` in a node of this extent.

    The first and the last cut also get what would round to the node's border, so the cuts 1 .. extent - 1 sum to 1.
    """

    def below(edge: Tensor) -> Tensor:
        standard = (torch.logit((edge / extent).clamp(EDGE, 1 - EDGE)) - logit) * torch.exp(-log_sigma)
        probability: Tensor = torch.special.ndtr(standard)
        return probability

    upper = torch.where(cut >= extent - 1, torch.ones_like(logit), below(cut + 0.5))
    lower = torch.where(cut <= 1, torch.zeros_like(logit), below(cut - 0.5))
    return (upper - lower).clamp(min=0)
