"""The marks of the tree panel: a square a leaf, a box with its cut a split, a triangle a subtree."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from .figures import show_pixels
from .palette import INK, PAINT, PAPER, SKIP, Colour, hexadecimal, label_colour, mix
from .pixels import Pixels

Point = tuple[float, float]


def draw_leaf(axes: Axes, at: Point, side: float, paint: bool, gid: str | None = None) -> None:
    """A square around ``at``; skip is pale, so that the two labels differ without colour too."""
    fill, edge = (PAINT, mix(PAINT, INK, 0.35)) if paint else (mix(SKIP, PAPER, 0.45), SKIP)
    _box(axes, at, (side, side), fill, edge, float(np.clip(side / 20, 0.2, 0.9)), gid)


def draw_split(
    axes: Axes,
    at: Point,
    size: tuple[float, float],
    along_x: bool,
    location: float,
    piece: Pixels | None = None,
    gid: str | None = None,
) -> None:
    """A box around ``at``, showing ``piece`` of the photograph, with a line at the cut's ``location``."""
    (width, height), x, y = size, at[0] - size[0] / 2, at[1] - size[1] / 2
    if piece is not None:
        show_pixels(axes, piece, (x, x + width, y + height, y), zorder=2.5)
    frame = float(np.clip(min(size) / 16, 0.4, 0.9))
    _box(axes, at, size, PAPER if piece is None else None, INK, frame, gid)
    down, right = ([x + location * width] * 2, [y, y + height]), ([x, x + width], [y + location * height] * 2)
    cut = down if along_x else right
    # On a photograph the line needs a light one under it.
    line = float(np.clip(max(size) / 9, 0.5, 1.4))
    for colour, thickness in ((PAPER, line + 1.2), (INK, line)) if piece is not None else ((INK, line),):
        axes.plot(*cut, color=hexadecimal(colour), linewidth=thickness, solid_capstyle="butt", zorder=4)


def draw_subtree(axes: Axes, at: Point, side: float, paint_share: float, gid: str | None = None) -> None:
    """A triangle around ``at`` that stands for a whole subtree, in the colour of its share of paint."""
    half = side / 2
    corners = [(at[0], at[1] - half), (at[0] + half, at[1] + half), (at[0] - half, at[1] + half)]
    fill, edge = hexadecimal(label_colour(paint_share)), hexadecimal(INK)
    line = float(np.clip(side / 20, 0.2, 0.6))
    axes.add_patch(Polygon(corners, facecolor=fill, edgecolor=edge, linewidth=line, zorder=3, gid=gid))


def _box(
    axes: Axes,
    at: Point,
    size: tuple[float, float],
    fill: Colour | None,
    edge: Colour,
    line: float,
    gid: str | None,
) -> None:
    corner = (at[0] - size[0] / 2, at[1] - size[1] / 2)
    face = "none" if fill is None else hexadecimal(fill)
    box = Rectangle(corner, *size, facecolor=face, edgecolor=hexadecimal(edge), linewidth=line, gid=gid, zorder=3)
    axes.add_patch(box)
