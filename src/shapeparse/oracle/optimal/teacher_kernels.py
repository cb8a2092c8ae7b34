"""The optimal oracle's look-ups: Numba kernels.

A node is best finished by the cheapest tree whose cuts lie on its image's lines. If its own edges are lines, that tree
is in the image's table. If not, a small programme is filled, on its own edges and the lines inside it.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators
from __future__ import annotations

import numpy as np

from ..kernels import LEAF
from .kernels import box_cost, fill_levels, find_cut, kernel, leaf_costs, pair


@kernel
def place_of(lines, position):
    """The number of the line at a position; -1 if there is none."""
    place = np.searchsorted(lines, position)
    return place if place < len(lines) and lines[place] == position else -1


@kernel
def lines_inside(lines, first, last):
    """The lines between two positions, and these."""
    low, high = np.searchsorted(lines, first, side="right"), np.searchsorted(lines, last)
    inside = np.empty(high - low + 2, np.int64)
    inside[0], inside[-1] = first, last
    inside[1:-1] = lines[low:high]
    return inside


@kernel
def levels_on(xs, ys, levels):
    """The levels a tree on these lines can use up."""
    return min(levels, len(xs) + len(ys) - 4)


@kernel
def finish(sums, costs, xs, ys, min_extent, tables, x0, x1, y0, y1, levels):
    """The least cost of a box with so many levels on the image's lines, and axis and pixel of its first cut."""
    as_leaf = box_cost(sums, costs, x0, x1, y0, y1)
    if levels <= 0:
        return as_leaf, LEAF, 0
    i, j, k, m = place_of(xs, x0), place_of(xs, x1), place_of(ys, y0), place_of(ys, y1)
    if min(i, j, k, m) < 0:
        xs, ys = lines_inside(xs, x0, x1), lines_inside(ys, y0, y1)
        i, j, k, m = 0, len(xs) - 1, 0, len(ys) - 1
        shape = (levels_on(xs, ys, levels) + 1, j * (j + 1) // 2, m * (m + 1) // 2)
        tables = np.empty(shape, np.float32)
        fill_levels(sums, costs, xs, ys, min_extent, False, tables)
    level = min(levels, len(tables) - 1)
    least = tables[level, pair(i, j, len(xs) - 1), pair(k, m, len(ys) - 1)]
    if level == 0 or least >= as_leaf:
        return as_leaf, LEAF, 0
    axis, line = find_cut(tables, level, xs, ys, min_extent, i, j, k, m)
    return least, axis, xs[line] if axis == 0 else ys[line]


@kernel
def choose_all(sums, costs, xs, ys, min_extent, tables, nodes, depth_limit, rules, cuts):
    """Axis and cut of the best action at nodes (x, y, w, h, depth) of one image; a rule of LEAF stands for a label."""
    for n in range(len(nodes)):
        x, y, w, h, depth = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3], nodes[n, 4]
        _, axis, line = finish(sums, costs, xs, ys, min_extent, tables, x, x + w, y, y + h, depth_limit - depth)
        rules[n] = axis
        cuts[n] = 0 if axis == LEAF else line - (x if axis == 0 else y)


@kernel
def cost_all(sums, costs, xs, ys, min_extent, tables, nodes, depth_limit, rules, cuts, result):
    """The least cost of nodes of one image when their actions are taken: labels 2 (paint) and 3, or a cut."""
    for n in range(len(nodes)):
        x, y, w, h, depth = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3], nodes[n, 4]
        left, cut = depth_limit - depth - 1, cuts[n]
        if rules[n] == 0:
            one = finish(sums, costs, xs, ys, min_extent, tables, x, x + cut, y, y + h, left)[0]
            other = finish(sums, costs, xs, ys, min_extent, tables, x + cut, x + w, y, y + h, left)[0]
            result[n] = np.float64(one) + other
        elif rules[n] == 1:
            one = finish(sums, costs, xs, ys, min_extent, tables, x, x + w, y, y + cut, left)[0]
            other = finish(sums, costs, xs, ys, min_extent, tables, x, x + w, y + cut, y + h, left)[0]
            result[n] = np.float64(one) + other
        else:
            positive = sums[y + h, x + w] - sums[y + h, x] - sums[y, x + w] + sums[y, x]
            painted, skipped = leaf_costs(costs, np.float32(positive), np.float32(w), np.float32(h))
            result[n] = painted if rules[n] == 2 else skipped


@kernel
def worth_along(least, lines, first, last, price, places, found):
    """Place and cost of a cut at every line between two of them, from the ``least`` costs of boxes between any two; at
    both ends, which are no cuts, the cost when a level and a leaf are wasted."""
    gaps, start, extent = len(lines) - 1, lines[first], lines[last] - lines[first]
    places[:], found[:] = 1.0, least[pair(first, last, gaps)] + price
    places[0] = 0.0
    for line in range(first + 1, last):
        places[line - first] = (lines[line] - start) / extent
        found[line - first] = least[pair(first, line, gaps)] + least[pair(line, last, gaps)]


@kernel
def worth_all(sums, costs, xs, ys, min_extent, tables, nodes, depth_limit, places, found, labels):
    """Of nodes of one image: places (nodes, 2, points) along each axis, from 0 to 1, the least cost of a cut at each,
    and the costs (nodes, 2) of paint and skip. An axis without a line inside has its middle instead."""
    for n in range(len(nodes)):
        x, y, w, h, depth = nodes[n, 0], nodes[n, 1], nodes[n, 2], nodes[n, 3], nodes[n, 4]
        x1, y1, left = x + w, y + h, depth_limit - depth - 1
        positive = sums[y1, x1] - sums[y1, x] - sums[y, x1] + sums[y, x]
        labels[n, 0], labels[n, 1] = leaf_costs(costs, np.float32(positive), np.float32(w), np.float32(h))
        if left < 0:
            places[n], found[n] = 0.5, box_cost(sums, costs, x, x1, y, y1)
            continue
        lines_x, lines_y, own = xs, ys, tables
        i, j, k, m = place_of(xs, x), place_of(xs, x1), place_of(ys, y), place_of(ys, y1)
        if min(i, j, k, m) < 0:
            lines_x, lines_y = lines_inside(xs, x, x1), lines_inside(ys, y, y1)
            i, j, k, m = 0, len(lines_x) - 1, 0, len(lines_y) - 1
            own = np.empty((levels_on(lines_x, lines_y, left) + 1, j * (j + 1) // 2, m * (m + 1) // 2), np.float32)
            fill_levels(sums, costs, lines_x, lines_y, min_extent, False, own)
        level = min(left, len(own) - 1)
        column, row = pair(k, m, len(lines_y) - 1), pair(i, j, len(lines_x) - 1)
        worth_along(own[level, :, column], lines_x, i, j, costs.price, places[n, 0], found[n, 0])
        worth_along(own[level, row], lines_y, k, m, costs.price, places[n, 1], found[n, 1])
        if j - i == 1 and w > 1:
            half = w // 2
            places[n, 0, 1] = half / w
            found[n, 0, 1] = finish(sums, costs, xs, ys, min_extent, tables, x, x + half, y, y1, left)[0]
            found[n, 0, 1] += finish(sums, costs, xs, ys, min_extent, tables, x + half, x1, y, y1, left)[0]
        if m - k == 1 and h > 1:
            half = h // 2
            places[n, 1, 1] = half / h
            found[n, 1, 1] = finish(sums, costs, xs, ys, min_extent, tables, x, x1, y, y + half, left)[0]
            found[n, 1, 1] += finish(sums, costs, xs, ys, min_extent, tables, x, x1, y + half, y1, left)[0]
