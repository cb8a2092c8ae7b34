"""A trunk whose eyes are given: EfficientNet-Lite0 as it came from ImageNet, with a small neck that learns.

What the eyes see of an image never changes, so a training computes it once, keeps it, and shows that to the networks
instead of pixels: an update then costs a small neck and the heads of nodes. A trained network has its eyes again.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import convolution
from .folding import folded
from .lite import MEAN, SPREAD, LiteEncoder, load_weights
from .presets import Preset
from .trunks import SharedTrunk

if TYPE_CHECKING:
    from .policy import Policy

STRIDE = 8
"""Of the finest map that is kept; what is seen at stride 4 is kept as means at this one."""
CHANNELS = (64, 112, 320)
"""Of the maps that are kept, at strides 8 (24 channels of which were seen at stride 4), 16 and 32."""


class FrozenEncoder(nn.Module):
    """Eyes that do not learn, and a neck that does. While a network learns it has no eyes of its own."""

    def __init__(self, width: int, channels: int, look: int) -> None:
        super().__init__()
        self.eyes: LiteEncoder | None = LiteEncoder(32)
        self.eyes.requires_grad_(False)
        self.sides = tuple(look // STRIDE >> level for level in range(len(CHANNELS)))
        self.narrow = nn.ModuleList(nn.Linear(seen, width) for seen in CHANNELS)
        self.merge = convolution(width, width)
        self.last = nn.Linear(width, channels)

    def see(self, images: Tensor) -> Tensor:
        """(images, numbers): what the eyes see of normalised images, in half precision, map after map, each with its
        channels last."""
        assert self.eyes is not None, "a network that learns is shown what was seen"
        with torch.no_grad():
            _, quarter, *coarser = self.eyes(images)
            finest = torch.cat([F.avg_pool2d(quarter, 2), coarser[0]], dim=1)
            flat = [found.permute(0, 2, 3, 1).flatten(1) for found in (finest, *coarser[1:])]
            return torch.cat(flat, dim=1).half()

    def forward(self, seen: Tensor) -> Tensor:
        """(images, channels, side / 8, side / 8): features of what was seen."""
        sizes = [channels * side * side for channels, side in zip(CHANNELS, self.sides, strict=True)]
        joined: Tensor | None = None
        maps = torch.split(seen, sizes, dim=1)  # type: ignore[no-untyped-call]
        for flat, side, narrow in reversed(list(zip(maps, self.sides, self.narrow, strict=True))):
            found: Tensor = narrow(flat.float().view(len(seen), side, side, -1)).permute(0, 3, 1, 2)
            joined = found if joined is None else found + F.interpolate(joined, size=side, mode="nearest")
        assert joined is not None
        merged = self.merge(joined)
        features: Tensor = self.last(merged.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return features


class FrozenTrunk(SharedTrunk):
    """As the shared trunk, on eyes that do not learn. It encodes images, or what ``see`` saw of them."""

    encoder: FrozenEncoder
    fixed_pixels = True

    def __init__(self, preset: Preset) -> None:
        super().__init__(preset)
        self.pixel_mean.fill_(MEAN)
        self.pixel_std.fill_(SPREAD)

    def _encoder(self) -> nn.Module:
        return FrozenEncoder(self.preset.widths[0], self.preset.channels, self.preset.look)

    def begin(self) -> None:
        """Leave the eyes out: from now on it is shown what they saw."""
        self.encoder.eyes = None

    def see(self, images: Tensor) -> Tensor:
        """What the eyes see of images (images, 3, side, side) from 0 to 1."""
        return self.encoder.see(self.normalise(self.shrink(images)))

    def encode(self, images: Tensor) -> Tensor:
        seen = images if images.ndim == 2 else self.see(images)
        with self.convolving(seen.device):
            features: Tensor = self.encoder(seen)
        return features.float()


def eyes_for(preset: Preset) -> FrozenTrunk:
    """A trunk to see with: its eyes have what was learned on ImageNet, in as few steps as possible."""
    trunk = FrozenTrunk(preset)
    assert trunk.encoder.eyes is not None
    load_weights(trunk.encoder.eyes)
    return folded(trunk)


def with_eyes(policy: Policy) -> Policy:
    """A copy of a policy that learned without eyes, with them: it parses photographs."""
    complete = copy.deepcopy(policy)
    trunk = complete.trunk
    assert isinstance(trunk, FrozenTrunk)
    eyes = LiteEncoder(32)
    load_weights(eyes)
    trunk.encoder.eyes = eyes.to(trunk.pixel_mean.device)
    return complete
