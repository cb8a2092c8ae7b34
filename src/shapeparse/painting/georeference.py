"""World files: where on earth, or on a drawing, an image lies.

A world file stands beside its image and has six lines: A, D, B, E, C, F. The centre of the pixel in column c and row r
lies at x = A c + B r + C and y = D c + E r + F, so C and F are the centre of the upper left pixel, not its corner.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from ..support.errors import UserError
from ..support.files import check_file
from ..support.text import one_line

MOST_BYTES = 4096


class Affine(NamedTuple):
    """A map of the plane: x' = a x + b y + c and y' = d x + e y + f."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    @property
    def determinant(self) -> float:
        """How much larger areas become; negative if the map also mirrors."""
        return self.a * self.e - self.b * self.d

    @property
    def inverse(self) -> Affine:
        """The map back."""
        a, b, c, d, e, f = self
        size = self.determinant
        return Affine(e / size, -b / size, (b * f - e * c) / size, -d / size, a / size, (d * c - a * f) / size)

    def at(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Where a point, or points, come to lie."""
        return self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f

    def after(self, first: Affine) -> Affine:
        """This map of what ``first`` maps."""
        a, b, c, d, e, f = first
        (px, py), (qx, qy), (ox, oy) = self.at(a, d), self.at(b, e), self.at(c, f)
        return Affine(px - self.c, qx - self.c, ox, py - self.f, qy - self.f, oy)


def read_world_file(path: str | Path) -> Affine:
    """The map from pixels (the corner of the upper left one is 0, 0) to the coordinates of a world file."""
    path = Path(path)
    check_file(path, MOST_BYTES)
    try:
        words = path.read_text(encoding="utf-8-sig").split()
        a, d, b, e, c, f = (float(word) for word in words)
    except OSError as error:
        raise UserError(f"Cannot read {one_line(path)}: {error.strerror or error}; check its permissions.") from error
    except ValueError as error:
        raise UserError(f"{one_line(path)} is not a world file: it must hold six numbers, one a line.") from error
    if not all(math.isfinite(number) and abs(number) < 1e15 for number in (a, b, c, d, e, f)):
        raise UserError(f"{one_line(path)} is not a world file: its numbers must be finite.")
    found = Affine(a, b, c - (a + b) / 2, d, e, f - (d + e) / 2)
    if abs(found.determinant) < 1e-12 * (a * a + b * b + d * d + e * e) or not found.determinant:
        raise UserError(f"{one_line(path)} gives pixels no area; write it again.")
    return found


def world_file_beside(path: Path, image: str = "") -> Path | None:
    """The world file of an image, or of a tree of the image called ``image``: .jgw, .jpgw or .wld for a .jpg."""
    suffixes = [".wld"]
    for suffix in (path.suffix, Path(image).suffix):
        letters = suffix[1:]
        if letters:
            suffixes += [f".{letters[0]}{letters[-1]}w", f".{letters}w"]
    for suffix in suffixes:
        for written in (suffix, suffix.upper()):
            beside = path.with_suffix(written)
            if beside.is_file():
                return beside
    return None
