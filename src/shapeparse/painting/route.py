"""In which order, and in which direction each, the strokes are painted: as little time as possible between them.

From a stroke to the next the brush is lifted, or it stays down where the way is paint (``joins``) and that is quicker.
A tour begins and ends wherever it likes. The search begins with the nearest neighbour's tour, or that of the tree if
it is quicker, improves it by turning and moving pieces of it, and kicks it out of local optima. No change makes the
tour slower, and all are deterministic.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray
from . import tours
from .joins import Steps
from .settings import Order, PaintSettings
from .tours import Tour, Ways

KICKS, LEAST_KICKS, MOST_KICKS = 6, 200, 20_000
"""Attempts to leave a local optimum: so many for each stroke, but at least and at most so many."""


def ways_between(lines: FloatArray, settings: PaintSettings, steps: Steps | None) -> Ways:
    """How long it takes between the ends of strokes (x1, y1, x2, y2); ``steps`` says where the brush may stay down."""
    ends = lines.reshape(-1, 2)
    near = tours.nearest_ends(ends, tours.NEIGHBOURS) if len(ends) > 2 else np.empty((len(ends), 0), np.int64)
    pace = 1 / settings.pixels_a_second(False)
    here = np.broadcast_to(np.arange(len(ends))[:, None], near.shape)
    seconds = settings.lift_time + pace * np.hypot(*(ends[near] - ends[here]).transpose(2, 0, 1))
    if steps is not None and near.size:
        seconds = np.minimum(seconds, np.nan_to_num(step_seconds(ends, here, near, steps, settings), nan=np.inf))
    soonest = np.argsort(seconds, axis=1, kind="stable")
    near, seconds = np.take_along_axis(near, soonest, 1), np.take_along_axis(seconds, soonest, 1)
    return Ways(ends, np.ascontiguousarray(near), np.ascontiguousarray(seconds), settings.lift_time, pace)


def step_seconds(ends: FloatArray, first: Tour, second: Tour, steps: Steps, settings: PaintSettings) -> FloatArray:
    """How long steps take between pairs of ends; NaN where there are none."""
    away = np.abs(ends[second] - ends[first]).sum(axis=-1)
    seconds: FloatArray = settings.turn_time + away / settings.pixels_a_second(True)
    return np.where(np.isnan(steps.between(first, second)[..., 0]), np.nan, seconds)


def tour_of(ways: Ways, owner: npt.NDArray[np.int64], order: Order) -> Tour:
    """The tour over strokes of the rectangles ``owner``; see ``tours`` for what a tour is.

    The strokes of a rectangle must stand together, in the order in which they lie side by side.
    """
    if order == "tree":
        return _to_and_fro(owner)
    if order == "raster":
        middle = ways.ends.reshape(-1, 2, 2).mean(axis=1)
        rows = np.lexsort((middle[:, 0], middle[:, 1]))
        return _directed(rows, np.arange(len(rows)) % 2)
    if not len(ways.ends):
        return np.empty(0, np.int64)
    nearest = tours.nearest_tour(ways, int(np.argmin(ways.ends.sum(axis=1))))
    return nearest if order == "nearest" else _quickest(ways, [nearest, _to_and_fro(owner)])


def _to_and_fro(owner: npt.NDArray[np.int64]) -> Tour:
    """The strokes as they are given, every other one of a rectangle backwards."""
    begins = np.concatenate([[True], owner[1:] != owner[:-1]]) if len(owner) else np.empty(0, bool)
    places = np.arange(len(owner))
    back = (places - np.maximum.accumulate(np.where(begins, places, 0))) % 2
    return _directed(places, back)


def _directed(strokes: npt.NDArray[np.int64], back: npt.NDArray[np.int64]) -> Tour:
    """The tour along strokes, those with 1 in ``back`` backwards."""
    return np.stack([2 * strokes + back, 2 * strokes + 1 - back], axis=1).reshape(-1)


def _quickest(ways: Ways, begin_with: list[Tour]) -> Tour:
    """The best tour that is found from several ones to begin with."""
    best = _best(ways, begin_with)
    if len(ways.ends) > 4:
        count = min(max(KICKS * len(ways.ends) // 2, LEAST_KICKS), MOST_KICKS)
        kicks, found = np.random.default_rng(0).random((count, 4)), best.copy()
        tours.search(ways, found, kicks)
        best = _best(ways, [best, found])
    return best


def _best(ways: Ways, found: list[Tour]) -> Tour:
    return min(found, key=lambda tour: tours.travel(ways, tour))  # the first of equals
