"""Shapes as signed distances: negative inside, positive outside, in the units of the picture's side.

Distances rather than polygons, because one array then gives the mask (its sign), smooth edges at any
resolution, bevels (its gradient) and contact shadows (its value outside).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

# float32 in fact; NumPy's own annotations take float32 times a Python float for float64.
Plane = NDArray[np.floating]
"""One number a pixel, (size, size)."""
Picture = NDArray[np.floating]
"""Three numbers a pixel, 0 is black and 1 is white; (3, size, size), so that a Plane multiplies it."""

FAR = 9.0


@dataclass(frozen=True)
class View:
    """Where every pixel's centre lies in the coordinates of the thing to be drawn; y points down."""

    x: Plane
    y: Plane
    pixel: float

    @property
    def size(self) -> int:
        """Pixels along a side."""
        return len(self.x)

    def placed(self, centre: tuple[float, float], turn: float, tilt: tuple[float, float] = (0.0, 0.0)) -> View:
        """The same pixels seen from a thing at ``centre``, turned by ``turn`` radians and tilted away."""
        across, down = self.x - centre[0], self.y - centre[1]
        depth = 1 + tilt[0] * across + tilt[1] * down
        cosine, sine = math.cos(turn), math.sin(turn)
        x = (cosine * across + sine * down) / depth
        y = (cosine * down - sine * across) / depth
        return View(x, y, self.pixel)

    def mirrored(self) -> View:
        """Left and right exchanged."""
        return View(-self.x, self.y, self.pixel)


def picture_view(size: int) -> View:
    """The whole picture as the unit square."""
    centres = (np.arange(size, dtype=np.float32) + 0.5) / size
    x, y = np.meshgrid(centres, centres)
    return View(x, y, 1 / size)


def _length(x: Plane, y: Plane) -> Plane:
    return np.sqrt(x * x + y * y)  # several times as fast as np.hypot


def box(view: View, x: float, y: float, half_w: float, half_h: float, radius: float = 0.0) -> Plane:
    """A rectangle around (x, y), its corners rounded by ``radius``."""
    radius = min(radius, half_w, half_h)
    over_x = np.abs(view.x - x) - (half_w - radius)
    over_y = np.abs(view.y - y) - (half_h - radius)
    outside = _length(np.maximum(over_x, 0), np.maximum(over_y, 0))
    inside: Plane = np.minimum(np.maximum(over_x, over_y), 0)
    return outside + inside - radius


def disc(view: View, x: float, y: float, radius: float) -> Plane:
    """A circle filled."""
    return _length(view.x - x, view.y - y) - radius


def bar(view: View, start: tuple[float, float], end: tuple[float, float], radius: float) -> Plane:
    """A straight stroke with round ends."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    x, y = view.x - start[0], view.y - start[1]
    along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy + 1e-9), 0, 1)
    return _length(x - along * dx, y - along * dy) - radius


def half_plane(view: View, point: tuple[float, float], outward: tuple[float, float]) -> Plane:
    """Everything on the inner side of a line through ``point`` whose normal points ``outward``."""
    length = math.hypot(*outward)
    return ((view.x - point[0]) * outward[0] + (view.y - point[1]) * outward[1]) / length


def corner_cut(view: View, half_w: float, half_h: float, cut: float, right: bool, below: bool) -> Plane:
    """All but one corner of a rectangle around the origin, cut off at 45 degrees."""
    x, y = (1.0 if right else -1.0), (1.0 if below else -1.0)
    return half_plane(view, (x * (half_w - cut), y * half_h), (x, y))


def nothing(view: View) -> Plane:
    """The empty shape."""
    return np.full_like(view.x, FAR)


def union(*shapes: Plane) -> Plane:
    """What lies in any of the shapes."""
    return reduce(np.minimum, shapes)


def intersection(*shapes: Plane) -> Plane:
    """What lies in all of the shapes."""
    return reduce(np.maximum, shapes)


def without(shape: Plane, *removed: Plane) -> Plane:
    """``shape`` with the other shapes taken out of it."""
    return reduce(lambda left, cut: np.maximum(left, -cut), removed, shape)


def rounded_intersection(radius: float, *shapes: Plane) -> Plane:
    """What lies in all of the shapes, with the corners between them rounded."""

    def rounded(first: Plane, second: Plane) -> Plane:
        blend = np.maximum(radius - np.abs(first - second), 0) / radius
        return np.maximum(first, second) + blend * blend * (radius / 4)

    return reduce(rounded, shapes)


def coverage(distance: Plane, softness: float) -> Plane:
    """How much of each pixel the shape covers; edges are ``softness`` wide."""
    covered: Plane = np.clip(0.5 - distance / softness, 0, 1)
    return covered


def blurred(plane: Plane, radius: float, shift: tuple[float, float] = (0.0, 0.0)) -> Plane:
    """A plane of values in 0..1, blurred and moved; radius and shift in parts of the picture's side."""
    size = plane.shape[0]
    image = Image.fromarray((plane * 255).astype(np.uint8))
    offset = (1, 0, -shift[0] * size, 0, 1, -shift[1] * size)
    moved = image.transform(image.size, Image.Transform.AFFINE, offset, Image.Resampling.BILINEAR)
    soft = moved.filter(ImageFilter.GaussianBlur(radius * size))
    return np.asarray(soft, dtype=np.float32) / 255
