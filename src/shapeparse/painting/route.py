"""In which order, and in which direction each, the strokes are painted: as little travel as possible with the brush up.

A tour begins and ends wherever it likes. The search begins with the nearest neighbour's tour, or that of the tree if
it is shorter, improves it by turning and moving pieces of it, and kicks it out of local optima. No step makes the tour
longer, and all are deterministic.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray
from . import tours
from .settings import Order
from .tours import Tour

KICKS, LEAST_KICKS, MOST_KICKS = 10, 300, 20_000
"""Attempts to leave a local optimum: so many for each stroke, but at least and at most so many."""


def tour_of(lines: FloatArray, owner: npt.NDArray[np.int64], order: Order) -> Tour:
    """The tour over strokes (x1, y1, x2, y2) of the rectangles ``owner``; see ``tours`` for what a tour is.

    The strokes of a rectangle must stand together, in the order in which they lie side by side.
    """
    if order == "tree":
        return _to_and_fro(owner)
    if order == "raster":
        middle = (lines[:, :2] + lines[:, 2:]) / 2
        rows = np.lexsort((middle[:, 0], middle[:, 1]))
        return _directed(rows, np.arange(len(rows)) % 2)
    ends = lines.reshape(-1, 2)
    if not len(ends):
        return np.empty(0, np.int64)
    nearest = tours.nearest_tour(ends, int(np.argmin(ends.sum(axis=1))))
    return nearest if order == "nearest" else _shortest(ends, [nearest, _to_and_fro(owner)])


def _to_and_fro(owner: npt.NDArray[np.int64]) -> Tour:
    """The strokes as they are given, every other one of a rectangle backwards."""
    begins = np.concatenate([[True], owner[1:] != owner[:-1]]) if len(owner) else np.empty(0, bool)
    places = np.arange(len(owner))
    back = (places - np.maximum.accumulate(np.where(begins, places, 0))) % 2
    return _directed(places, back)


def _directed(strokes: npt.NDArray[np.int64], back: npt.NDArray[np.int64]) -> Tour:
    """The tour along strokes, those with 1 in ``back`` backwards."""
    return np.stack([2 * strokes + back, 2 * strokes + 1 - back], axis=1).reshape(-1)


def _shortest(ends: FloatArray, begin_with: list[Tour]) -> Tour:
    """The best tour that is found from several ones to begin with."""
    best = _best(ends, begin_with)
    if len(ends) > 4:
        count = min(max(KICKS * len(ends) // 2, LEAST_KICKS), MOST_KICKS)
        kicks, found = np.random.default_rng(0).random((count, 4)), best.copy()
        tours.search(ends, found, tours.nearest_ends(ends, tours.NEIGHBOURS), kicks)
        best = _best(ends, [best, found])
    return best


def _best(ends: FloatArray, found: list[Tour]) -> Tour:
    return min(found, key=lambda tour: tours.travel(ends, tour))  # the first of equals
