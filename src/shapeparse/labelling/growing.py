"""Grow a region from a click: pixels that look alike, up to the next edge, on the colours and the parser's map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit
from PIL import Image

from ..grammar import BoolArray

LONGEST = 768
"""Pixels of the longer side of the picture in which a region grows; larger photographs are reduced to it."""
MAP_WEIGHT = 1.5
"""How much the parser's map counts beside a colour."""
SEED = 2
"""Pixels around the click whose mean is what the region must look like."""


def grow(photo: npt.NDArray[np.uint8], likely: npt.NDArray[np.uint8] | None, x: int, y: int, reach: float) -> BoolArray:
    """The region around the pixel (x, y) of a photograph, (height, width).

    ``likely`` is the parser's map, 0 to 255, of any size. A ``reach`` of 0 takes only what looks the same, 1 takes
    everything. A region ends where one step changes the picture by more than half the reach.
    """
    height, width = photo.shape[:2]
    scale = min(1.0, LONGEST / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    seen = [np.asarray(Image.fromarray(photo).resize(size, Image.Resampling.BOX), np.float32) / 255]
    if likely is not None:
        resized = Image.fromarray(likely).resize(size, Image.Resampling.BILINEAR)
        seen.append(MAP_WEIGHT * np.asarray(resized, np.float32)[:, :, None] / 255)
    channels = np.ascontiguousarray(_smooth(np.concatenate(seen, axis=2)))
    at = min(int(x * scale), size[0] - 1), min(int(y * scale), size[1] - 1)
    region = np.zeros(channels.shape[:2], np.bool_)
    fill(channels, region, at[0], at[1], seed_of(channels, *at), np.float32(reach), np.float32(reach / 2))
    region = _closed(region)
    if scale == 1:
        return region
    return np.asarray(np.array(Image.fromarray(region).resize((width, height), Image.Resampling.NEAREST)), np.bool_)


def seed_of(channels: npt.NDArray[np.float32], x: int, y: int) -> npt.NDArray[np.float32]:
    """What the picture looks like around a pixel."""
    around = channels[max(y - SEED, 0) : y + SEED + 1, max(x - SEED, 0) : x + SEED + 1]
    return np.asarray(np.median(around, axis=(0, 1)), np.float32)


@njit(cache=True)
def fill(channels, region, x, y, seed, reach, step):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Mark in ``region`` all pixels that paths from (x, y) lead to; the twin in ``slow_fill`` says what a path is."""
    height, width, depth = channels.shape
    stack = [(y, x)]
    region[y, x] = True
    while len(stack) > 0:
        row, column = stack.pop()
        for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            r, c = row + dy, column + dx
            if r < 0 or c < 0 or r >= height or c >= width or region[r, c]:
                continue
            off = np.float32(0)
            edge = np.float32(0)
            for k in range(depth):
                off = max(off, abs(channels[r, c, k] - seed[k]))
                edge = max(edge, abs(channels[r, c, k] - channels[row, column, k]))
            if off <= reach and edge <= step:
                region[r, c] = True
                stack.append((r, c))


def slow_fill(
    channels: npt.NDArray[np.float32], x: int, y: int, seed: npt.NDArray[np.float32], reach: float, step: float
) -> BoolArray:
    """The definition: a step leads to a neighbour that differs from the seed by at most ``reach`` in every channel, and
    from where it came by at most ``step``; a region is all that steps lead to."""
    like = (np.abs(channels - seed).max(axis=2) <= reach).astype(np.bool_)
    across = np.abs(np.diff(channels, axis=1)).max(axis=2) <= step
    down = np.abs(np.diff(channels, axis=0)).max(axis=2) <= step
    region = np.zeros(like.shape, np.bool_)
    region[y, x] = True
    while True:
        reached = region.copy()
        reached[:, 1:] |= region[:, :-1] & across & like[:, 1:]
        reached[:, :-1] |= region[:, 1:] & across & like[:, :-1]
        reached[1:] |= region[:-1] & down & like[1:]
        reached[:-1] |= region[1:] & down & like[:-1]
        if np.array_equal(reached, region):
            return region
        region = reached


def _smooth(channels: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The mean of each pixel and its eight neighbours: noise is no edge."""
    padded = np.pad(channels, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = channels.shape[:2]
    total = sum(padded[dy : dy + height, dx : dx + width] for dy in range(3) for dx in range(3))
    return np.asarray(total / np.float32(9), np.float32)


def _closed(region: BoolArray) -> BoolArray:
    """The region with its smallest holes filled: a pixel is in it too if most of its neighbourhood is."""
    return np.asarray((_smooth(region[:, :, None].astype(np.float32))[:, :, 0] > 0.5) | region, np.bool_)
