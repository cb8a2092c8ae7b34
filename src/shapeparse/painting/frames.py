"""From pixels of the image to the coordinates of a file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..grammar import FloatArray
from .georeference import Affine
from .settings import Unit

if TYPE_CHECKING:
    from .plan import PaintPlan


@dataclass(frozen=True)
class Frame:
    """Where a file's coordinates begin, how they are directed, and what they are measured in."""

    affine: Affine
    """From pixels, with the corner of the upper left one at 0, 0 and y down."""
    unit: str
    """``px``, ``mm``, ``m``, or ``world`` for the unit of a world file, which does not say what it is."""
    origin: str

    @classmethod
    def of(cls, plan: PaintPlan, unit: Unit, world: Affine | None = None) -> Frame:
        """The frame of a world file if there is one, else from the lower left corner of the image, y up."""
        if world is not None:
            found = cls(world, "world", "that of the world file")
        else:
            size, height = plan.settings.pixel_in(unit), plan.height if plan.turn is None else plan.turn.height
            unit = "px" if plan.settings.scale is None else unit
            affine = Affine(size, 0, 0, 0, -size, size * height)
            found = cls(affine, unit, "lower left corner of the image, y up")
        return found if plan.turn is None else replace(found, affine=found.affine.after(plan.turn.to_image))

    def of_image(self, plan: PaintPlan) -> Frame:
        """The same coordinates, seen from pixels of the image, not of a turned plan."""
        return self if plan.turn is None else replace(self, affine=self.affine.after(plan.turn.to_image.inverse))

    def moved(self, x: float, y: float) -> Frame:
        """The same with another origin: all coordinates grow by x and y."""
        return replace(self, affine=self.affine._replace(c=self.affine.c + x, f=self.affine.f + y))

    def points(self, pixels: FloatArray) -> FloatArray:
        """Points (x, y), rounded to what means something."""
        a, b, c, d, e, f = self.affine
        x, y = pixels[..., 0], pixels[..., 1]
        moved = np.stack([a * x + b * y + c, d * x + e * y + f], axis=-1)
        rounded: FloatArray = np.round(moved, self.decimals) + 0.0  # which makes -0 plain 0
        return rounded

    def lines(self, pixels: FloatArray) -> FloatArray:
        """Lines (x1, y1, x2, y2)."""
        return self.points(pixels.reshape(-1, 2, 2)).reshape(-1, 4)

    @property
    def pixel(self) -> float:
        """How long a pixel is; the side of a square as large, if it is none."""
        return math.sqrt(abs(self.affine.determinant))

    @property
    def decimals(self) -> int:
        """Decimals that show a thousandth of a pixel."""
        return max(3, math.ceil(3 - math.log10(self.pixel)))

    def number(self, value: float) -> str:
        """A number as text, without needless zeros."""
        return plain(value, self.decimals)


def plain(value: float, decimals: int = 3) -> str:
    """A number as text with so many decimals at most, without needless zeros, and never with an exponent."""
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def headings(lines: FloatArray) -> FloatArray:
    """Directions of lines, counter-clockwise from the x axis where y is up, in radians from 0 to 2 pi; 0 for points."""
    angles = np.arctan2(lines[:, 3] - lines[:, 1], lines[:, 2] - lines[:, 0]) % (2 * math.pi)
    return np.where(angles >= 2 * math.pi, 0.0, angles)
