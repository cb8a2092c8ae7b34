"""The best tree of at most four levels over ALL pixel lines, by branch and bound: Numba kernels.

The least cost of a box never falls when the box grows: a tree of the larger box, restricted to the smaller one, costs
no more. So for all cuts between two tried ones, the cost before the lower and behind the upper one is a bound, and
bisection finds the best cut without trying most of the others. This holds for every cost of leaves that grows with the
box, a price included, but not with a smallest extent above one pixel.

``rows`` holds two integral images, of what pixels cost that are skipped and of what they cost painted, in int32;
``columns`` holds their transposes, so that scans along both axes are contiguous. Twins are in ``twins.py``.
"""

# mypy: allow-untyped-defs, allow-untyped-decorators
from __future__ import annotations

import numpy as np

from ..kernels import LEAF, PAINT, SKIP, UNLIMITED, push_cuts, quadruple
from .kernels import kernel

PENDING = 64
"""Room for the intervals that a bisection keeps: their number grows with the logarithm of the extent."""

short = np.int32  # sums of 32 bits are scanned on vectors; Numba would widen them


@kernel
def label_costs(rows, x0, x1, y0, y1):
    """What a box costs when it is skipped, and when it is painted, without a price."""
    skipped = np.int64(rows[0, y1, x1] - rows[0, y1, x0] - rows[0, y0, x1] + rows[0, y0, x0])
    painted = np.int64(rows[1, y1, x1] - rows[1, y1, x0] - rows[1, y0, x1] + rows[1, y0, x0])
    return skipped, painted


@kernel
def cost_of_leaf(rows, price, x0, x1, y0, y1):
    """The cost of a box with its better label."""
    skipped, painted = label_costs(rows, x0, x1, y0, y1)
    return min(skipped, painted) + price


@kernel
def least_cut(lines, near, far, first, last):
    """The least cost of two leaves beside each other, without prices: what lies between two lines of the integral
    images, from ``first`` to ``last``, is cut."""
    skip_near, skip_far = lines[0, near, first : last + 1], lines[0, far, first : last + 1]
    paint_near, paint_far = lines[1, near, first : last + 1], lines[1, far, first : last + 1]
    extent = last - first
    skip_first, paint_first = short(skip_far[0] - skip_near[0]), short(paint_far[0] - paint_near[0])
    skip_last, paint_last = short(skip_far[extent] - skip_near[extent]), short(paint_far[extent] - paint_near[extent])
    least = min(short(skip_last - skip_first), short(paint_last - paint_first))
    for cut in range(1, extent):
        skipped, painted = short(skip_far[cut] - skip_near[cut]), short(paint_far[cut] - paint_near[cut])
        one = min(short(skipped - skip_first), short(painted - paint_first))
        other = min(short(skip_last - skipped), short(paint_last - painted))
        least = min(least, short(one + other))
    return np.int64(least)


@kernel
def search_one(rows, columns, price, x0, x1, y0, y1, limit):
    """The least cost of at most one cut, or ``limit`` if that is not below it."""
    best = min(cost_of_leaf(rows, price, x0, x1, y0, y1), limit)
    if best > 2 * price:
        best = min(best, least_cut(rows, y0, y1, x0, x1) + 2 * price)
    if best > 2 * price:
        best = min(best, least_cut(columns, x0, x1, y0, y1) + 2 * price)
    return best


@kernel
def find_one(rows, price, x0, x1, y0, y1, least):
    """Axis and cut of the first single cut of this cost, or LEAF."""
    if least < cost_of_leaf(rows, price, x0, x1, y0, y1):
        for cut in range(x0 + 1, x1):
            if cost_of_leaf(rows, price, x0, cut, y0, y1) + cost_of_leaf(rows, price, cut, x1, y0, y1) == least:
                return 0, cut
        for cut in range(y0 + 1, y1):
            if cost_of_leaf(rows, price, x0, x1, y0, cut) + cost_of_leaf(rows, price, x0, x1, cut, y1) == least:
                return 1, cut
    return LEAF, 0


# Numba cannot cache a kernel that calls itself or that is given another: the three levels are written out. The lowest
# keeps its intervals on a stack, which costs least; the others, whose cuts are dear, go on where the bound is least.


@kernel
def beside(axis, cut, x0, x1, y0, y1):
    """The boxes on both sides of a cut."""
    if axis == 0:
        return (x0, cut, y0, y1), (cut, x1, y0, y1)
    return (x0, x1, y0, cut), (x0, x1, cut, y1)


@kernel
def all_cuts(price, x0, x1, y0, y1, best):
    """The cuts of a box along both axes as two intervals, with room for all that bisection makes of them."""
    intervals = np.empty((x1 - x0 + y1 - y0, 5), np.int64)
    waiting = push_cuts(intervals, 0, x0 + 1, x1 - 1, price, price, best)
    intervals[:waiting, 4] = 0
    both = push_cuts(intervals, waiting, y0 + 1, y1 - 1, price, price, best)
    intervals[waiting:both, 4] = 1
    return intervals, both


@kernel
def pop_least(intervals, waiting):
    """The interval of the least bound, which is taken out: its place is filled by the last one."""
    least = 0
    for i in range(1, waiting):
        if intervals[i, 2] + intervals[i, 3] < intervals[least, 2] + intervals[least, 3]:
            least = i
    low, high, left, right = quadruple(intervals, least)
    axis = intervals[least, 4]
    intervals[least] = intervals[waiting - 1]
    return axis, low, high, left, right


@kernel
def push_parts(intervals, waiting, axis, low, high, cut, left, right, one, other, best):
    """Put what is left of an interval around a cut back: below it the other side costs more, above it the one side."""
    more = push_cuts(intervals, waiting, cut + 1, high, one, right, best)
    more = push_cuts(intervals, more, low, cut - 1, left, other, best)
    intervals[waiting:more, 4] = axis
    return more


@kernel
def search_two(rows, columns, price, x0, x1, y0, y1, limit):
    """The least cost of at most two levels, with axis and cut; ``limit`` and LEAF if that is not below ``limit``."""
    best, best_axis, best_cut = min(cost_of_leaf(rows, price, x0, x1, y0, y1), limit), LEAF, 0
    pending = np.empty((PENDING, 4), np.int64)
    for axis in range(2):
        first, last = (x0, x1) if axis == 0 else (y0, y1)
        waiting = push_cuts(pending, 0, first + 1, last - 1, price, price, best)
        while waiting > 0:
            waiting -= 1
            low, high, left, right = quadruple(pending, waiting)
            if left + right >= best:
                continue
            cut = (low + high) >> 1
            before, behind = beside(axis, cut, x0, x1, y0, y1)
            one = search_one(rows, columns, price, *before, best - right)
            other = search_one(rows, columns, price, *behind, best - left)
            if one + other < best:
                best, best_axis, best_cut = one + other, axis, cut
            waiting = push_cuts(pending, waiting, cut + 1, high, one, right, best)
            waiting = push_cuts(pending, waiting, low, cut - 1, left, other, best)
    return best, best_axis, best_cut


@kernel
def search_three(rows, columns, price, x0, x1, y0, y1, limit):
    """The least cost of at most three levels, with axis and cut; ``limit`` and LEAF if that is not below ``limit``."""
    best, best_axis, best_cut = min(cost_of_leaf(rows, price, x0, x1, y0, y1), limit), LEAF, 0
    intervals, waiting = all_cuts(price, x0, x1, y0, y1, best)
    while waiting > 0:
        axis, low, high, left, right = pop_least(intervals, waiting)
        if left + right >= best:
            break
        cut = (low + high) >> 1
        before, behind = beside(axis, cut, x0, x1, y0, y1)
        one = search_two(rows, columns, price, *before, best - right)[0]
        other = search_two(rows, columns, price, *behind, best - left)[0]
        if one + other < best:
            best, best_axis, best_cut = one + other, axis, cut
        waiting = push_parts(intervals, waiting - 1, axis, low, high, cut, left, right, one, other, best)
    return best, best_axis, best_cut


@kernel
def search_four(rows, columns, price, x0, x1, y0, y1, limit):
    """The least cost of at most four levels, with axis and cut; ``limit`` and LEAF if that is not below ``limit``."""
    best, best_axis, best_cut = min(cost_of_leaf(rows, price, x0, x1, y0, y1), limit), LEAF, 0
    intervals, waiting = all_cuts(price, x0, x1, y0, y1, best)
    while waiting > 0:
        axis, low, high, left, right = pop_least(intervals, waiting)
        if left + right >= best:
            break
        cut = (low + high) >> 1
        before, behind = beside(axis, cut, x0, x1, y0, y1)
        one = search_three(rows, columns, price, *before, best - right)[0]
        other = search_three(rows, columns, price, *behind, best - left)[0]
        if one + other < best:
            best, best_axis, best_cut = one + other, axis, cut
        waiting = push_parts(intervals, waiting - 1, axis, low, high, cut, left, right, one, other, best)
    return best, best_axis, best_cut


@kernel
def search(rows, columns, price, levels, x0, x1, y0, y1, limit):
    """The least cost of at most ``levels`` levels, with axis and cut; ``limit`` and LEAF if not below ``limit``."""
    if levels == 4:
        return search_four(rows, columns, price, x0, x1, y0, y1, limit)
    if levels == 3:
        return search_three(rows, columns, price, x0, x1, y0, y1, limit)
    if levels == 2:
        return search_two(rows, columns, price, x0, x1, y0, y1, limit)
    least = min(cost_of_leaf(rows, price, x0, x1, y0, y1), limit)
    if levels == 1:
        least = search_one(rows, columns, price, x0, x1, y0, y1, limit)
        axis, cut = find_one(rows, price, x0, x1, y0, y1, least)
        return least, axis, cut
    return least, LEAF, 0


@kernel
def build(rows, columns, price, levels, x1, y1, limit):
    """The best tree of the whole image, depth-first: rows as in ``read_tree``; no nodes if not below ``limit``."""
    tree = np.empty((8, 2 ** (levels + 1)), np.int32)
    stack = [(0, x1, 0, y1, 0, -1)]
    count = 0
    while len(stack) > 0:
        left, right, top, bottom, depth, parent = stack.pop()
        most = limit if count == 0 else UNLIMITED
        least, axis, cut = search(rows, columns, price, levels - depth, left, right, top, bottom, most)
        if count == 0 and least >= limit:
            return tree[:, :0].copy()
        tree[0, count], tree[1, count], tree[2, count], tree[3, count] = left, top, right - left, bottom - top
        tree[4, count], tree[5, count], tree[6, count], tree[7, count] = depth, parent, axis, 0
        if axis == 0:
            tree[7, count] = cut - left
            stack.append((cut, right, top, bottom, depth + 1, count))
            stack.append((left, cut, top, bottom, depth + 1, count))
        elif axis == 1:
            tree[7, count] = cut - top
            stack.append((left, right, cut, bottom, depth + 1, count))
            stack.append((left, right, top, cut, depth + 1, count))
        else:
            skipped, painted = label_costs(rows, left, right, top, bottom)
            tree[6, count] = PAINT if painted <= skipped else SKIP
        count += 1
    return tree[:, :count].copy()
