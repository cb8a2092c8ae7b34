"""Batch renormalisation: the policy that is updated is the policy that acted."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class BatchRenorm(nn.Module):
    """Batch normalisation whose outputs come from running statistics in training too (Ioffe 2017).

    Plain batch normalisation computes another function while it is trained than while it acts, because the statistics
    are those of the batch. Likelihoods of actions under the two have little to do with each other, and every method
    that weighs them learns from noise. Here both are the same function, and gradients still flow as if the statistics
    were the batch's, which is what makes training quick.
    """

    quick = False
    """Normalise by the statistics of each batch: quicker, and good enough where no likelihoods are weighed."""
    momentum = 0.1
    least_spread, most_spread, most_shift = 1 / 3, 3.0, 5.0
    mean: Tensor
    variance: Tensor
    batches: Tensor

    def __init__(self, channels: int, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("variance", torch.ones(channels))
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return F.batch_norm(x, self.mean, self.variance, self.weight, self.bias, False, 0.0, self.epsilon)
        if self.quick:
            share = self._share_of_a_batch()
            return F.batch_norm(x, self.mean, self.variance, self.weight, self.bias, True, share, self.epsilon)
        stretch, shift = self._towards_running_statistics(x.detach())
        return F.batch_norm(
            x, None, None, self.weight * stretch, self.bias + self.weight * shift, True, 0.0, self.epsilon
        )

    @torch.no_grad()
    def _towards_running_statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Update them, and say what takes a batch normalised by its own statistics to one normalised by them."""
        flat = x.permute(0, 2, 3, 1).reshape(-1, x.shape[1]).float()
        mean = flat.mean(dim=0)
        variance = (flat.square().mean(dim=0) - mean.square()).clamp(min=0)
        share = self._share_of_a_batch()
        self.mean.lerp_(mean, share)
        self.variance.lerp_(variance, share)
        spread = (self.variance + self.epsilon).sqrt()
        stretch = (variance + self.epsilon).sqrt() / spread
        shift = (mean - self.mean) / spread
        return stretch.clamp(self.least_spread, self.most_spread), shift.clamp(-self.most_shift, self.most_shift)

    def _share_of_a_batch(self) -> float:
        """How much one more batch counts in the running statistics."""
        self.batches += 1
        return max(self.momentum, 1 / int(self.batches))  # the first counts alone, not the initial 0 and 1
