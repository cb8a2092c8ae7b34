"""The best tree for every number of leaves, on the lines of a filled table: Numba kernels.

A table at a price gives the best trees of the lower convex hull of errors over leaves only. The others are found among
the trees whose cost at that price is at most ``slack`` above the least. Only few boxes belong to such a tree: they are
found from the root down (``reach``), and for these alone the least cost is found for every number of leaves
(``frontiers``), from the smallest box up. Twins are in ``twins.py``.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators
from __future__ import annotations

import numpy as np

from .kernels import better_label, box_cost, kernel, pair

NOT_REACHED = -1.0


@kernel
def line_pairs(gaps):
    """The two lines of every pair, by its number."""
    pairs = np.empty((gaps * (gaps + 1) // 2, 2), np.int64)
    for j in range(1, gaps + 1):
        for i in range(j):
            number = pair(i, j, gaps)
            pairs[number, 0], pairs[number, 1] = i, j
    return pairs


@kernel
def reach(tables, endless, xs, ys, min_extent, slack):
    """For every box, the most that the cost of its subtree may exceed the least, in a tree that exceeds its least cost
    by at most ``slack``; NOT_REACHED if no such tree has the box. With the boxes reached, largest first."""
    gaps_x, gaps_y = len(xs) - 1, len(ys) - 1
    pairs_x, pairs_y = line_pairs(gaps_x), line_pairs(gaps_y)
    room = np.full(tables.shape, NOT_REACHED, np.float32)
    room[-1, -1, -1] = slack
    boxes = [(len(tables) - 1, np.int64(0), np.int64(0))]
    boxes.clear()
    for level in range(len(tables) - 1, -1, -1):
        under = max(level - 1, 0)
        below, here = tables[under], room[level]
        for row in range(len(pairs_x) - 1, -1, -1):
            for column in range(len(pairs_y) - 1, -1, -1):
                left = here[row, column]
                if left < 0:
                    continue
                boxes.append((level, row, column))
                if level == 0 and not endless:
                    continue
                left += tables[level, row, column]
                i, j = pairs_x[row]
                for cut in range(i + 1, j if xs[j] - xs[i] > min_extent else i + 1):
                    one, other = pair(i, cut, gaps_x), pair(cut, j, gaps_x)
                    spare = left - (below[one, column] + below[other, column])
                    if spare >= 0:
                        room[under, one, column] = max(room[under, one, column], spare)
                        room[under, other, column] = max(room[under, other, column], spare)
                k, m = pairs_y[column]
                for cut in range(k + 1, m if ys[m] - ys[k] > min_extent else k + 1):
                    one, other = pair(k, cut, gaps_y), pair(cut, m, gaps_y)
                    spare = left - (below[row, one] + below[row, other])
                    if spare >= 0:
                        room[under, row, one] = max(room[under, row, one], spare)
                        room[under, row, other] = max(room[under, row, other], spare)
    return room, boxes


@kernel
def join(target, one, other):
    """Lower ``target[k]`` to the least ``one[a] + other[k - a]``; index 0 stands for one leaf.

    Infinities at the end of the parts are skipped.
    """
    last_one, last_other = len(one), len(other)
    while last_one > 0 and one[last_one - 1] == np.inf:
        last_one -= 1
    while last_other > 0 and other[last_other - 1] == np.inf:
        last_other -= 1
    for a in range(min(last_one, len(target) - 1)):
        if one[a] < np.inf:
            part = target[a + 1 :]
            for b in range(min(len(part), last_other)):
                both = one[a] + other[b]
                if both < part[b]:
                    part[b] = both


@kernel
def frontiers(sums, costs, tables, endless, xs, ys, min_extent, slack, leaves):
    """The least cost of every reached box with 1, 2 .. ``leaves`` leaves, and where the rows of the boxes are.

    Costs of at most what ``reach`` allows are the least there are; larger ones belong to trees too, perhaps not the
    best. Infinity: no tree was met.
    """
    gaps_x, gaps_y = len(xs) - 1, len(ys) - 1
    pairs_x, pairs_y = line_pairs(gaps_x), line_pairs(gaps_y)
    room, boxes = reach(tables, endless, xs, ys, min_extent, slack)
    where = np.full(tables.shape, -1, np.int32)
    table = np.full((len(boxes), leaves), np.inf, np.float32)
    for place in range(len(boxes)):
        level, row, column = boxes[len(boxes) - 1 - place]
        where[level, row, column] = place
        i, j = pairs_x[row]
        k, m = pairs_y[column]
        table[place, 0] = box_cost(sums, costs, xs[i], xs[j], ys[k], ys[m])
        if level == 0 and not endless:
            continue
        under = max(level - 1, 0)
        below, most = tables[under], tables[level, row, column] + room[level, row, column]
        for cut in range(i + 1, j if xs[j] - xs[i] > min_extent else i + 1):
            one, other = pair(i, cut, gaps_x), pair(cut, j, gaps_x)
            if below[one, column] + below[other, column] <= most:
                join(table[place], table[where[under, one, column]], table[where[under, other, column]])
        for cut in range(k + 1, m if ys[m] - ys[k] > min_extent else k + 1):
            one, other = pair(k, cut, gaps_y), pair(cut, m, gaps_y)
            if below[row, one] + below[row, other] <= most:
                join(table[place], table[where[under, row, one]], table[where[under, row, other]])
    return table, where


@kernel
def leaves_of_first(least, one, other, leaves):
    """With how many leaves the first child has part in the least cost of ``leaves``; 0 if in none."""
    for first in range(1, leaves):
        if one[first - 1] + other[leaves - first - 1] == least:
            return first
    return 0


@kernel
def find_share(table, where, level, xs, ys, min_extent, i, j, k, m, leaves):
    """Axis, line and leaves of the first child of the first cut that has the least cost of a box with ``leaves``."""
    gaps_x, gaps_y = len(xs) - 1, len(ys) - 1
    row, column, under = pair(i, j, gaps_x), pair(k, m, gaps_y), max(level - 1, 0)
    least = table[where[level, row, column], leaves - 1]
    for cut in range(i + 1, j if xs[j] - xs[i] > min_extent else i + 1):
        one, other = where[under, pair(i, cut, gaps_x), column], where[under, pair(cut, j, gaps_x), column]
        if one >= 0 and other >= 0:
            first = leaves_of_first(least, table[one], table[other], leaves)
            if first > 0:
                return 0, cut, first
    for cut in range(k + 1, m if ys[m] - ys[k] > min_extent else k + 1):
        one, other = where[under, row, pair(k, cut, gaps_y)], where[under, row, pair(cut, m, gaps_y)]
        if one >= 0 and other >= 0:
            first = leaves_of_first(least, table[one], table[other], leaves)
            if first > 0:
                return 1, cut, first
    return -1, 0, 0


@kernel
def read_budget_tree(sums, costs, table, where, xs, ys, min_extent, leaves):
    """The tree of exactly ``leaves`` leaves that ``frontiers`` found, depth-first: rows as in ``read_tree``."""
    rows = np.empty((8, 2 * leaves - 1), np.int32)
    stack = [(0, len(xs) - 1, 0, len(ys) - 1, leaves, 0, -1)]
    count = 0
    while len(stack) > 0:
        i, j, k, m, share, depth, parent = stack.pop()
        x, y, w, h = xs[i], ys[k], xs[j] - xs[i], ys[m] - ys[k]
        rows[0, count], rows[1, count], rows[2, count], rows[3, count] = x, y, w, h
        rows[4, count], rows[5, count], rows[7, count] = depth, parent, 0
        if share == 1:
            rows[6, count] = better_label(sums, costs, x, x + w, y, y + h)
        else:
            level = max(len(where) - 1 - depth, 0)
            axis, cut, first = find_share(table, where, level, xs, ys, min_extent, i, j, k, m, share)
            rows[6, count] = axis
            if axis == 0:
                rows[7, count] = xs[cut] - x
                stack.append((cut, j, k, m, share - first, depth + 1, count))
                stack.append((i, cut, k, m, first, depth + 1, count))
            else:
                rows[7, count] = ys[cut] - y
                stack.append((i, j, cut, m, share - first, depth + 1, count))
                stack.append((i, j, k, cut, first, depth + 1, count))
        count += 1
    return rows
