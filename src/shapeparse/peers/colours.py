"""The simplest peer: colours are clustered, and a pixel is paint if most training pixels of its colours are.

All it learns from masks is one count a cluster: nothing of shapes, nothing of places.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F

from ..grammar import is_whole
from ..support.errors import UserError

CLUSTERED, COUNTED = 50_000, 1_000_000
"""Pixels that are clustered, and pixels whose labels are counted, at most: more would change next to nothing."""

ROUNDS = 30
"""Of k-means."""

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ColourLabels:
    """Clusters of colours, and how much of each was paint in the training masks."""

    centres: FloatArray
    """(clusters, 3): their means in CIE L*a*b*."""
    paint: FloatArray
    """(clusters,): share of paint among their training pixels."""
    smoothing: int
    """Side of the box of pixels over which shares are averaged; 1 for none."""

    def clusters(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """(images, height, width): the nearest cluster of every pixel."""
        found = np.empty(images.shape[:3], np.int64)
        for index, image in enumerate(images):  # one at a time stays in the processor's caches
            found[index] = nearest(to_lab(image.reshape(-1, 3)), self.centres).reshape(image.shape[:2])
        return found

    def shares(self, images: npt.NDArray[np.uint8]) -> FloatArray:
        """(images, height, width): how much paint there is in pixels of these colours, averaged over a small box."""
        shares = torch.from_numpy(self.paint[self.clusters(images)])
        half = self.smoothing // 2
        return F.avg_pool2d(shares[:, None], self.smoothing, 1, half, count_include_pad=False)[:, 0].numpy()

    def masks(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
        """(images, height, width): True where most of that is paint."""
        return self.shares(images) > 0.5


def fit_colours(
    images: npt.NDArray[np.uint8],
    masks: npt.NDArray[np.bool_],
    clusters: int = 32,
    seed: int = 0,
    smoothing: int = 5,
) -> ColourLabels:
    """Cluster the colours of (images, height, width, 3) bytes, and count the paint in each cluster.

    Args:
        images: what to learn colours from.
        masks: (images, height, width), True where there is paint.
        clusters: how many clusters, at most; there are never more than colours.
        seed: of the pixels that are drawn, and of the first centres.
        smoothing: side of the box over which shares of paint are averaged when masks are made; an odd number.
    """
    for name, value in {"clusters": clusters, "smoothing": smoothing}.items():
        if not is_whole(value) or value < 1:
            raise UserError(f"{name} is {value}; give a whole number of at least 1.")
    if smoothing % 2 == 0:
        raise UserError(f"smoothing is {smoothing}; give an odd number, so that a pixel is the middle of its box.")
    pixels, labels = images.reshape(-1, 3), masks.reshape(-1)
    if not len(pixels):
        raise UserError("There are no images to learn colours from; add images.")
    rng = np.random.default_rng(seed)
    centres = k_means(to_lab(pixels[_some(len(pixels), CLUSTERED, rng)]), clusters, rng)
    counted = _some(len(pixels), COUNTED, rng)
    cluster = nearest(to_lab(pixels[counted]), centres)
    count = np.bincount(cluster, minlength=len(centres))
    paint = np.bincount(cluster, labels[counted], len(centres)) / np.maximum(count, 1)
    return ColourLabels(centres, paint.astype(np.float32), smoothing)


def k_means(points: FloatArray, clusters: int, rng: np.random.Generator) -> FloatArray:
    """(clusters, 3) centres: each the mean of the points that are nearest to it (Lloyd 1982).

    Fewer, if there are fewer different points.
    """
    centres = _spread_out(points, clusters, rng)
    for _ in range(ROUNDS):
        cluster = nearest(points, centres)
        count = np.bincount(cluster, minlength=len(centres))
        sums = np.stack([np.bincount(cluster, column, len(centres)) for column in points.T], axis=1)
        moved = np.where(count[:, None] > 0, sums / np.maximum(count, 1)[:, None], centres).astype(np.float32)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def nearest(points: FloatArray, centres: FloatArray) -> npt.NDArray[np.int64]:
    """(points,): the nearest centre of each."""
    ends = torch.from_numpy(centres)
    # |p - c|^2 = |p|^2 + 2 (|c|^2 / 2 - p c), and |p| is the same for all centres.
    distance = torch.addmm((ends * ends).sum(dim=1) / 2, torch.from_numpy(points), ends.T, alpha=-1)
    return distance.argmin(dim=1).numpy()


def to_lab(colours: npt.NDArray[np.uint8]) -> FloatArray:
    """(pixels, 3) of CIE L*a*b*, where distances are nearly those people see, of (pixels, 3) sRGB bytes."""
    relative = _LINEAR[colours] @ _TO_XYZ.T
    root = np.where(relative > 216 / 24389, np.cbrt(relative), (24389 / 27 * relative + 16) / 116)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1).astype(np.float32)


def _spread_out(points: FloatArray, clusters: int, rng: np.random.Generator) -> FloatArray:
    """First centres far from each other (k-means++, Arthur and Vassilvitskii 2007)."""
    chosen = [points[rng.integers(len(points))]]
    distance = np.full(len(points), np.inf)
    while len(chosen) < clusters:
        distance = np.minimum(distance, ((points - chosen[-1]) ** 2).sum(axis=1, dtype=np.float64))
        if not distance.any():
            break
        chosen.append(points[rng.choice(len(points), p=distance / distance.sum())])
    return np.stack(chosen)


def _some(count: int, most: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """All of so many, or as many as shall be looked at, drawn at random."""
    return np.arange(count) if count <= most else rng.integers(0, count, most)


def _linear_light() -> FloatArray:
    """How much light each of the 256 bytes of sRGB stands for."""
    level = np.arange(256) / 255
    return np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4).astype(np.float32)


_LINEAR = _linear_light()
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]],
    np.float32,
) / np.array([[0.95047], [1.0], [1.08883]], np.float32)
"""From linear sRGB to CIE XYZ, relative to the white of daylight (D65)."""
