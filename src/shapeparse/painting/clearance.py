"""Strokes that stay out of a zone, and strokes more for what is left there.

The brush, not only its centre, stays out: a stroke is cut where the brush would touch a pixel of the zone, and pieces
shorter than the brush are left out. What the strokes then no longer paint, others paint that lie right beside the zone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..grammar import BoolArray
from .cells import Run, cells_of
from .rows import turned
from .settings import PaintSettings
from .strokes import MOST_STROKES, Stroke, footprints, inset, spread, strips

TINY = 1e-9
ROUNDS = 6
"""Times that strokes are added for what is left, along x and along y in turns."""


def extended(strokes: Sequence[Stroke], overrun: float) -> list[Stroke]:
    """Strokes that go on beyond both ends; a dab has no direction, and stays."""
    found = []
    for stroke in strokes:
        share = overrun / stroke.length if stroke.length else 0.0
        x, y = share * (stroke.x2 - stroke.x1), share * (stroke.y2 - stroke.y1)
        found.append(stroke._replace(x1=stroke.x1 - x, y1=stroke.y1 - y, x2=stroke.x2 + x, y2=stroke.y2 + y))
    return found


def kept_out(strokes: Sequence[Stroke], zone: BoolArray) -> list[Stroke]:
    """The pieces of strokes on which the brush stays out of a zone."""
    columns, found = zone.T, []
    for stroke in strokes:
        if stroke.y1 == stroke.y2:
            found += _pieces(stroke, zone)
        else:
            found += turned(_pieces(turned([stroke])[0], columns))
    return found


def _pieces(stroke: Stroke, zone: BoolArray) -> list[Stroke]:
    """The same for a stroke along x."""
    brush, line = stroke.width, stroke.y1
    low, high = min(stroke.x1, stroke.x2) - brush / 2, max(stroke.x1, stroke.x2) + brush / 2
    first, last = int(np.floor(line - brush / 2 + TINY)), int(np.ceil(line + brush / 2 - TINY))
    blocked = np.flatnonzero(zone[max(first, 0) : max(last, 0)].any(axis=0))
    if not len(blocked):
        return [stroke]
    begins = [low, *(blocked + 1.0).tolist()]
    ends = [*blocked.astype(float).tolist(), high]
    found = []
    for begin, end in zip(begins, ends, strict=True):
        begin, end = max(begin, low), min(end, high)
        if end - begin >= brush - TINY:
            x1, x2 = inset(begin, end - begin, brush)
            found.append(stroke._replace(x1=x1, x2=x2))
    return found


def patched(strokes: list[Stroke], wanted: BoolArray, zone: BoolArray, settings: PaintSettings) -> list[Stroke]:
    """Strokes with others for what they leave of what is wanted, all out of the zone, until the coverage is reached or
    nothing more can be painted."""
    count = np.count_nonzero(wanted)
    left, idle = wanted & ~painted_pixels(strokes, wanted.shape), 0
    for turn in range(ROUNDS):
        if np.count_nonzero(left) <= (1 - settings.coverage) * count or idle > 1 or len(strokes) > MOST_STROKES:
            break
        upright = turn % 2 == 1
        more = _more(left.T, zone.T, settings) if upright else _more(left, zone, settings)
        more = turned(more) if upright else more
        strokes = strokes + more
        before, left = np.count_nonzero(left), left & ~painted_pixels(more, wanted.shape)
        idle = idle + 1 if np.count_nonzero(left) == before else 0
    return strokes


def _more(left: BoolArray, zone: BoolArray, settings: PaintSettings) -> list[Stroke]:
    """Strokes along x over what is left: of those that fit each of its cells, the ones that paint most of it."""
    found: list[Stroke] = []
    for runs in cells_of(left, settings.brush):
        choices = [kept_out(strokes, zone) for strokes in _fitting(runs, settings)]
        gains = [np.count_nonzero(left & painted_pixels(strokes, left.shape)) for strokes in choices]
        if max(gains) > 0:
            best = choices[int(np.argmax(gains))]
            found += best
            left = left & ~painted_pixels(best, left.shape)
    return found


def _fitting(runs: list[Run], settings: PaintSettings) -> Iterator[list[Stroke]]:
    """Strokes over the box of a cell; if it is lower than the brush, with the brush at its middle, its top or its
    bottom, and the same for its sides."""
    brush = settings.brush
    top, bottom = min(run[0] for run in runs), max(run[0] for run in runs) + 1
    left, right = min(run[1] for run in runs), max(run[2] for run in runs)
    lines = [spread(top, bottom - top, brush, min(strips(bottom - top, settings), MOST_STROKES + 1))]
    if bottom - top < brush:
        lines += [[top + brush / 2], [bottom - brush / 2]]
    ways = [inset(left, right - left, brush)]
    if right - left < brush:
        ways += [(left + brush / 2,) * 2, (right - brush / 2,) * 2]
    for ys in lines:
        for x1, x2 in ways:
            yield [Stroke(x1, y, x2, y, brush, -1) for y in ys]


def painted_pixels(strokes: Sequence[Stroke], shape: tuple[int, ...]) -> BoolArray:
    """The pixels that single strokes paint whole."""
    painted = np.zeros(shape, bool)
    prints = footprints(strokes)
    low = np.maximum(np.ceil(prints[:, :2] - TINY), 0).astype(np.int64)
    high = np.maximum(np.floor(prints[:, 2:] + TINY), 0).astype(np.int64)
    for (left, top), (right, bottom) in zip(low.tolist(), high.tolist(), strict=True):
        painted[top:bottom, left:right] = True
    return painted
