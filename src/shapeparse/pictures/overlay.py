"""A photograph with the labelled segments over it, as pixels."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from ..grammar import BoolArray, ParseTree
from ..support.errors import UserError
from ..support.files import write_bytes
from .layout import split_lines
from .palette import INK, PAPER
from .pixels import Pixels, as_rgb, enlarge, enlargement, tinted

_PIXELS_A_LINE = 900
"""Borders are one pixel wide on pictures of this size, two on pictures twice as large, and so on."""
_MOST_CONTOUR = 0.3


def overlay(tree: ParseTree, image: npt.NDArray | None = None) -> Pixels:
    """The photograph with the tree's leaves over it: paint warm, skip cool and paler, thin borders between.

    Small pictures are enlarged by a whole number, see ``enlargement``. ``image`` may also be a boolean mask,
    shown in grey, or None for a blank ground.
    """
    labels = tree.labels()
    picture, factor = _ground(labels, image)
    width = _line_width(picture)
    splits = np.zeros(picture.shape[:2], bool)
    for line in split_lines(tree):
        x, y, end_x, end_y = (place * factor for place in line[1:])
        across, down = (width, 0) if x == end_x else (0, width)
        rows = slice(max(0, y - down // 2), end_y - down // 2 + down)
        splits[rows, max(0, x - across // 2) : end_x - across // 2 + across] = True
    _draw(picture, splits, width, strength=0.8)
    _draw(picture, _contour(labels, factor, width + 1), width, strength=1.0)
    return picture


def label_overlay(labels: BoolArray, image: npt.NDArray | None = None) -> Pixels:
    """The photograph with any labelling over it, for example the true mask, in the colours of ``overlay``."""
    if np.ndim(labels) != 2:
        raise UserError(f"The labels have shape {np.shape(labels)}; give one True or False a pixel.")
    labels = np.asarray(labels, bool)
    picture, factor = _ground(labels, image)
    width = _line_width(picture)
    _draw(picture, _contour(labels, factor, width + 1), width, strength=1.0)
    return picture


def png_bytes(pixels: npt.NDArray) -> bytes:
    """The picture as a PNG file's content."""
    buffer = io.BytesIO()
    made_by = PngInfo()
    made_by.add_text("Software", "shapeparse")  # which tells its kind: see support/files.py
    Image.fromarray(np.asarray(pixels)).save(buffer, format="PNG", pnginfo=made_by)
    return buffer.getvalue()


def write_png(path: str | Path, pixels: npt.NDArray) -> None:
    """Write the picture as a PNG file, atomically."""
    write_bytes(path, png_bytes(pixels))


def _ground(labels: BoolArray, image: npt.NDArray | None) -> tuple[Pixels, int]:
    height, width = labels.shape
    factor = enlargement(width, height)
    photograph = enlarge(as_rgb(image, width, height), factor)
    return tinted(photograph, _magnify(labels, factor)), factor


def _magnify(labels: BoolArray, factor: int) -> BoolArray:
    return labels.repeat(factor, axis=0).repeat(factor, axis=1)


def _line_width(picture: Pixels) -> int:
    longer = int(max(picture.shape[:2]))
    return max(1, round(longer / _PIXELS_A_LINE))


def _contour(labels: BoolArray, factor: int, width: int) -> BoolArray:
    """Lines of the given width where paint meets skip, so that the painted shape stands out.

    There are none if they would cover the picture, as they would that of a mask full of specks.
    """
    large = _magnify(labels, factor)
    line = np.zeros(large.shape, bool)
    for lines, sides in ((line, large), (line.T, large.T)):
        row, column = np.nonzero(sides[1:] != sides[:-1])
        for shift in range(1 - width // 2, 1 - width // 2 + width):
            lines[np.clip(row + shift, 0, len(lines) - 1), column] = True
    return line if line.mean() < _MOST_CONTOUR else np.zeros_like(line)


def _draw(picture: Pixels, line: BoolArray, width: int, strength: float) -> None:
    """Draw in place: a light line with dark flanks shows on bright and on dark photographs alike."""
    flank = line.copy()
    for to in (flank, flank.T):  # the second pass fills the corners too
        base = to.copy()
        to[width:] |= base[:-width]
        to[:-width] |= base[width:]
    for where, colour, opacity in ((flank & ~line, INK, 0.45 * strength), (line, PAPER, 0.95 * strength)):
        picture[where] = np.rint(picture[where] * (1 - opacity) + np.asarray(colour) * opacity).astype(np.uint8)
