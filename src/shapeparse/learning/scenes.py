"""Training images in memory, flipped, zoomed into and relit, with their oracle and their rewards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import Tensor

from ..grammar import Limits
from ..networks.devices import CPU, as_tensor
from ..networks.views import to_pixels
from ..oracle.rewards import Rewards
from ..oracle.teachers import Teacher, TeacherName, make_teacher
from ..support.limits import TEACHER_PRICE
from .augmentation import draw_lights


class Scenes:
    """Images as the learner meets them. A scene is an image with or without a horizontal flip: 2i and 2i + 1.

    Flipped images are scenes of their own, with their own masks, so nothing else needs to know of flips. A scene shows
    a frame of its image, stretched to the image's size, under a light; at first the whole of it, as it is. Frame and
    light stay until they are drawn anew, so whoever looks at a scene in between sees the same.
    """

    def __init__(self, images: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_], flips: bool) -> None:
        self.images, self.masks = images, masks
        self.variants = 2 if flips else 1
        height, width = masks.shape[1:]
        self.frames = np.tile(np.array([[0, 0, width, height]], np.int32), (len(self), 1))
        """(scenes, 4): x, y, w, h of what each shows, before the flip."""
        self.lights = np.zeros((len(self), 6), np.float32)
        """(scenes, 6): the light each is shown under; see ``augmentation.draw_lights``."""
        self.choices: npt.NDArray[np.int32] | None = None
        """(images, frames, 4): the frames that may be drawn, if not any may."""

    def __len__(self) -> int:
        return len(self.images) * self.variants

    @property
    def sizes(self) -> npt.NDArray[np.int32]:
        """(width, height) of every scene."""
        height, width = self.masks.shape[1:]
        return np.tile(np.array([[width, height]], np.int32), (len(self), 1))

    def reframe(
        self, scenes: npt.NDArray[np.integer], zoom: float, rng: np.random.Generator, colour: float = 0.0
    ) -> None:
        """Draw new frames, whose sides are up to ``zoom`` shorter than the image's, and new lights."""
        if self.choices is not None:
            drawn = rng.integers(0, self.choices.shape[1], len(scenes))
            self.frames[scenes] = self.choices[scenes // self.variants, drawn]
        elif zoom:
            self.frames[scenes] = draw_frames(len(scenes), self.masks.shape[:0:-1], zoom, rng)
        if colour:
            self.lights[scenes] = draw_lights(len(scenes), colour, rng)

    def mask(self, scene: int) -> npt.NDArray[np.bool_]:
        """The mask of a scene: each pixel that of the nearest one."""
        mask = self.masks[scene // self.variants]
        x, y, w, h = self.frames[scene]
        rows, columns = (
            start + ((np.arange(extent) + 0.5) * size / extent).astype(np.int64)
            for start, size, extent in zip((y, x), (h, w), mask.shape, strict=True)
        )
        shown = mask[np.ix_(rows, columns)]
        return shown[:, ::-1] if scene % self.variants else shown

    def masks_of(self, scenes: npt.NDArray[np.integer], device: torch.device = CPU) -> Tensor:
        """(scenes, side, side): 1 where the scenes' masks are paint."""
        return as_tensor(np.stack([self.mask(scene) for scene in np.asarray(scenes).tolist()]), device).float()

    def all_masks(self) -> list[npt.NDArray[np.bool_]]:
        """The mask of every scene."""
        return [self.mask(scene) for scene in range(len(self))]

    def teacher(
        self, limits: Limits, name: TeacherName = "igm", lookahead: int = 0, price: float = TEACHER_PRICE
    ) -> Teacher:
        """The oracle of all scenes, on as many cores as the network has; see ``make_teacher``."""
        return make_teacher(self.all_masks(), limits, name, lookahead, price, torch.get_num_threads())

    def rewards(self) -> Rewards:
        """The rewards of all scenes."""
        return Rewards(self.all_masks())

    def draw(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """One scene an image, flipped or not by chance, in random order: an epoch."""
        order = rng.permutation(len(self.images))
        return order * self.variants + rng.integers(0, self.variants, len(order))

    def pixels(self, scenes: npt.NDArray[np.integer], device: torch.device = CPU) -> Tensor:
        """(scenes, 3, side, side), from 0 to 1, in the light of the photographs."""
        chosen = self.images[np.asarray(scenes) // self.variants]
        for place, frame in enumerate(self.frames[scenes].tolist()):
            chosen[place] = stretched(chosen[place], frame)
        flipped = (np.asarray(scenes) % self.variants).astype(bool)
        chosen[flipped] = chosen[flipped, :, ::-1]
        return to_pixels(chosen, device)


def draw_frames(count: int, size: Sequence[int], zoom: float, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """(count, 4): random frames of images of a (width, height), their sides up to ``zoom`` shorter."""
    whole = np.array(size)
    shown = np.maximum(1, np.round(whole * rng.uniform(1 - zoom, 1, (count, 2)))).astype(np.int32)
    corner = np.floor(rng.random((count, 2)) * (whole - shown + 1)).astype(np.int32)
    return np.concatenate([corner, shown], axis=1)


def stretched(image: npt.NDArray[np.uint8], frame: Sequence[int]) -> npt.NDArray[np.uint8]:
    """What a frame (x, y, w, h) of an image shows, at the image's size."""
    x, y, w, h = frame
    height, width = image.shape[:2]
    if (w, h) == (width, height):
        return image
    return np.asarray(
        Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR, box=(x, y, x + w, y + h))
    )
