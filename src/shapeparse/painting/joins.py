"""Steps: from the end of one stroke to the beginning of the next without lifting the brush.

A step goes along x and then along y, or the other way round, over nothing but what the strokes paint anyway. So it
neither paints more than they do nor enters what they keep out of, and saves a lift.

The edges of all footprints, and those of the brush at the ends of all strokes, make a grid. The edges of a step are
among them, so whether it lies on paint is decided exactly, by a sum over cells.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..grammar import BoolArray, FloatArray
from .measure import counts
from .strokes import around, rounded

MOST_EDGES = 4096
"""Of an axis. Beyond it edges are moved to a lattice: those of footprints inwards, those of steps outwards."""

Ends = npt.NDArray[np.int64]


class Steps:
    """Which ends of strokes (x1, y1, x2, y2) can be joined; stroke k has the ends 2k and 2k + 1."""

    def __init__(self, lines: FloatArray, brush: float) -> None:
        self.ends, self.brush = lines.reshape(-1, 2), brush
        prints = around(lines, brush)
        both = rounded(np.concatenate([prints, around(np.concatenate([self.ends, self.ends], axis=1), brush)]))
        self.lattice = [_lattice(both[:, axis::2]) for axis in range(2)]
        low, high = (
            self._snapped(prints[:, side : side + 2], inwards) for side, inwards in ((0, np.ceil), (2, np.floor))
        )
        prints = np.concatenate([low, np.maximum(low, high)], axis=1)
        outer = [self._snapped(both[:, side : side + 2], away) for side, away in ((0, np.floor), (2, np.ceil))]
        every = np.concatenate([*outer, prints[:, :2], prints[:, 2:]])
        self.xs, self.ys = np.unique(every[:, 0]), np.unique(every[:, 1])
        bare = np.zeros((len(self.ys), len(self.xs)), np.int32)
        for first, painted in counts(prints, self.xs, self.ys, max(1, len(self.ys))):
            bare[first + 1 : first + 1 + len(painted), 1:] = painted == 0
        self.bare = np.cumsum(np.cumsum(bare, axis=0, out=bare), axis=1, out=bare)

    def between(self, first: Ends, second: Ends) -> FloatArray:
        """The corners (x, y) of the steps between pairs of ends; NaN where there is none."""
        one, other = self.ends[first], self.ends[second]
        found = np.full(one.shape, np.nan)
        for corner in (np.stack([one[..., 0], other[..., 1]], -1), np.stack([other[..., 0], one[..., 1]], -1)):
            free = self._on_paint(one, corner) & self._on_paint(corner, other)
            found = np.where(np.isnan(found) & free[..., None], corner, found)
        return found

    def _on_paint(self, one: FloatArray, other: FloatArray) -> BoolArray:
        swept = rounded(around(np.concatenate([one, other], axis=-1).reshape(-1, 4), self.brush))
        low, high = self._snapped(swept[:, :2], np.floor), self._snapped(swept[:, 2:], np.ceil)
        left, right = np.searchsorted(self.xs, low[:, 0]), np.searchsorted(self.xs, high[:, 0])
        top, bottom = np.searchsorted(self.ys, low[:, 1]), np.searchsorted(self.ys, high[:, 1])
        sums = self.bare
        free = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left] == 0
        return free.reshape(one.shape[:-1])

    def _snapped(self, points: FloatArray, towards: np.ufunc) -> FloatArray:
        columns = [
            rounded(points[:, axis]) if step == 0 else towards(points[:, axis] / step) * step
            for axis, step in enumerate(self.lattice)
        ]
        return np.stack(columns, axis=1)


def _lattice(edges: FloatArray) -> float:
    """The distance of the lattice's lines; 0 if none is needed."""
    if len(np.unique(edges)) <= MOST_EDGES:
        return 0.0
    return float((edges.max() - edges.min()) / MOST_EDGES)
