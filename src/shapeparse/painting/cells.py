"""Boustrophedon cells: what is wanted, cut where a sweep over its rows splits, merges, begins or ends.

Each cell is painted to and fro with rows of its own, spread from its first to its last row of pixels. Cells lower than
the brush are not worth rows of their own: they join the neighbour that they touch most.

Choset and Pignon, "Coverage Path Planning: The Boustrophedon Cellular Decomposition", 1998.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..grammar import BoolArray
from .rows import row_by_row
from .settings import PaintSettings
from .strokes import MOST_STROKES, Stroke

Run = tuple[int, int, int]
"""A row of pixels, its first column and the column behind its last."""


def cell_by_cell(wanted: BoolArray, settings: PaintSettings) -> list[Stroke]:
    """The rows, along x, of every cell."""
    strokes: list[Stroke] = []
    for place, runs in enumerate(cells_of(wanted, settings.brush)):
        top, left = min(run[0] for run in runs), min(run[1] for run in runs)
        cell = np.zeros((max(run[0] for run in runs) + 1 - top, max(run[2] for run in runs) - left), bool)
        for row, start, end in runs:
            cell[row - top, start - left : end - left] = True
        strokes += [
            stroke._replace(x1=stroke.x1 + left, x2=stroke.x2 + left, y1=stroke.y1 + top, y2=stroke.y2 + top)
            for stroke in row_by_row(cell, settings, place)
        ]
        if len(strokes) > MOST_STROKES:
            break
    return strokes


def cells_of(wanted: BoolArray, lowest: float) -> list[list[Run]]:
    """The runs of every cell; cells of fewer rows than ``lowest`` are joined to neighbours while they have any."""
    cells, touching = sweep(wanted)
    heights = {cell: len({run[0] for run in runs}) for cell, runs in cells.items()}
    while low := [cell for cell in cells if heights[cell] < lowest and touching[cell]]:
        small = min(low, key=lambda cell: (heights[cell], cell))
        other = max(touching[small], key=lambda cell: (touching[small][cell], -cell))
        cells[other] += cells.pop(small)
        heights[other] = len({run[0] for run in cells[other]})
        for cell, length in touching.pop(small).items():
            del touching[cell][small]
            if cell != other:
                touching[cell][other] += length
                touching[other][cell] += length
    return list(cells.values())


def sweep(wanted: BoolArray) -> tuple[dict[int, list[Run]], dict[int, Counter[int]]]:
    """The cells of a mask by number, and for each how many pixels it shares with each neighbour."""
    cells: dict[int, list[Run]] = {}
    touching: dict[int, Counter[int]] = {}
    before: list[tuple[int, int, int]] = []
    for row in np.flatnonzero(wanted.any(axis=1)).tolist():
        line = np.concatenate([[False], wanted[row], [False]])
        edges = np.flatnonzero(line[1:] != line[:-1]).tolist()
        runs = list(zip(edges[0::2], edges[1::2], strict=True))
        if before and cells[before[0][2]][-1][0] != row - 1:
            before = []
        here = []
        for start, end in runs:
            above = [(s, e, cell) for s, e, cell in before if s < end and start < e]
            alone = len(above) == 1 and sum(s < above[0][1] and above[0][0] < e for s, e in runs) == 1
            cell = above[0][2] if alone else len(touching)
            cells.setdefault(cell, []).append((row, start, end))
            touching.setdefault(cell, Counter())
            for s, e, other in above:
                if other != cell:
                    shared = min(e, end) - max(s, start)
                    touching[cell][other] += shared
                    touching[other][cell] += shared
            here.append((start, end, cell))
        before = here
    return cells, touching
