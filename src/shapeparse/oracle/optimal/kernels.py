"""The exact tree search's hot loops: Numba kernels. Each has a slow, obvious twin in ``twins.py``.

Lines are chosen on both axes, the borders of the node among them. A box lies between two lines of each axis, and the
least cost of every box is a dynamic programme over its cuts along the lines inside it: ``fill``.

The pairs of lines (i, j), i < j, of an axis are numbered by their distance j - i first and by i second. A table holds
one row per pair of x lines (a plane) and one column per pair of y lines. With this order all operations of the
programme run along contiguous memory: a cut along x adds two planes, and for all pairs of x lines of one distance, laid
side by side, a cut along y of all boxes of one height adds two contiguous blocks.

Costs are whole numbers in float32: exact up to 2**24. Larger masks are counted in coarser units of cost, see
``optimal.py``.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...support.numba import nb
from ..kernels import LEAF, PAINT, SKIP

LANES = 8
"""Rows of the transposed table are padded to multiples of this, for vectors."""

kernel: Any = nb.njit(cache=True, nogil=True, boundscheck=False)


class Costs(NamedTuple):
    """What a leaf costs. Any cost that is a sum over leaves will do; it is ``leaf_costs`` that knows the formula."""

    unit: int
    """Units that make a pixel in the integral image: 1 for labels, 255 for probabilities."""
    missed: float
    """The cost of a unit of paint in a leaf that is skipped."""
    wasted: float
    """The cost of a unit that is not paint in a leaf that is painted."""
    price: float
    """The cost of the leaf itself."""
    brush: float = 0.0
    """The side of the brush that paints the leaves, in pixels; 0 if painting takes no time. With a brush, a leaf that
    is painted also costs the time of its strokes, in the better direction (``stroke_cost``):"""
    pitch: float = 1.0
    """the distance of neighbouring strokes at most,"""
    pace: float = 0.0
    """the cost of a pixel of the brush's way,"""
    turn: float = 0.0
    """of a turn from a stroke into the next,"""
    lift: float = 0.0
    """of coming to the leaf,"""
    beyond: float = 0.0
    """and of a unit painted beyond a leaf that is narrower than the brush."""


@kernel
def stroke_cost(costs, w, h):
    """The cost of the strokes that paint a leaf, along x or along y."""
    brush, pitch = np.float32(costs.brush), np.float32(costs.pitch)
    wide, high = max(w - brush, np.float32(0)), max(h - brush, np.float32(0))
    rows, columns = np.ceil(high / pitch - np.float32(1e-4)), np.ceil(wide / pitch - np.float32(1e-4))  # but the first
    pace, turn = np.float32(costs.pace), np.float32(costs.turn)
    along_x = (rows + np.float32(1)) * wide * pace + rows * turn + high * pace
    along_y = (columns + np.float32(1)) * high * pace + columns * turn + wide * pace
    beyond = max(w, brush) * max(h, brush) - w * h
    return np.float32(costs.lift) + min(along_x, along_y) + np.float32(costs.beyond) * np.float32(costs.unit) * beyond


@kernel
def leaf_costs(costs, positive, w, h):
    """The cost of a leaf when it is painted, and when it is skipped."""
    missed = np.float32(costs.missed) * positive
    wasted = np.float32(costs.wasted) * (w * h * np.float32(costs.unit) - positive)
    if costs.brush > 0:
        wasted += stroke_cost(costs, w, h)
    return np.float32(costs.price) + wasted, np.float32(costs.price) + missed


@kernel
def leaf_cost(costs, positive, w, h):
    """The cost of a leaf with its better label."""
    painted, skipped = leaf_costs(costs, positive, w, h)
    return painted if painted < skipped else skipped


@kernel
def box_cost(sums, costs, x0, x1, y0, y1):
    """The cost of the box between these pixels, as a leaf."""
    positive = sums[y1, x1] - sums[y1, x0] - sums[y0, x1] + sums[y0, x0]
    return leaf_cost(costs, np.float32(positive), np.float32(x1 - x0), np.float32(y1 - y0))


@kernel
def pair(i, j, count):
    """The number of the pair of lines i < j, of an axis with ``count`` gaps between its lines."""
    before = j - i - 1
    return before * count - before * (before - 1) // 2 + i


@kernel
def lower(target, one, other):
    """Lower ``target`` to ``one + other`` where that is less."""
    for i in range(target.size):
        both = one[i] + other[i]
        if both < target[i]:
            target[i] = both


@kernel
def fill_leaves(plane, counts, ys, w, costs):
    """The cost as a leaf of every box of a plane; ``counts`` are the units above each y line."""
    gaps, first = len(ys) - 1, 0
    for extent in range(1, gaps + 1):
        number = gaps - extent + 1
        row = plane[first : first + number]
        above, below, top, bottom = counts[:number], counts[extent:], ys[:number], ys[extent:]
        for i in range(number):
            row[i] = leaf_cost(costs, below[i] - above[i], w, bottom[i] - top[i])
        first += number


@kernel
def transpose(planes, side, first, number):
    """Lay ``number`` planes from ``first`` on side by side: a row per pair of y lines."""
    for start in range(0, len(side), 16):  # blocks that stay in the cache
        for i in range(number):
            for j in range(start, min(start + 16, len(side))):
                side[j, i] = planes[first + i, j]


@kernel
def transpose_back(side, planes, first, number):
    """Undo ``transpose``."""
    for start in range(0, len(side), 16):
        for i in range(number):
            for j in range(start, min(start + 16, len(side))):
                planes[first + i, j] = side[j, i]


@kernel
def lower_by_y_cuts(side, below, ys, min_extent):
    """Lower the costs in ``side`` by all cuts along y whose children cost what stands in ``below``."""
    gaps, lanes = len(ys) - 1, side.shape[1]
    target, source = side.reshape(side.size), below.reshape(below.size)
    for extent in range(2, gaps + 1):
        number = gaps - extent + 1
        together = number if min_extent == 1 else 1  # boxes in one go: all if all may be cut
        for first in range(0, number, together):
            if ys[first + extent] - ys[first] <= min_extent:
                continue
            at, length = (pair(0, extent, gaps) + first) * lanes, together * lanes
            for cut in range(1, extent):
                one, other = (pair(0, cut, gaps) + first) * lanes, (pair(cut, extent, gaps) + first) * lanes
                lower(target[at : at + length], source[one : one + length], source[other : other + length])


@kernel
def fill(sums, costs, xs, ys, min_extent, below, table):
    """The least cost of every box on the lines, into ``table``, when its children cost what stands in ``below``.

    With ``below`` the same array as ``table`` there is no limit of depth. With ``below`` the table of one level less,
    ``table`` becomes that of one level more.
    """
    gaps_x, gaps_y = len(xs) - 1, len(ys) - 1
    counts, heights = np.empty(gaps_y + 1, np.float32), ys.astype(np.float32)
    endless = below.ctypes.data == table.ctypes.data
    for extent in range(1, gaps_x + 1):
        number, first = gaps_x - extent + 1, pair(0, extent, gaps_x)
        side = np.zeros((table.shape[1], (number + LANES - 1) // LANES * LANES), np.float32)
        for i in range(number):
            j, plane = i + extent, table[first + i]
            for y in range(gaps_y + 1):
                counts[y] = np.float32(sums[ys[y], xs[j]] - sums[ys[y], xs[i]])
            fill_leaves(plane, counts, heights, np.float32(xs[j] - xs[i]), costs)
            if xs[j] - xs[i] > min_extent:
                for cut in range(i + 1, j):
                    lower(plane, below[pair(i, cut, gaps_x)], below[pair(cut, j, gaps_x)])
        transpose(table, side, first, number)
        if endless:
            lower_by_y_cuts(side, side, ys, min_extent)
        else:
            other = np.zeros_like(side)
            transpose(below, other, first, number)
            lower_by_y_cuts(side, other, ys, min_extent)
        transpose_back(side, table, first, number)


@kernel
def fill_levels(sums, costs, xs, ys, min_extent, endless, tables):
    """Fill the tables of all levels: ``tables[0]`` of leaves, ``tables[d]`` of subtrees of depth d at most.

    An ``endless`` search has a single table, without a limit of depth.
    """
    if endless:
        fill(sums, costs, xs, ys, min_extent, tables[0], tables[0])
        return
    heights = ys.astype(np.float32)
    counts = np.empty(len(ys), np.float32)
    for j in range(1, len(xs)):
        for i in range(j):
            for y in range(len(ys)):
                counts[y] = np.float32(sums[ys[y], xs[j]] - sums[ys[y], xs[i]])
            fill_leaves(tables[0, pair(i, j, len(xs) - 1)], counts, heights, np.float32(xs[j] - xs[i]), costs)
    for level in range(1, len(tables)):
        fill(sums, costs, xs, ys, min_extent, tables[level - 1], tables[level])


@kernel
def find_cut(tables, level, xs, ys, min_extent, i, j, k, m):
    """Axis and line of the first cut that has the least cost of the box (x lines i, j; y lines k, m).

    The first axis comes first, then the smallest cut.
    """
    gaps_x, gaps_y = len(xs) - 1, len(ys) - 1
    below = tables[max(level - 1, 0)]
    column, row = pair(k, m, gaps_y), pair(i, j, gaps_x)
    least = tables[level, row, column]
    if xs[j] - xs[i] > min_extent:
        for cut in range(i + 1, j):
            if below[pair(i, cut, gaps_x), column] + below[pair(cut, j, gaps_x), column] == least:
                return 0, cut
    if ys[m] - ys[k] > min_extent:
        for cut in range(k + 1, m):
            if below[row, pair(k, cut, gaps_y)] + below[row, pair(cut, m, gaps_y)] == least:
                return 1, cut
    return LEAF, 0


@kernel
def read_tree(sums, costs, xs, ys, min_extent, endless, tables):
    """The best tree of the box between the outer lines, depth-first: rows x, y, w, h, depth, parent, rule, cut."""
    rows = np.empty((8, 64), np.int32)
    stack = [(0, len(xs) - 1, 0, len(ys) - 1, len(tables) - 1, 0, -1)]
    count = 0
    while len(stack) > 0:
        i, j, k, m, level, depth, parent = stack.pop()
        if count == rows.shape[1]:
            rows = np.concatenate((rows, np.empty_like(rows)), axis=1)
        x, y, w, h = xs[i], ys[k], xs[j] - xs[i], ys[m] - ys[k]
        rows[0, count], rows[1, count], rows[2, count], rows[3, count] = x, y, w, h
        rows[4, count], rows[5, count] = depth, parent
        axis, cut = LEAF, 0
        least = tables[level, pair(i, j, len(xs) - 1), pair(k, m, len(ys) - 1)]
        if (endless or level > 0) and least < box_cost(sums, costs, x, x + w, y, y + h):
            axis, cut = find_cut(tables, level, xs, ys, min_extent, i, j, k, m)
        rows[6, count] = better_label(sums, costs, x, x + w, y, y + h) if axis == LEAF else axis
        rows[7, count] = 0 if axis == LEAF else (xs[cut] - x if axis == 0 else ys[cut] - y)
        if axis == 0:
            stack.append((cut, j, k, m, max(level - 1, 0), depth + 1, count))
            stack.append((i, cut, k, m, max(level - 1, 0), depth + 1, count))
        elif axis == 1:
            stack.append((i, j, cut, m, max(level - 1, 0), depth + 1, count))
            stack.append((i, j, k, cut, max(level - 1, 0), depth + 1, count))
        count += 1
    return rows[:, :count].copy()


@kernel
def better_label(sums, costs, x0, x1, y0, y1):
    """The rule of a leaf: the label that costs less; ties go to paint."""
    positive = sums[y1, x1] - sums[y1, x0] - sums[y0, x1] + sums[y0, x0]
    painted, skipped = leaf_costs(costs, np.float32(positive), np.float32(x1 - x0), np.float32(y1 - y0))
    return PAINT if painted <= skipped else SKIP


@kernel
def errors_of(sums, costs, rows):
    """The cost of all leaves of a tree, each with its own label, in float64."""
    total = 0.0
    for i in range(rows.shape[1]):
        if rows[6, i] >= PAINT:
            x, y, w, h = rows[0, i], rows[1, i], rows[2, i], rows[3, i]
            positive = np.int64(sums[y + h, x + w] - sums[y + h, x] - sums[y, x + w] + sums[y, x])
            wrong = np.int64(w) * h * costs.unit - positive if rows[6, i] == PAINT else positive
            total += costs.price + wrong * (costs.wasted if rows[6, i] == PAINT else costs.missed)
    return total
