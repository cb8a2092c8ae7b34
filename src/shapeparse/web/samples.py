"""A few photographs with masks to try the service with, made by the built-in generator and kept in memory."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image

from ..data.generator import generate
from ..grammar import BoolArray
from ..support.errors import UserError
from ..support.text import one_line
from .parsers import Photo

SIZE, SEED = 512, 1

SAMPLES = {
    "car-door": ("Car door", 14),
    "stripped-door": ("Car door, partly stripped", 7),
    "window": ("Window with six panes", 18),
    "shutters": ("Window between shutters", 21),
    "rusty-plate": ("Rusty plate with holes", 10),
    "slotted-plate": ("Plate with slots", 19),
}
"""Title, and index in the generator's series, by name."""


@dataclass(frozen=True)
class Sample:
    """A photograph and its mask."""

    name: str
    photo: Photo
    mask: BoolArray
    photo_png: bytes
    mask_png: bytes


def find_sample(name: str) -> Sample:
    """The sample of that name."""
    if name not in SAMPLES:
        raise UserError(f"There is no sample {one_line(name[:60])!r}; the samples are {', '.join(SAMPLES)}.")
    return _make(name)


@cache
def _make(name: str) -> Sample:
    photo, mask = generate(SEED, SAMPLES[name][1], SIZE)
    return Sample(f"{name}.png", photo, mask, _png(photo), _png(mask.astype(np.uint8) * 255))


def _png(pixels: Photo) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()
