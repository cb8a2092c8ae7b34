"""The pieces that convolutional networks are made of, whatever normalises them."""

from __future__ import annotations

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from .normalisation import BatchRenorm

Norm = Callable[[int], nn.Module]
"""Makes what normalises so many channels."""


def convolution(channels: int, width: int, stride: int = 1, norm: Norm = BatchRenorm) -> nn.Sequential:
    """3x3 convolution, normalised, with ReLU."""
    return nn.Sequential(
        nn.Conv2d(channels, width, 3, stride, 1, bias=False), norm(width), nn.ReLU(inplace=True)
    )  # fmt: skip


class Adding(nn.Module):
    """A block that adds maps."""

    in_place = False
    """Whether sums may overwrite what they are of: quicker, for networks that no longer learn."""

    def add(self, made: Tensor, given: Tensor) -> Tensor:
        """The sum of a map that was made here and of one that was given."""
        return made.add_(given) if self.in_place else made + given


class ResidualBlock(Adding):
    """Two convolutions beside a shortcut."""

    def __init__(self, channels: int, norm: Norm = BatchRenorm) -> None:
        super().__init__()
        self.first = convolution(channels, channels, norm=norm)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), norm(channels))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.add(self.second(self.first(x)), x), inplace=self.in_place)


class Up(Adding):
    """A coarse map enlarged onto the finer one of the way down."""

    def __init__(self, fine: int, coarse: int, norm: Norm = BatchRenorm) -> None:
        super().__init__()
        self.narrow = nn.Conv2d(coarse, fine, 1)
        self.lateral: nn.Module = nn.Conv2d(fine, fine, 1)
        self.merge = convolution(fine, fine, norm=norm)

    def forward(self, coarse: Tensor, fine: Tensor) -> Tensor:
        enlarged = F.interpolate(self.narrow(coarse), size=fine.shape[2:], mode="nearest")
        merged: Tensor = self.merge(self.add(enlarged, self.lateral(fine)))
        return merged
