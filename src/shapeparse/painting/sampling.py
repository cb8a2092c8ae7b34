"""Pictures seen at places between pixels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray

BAND = 256
"""Rows of samples that are taken at a time."""

Picture = npt.NDArray[np.uint8]


def resampled(
    image: Picture, shape: tuple[int, int], places: Callable[[FloatArray], FloatArray], fine: int = 1
) -> Picture:
    """A picture of another shape: ``places`` says where in the image its points (..., 2) lie.

    Each pixel is the mean of ``fine`` x ``fine`` samples, for pictures much coarser than the image. What lies outside
    the image is its nearest edge.
    """
    (rows, columns), picture = shape, image.reshape(*image.shape[:2], -1)
    found = np.empty((rows, columns, picture.shape[2]), np.uint8)
    band = max(1, BAND // fine)
    for row in range(0, rows, band):
        count = min(band, rows - row)
        y, x = (np.mgrid[row * fine : (row + count) * fine, 0 : columns * fine] + 0.5) / fine
        samples = sampled(picture, places(np.stack([x, y], axis=-1))).reshape(count, fine, columns, fine, -1)
        found[row : row + count] = samples[:, 0, :, 0] if fine == 1 else np.rint(samples.mean(axis=(1, 3)))
    return found.reshape(rows, columns, *image.shape[2:])


def sampled(picture: Picture, points: FloatArray) -> Picture:
    """Bilinear: the centre of the upper left pixel is at 0.5, 0.5."""
    last = np.array(picture.shape[1::-1]) - 1
    at = np.clip(points - 0.5, 0, last)
    low = np.minimum(at.astype(np.int64), np.maximum(last - 1, 0))
    share = (at - low)[..., None]
    (x, y), (right, below) = np.moveaxis(low, -1, 0), np.moveaxis(np.minimum(low + 1, last), -1, 0)
    above = picture[y, x] * (1 - share[..., 0, :]) + picture[y, right] * share[..., 0, :]
    under = picture[below, x] * (1 - share[..., 0, :]) + picture[below, right] * share[..., 0, :]
    return np.rint(above * (1 - share[..., 1, :]) + under * share[..., 1, :]).astype(np.uint8)
