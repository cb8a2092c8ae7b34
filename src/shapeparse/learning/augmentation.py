"""Training images seen otherwise: nearer or farther, a little aside, flipped, and under another light."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from ..networks.devices import CPU, as_tensor


def random_crops(
    pixels: Tensor, masks: Tensor, zoom: float, flips: bool, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    """A random window of each image and of its mask, both enlarged or shrunk to the size they had.

    Image and mask are sampled together, so nothing can move one without the other; masks get soft edges.

    Args:
        pixels: (images, 3, height, width).
        masks: (images, height, width), from 0 to 1.
        zoom: how many times larger or smaller things may become; 1 for not at all.
        flips: whether half of the windows are flipped left to right.
        rng: decides all of it.
    """
    both = torch.cat([pixels, masks[:, None]], dim=1)
    grid = F.affine_grid(
        random_windows(len(both), zoom, flips, rng, both.device), list(both.shape), align_corners=False
    )
    cropped = F.grid_sample(both, grid, padding_mode="reflection", align_corners=False)
    return cropped[:, :3], cropped[:, 3]


def random_windows(
    count: int, zoom: float, flips: bool, rng: np.random.Generator, device: torch.device = CPU
) -> Tensor:
    """(count, 2, 3): for each window the map from its own coordinates, -1 to 1 on both axes, to those of the image.

    A window smaller than the image lies inside it; a larger one has the image inside, and reflections around it.
    """
    most = math.log(zoom)
    size = np.exp(rng.uniform(-most, most, (count, 1)) + rng.uniform(-most / 4, most / 4, (count, 2)))
    shift = rng.uniform(-1, 1, (count, 2)) * (1 - size)
    mirror = np.where(rng.random(count) < 0.5, -1.0, 1.0) if flips else np.ones(count)
    windows = np.zeros((count, 2, 3), np.float32)
    windows[:, 0, 0], windows[:, 1, 1] = size[:, 0] * mirror, size[:, 1]
    windows[:, :, 2] = shift
    return as_tensor(windows, device)


def colour_jitter(pixels: Tensor, strength: float, rng: np.random.Generator) -> Tensor:
    """Each image under another light, drawn anew."""
    if strength <= 0:
        return pixels
    return relit(pixels, draw_lights(len(pixels), strength, rng))


def draw_lights(count: int, strength: float, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """(count, 6): how much saturation, contrast, the tint of three colours and brightness change, by up to
    ``strength``."""
    drawn = [rng.uniform(-strength, strength, (count, columns)) for columns in (1, 1, 3, 1)]
    return np.concatenate(drawn, axis=1).astype(np.float32)


def relit(pixels: Tensor, lights: npt.NDArray[np.float32]) -> Tensor:
    """Images (images, 3, height, width) under lights of ``draw_lights``; zeros change nothing."""
    drawn = as_tensor(lights, pixels.device)[:, :, None, None]
    saturation, contrast, tint, brightness = drawn[:, :1], drawn[:, 1:2], drawn[:, 2:5], drawn[:, 5:]
    grey = pixels.mean(dim=1, keepdim=True)
    pixels = grey + (pixels - grey) * (1 + saturation)
    middle = pixels.mean(dim=(1, 2, 3), keepdim=True)
    pixels = middle + (pixels - middle) * (1 + contrast)
    return (pixels * (1 + tint) + 0.5 * brightness).clamp(0, 1)
