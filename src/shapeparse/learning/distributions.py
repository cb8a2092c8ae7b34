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


def logit_normal_cut_log_probability(cut: Tensor, extent: Tensor, logit: Tensor, log_sigma: Tensor) -> Tensor:
    """log probability that a location drawn from the logit-normal rounds to ``cut`` in a node of this extent.

    It is the integral of the density over the locations that round to the cut. The first and the last cut also get
    what would round to the node's border, so the cuts 1 .. extent - 1 sum to 1. Exact far into the tails.
    """
    wanted = logit.dtype
    cut, extent, logit, log_sigma = (tensor.double() for tensor in (cut, extent, logit, log_sigma))

    def standard(edge: Tensor) -> Tensor:
        return (torch.logit((edge / extent).clamp(EDGE, 1 - EDGE)) - logit) * torch.exp(-log_sigma)

    lower, upper = standard(cut - 0.5), standard(cut + 0.5)
    # Between two edges in the upper tail probabilities are differences of numbers near 1, so look from the other side.
    mirrored = lower > 0
    low, high = torch.where(mirrored, -upper, lower), torch.where(mirrored, -lower, upper)
    below_high = torch.special.log_ndtr(high)
    ratio = (torch.special.log_ndtr(low) - below_high).clamp(max=-1e-12)
    between = below_high + torch.log(-torch.expm1(ratio))
    first, last = cut <= 1, cut >= extent - 1
    one_sided = torch.where(first, torch.special.log_ndtr(upper), torch.special.log_ndtr(-lower))
    only = torch.zeros_like(between)
    return torch.where(first & last, only, torch.where(first | last, one_sided, between)).to(wanted)


def logit_normal_cut_probability(cut: Tensor, extent: Tensor, logit: Tensor, log_sigma: Tensor) -> Tensor:
    """Probability that a location drawn from the logit-normal rounds to ``cut`` in a node of this extent."""
    return logit_normal_cut_log_probability(cut, extent, logit, log_sigma).exp()
