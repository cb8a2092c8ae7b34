"""Random looks at training images, small at first, from which an evidence map is learned before nodes are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from ..networks.devices import CPU, as_tensor
from ..networks.views import to_pixels
from .augmentation import colour_jitter, random_crops

FEW = 32
"""Images that are shrunk at a time."""


class Looks:
    """Crops of images and of their masks, zoomed, flipped and under another light each time."""

    def __init__(
        self,
        images: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_],
        zoom: float,
        flips: bool,
        colour: float,
    ) -> None:
        self.images, self.masks = images, masks
        self.zoom, self.flips, self.colour = zoom, flips, colour
        self.side = 0
        self.shrunk = torch.empty(0, dtype=torch.uint8, device=CPU)
        """(images, 4, side, side): colours and mask."""

    def shrink_to(self, side: int) -> None:
        """Take looks of this side from now on. Images are shrunk once, not for every look."""
        if side == self.side:
            return
        self.side = side
        parts = []
        for first in range(0, len(self.images), FEW):
            pixels = to_pixels(self.images[first : first + FEW])
            masks = as_tensor(self.masks[first : first + FEW], CPU).float()
            both = torch.cat([pixels, masks[:, None]], dim=1)
            if side < both.shape[-1]:
                both = F.interpolate(both, side, mode="area")
            parts.append((both * 255).round().byte())
        self.shrunk = torch.cat(parts)

    def __call__(
        self, chosen: npt.NDArray[np.integer], rng: np.random.Generator, device: torch.device = CPU
    ) -> tuple[Tensor, Tensor]:
        """Looks at some images, (looks, 3, side, side), and at their masks, (looks, side, side), from 0 to 1."""
        both = self.shrunk[np.asarray(chosen)].to(device).float().div_(255)
        pixels, masks = random_crops(both[:, :3], both[:, 3], self.zoom, self.flips, rng)
        return colour_jitter(pixels, self.colour, rng), masks


def look_side(progress: float, first: int, last: int) -> int:
    """The side of crops when this share of the looking is done: the first, one between, and then the last."""
    if not first or progress >= 2 / 3:
        return last
    between = max(first, (first + last) // 2 // 32 * 32)
    return min(first if progress < 1 / 3 else between, last)
