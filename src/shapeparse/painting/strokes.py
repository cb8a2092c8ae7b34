"""Rectangles to parallel strokes: as few as the brush allows, evenly spread, and the last one exactly at the edge.

The brush is a square with sides parallel to the image's. A stroke is the way of its centre, so what is painted is the
rectangle around the stroke that is half a brush larger on all sides, and strokes end half a brush before the edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..grammar import FloatArray
from ..support.errors import UserError
from .settings import PaintSettings

MOST_STROKES = 20_000
"""More are refused: no one waits for the route, or for the robot."""

TOLERANCE = 1e-10
"""Part of the pitch that is rounding, and does not need a stroke of its own."""


class Stroke(NamedTuple):
    """A way of the brush's centre while it is down, from (x1, y1) to (x2, y2), in pixels of the image, y down."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    rectangle: int
    """Index of the rectangle that it paints; -1 for none."""
    via: tuple[float, float] | None = None
    """The corner of the way here from the end of the stroke before, with the brush down; None if it is lifted."""

    @property
    def length(self) -> float:
        """How far it goes; 0 for a dab, on a rectangle no larger than the brush."""
        return float(np.hypot(self.x2 - self.x1, self.y2 - self.y1))


def cover(rectangles: FloatArray, settings: PaintSettings) -> list[Stroke]:
    """The strokes that paint the rectangles (x, y, w, h), rectangle by rectangle, without needless ones."""
    brush = settings.brush
    counts = [_fewest(w, h, settings) for w, h in rectangles[:, 2:].tolist()]
    if sum(count for _, count in counts) > MOST_STROKES:
        raise UserError(
            f"Painting this takes {sum(count for _, count in counts):,} strokes with a brush of {brush:g} pixels, more "
            f"than the {MOST_STROKES:,} that are planned; give a wider brush."
        )
    strokes = []
    for place, ((x, y, w, h), (along_x, count)) in enumerate(zip(rectangles.tolist(), counts, strict=True)):
        if along_x:
            x1, x2 = inset(x, w, brush)
            strokes += [Stroke(x1, line, x2, line, brush, place) for line in spread(y, h, brush, count)]
        else:
            y1, y2 = inset(y, h, brush)
            strokes += [Stroke(line, y1, line, y2, brush, place) for line in spread(x, w, brush, count)]
    return _without_needless(strokes, rectangles)


def stroke_count(rectangles: FloatArray, settings: PaintSettings) -> tuple[int, float]:
    """How many strokes the rectangles take at most, and their length: the less, the better."""
    count, length = 0, 0.0
    for w, h in rectangles[:, 2:].tolist():
        along_x, strips = _fewest(w, h, settings)
        count += strips
        length += strips * max((w if along_x else h) - settings.brush, 0.0)
    return count, length


def footprints(strokes: Sequence[Stroke]) -> FloatArray:
    """What each stroke paints, as rows left, top, right, bottom."""
    table = np.array([stroke[:5] for stroke in strokes], np.float64).reshape(-1, 5)
    return rounded(around(table[:, :4], table[:, 4:]))


def around(lines: FloatArray, brush: float | FloatArray) -> FloatArray:
    """What a square brush paints along lines (x1, y1, x2, y2), as rows left, top, right, bottom."""
    low, high = np.minimum(lines[:, :2], lines[:, 2:]), np.maximum(lines[:, :2], lines[:, 2:])
    return np.concatenate([low - np.asarray(brush) / 2, high + np.asarray(brush) / 2], axis=1)


def rounded(edges: FloatArray) -> FloatArray:
    """Edges that differ only by rounding made one: whole multiples of 2^-30 pixels."""
    return np.rint(edges * (1 << 30)) / (1 << 30)


def _fewest(w: float, h: float, settings: PaintSettings) -> tuple[bool, int]:
    """Whether strokes along x are better, and how many they are: the fewest, then the shortest."""
    brush = settings.brush
    if min(w, h) < brush:  # one stroke in the middle, along the longer side
        return w >= h, 1
    rows, columns = strips(h, settings), strips(w, settings)
    along_x = (rows, rows * (w - brush)) <= (columns, columns * (h - brush))
    return along_x, rows if along_x else columns


def strips(extent: float, settings: PaintSettings) -> int:
    """How many strokes side by side cover an extent."""
    return 1 + max(0, math.ceil((extent - settings.brush) / settings.pitch - TOLERANCE))


def inset(start: float, extent: float, brush: float) -> tuple[float, float]:
    """Both ends of a stroke along a side; its middle, twice, if the side is shorter than the brush."""
    if extent <= brush:
        return start + extent / 2, start + extent / 2
    return start + brush / 2, start + extent - brush / 2


def spread(start: float, extent: float, brush: float, count: int) -> list[float]:
    """The middle lines of ``count`` strips, the first and the last of which end exactly at the edges."""
    if count == 1:
        return [start + extent / 2]
    lines: list[float] = np.linspace(start + brush / 2, start + extent - brush / 2, count).tolist()
    return lines


def _without_needless(strokes: list[Stroke], rectangles: FloatArray) -> list[Stroke]:
    """Leave out strokes of narrow rectangles whose paint the others apply as well, the smallest first.

    The brush paints more than a narrow rectangle, so where several lie side by side, not all need a stroke.
    """
    prints = footprints(strokes)
    areas = rounded(np.concatenate([rectangles[:, :2], rectangles[:, :2] + rectangles[:, 2:]], axis=1))
    owner = np.array([stroke.rectangle for stroke in strokes], np.int64)
    size = rectangles[owner, 2:] if len(owner) else np.empty((0, 2))
    brush = np.array([stroke.width for stroke in strokes])
    kept = np.ones(len(strokes), bool)
    narrow = np.flatnonzero(size.min(axis=1, initial=np.inf) < brush)
    for place in narrow[np.argsort(size[narrow].prod(axis=1), kind="stable")].tolist():
        kept[place] = False
        wanted, painted = _clipped(areas, prints[place]), _clipped(prints[kept], prints[place])
        kept[place] = not _covered(wanted, painted)
    return [stroke for stroke, keep in zip(strokes, kept.tolist(), strict=True) if keep]


def _clipped(boxes: FloatArray, window: FloatArray) -> FloatArray:
    """The parts of boxes (left, top, right, bottom) inside a window; those outside are left out."""
    meets = (boxes[:, :2] < window[2:]).all(axis=1) & (boxes[:, 2:] > window[:2]).all(axis=1)
    inside = boxes[meets]
    return np.concatenate([np.maximum(inside[:, :2], window[:2]), np.minimum(inside[:, 2:], window[2:])], axis=1)


def _covered(wanted: FloatArray, painted: FloatArray) -> bool:
    """Whether the union of one set of boxes lies in that of the other."""
    both = np.concatenate([wanted, painted])
    xs, columns = np.unique(both[:, [0, 2]], return_inverse=True)
    ys, rows = np.unique(both[:, [1, 3]], return_inverse=True)
    missing = np.zeros((len(ys), len(xs)), bool)
    spans = np.concatenate([rows.reshape(-1, 2), columns.reshape(-1, 2)], axis=1).tolist()
    for place, (top, bottom, left, right) in enumerate(spans):
        missing[top:bottom, left:right] = place < len(wanted)
    return not missing.any()
