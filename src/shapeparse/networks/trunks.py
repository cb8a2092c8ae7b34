"""Trunks: from an image and a node to the node's features. One class a way of looking."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .blocks import ResidualBlock, convolution
from .encoders import build_encoder
from .normalisation import BatchRenorm
from .pooling import Edges, box_means
from .precision import Convolving
from .presets import Preset
from .views import GEOMETRY, NodeView

BLUR = 4
"""Side of the small image that tells kinds of images apart where no encoder does."""


@dataclass(frozen=True)
class Features:
    """What the heads see of some nodes."""

    vector: Tensor
    """(nodes, features)."""
    mean: Tensor | None = None
    """(nodes, channels): mean of the feature map over the node; None if the trunk has no such map."""
    profiles: Tensor | None = None
    """(nodes, 2, positions, channels): what lies along each axis; None if the trunk keeps no places."""
    gain: Tensor | None = None
    """(nodes, 2, positions): what cuts there would gain by the evidence map; None if the trunk has none."""


class Trunk(Convolving):
    """``encode`` looks at images once; ``forward`` gives the features of nodes from what was encoded."""

    vector_size: int
    mean_channels: int = 0
    profile_channels: int = 0
    sees_gain: bool = False
    fixed_pixels: bool = False
    """Whether images are normalised as a pretrained encoder wants them, not by their own statistics."""
    pixel_mean: Tensor
    pixel_std: Tensor

    def __init__(self, preset: Preset) -> None:
        super().__init__()
        self.preset = preset
        # Statistics of the training images, set by the trainer; never of the images that are parsed.
        self.register_buffer("pixel_mean", torch.full((3,), 0.45))
        self.register_buffer("pixel_std", torch.full((3,), 0.25))

    def normalise(self, images: Tensor) -> Tensor:
        """(images, 3, side, side) with values from 0 to 1, as the network wants them."""
        count, channels, height, width = images.shape
        rows = images.permute(0, 2, 3, 1).reshape(count, height, width * channels)  # rows of many numbers are quicker
        mean, std = self.pixel_mean.repeat(width), self.pixel_std.repeat(width)
        return ((rows - mean) / std).view(count, height, width, channels).permute(0, 3, 1, 2)

    def begin(self) -> None:
        """Make ready for the first update."""

    def freeze(self, stages: int) -> None:
        """Keep so many stages of a pretrained encoder as they are."""

    def shrink(self, images: Tensor) -> Tensor:
        """The images at the size at which they are looked at."""
        return images

    def encode(self, images: Tensor) -> Any:
        """What ``forward`` needs to know of the images; differentiable."""
        raise NotImplementedError

    def signature(self, encoded: Any) -> Tensor | None:
        """(images, numbers): what was seen of each image as a whole, by which kinds of images can be told apart."""
        raise NotImplementedError

    def evidence_map(self, images: Tensor) -> Tensor:
        """Of what ``encode`` sees, the evidence map alone, as logits; for trunks that have one."""
        raise NotImplementedError

    def forward(self, encoded: Any, view: NodeView) -> Features:
        """The features of the nodes."""
        raise NotImplementedError


class PaperTrunk(Trunk):
    """The authors' network: the whole image, 0 outside the node, through 7 convolutions and 2 dense layers."""

    strides = (1, 1, 1, 2, 2, 2, 2)

    def __init__(self, preset: Preset) -> None:
        super().__init__(preset)
        layers: list[nn.Module] = []
        channels, side = 3, preset.side
        for width, stride in zip(preset.widths, self.strides, strict=True):
            layers += [nn.Conv2d(channels, width, 3, stride), nn.ReLU(inplace=True)]
            channels, side = width, (side - 3) // stride + 1
        self.convolutions = nn.Sequential(*layers)
        self.dense = dense_layers((channels * side * side, *preset.dense))
        self.vector_size = preset.dense[-1]

    def encode(self, images: Tensor) -> Tensor:
        return self.normalise(images)

    def signature(self, encoded: Tensor) -> Tensor | None:
        return blurred(encoded)

    def forward(self, encoded: Tensor, view: NodeView) -> Features:
        """Every node is a whole image of its own: this is the slow way, kept for fidelity."""
        side = self.preset.side
        place = (torch.arange(side, device=view.device) + 0.5) / side

        def inside(low: Any, size: Any) -> Tensor:
            low, size = view.tensor(low).float()[:, None], view.tensor(size).float()[:, None]
            return (place >= low) & (place < low + size)

        mask = inside(view.y, view.h)[:, None, :, None] & inside(view.x, view.w)[:, None, None, :]
        masked = encoded[view.tensor(view.image).long()] * mask
        with self.convolving(view.device):
            seen = self.convolutions(masked)
        return Features(self.dense(seen.float().flatten(1)))


class CropTrunk(Trunk):
    """The node cut out at a fixed size, beside a small whole image in which it is marked: 7 convolutions, 2 dense."""

    strides = (2, 1, 2, 1, 2, 1, 2)

    def __init__(self, preset: Preset) -> None:
        super().__init__(preset)
        layers: list[nn.Module] = []
        channels, side = 7, preset.crop
        for width, stride in zip(preset.widths, self.strides, strict=True):
            layers += [convolution(channels, width, stride)]
            channels, side = width, (side + stride - 1) // stride
        self.convolutions = nn.Sequential(*layers)
        self.dense = dense_layers((channels * side * side + GEOMETRY, *preset.dense))
        self.vector_size = preset.dense[-1]

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        pixels = self.normalise(images)
        return pixels, F.interpolate(pixels, self.preset.crop, mode="area")

    def signature(self, encoded: tuple[Tensor, Tensor]) -> Tensor | None:
        return blurred(encoded[1])

    def forward(self, encoded: tuple[Tensor, Tensor], view: NodeView) -> Features:
        pixels, small = encoded
        size = self.preset.crop
        (crops,) = box_means(pixels, view.image, [view.edges(size, size)])
        marked = self._mark(view)
        around = small[view.tensor(view.image).long()]
        seen = torch.cat([crops.permute(0, 3, 1, 2), around, marked], dim=1)
        with self.convolving(view.device):
            seen = self.convolutions(seen.contiguous(memory_format=torch.channels_last))
        return Features(self.dense(torch.cat([seen.float().flatten(1), view.geometry()], dim=1)))

    def _mark(self, view: NodeView) -> Tensor:
        """(nodes, 1, crop, crop): the share of each cell of the small image that the node covers."""
        size = self.preset.crop
        low = torch.arange(size, device=view.device) / size

        def cover(start: Any, extent: Any) -> Tensor:
            start, extent = view.tensor(start).float()[:, None], view.tensor(extent).float()[:, None]
            return ((torch.minimum(start + extent, low + 1 / size) - torch.maximum(start, low)) * size).clamp(0, 1)

        return cover(view.y, view.h)[:, None, :, None] * cover(view.x, view.w)[:, None, None, :]


class SharedTrunk(Trunk):
    """One U-Net-like look at the image; a node's features are exact means over boxes of the feature map.

    The rule head gets a grid of means over the node and a little around it; the split heads get, for each axis, the
    means of stretches along it.
    """

    margin = 0.25
    more_channels = 0
    """Of the feature map, beside those of the encoder's features."""

    def __init__(self, preset: Preset) -> None:
        super().__init__(preset)
        self.encoder = self._encoder()
        channels = preset.channels + self.more_channels
        means = channels * (preset.cells**2 + (preset.cells // 2) ** 2)
        self.dense = dense_layers((means + GEOMETRY, *preset.dense))
        self.vector_size = preset.dense[-1]
        self.mean_channels = channels
        self.profile_channels = channels * preset.strips

    def _encoder(self) -> nn.Module:
        if self.preset.encoder:
            return build_encoder(self.preset.encoder, self.preset.encoder_settings, self.preset.channels)
        return Encoder(self.preset.widths, self.preset.channels)

    def shrink(self, images: Tensor) -> Tensor:
        look = self.preset.look
        return F.interpolate(images, look, mode="area") if look < images.shape[-1] else images

    def encode(self, images: Tensor) -> Any:
        with self.convolving(images.device):
            seen: Tensor = self.encoder(self.normalise(self.shrink(images)))
        return seen.float()

    def signature(self, encoded: Any) -> Tensor | None:
        return means_and_spreads(encoded)

    def forward(self, encoded: Any, view: NodeView) -> Features:
        inner, outer, along_x, along_y = self.pool(encoded, view)
        return self.read(inner, outer, along_x, along_y, view.geometry())

    def pool(self, encoded: Any, view: NodeView) -> list[Tensor]:
        """Means of the feature map over the boxes of each node."""
        return box_means(encoded, view.image, self.boxes(view))

    def boxes(self, view: NodeView) -> list[Edges]:
        """What is looked at of each node: a grid, one that reaches beyond it, and both profiles."""
        cells, positions, strips = self.preset.cells, self.preset.positions, self.preset.strips
        return [
            view.edges(cells, cells),
            view.edges(cells // 2, cells // 2, self.margin),
            view.edges(positions, strips),
            view.edges(strips, positions),
        ]

    def read(self, inner: Tensor, outer: Tensor, along_x: Tensor, along_y: Tensor, geometry: Tensor) -> Features:
        """The features of nodes from these means."""
        vector = self.dense(torch.cat([inner.flatten(1), outer.flatten(1), geometry], dim=1))
        # (nodes, strips, positions, channels) and (nodes, positions, strips, channels) to (nodes, 2, positions, ..)
        pair = torch.stack([along_x.transpose(1, 2), along_y], dim=1)
        return Features(vector, inner.mean(dim=(1, 2)), pair.flatten(3, 4))


class Encoder(nn.Module):
    """A small residual network from 1/4 down to 1/32 of the image's side and back up to 1/4.

    The first convolution takes the image to a quarter at once: maps of half the side would cost as much as the rest.
    The features it ends with are around 0, not positive, so that what all places have in common is not what every
    weight behind them learns first.
    """

    def __init__(self, widths: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 7, 4, 3, bias=False), BatchRenorm(widths[0]), nn.ReLU(inplace=True)
        )
        self.levels = nn.ModuleList([ResidualBlock(widths[0])])
        for before, width in pairwise(widths):
            self.levels.append(nn.Sequential(convolution(before, width, stride=2), ResidualBlock(width)))
        self.lateral = nn.ModuleList(nn.Conv2d(width, channels, 1) for width in widths)
        self.up = nn.ModuleList(convolution(channels, channels) for _ in widths[2:])
        self.last = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), BatchRenorm(channels))

    def forward(self, images: Tensor) -> Tensor:
        seen: list[Tensor] = []
        x: Tensor = self.stem(images)
        for block in self.levels:
            x = block(x)
            seen.append(x)
        x = self.lateral[-1](seen[-1])
        for level, up in reversed(list(enumerate([self.last, *self.up]))):
            x = F.interpolate(x, size=seen[level].shape[2:], mode="nearest") + self.lateral[level](seen[level])
            x = up(x)
        return x


def means_and_spreads(features: Tensor) -> Tensor:
    """(images, 2 channels): the mean and the standard deviation of each channel over all places."""
    mean = features.mean(dim=(2, 3))
    spread = (features - mean[:, :, None, None]).square().mean(dim=(2, 3)).sqrt()
    return torch.cat([mean, spread], dim=1)


def blurred(pixels: Tensor) -> Tensor:
    """(images, 3 BLUR²): the colours of few large places, for networks that keep nothing else of a whole image."""
    return F.interpolate(pixels, BLUR, mode="area").flatten(1)


def dense_layers(sizes: tuple[int, ...]) -> nn.Sequential:
    """Dense layers with ReLU between and behind them."""
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)
