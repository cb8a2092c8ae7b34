"""A real plane: photographs taken at an angle made upright, and parts that lie askew.

Four corners of a rectangle of known size on the object's plane give the homography from the plane to the photograph:
(u, v, 1) ~ H (x, y, 1), eight equations for the eight unknowns of H (Hartley and Zisserman, "Multiple View Geometry",
section 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..grammar import BoolArray, FloatArray
from ..support.errors import UserError
from .georeference import Affine
from .lens import Lens
from .sampling import Picture, resampled

MOST_SIDE = 8192
"""Of a rectified photograph."""
MOST_FINE = 8
"""Samples along each axis of a pixel that is much coarser than the photograph."""
AUTO_STEPS = (1.0, 0.1)
"""Degrees between the angles that are tried for a turned part: first all, then around the best."""
WORTH = 0.99
"""A turned box must be smaller than this share of the upright one, or the part is not turned."""


def homography(plane: FloatArray, photo: FloatArray) -> FloatArray:
    """The 3 x 3 matrix that takes four points of the plane to four points of the photograph."""
    rows, right = [], []
    for (x, y), (u, v) in zip(plane.tolist(), photo.tolist(), strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return np.append(np.linalg.solve(np.array(rows), np.array(right)), 1.0).reshape(3, 3)


def projected(matrix: FloatArray, points: FloatArray) -> FloatArray:
    """Points (..., 2) as a homography moves them."""
    moved: FloatArray = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(moved[..., :2] / moved[..., 2:])


@dataclass(frozen=True)
class Plane:
    """A rectangle on the object, as it is seen in a photograph."""

    corners: tuple[tuple[float, float], ...]
    """Pixels of the photograph as it was taken: upper left, upper right, lower right, lower left corner of the
    rectangle."""
    width: float
    """Millimetres."""
    height: float
    pixel: float | None = None
    """Millimetres per pixel of the rectified photograph; as fine as the photograph where it is finest if not given."""
    lens: Lens | None = None
    """Whose distortion is undone, if it is known."""

    def __post_init__(self) -> None:
        if len(self.corners) != 4:
            raise UserError(
                f"{len(self.corners)} corners are given; give four: upper left, upper right, lower right, lower left."
            )
        if not (0 < self.width < 1e6 and 0 < self.height < 1e6):
            raise UserError(
                f"The size is {self.width:g} x {self.height:g} mm; give width and height above 0, such as 1200x800mm."
            )
        side = max(self.width, self.height)
        if self.pixel is not None and not side / MOST_SIDE <= self.pixel <= side:
            raise UserError(
                f"{self.width:g} x {self.height:g} mm at a scale of {self.pixel:g} mm per pixel is no picture of up to "
                f"{MOST_SIDE} pixels; give a scale such as {side / 1000:g}."
            )
        points = self.seen
        ahead, behind = np.roll(points, -1, axis=0) - points, points - np.roll(points, 1, axis=0)
        turns = behind[:, 0] * ahead[:, 1] - behind[:, 1] * ahead[:, 0]
        if (turns < 0).all():
            raise UserError(
                "The corners go round the wrong way; give upper left, upper right, lower right, lower left."
            )
        if not np.isfinite(turns).all() or (turns <= 1e-6).any():
            raise UserError(
                "The corners cross or lie on a line; give upper left, upper right, lower right and lower left, in turn."
            )

    @property
    def seen(self) -> FloatArray:
        """The corners where a camera without distortion would see them."""
        points = np.array(self.corners, np.float64)
        return points if self.lens is None else self.lens.undistorted(points)

    @property
    def finest(self) -> float:
        """Millimetres per pixel of the photograph, where it is finest."""
        points = self.seen
        top, right, bottom, left = np.hypot(*(np.roll(points, -1, axis=0) - points).T).tolist()
        return min(self.width / max(top, bottom), self.height / max(left, right))

    @property
    def scale(self) -> float:
        """Millimetres per pixel of the rectified photograph: a number of four digits, as people type it."""
        return self.pixel or float(f"{max(self.finest, max(self.width, self.height) / MOST_SIDE):.4g}")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the rectified photograph."""
        return max(1, round(self.height / self.scale)), max(1, round(self.width / self.scale))

    @property
    def matrix(self) -> FloatArray:
        """From pixels of the rectified photograph to those of the photograph without distortion."""
        w, h = self.width / self.scale, self.height / self.scale
        return homography(np.array([[0.0, 0], [w, 0], [w, h], [0, h]]), self.seen)

    def on_plane(self, points: FloatArray) -> FloatArray:
        """Points (..., 2) of the photograph as it was taken, in pixels of the rectified one."""
        seen = points if self.lens is None else self.lens.undistorted(points)
        return projected(np.asarray(np.linalg.inv(self.matrix), np.float64), seen)

    def in_photo(self, points: FloatArray) -> FloatArray:
        """The inverse."""
        seen = projected(self.matrix, points)
        return seen if self.lens is None else self.lens.distorted(seen)

    def sensitivity(self) -> float:
        """By how many millimetres an error of one pixel in one corner moves the plan within the rectangle at most."""
        here, most = replace(self, pixel=self.scale), 0.0
        grid = np.stack(np.meshgrid(*(np.linspace(0, side, 9) for side in self.shape[::-1])), axis=-1)
        seen = projected(here.matrix, grid)
        for corner in range(4):
            for x, y in ((1.0, 0.0), (0.0, 1.0)):
                moved = [
                    (px + x * (place == corner), py + y * (place == corner))
                    for place, (px, py) in enumerate(self.corners)
                ]
                other = np.asarray(np.linalg.inv(replace(here, corners=tuple(moved)).matrix), np.float64)
                most = max(most, float(np.hypot(*(projected(other, seen) - grid).transpose(2, 0, 1)).max()))
        return most * self.scale

    def rectified(self, image: Picture) -> Picture:
        """The rectangle seen from the front, interpolated; what lies outside the photograph is its nearest edge."""
        if self.lens is not None:
            self.lens.check(image)
        fine = min(max(1, round(self.scale / self.finest)), MOST_FINE)
        return resampled(image, self.shape, self.in_photo, fine)


@dataclass(frozen=True)
class Turn:
    """A frame that is turned against the image, by degrees counter-clockwise as one looks at it."""

    degrees: float
    width: int
    height: int
    """Of the image."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the turned image, which holds all of the image."""
        cos, sin = abs(np.cos(np.radians(self.degrees))), abs(np.sin(np.radians(self.degrees)))
        columns, rows = self.width * cos + self.height * sin, self.width * sin + self.height * cos
        return int(np.ceil(rows - 1e-9)), int(np.ceil(columns - 1e-9))

    @property
    def to_image(self) -> Affine:
        """From pixels of the turned image to those of the image."""
        angle = -np.radians(self.degrees)  # y points down
        cos, sin = float(np.cos(angle)), float(np.sin(angle))
        rows, columns = self.shape
        c = self.width / 2 - cos * columns / 2 + sin * rows / 2
        f = self.height / 2 - sin * columns / 2 - cos * rows / 2
        return Affine(cos, -sin, c, sin, cos, f)

    def turned(self, mask: BoolArray) -> BoolArray:
        """A mask in the turned frame; nothing is wanted beyond the image."""
        rows, columns = self.shape
        a, b, c, d, e, f = self.to_image
        y, x = np.mgrid[0:rows, 0:columns] + 0.5
        u, v = np.floor(a * x + b * y + c).astype(np.int64), np.floor(d * x + e * y + f).astype(np.int64)
        inside = (u >= 0) & (v >= 0) & (u < self.width) & (v < self.height)
        return inside & mask[np.clip(v, 0, self.height - 1), np.clip(u, 0, self.width - 1)]


def best_angle(mask: BoolArray) -> float:
    """The degrees, from -45 to 45, by which the frame must be turned for the smallest box around a mask; 0 if turning
    gains next to nothing."""
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return 0.0
    first, last = mask[rows].argmax(axis=1), mask.shape[1] - mask[rows, ::-1].argmax(axis=1)
    points = np.concatenate([np.stack([x, y], axis=1) for x in (first, last) for y in (rows, rows + 1)]).astype(float)

    def box(degrees: FloatArray) -> FloatArray:
        angle = -np.radians(degrees)
        along = points @ np.stack([np.cos(angle), np.sin(angle)])
        across = points @ np.stack([-np.sin(angle), np.cos(angle)])
        return np.asarray(np.ptp(along, axis=0) * np.ptp(across, axis=0))

    best = 0.0
    around: Sequence[float] = np.arange(-45.0, 45.0, AUTO_STEPS[0]).tolist()
    for step in (AUTO_STEPS[1], None):
        areas = box(np.array(around))
        best = float(around[int(np.argmin(areas))])
        if step is not None:
            around = np.arange(best - AUTO_STEPS[0], best + AUTO_STEPS[0] + step / 2, step).round(6).tolist()
    upright, turned = box(np.array([0.0, best])).tolist()
    return best if turned < WORTH * upright else 0.0
