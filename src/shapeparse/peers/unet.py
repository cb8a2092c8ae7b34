"""Small U-Nets, from an image to the logit of paint at every pixel: from scratch, or on a pretrained encoder."""

from __future__ import annotations

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..networks.blocks import ResidualBlock, Up, convolution
from ..networks.lite import MEAN, SPREAD, LiteEncoder
from ..networks.pyramid import PyramidEncoder


class UNet(nn.Module):
    """Residual blocks from half of the image's side down, and back up with what each level saw added.

    The first convolution halves the image, and logits of half its side are enlarged: maps of the full side would cost
    more than everything else, and few pixels depend on them.
    """

    pixel_mean: Tensor
    pixel_std: Tensor

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        # Statistics of the training images, set by the trainer; never of the images whose masks are predicted.
        self.register_buffer("pixel_mean", torch.full((3,), 0.45))
        self.register_buffer("pixel_std", torch.full((3,), 0.25))
        norm = nn.BatchNorm2d  # learns faster than groups within an image, and nothing here has to act as it learns
        self.stem = convolution(3, widths[0], 2, norm)
        self.down = nn.ModuleList(
            nn.Sequential(convolution(fine, coarse, 2, norm), ResidualBlock(coarse, norm))
            for fine, coarse in pairwise(widths)
        )
        self.up = nn.ModuleList(Up(fine, coarse, norm) for fine, coarse in pairwise(widths))
        self.head = nn.Conv2d(widths[0], 1, 1)

    def forward(self, images: Tensor) -> Tensor:
        """(images, height, width) logits, of (images, 3, height, width) with values from 0 to 1."""
        mean, std = self.pixel_mean.view(3, 1, 1), self.pixel_std.view(3, 1, 1)
        seen = [self.stem(((images - mean) / std).contiguous(memory_format=torch.channels_last))]
        for block in self.down:
            seen.append(block(seen[-1]))
        x = seen.pop()
        for block in reversed(self.up):
            x = block(x, seen.pop())
        logits: Tensor = F.interpolate(self.head(x), size=images.shape[2:], mode="bilinear")
        return logits[:, 0]


class LiteUNet(nn.Module):
    """The same way up, from what EfficientNet-Lite0 saw: a peer with the eyes of the preset ``best``."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        eyes = LiteEncoder(2 ** len(widths))
        self.pyramid = PyramidEncoder(eyes, eyes.channels, widths, channels=1)
        del self.pyramid.features  # of nodes, which there are none of

    @property
    def eyes(self) -> LiteEncoder:
        """The pretrained encoder."""
        assert isinstance(self.pyramid.eyes, LiteEncoder)
        return self.pyramid.eyes

    def forward(self, images: Tensor) -> Tensor:
        """(images, height, width) logits, of (images, 3, height, width) with values from 0 to 1."""
        seen = ((images - MEAN) / SPREAD).contiguous(memory_format=torch.channels_last)
        logits: Tensor = F.interpolate(self.pyramid.evidence_map(seen), size=images.shape[2:], mode="bilinear")
        return logits[:, 0]
