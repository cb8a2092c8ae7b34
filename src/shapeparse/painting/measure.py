"""How much a plan paints, and how much of it is wanted: exact areas, whatever fractions of pixels the strokes end at.

The edges of all rectangles make a grid whose cells are painted evenly, so areas are sums over cells. How much of a cell
the mask wants follows from the mask's integral, which is bilinear between the pixels' corners.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..grammar import BoolArray, FloatArray, IntArray

BAND = 1 << 22
"""Cells that are looked at at a time."""


class Areas(NamedTuple):
    """In square pixels."""

    painted: float
    twice: float
    """Painted more than once."""
    beyond: float
    """Painted outside the rectangles that are to be painted."""
    wanted: float
    """Painted and wanted by the mask; 0 without one."""


def measure(prints: FloatArray, rectangles: FloatArray, mask: BoolArray | None = None) -> Areas:
    """Areas of footprints and rectangles, given as rows left, top, right, bottom."""
    total = np.zeros(4)
    if not len(prints):
        return Areas(*total.tolist())
    both = np.concatenate([prints, rectangles])
    xs, ys = np.unique(both[:, [0, 2]]), np.unique(both[:, [1, 3]])
    integral = None if mask is None else _integral(mask, xs)
    step = max(1, BAND // len(xs))
    for (first, painted), (_, inside) in zip(
        counts(prints, xs, ys, step), counts(rectangles, xs, ys, step), strict=True
    ):
        edges = ys[first : first + len(painted) + 1]
        size = np.diff(edges)[:, None] * np.diff(xs)
        total[0] += size[painted > 0].sum()
        total[1] += size[painted > 1].sum()
        total[2] += size[(painted > 0) & (inside == 0)].sum()
        if integral is not None:
            wanted = np.diff(np.diff(_between(integral, edges), axis=0), axis=1)
            total[3] += wanted[painted > 0].sum()
    return Areas(*total.tolist())


def counts(boxes: FloatArray, xs: FloatArray, ys: FloatArray, step: int) -> Iterator[tuple[int, IntArray]]:
    """How many of the boxes lie on each cell, for bands of ``step`` rows of cells, each with its first row."""
    left, right = np.searchsorted(xs, boxes[:, 0]), np.searchsorted(xs, boxes[:, 2])
    top, bottom = np.searchsorted(ys, boxes[:, 1]), np.searchsorted(ys, boxes[:, 3])
    row, change = np.concatenate([top, bottom]), np.repeat(np.array([1, -1], np.int32), len(boxes))
    left, right = np.tile(left, 2), np.tile(right, 2)
    above = np.zeros(len(xs), np.int32)
    for first in range(0, len(ys) - 1, step):
        rows = min(step, len(ys) - 1 - first)
        here = (row >= first) & (row < first + rows)
        steps = np.zeros((rows, len(xs)), np.int32)
        np.add.at(steps, (row[here] - first, left[here]), change[here])
        np.add.at(steps, (row[here] - first, right[here]), -change[here])
        steps[0] += above
        np.cumsum(steps, axis=0, out=steps)
        above = steps[-1].copy()
        yield first, np.cumsum(steps, axis=1)[:, :-1]


def _integral(mask: BoolArray, xs: FloatArray) -> FloatArray:
    """The mask's area left of each of ``xs`` and above each row of pixels."""
    sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int64)
    np.cumsum(np.cumsum(mask, axis=0, dtype=np.int64), axis=1, out=sums[1:, 1:])
    return _between(sums.T, xs).T


def _between(table: FloatArray, at: FloatArray) -> FloatArray:
    """Rows of a table at fractional places, by linear interpolation; beyond its ends, its ends."""
    last = len(table) - 1
    inside = np.clip(at, 0, last)
    low = np.minimum(inside.astype(np.int64), last - 1)
    share = (inside - low)[:, None]
    return table[low] * (1 - share) + table[low + 1] * share
