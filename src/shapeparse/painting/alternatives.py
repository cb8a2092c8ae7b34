"""What one would do without a plan, for comparison: row by row, or always to the nearest stroke."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..grammar import BoolArray
from .plan import Metrics, PaintPlan
from .settings import PaintSettings
from .strokes import MOST_STROKES, Stroke, inset, spread, strips

PLAN, NEAREST, ROWS = "this plan", "same strokes, nearest first", "row by row"


def compare(plan: PaintPlan, wanted: BoolArray, mask: BoolArray | None = None) -> dict[str, Metrics]:
    """The metrics of a plan beside those of its plain alternatives.

    ``wanted`` is what the rows paint: the mask if there is one, else the labels of the tree. Rows that take too many
    strokes to be measured are left out.
    """
    ours = plan.metrics(mask)
    found = {PLAN: ours, NEAREST: ours | plan.reordered("nearest").lengths()}
    rows = row_by_row(wanted, plan.settings)
    if len(rows) <= MOST_STROKES:
        found[ROWS] = replace(plan, strokes=rows).metrics(mask)
    return found


def row_by_row(wanted: BoolArray, settings: PaintSettings) -> tuple[Stroke, ...]:
    """Rows of the brush's width over all that is wanted, with the brush down along every run of wanted columns.

    The rows are spread like the strokes of a rectangle, and every other one goes backwards.
    """
    filled = np.flatnonzero(wanted.any(axis=1))
    if not len(filled):
        return ()
    top, height, brush = int(filled[0]), int(filled[-1] - filled[0]) + 1, settings.brush
    strokes: list[Stroke] = []
    for place, line in enumerate(spread(top, height, brush, strips(height, settings))):
        first, last = int(np.floor(line - brush / 2)), int(np.ceil(line + brush / 2))
        columns = np.concatenate([[False], wanted[max(first, 0) : last].any(axis=0), [False]])
        edges = np.flatnonzero(columns[1:] != columns[:-1]).tolist()  # runs begin and end in turns
        runs = [inset(start, end - start, brush) for start, end in zip(edges[0::2], edges[1::2], strict=True)]
        row = [Stroke(x1, line, x2, line, brush, -1) for x1, x2 in runs]
        back = [Stroke(stroke.x2, line, stroke.x1, line, brush, -1) for stroke in reversed(row)]
        strokes += back if place % 2 else row
        if len(strokes) > MOST_STROKES:
            break
    return tuple(strokes)
