"""Rows over all that is wanted: parallel strokes, with the brush down along every run of wanted pixels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..grammar import BoolArray
from .settings import PaintSettings
from .strokes import MOST_STROKES, Stroke, inset, spread, strips


def row_by_row(wanted: BoolArray, settings: PaintSettings, rectangle: int = -1) -> list[Stroke]:
    """Rows of the brush's width along x, from top to bottom, every other one backwards.

    They are spread like the strokes of a rectangle and paint all that is wanted. Where they would be more than are
    planned with, they end there.
    """
    filled = np.flatnonzero(wanted.any(axis=1))
    if not len(filled):
        return []
    top, height, brush = int(filled[0]), int(filled[-1] - filled[0]) + 1, settings.brush
    strokes: list[Stroke] = []
    count = strips(height, settings)
    if count > MOST_STROKES:  # perhaps by far more than memory holds
        return [Stroke(0, 0, 0, 0, brush, rectangle)] * (MOST_STROKES + 1)
    for place, line in enumerate(spread(top, height, brush, count)):
        first, last = int(np.floor(line - brush / 2)), int(np.ceil(line + brush / 2))
        columns = np.concatenate([[False], wanted[max(first, 0) : last].any(axis=0), [False]])
        edges = np.flatnonzero(columns[1:] != columns[:-1]).tolist()  # runs begin and end in turns
        runs = [inset(start, end - start, brush) for start, end in zip(edges[0::2], edges[1::2], strict=True)]
        row = [Stroke(x1, line, x2, line, brush, rectangle) for x1, x2 in runs]
        strokes += [backwards(stroke) for stroke in reversed(row)] if place % 2 else row
        if len(strokes) > MOST_STROKES:
            break
    return strokes


def backwards(stroke: Stroke) -> Stroke:
    """The same stroke from its end to its beginning."""
    return stroke._replace(x1=stroke.x2, y1=stroke.y2, x2=stroke.x1, y2=stroke.y1)


def turned(strokes: Sequence[Stroke]) -> list[Stroke]:
    """Strokes with x and y exchanged: those of a transposed mask in the mask."""
    return [stroke._replace(x1=stroke.y1, y1=stroke.x1, x2=stroke.y2, y2=stroke.x2) for stroke in strokes]
