"""The evidence map, and features for nodes, on top of an encoder that gives a pyramid of maps: one of every stride."""

from __future__ import annotations

from itertools import pairwise

import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import Adding, convolution
from .normalisation import BatchRenorm


class Joined(Adding):
    """A coarse map enlarged onto what the encoder saw at the next finer stride."""

    def __init__(self, coarse: int, seen: int, width: int) -> None:
        super().__init__()
        self.narrow = nn.Conv2d(coarse, width, 1)
        self.lateral = nn.Conv2d(seen, width, 1)
        self.merge = convolution(width, width)

    def forward(self, coarse: Tensor, seen: Tensor) -> Tensor:
        enlarged = F.interpolate(self.narrow(coarse), size=seen.shape[2:], mode="bilinear")
        merged: Tensor = self.merge(self.add(enlarged, self.lateral(seen)))
        return merged


class PyramidEncoder(nn.Module):
    """The maps of an encoder, joined from coarse to fine.

    As ``maps.MapEncoder``: features for nodes leave it at a quarter of the image's side, the evidence map at half.
    """

    def __init__(self, eyes: nn.Module, seen: tuple[int, ...], widths: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.eyes = eyes
        """Gives maps at strides 2, 4, 8 and so on, with as many channels as ``seen`` says."""
        self.top = nn.Sequential(
            nn.Conv2d(seen[-1], widths[-1], 1, bias=False), BatchRenorm(widths[-1]), nn.ReLU(inplace=True)
        )
        self.up = nn.ModuleList(
            Joined(coarse, known, fine) for (fine, coarse), known in zip(pairwise(widths), seen[:-1], strict=True)
        )
        self.features = nn.Conv2d(widths[1], channels, 1)
        self.evidence = nn.Conv2d(widths[0], 1, 1)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Features, the evidence map, and the coarsest map of the encoder."""
        quarter, half, coarsest = self._joined(images)
        return self.features(quarter), self.evidence(half), coarsest

    def evidence_map(self, images: Tensor) -> Tensor:
        """Without the features."""
        evidence: Tensor = self.evidence(self._joined(images)[1])
        return evidence

    def _joined(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = self.eyes(images)
        x = self.top(seen[-1])
        quarter = x
        for level, join in reversed(list(enumerate(self.up))):
            if level == 0:
                quarter = x
            x = join(x, seen[level])
        return quarter, x, seen[-1]
