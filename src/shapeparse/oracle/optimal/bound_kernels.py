"""A cost that no tree can be below, over all pixel lines: a relaxed programme on some lines. Numba kernels.

Every box of a tree is shrunk to the lines inside it; a leaf costs no less than its shrunk box. A cut between two lines
leaves out the strip between them: its pixels cost nothing. Boxes without any pixels left still cost the price of a
leaf. The least cost over all such trees is a bound for all trees with cuts anywhere. Strips of one pixel hold no cut.
The twin is in ``twins.py``.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators
from __future__ import annotations

import numpy as np

from .kernels import box_cost, kernel


@kernel
def least_cut_of(costs, lines, first, last):
    """The least cost of two parts of a run of gaps, cut at a line or within a strip, and the gap or -1.

    ``costs[a, b]`` is the cost of the part from line a to line b.
    """
    least, strip = np.float32(np.inf), -1
    for gap in range(first, last):
        if lines[gap + 1] - lines[gap] > 1:
            both = costs[first, gap] + costs[gap + 1, last]
            if both < least:
                least, strip = both, gap
        if gap > first:
            both = costs[first, gap] + costs[gap, last]
            if both < least:
                least, strip = both, -1
    return least, strip


@kernel
def relax(sums, costs, xs, ys):
    """The relaxed cost of every shrunk box, by its lines (first x, last x, first y, last y)."""
    gaps_x, gaps_y = len(xs) - 1, len(ys) - 1
    table = np.empty((gaps_x + 1, gaps_x + 1, gaps_y + 1, gaps_y + 1), np.float32)
    price = np.float32(costs.price)
    for extent_x in range(gaps_x + 1):
        for i in range(gaps_x - extent_x + 1):
            j = i + extent_x
            for extent_y in range(gaps_y + 1):
                for k in range(gaps_y - extent_y + 1):
                    m = k + extent_y
                    least = price
                    if extent_x > 0 and extent_y > 0:
                        least = box_cost(sums, costs, xs[i], xs[j], ys[k], ys[m])
                        if least > 2 * price:
                            least = min(least, least_cut_of(table[:, :, k, m], xs, i, j)[0])
                        if least > 2 * price:
                            least = min(least, least_cut_of(table[i, j], ys, k, m)[0])
                    table[i, j, k, m] = least
    return table


@kernel
def strips_used(sums, costs, xs, ys, table):
    """Which strips of both axes the relaxed tree of least cost cuts through, and how many leaves it has."""
    used_x, used_y = np.zeros(len(xs), np.bool_), np.zeros(len(ys), np.bool_)
    stack = [(0, len(xs) - 1, 0, len(ys) - 1)]
    leaves = 0
    while len(stack) > 0:
        i, j, k, m = stack.pop()
        if i == j or k == m or table[i, j, k, m] == box_cost(sums, costs, xs[i], xs[j], ys[k], ys[m]):
            leaves += 1
            continue
        for axis in range(2):
            part, lines = (table[:, :, k, m], xs) if axis == 0 else (table[i, j], ys)
            first, last = (i, j) if axis == 0 else (k, m)
            found = False
            for gap in range(first, last):
                for step in range(2):
                    allowed = gap > first if step == 0 else lines[gap + 1] - lines[gap] > 1
                    if allowed and part[first, gap] + part[gap + step, last] == table[i, j, k, m] and not found:
                        found = True
                        if axis == 0:
                            used_x[gap] |= step == 1
                            stack.append((i, gap, k, m))
                            stack.append((gap + step, j, k, m))
                        else:
                            used_y[gap] |= step == 1
                            stack.append((i, j, k, gap))
                            stack.append((i, j, gap + step, m))
            if found:
                break
    return used_x, used_y, leaves
