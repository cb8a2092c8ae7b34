"""Photographs as the pictures need them: checked, in RGB, enlarged when small, tinted by label."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..grammar import BoolArray
from ..support.errors import UserError
from .palette import BLANK, MASK_GREYS, PAINT, PAPER, SKIP, VIVID, Colour, mix

Pixels = npt.NDArray[np.uint8]
"""A colour picture, (height, width, 3)."""
FloatPixels = npt.NDArray[np.float32]
"""Single precision: a photograph of twelve megapixels is large enough as it is."""

LARGE_ENOUGH = 512
"""Pictures whose longer side is shorter than this are enlarged."""
_TARGET = 768


def as_rgb(image: npt.NDArray | None, width: int, height: int) -> Pixels:
    """The picture of a ``width`` x ``height`` object as RGB.

    ``image`` is a photograph in grey, RGB or RGBA (8-bit, or floats from 0 to 1), or a boolean mask, which is
    shown in two greys; without it the picture is blank.
    """
    if image is None:
        return np.full((height, width, 3), BLANK, np.uint8)
    pixels = np.asarray(image)
    if pixels.shape[:2] != (height, width) or pixels.ndim not in (2, 3):
        raise UserError(
            f"The image has shape {pixels.shape} but the tree is of an image of {width}x{height} pixels; "
            "give the image that was parsed."
        )
    if pixels.dtype == np.bool_:
        pixels = np.where(pixels, np.uint8(MASK_GREYS[1]), np.uint8(MASK_GREYS[0]))
    elif np.issubdtype(pixels.dtype, np.floating):
        pixels = np.rint(np.clip(np.nan_to_num(pixels), 0, 1) * 255)
    pixels = np.clip(pixels, 0, 255).astype(np.uint8)
    return _three_channels(pixels.reshape(height, width, -1))


def enlargement(width: int, height: int) -> int:
    """The whole number by which a picture is enlarged, so that one-pixel borders are thin on it."""
    longer = max(width, height)
    return 1 if longer >= LARGE_ENOUGH else -(-_TARGET // longer)


def enlarge(pixels: Pixels, factor: int) -> Pixels:
    """The picture, ``factor`` times as wide and as high."""
    height, width = pixels.shape[:2]
    # Smoothing pays for photographs; a few fat pixels are better seen as what they are.
    method = Image.Resampling.BICUBIC if factor <= 8 else Image.Resampling.NEAREST
    return np.array(Image.fromarray(pixels).resize((width * factor, height * factor), method), np.uint8)


def tinted(pixels: Pixels, paint: BoolArray) -> Pixels:
    """The photograph with its painted part in a warm tint and the rest in a cool one, paler."""
    colours, grey = pixels.astype(np.float32), luminance(pixels)[..., None]
    # Both keep some of the photograph's own colours, and are lifted, for tints on dark grounds turn to mud.
    warm = _blend(_blend(0.4 * colours + 0.6 * grey, PAPER, 0.12), mix(PAINT, VIVID, 0.6), 0.56)
    cool = _blend(_blend(0.3 * colours + 0.7 * grey, PAPER, 0.20), mix(SKIP, PAPER, 0.15), 0.42)
    return np.rint(np.where(paint[..., None], warm, cool)).astype(np.uint8)


def washed(pixels: Pixels, paint: BoolArray) -> Pixels:
    """A pale print of the photograph in the labels' colours, on which dark lines always read well."""
    light = (0.74 + 0.26 * luminance(pixels) / 255)[..., None]
    warm, cool = np.asarray([mix(VIVID, PAPER, 0.22), mix(SKIP, PAPER, 0.55)], np.float32)
    colour = np.where(paint[..., None], warm, cool)
    printed: Pixels = np.rint(light * colour).astype(np.uint8)
    return printed


def luminance(pixels: Pixels) -> FloatPixels:
    """How bright each pixel looks, from 0 to 255 (Rec. 601, as Pillow's mode L)."""
    grey: FloatPixels = pixels.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    return grey


def _blend(base: FloatPixels, colour: Colour, opacity: float) -> FloatPixels:
    return base * (1 - opacity) + np.asarray(colour, np.float32) * opacity


def _three_channels(pixels: Pixels) -> Pixels:
    channels = pixels.shape[2]
    if channels in (2, 4):  # the last one is opacity: lay the picture on paper
        opacity = pixels[..., -1:] / 255
        pixels = np.rint(pixels[..., :-1] * opacity + np.asarray(PAPER[0]) * (1 - opacity)).astype(np.uint8)
        channels -= 1
    if channels not in (1, 3):
        raise UserError(f"The image has {channels} channels; give grey, RGB or RGBA.")
    return np.ascontiguousarray(np.broadcast_to(pixels, (*pixels.shape[:2], 3)))
