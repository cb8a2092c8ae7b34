"""A trunk that looks once and also says how likely each place of the image is paint: the evidence map.

What the oracle computes from the true mask, the policy can then see computed from the map: how much of a node is paint,
and what every cut would gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import ResidualBlock, Up, convolution
from .devices import exact
from .encoders import build_pyramid
from .lite import LITE, MEAN, SPREAD, LiteEncoder, load_weights
from .pooling import Sums, box_means, integrals
from .presets import Preset
from .pyramid import PyramidEncoder
from .trunks import Features, SharedTrunk, means_and_spreads
from .views import NodeView


@dataclass(frozen=True)
class Encoded:
    """What is kept of images that were looked at."""

    features: Tensor
    """(images, channels + 1, side / 4, side / 4); the last channel is how likely each place is paint."""
    logits: Tensor
    """(images, side / 2, side / 2): the evidence map."""
    signature: Tensor | None = None
    """See ``Trunk.signature``; None if nobody computed it."""

    @classmethod
    def joined(cls, parts: Sequence[Encoded]) -> Encoded:
        """What is kept of images that were looked at a few at a time."""
        if len(parts) == 1:
            return parts[0]
        known = [part.signature for part in parts if part.signature is not None]
        return cls(
            torch.cat([part.features for part in parts]),
            torch.cat([part.logits for part in parts]),
            torch.cat(known) if known else None,
        )

    @cached_property
    def sums(self) -> Sums:
        """The integrals of the features, for all levels of trees."""
        return integrals(self.features)


class MapTrunk(SharedTrunk):
    """As the shared trunk, with an evidence map; nodes also see the gain that it promises along each axis."""

    sees_gain = True
    more_channels = 1
    encoder: MapEncoder | PyramidEncoder

    def __init__(self, preset: Preset) -> None:
        super().__init__(preset)
        self.profile_channels += 1
        if preset.encoder == LITE:
            self.pixel_mean.fill_(MEAN)
            self.pixel_std.fill_(SPREAD)
            self.fixed_pixels = True

    def _encoder(self) -> nn.Module:
        preset = self.preset
        if not preset.encoder:
            return MapEncoder(preset.widths, preset.channels)
        eyes: nn.Module
        if preset.encoder == LITE:
            eyes = LiteEncoder(2 ** len(preset.widths))
            seen = eyes.channels
        else:
            eyes, seen = build_pyramid(preset.encoder, preset.encoder_settings, len(preset.widths))
        return PyramidEncoder(eyes, seen, preset.widths, preset.channels)

    def begin(self) -> None:
        """Before the first update: a pretrained encoder gets what was learned on ImageNet."""
        if isinstance(self.encoder, PyramidEncoder) and isinstance(self.encoder.eyes, LiteEncoder):
            load_weights(self.encoder.eyes)

    def freeze(self, stages: int) -> None:
        if isinstance(self.encoder, PyramidEncoder) and isinstance(self.encoder.eyes, LiteEncoder):
            self.encoder.eyes.freeze(stages)

    def encode(self, images: Tensor) -> Encoded:
        with self.convolving(images.device):
            features, logits, coarsest = self.encoder(self.normalise(self.shrink(images)))
        features, logits = features.float(), logits.float()
        likely = F.avg_pool2d(torch.sigmoid(logits), 2)
        seen = torch.cat([features, likely], dim=1).contiguous(memory_format=torch.channels_last)  # as pooling reads it
        return Encoded(seen, logits.squeeze(1), means_and_spreads(coarsest.detach().float()))

    def signature(self, encoded: Encoded) -> Tensor | None:
        return encoded.signature

    def evidence_map(self, images: Tensor) -> Tensor:
        with self.convolving(images.device):
            logits = self.encoder.evidence_map(self.normalise(self.shrink(images)))
        return logits.float().squeeze(1)

    def pool(self, encoded: Encoded, view: NodeView) -> list[Tensor]:
        again = not torch.is_grad_enabled() and view.device.type == "cpu"  # a tree asks at every level, an update once
        sums = encoded.sums if again else None
        return box_means(encoded.features, view.image, self.boxes(view), sums)

    def read(self, inner: Tensor, outer: Tensor, along_x: Tensor, along_y: Tensor, geometry: Tensor) -> Features:
        seen = super().read(inner, outer, along_x, along_y, geometry)
        assert seen.profiles is not None
        last = self.mean_channels - 1  # of each strip
        likely = seen.profiles[..., last :: self.mean_channels].mean(dim=3)
        gain = stretch_gains(exact(likely.detach())).float()  # differences of nearly equal numbers
        return Features(seen.vector, seen.mean, torch.cat([seen.profiles, gain.unsqueeze(3)], dim=3), gain)


def stretch_gains(likely: Tensor) -> Tensor:
    """(.., positions): information gain, in nats a pixel, of the better of the two cuts at the ends of each of equal
    stretches, given how likely paint is in each."""
    positions = likely.shape[-1]
    before = likely.cumsum(dim=-1)[..., :-1] / positions
    total = likely.mean(dim=-1, keepdim=True)
    share = torch.arange(1, positions, dtype=likely.dtype, device=likely.device) / positions

    def entropy(paint: Tensor, size: Tensor | float) -> Tensor:
        skip = (size - paint).clamp(min=0)
        parts = torch.stack([paint.clamp(min=0), skip])
        return -torch.special.xlogy(parts, parts / size).sum(dim=0)

    gain = entropy(total, 1.0) - entropy(before, share) - entropy(total - before, 1 - share)
    padded = F.pad(gain.clamp(min=0), (1, 1))
    return torch.maximum(padded[..., :-1], padded[..., 1:])


class MapEncoder(nn.Module):
    """Residual blocks from half of the image's side down and back up, with what each level saw added.

    Features for nodes leave it at a quarter of the side, the evidence map at half.
    """

    def __init__(self, widths: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.stem = convolution(3, widths[0], stride=2)
        self.down = nn.ModuleList(
            nn.Sequential(convolution(fine, coarse, stride=2), ResidualBlock(coarse))
            for fine, coarse in pairwise(widths)
        )
        self.up = nn.ModuleList(Up(fine, coarse) for fine, coarse in pairwise(widths))
        self.features = nn.Conv2d(widths[1], channels, 1)
        self.evidence = nn.Conv2d(widths[0], 1, 1)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Features, the evidence map, and the coarsest map."""
        quarter, half, coarsest = self._down_and_up(images)
        return self.features(quarter), self.evidence(half), coarsest

    def evidence_map(self, images: Tensor) -> Tensor:
        """Without the features."""
        evidence: Tensor = self.evidence(self._down_and_up(images)[1])
        return evidence

    def _down_and_up(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = [self.stem(images)]
        for block in self.down:
            seen.append(block(seen[-1]))
        coarsest = seen.pop()
        quarter = x = coarsest
        for level, block in reversed(list(enumerate(self.up))):
            if level == 0:
                quarter = x
            x = block(x, seen[level])
        return quarter, x, coarsest
