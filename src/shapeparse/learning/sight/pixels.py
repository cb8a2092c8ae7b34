"""Scenes as pixels, in the frame and the light that each has until it is drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ..augmentation import relit
from ..scenes import Scenes


@dataclass(frozen=True)
class Pixels:
    """Shows the pixels of scenes."""

    scenes: Scenes
    shrink: Callable[[Tensor], Tensor] = lambda pixels: pixels
    """Takes images to the size at which a network looks at them."""

    def __call__(self, scenes: npt.NDArray[np.integer], device: torch.device) -> Tensor:
        """(scenes, 3, side, side), from 0 to 1."""
        pixels = self.shrink(self.scenes.pixels(scenes, device))
        lights = self.scenes.lights[scenes]
        return relit(pixels, lights) if lights.any() else pixels
