"""The oracle's hot loops: Numba kernels over integral images. Each has a slow, obvious twin in ``twins.py``.

With f(n) = n*log(n), the entropy of n units of which p are positive, times n, is f(n) - f(p) - f(n - p). So the gain
of a cut is a sum of six f's, and f of a small whole number is looked up in a table.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..grammar import MAX_DEPTH, Rule
from ..support.numba import nb

TABLE_SIZE = 1 << 17
"""Counts below this are looked up; larger ones, met only near the root of large images, are computed."""

TOLERANCE = 1e-9
"""A cut must gain this share of its node's size, in nats, to be better than another: less is rounding."""

EXACT_LEVELS = 3
"""The lookahead oracle finds the best subtree of this many levels exactly."""

LEAF = -1
"""In place of an axis: do not split."""

UNLIMITED = 1 << 62
PAINT, SKIP = int(Rule.PAINT), int(Rule.SKIP)
STACK_SIZE = MAX_DEPTH + 2

kernel: Any = nb.njit(cache=True, nogil=True, boundscheck=False)
at = nb.uint64  # an unsigned index spares Numba's test for negative ones


class Picture(NamedTuple):
    """One mask as the kernels see it.

    All integral images lie behind each other in the flat array ``sums``: the count of the pixels above and left of
    (x, y) is ``sums[start + y * stride + x]``. Counts come in units: one a pixel for a mask of labels, 255 a pixel
    for a soft mask, so that expected labels are exact whole numbers too.
    """

    sums: np.ndarray
    start: int
    stride: int
    unit: int
    table: np.ndarray
    min_extent: int


class Box(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    w: int
    h: int


def xlogx_table() -> np.ndarray:
    """n*log(n) for n = 0 .. TABLE_SIZE - 1."""
    n = np.arange(1, TABLE_SIZE, dtype=np.float64)
    return np.concatenate([[0.0], n * np.log(n)])


@kernel
def integrate(mask, sums, start):
    """Write the integral image of ``mask`` into ``sums`` from ``start`` on."""
    height, width = mask.shape
    stride = width + 1
    for x in range(stride):
        sums[at(start + x)] = 0
    for y in range(height):
        above, here = start + y * stride, start + (y + 1) * stride
        row = mask[y]
        count = 0
        sums[at(here)] = 0
        for x in range(width):  # in two passes: the second runs on vectors
            count += row[x]
            sums[at(here + x + 1)] = count
        for x in range(1, stride):
            sums[at(here + x)] += sums[at(above + x)]


@kernel
def integrate_words(words, sums, start):
    """``integrate`` for labels, 0 or 1, whose rows are words of eight bytes, on a little-endian machine: faster.

    One product turns the eight labels of a word into their running counts. What the words before it have counted is
    spread over eight places as well, so that the sum of both and of the row above runs on vectors.
    """
    height, width = words.shape[0], 8 * words.shape[1]
    within, before = np.empty(width // 8, np.uint64), np.empty(width // 2, np.uint64)
    counts, carried = within.view(np.uint8), before.view(np.int32)
    stride = width + 1
    for x in range(stride):
        sums[at(start + x)] = 0
    for y in range(height):
        above, here = start + y * stride + 1, start + (y + 1) * stride + 1
        count = nb.uint64(0)
        sums[at(here - 1)] = 0
        for i in range(width // 8):
            running = words[y, i] * nb.uint64(0x0101010101010101)
            within[at(i)] = running
            for j in range(4):
                before[at(4 * i + j)] = count * nb.uint64(0x1_0000_0001)
            count += running >> nb.uint64(56)
        for x in range(width):
            sums[at(here + x)] = sums[at(above + x)] + carried[at(x)] + counts[at(x)]


@kernel
def positives(picture, box):
    """Positive units in a box: four look-ups."""
    top = picture.start + box.y * picture.stride + box.x
    bottom = top + box.h * picture.stride
    sums = picture.sums
    return np.int64(sums[at(bottom + box.w)] - sums[at(bottom)] - sums[at(top + box.w)] + sums[at(top)])


@kernel
def xlogx(n, table):
    """n*log(n), with 0 at n = 0."""
    return table[at(n)] if n < TABLE_SIZE else n * math.log(n)


@kernel
def purity(p, n, table):
    """Minus n times the entropy of p positive units among n: 0 if pure, negative if mixed."""
    return xlogx(p, table) + xlogx(n - p, table) - xlogx(n, table)


@kernel
def label_errors(p, n):
    """Units that are wrong when a box gets its majority label."""
    return min(p, n - p)


@kernel
def axis_walk(picture, box, axis):
    """How to walk a box along an axis: two places whose sums' difference counts what lies before them, the step from
    one cut to the next, and the box's extents along and across the axis."""
    corner = picture.start + box.y * picture.stride + box.x
    if axis == 0:
        return corner + box.h * picture.stride, corner, 1, box.w, box.h
    return corner + box.w, corner, picture.stride, box.h, box.w


@kernel
def best_cut(picture, box):
    """IGM's choice (section 3.1): axis and cut of greatest information gain, or LEAF if no cut gains.

    Ties go to the first axis and the smallest cut. A cut between two columns of equal counts is never the best
    (Fayyad and Irani 1992: gain is convex along such a run), so only cuts where the count changes are scored.
    """
    sums, unit, table = picture.sums, picture.unit, picture.table
    total, size = positives(picture, box), box.w * box.h * unit
    margin = TOLERANCE * size
    bar = purity(total, size, table) + margin
    best_axis, best = LEAF, 0
    for axis in range(2):
        far, near, step, extent, across = axis_walk(picture, box, axis)
        if extent <= picture.min_extent:
            continue
        origin = np.int64(sums[at(far)] - sums[at(near)])
        before = np.int64(sums[at(far + step)] - sums[at(near + step)]) - origin
        column = before
        for cut in range(1, extent):
            far += step
            near += step
            after = np.int64(sums[at(far + step)] - sums[at(near + step)]) - origin
            if after - before != column:
                column = after - before
                first = cut * across * unit
                score = purity(before, first, table) + purity(total - before, size - first, table)
                if score > bar:
                    bar, best_axis, best = score + margin, axis, cut
            before = after
    return best_axis, best


@kernel
def halves(box, axis, cut):
    """The two children of a box."""
    if axis == 0:
        return Box(box.x, box.y, cut, box.h), Box(box.x + cut, box.y, box.w - cut, box.h)
    return Box(box.x, box.y, box.w, cut), Box(box.x, box.y + cut, box.w, box.h - cut)


# ---- optimal subtrees of one to three levels ------------------------------------------------------------------------


@kernel
def split_errors(sums, far, near, step, extent, across, unit, total):
    """The fewest errors of a single split along one axis."""
    origin, size = np.int64(sums[at(far)] - sums[at(near)]), extent * across * unit
    fewest = size
    for cut in range(1, extent):
        before = np.int64(sums[at(far + cut * step)] - sums[at(near + cut * step)]) - origin
        first = cut * across * unit
        errors = label_errors(before, first) + label_errors(total - before, size - first)
        fewest = min(fewest, errors)
    return fewest


@kernel
def errors_of_one(picture, box, limit):
    """The fewest errors of at most one split, or ``limit`` if that is not below it."""
    sums, unit, total = picture.sums, picture.unit, positives(picture, box)
    best = min(label_errors(total, box.w * box.h * unit), limit)
    if best > 0 and box.w > picture.min_extent:
        far, near, _, extent, across = axis_walk(picture, box, 0)
        best = min(best, split_errors(sums, far, near, 1, extent, across, unit, total))  # a constant step: on vectors
    if best > 0 and box.h > picture.min_extent:
        far, near, step, extent, across = axis_walk(picture, box, 1)
        best = min(best, split_errors(sums, far, near, step, extent, across, unit, total))
    return best


@kernel
def optimal_one(picture, box):
    """Axis and cut of the best single split, or LEAF if none has fewer errors than a label."""
    fewest = errors_of_one(picture, box, UNLIMITED)
    if fewest < label_errors(positives(picture, box), box.w * box.h * picture.unit):
        for axis in range(2):
            extent = box.w if axis == 0 else box.h
            for cut in range(1, extent if extent > picture.min_extent else 1):
                one, other = halves(box, axis, cut)
                first = label_errors(positives(picture, one), one.w * one.h * picture.unit)
                if first + label_errors(positives(picture, other), other.w * other.h * picture.unit) == fewest:
                    return axis, cut
    return LEAF, 0


# The fewest errors of an optimal subtree never fall when its box grows. So for all cuts between two tried ones, the
# errors before the lower and behind the upper one bound the sum from below, and bisection finds the best cut without
# trying most of the others. (Numba cannot cache a kernel that calls itself: the recursion is written out.)
# With a smallest extent above one pixel a box that grows may become divisible, and its errors fall after all. Then the
# bounds are the errors without that condition, which are never more.


@kernel
def without_min_extent(picture):
    """The same picture, with every cut allowed."""
    return Picture(picture.sums, picture.start, picture.stride, picture.unit, picture.table, 1)


@kernel
def optimal_two(picture, box, limit):
    """The best subtree of at most two levels; ``limit`` and LEAF if that is not below ``limit``."""
    errors = label_errors(positives(picture, box), box.w * box.h * picture.unit)
    best, best_axis, best_at = min(errors, limit), LEAF, 0
    free = without_min_extent(picture)
    pending = np.empty((STACK_SIZE, 4), np.int64)
    for axis in range(2):
        waiting = push_all_cuts(pending, picture, box, axis, best)
        while waiting > 0:
            waiting -= 1
            low, high, left, right = quadruple(pending, waiting)
            if left + right >= best:
                continue
            cut = (low + high) >> 1
            one, other = halves(box, axis, cut)
            first, second = errors_of_one(picture, one, best), errors_of_one(picture, other, best)
            if first + second < best:
                best, best_axis, best_at = first + second, axis, cut
            if picture.min_extent > 1:
                first, second = errors_of_one(free, one, best), errors_of_one(free, other, best)
            waiting = push_cuts(pending, waiting, cut + 1, high, first, right, best)
            waiting = push_cuts(pending, waiting, low, cut - 1, left, second, best)
    return best, best_axis, best_at


@kernel
def optimal_three(picture, box, limit):
    """The best subtree of at most three levels; ``limit`` and LEAF if that is not below ``limit``."""
    errors = label_errors(positives(picture, box), box.w * box.h * picture.unit)
    best, best_axis, best_at = min(errors, limit), LEAF, 0
    free = without_min_extent(picture)
    pending = np.empty((STACK_SIZE, 4), np.int64)
    for axis in range(2):
        waiting = push_all_cuts(pending, picture, box, axis, best)
        while waiting > 0:
            waiting -= 1
            low, high, left, right = quadruple(pending, waiting)
            if left + right >= best:
                continue
            cut = (low + high) >> 1
            one, other = halves(box, axis, cut)
            first, second = optimal_two(picture, one, best)[0], optimal_two(picture, other, best)[0]
            if first + second < best:
                best, best_axis, best_at = first + second, axis, cut
            if picture.min_extent > 1:
                first, second = optimal_two(free, one, best)[0], optimal_two(free, other, best)[0]
            waiting = push_cuts(pending, waiting, cut + 1, high, first, right, best)
            waiting = push_cuts(pending, waiting, low, cut - 1, left, second, best)
    return best, best_axis, best_at


@kernel
def optimal_cut(picture, box, levels):
    """Axis and cut of the first split of the best subtree of ``levels`` <= EXACT_LEVELS levels."""
    if levels == 1:
        return optimal_one(picture, box)
    found = optimal_two(picture, box, UNLIMITED) if levels == 2 else optimal_three(picture, box, UNLIMITED)
    return found[1], found[2]


@kernel
def push_all_cuts(pending, picture, box, axis, best):
    """Start the bisection of an axis, if it may be split."""
    extent = box.w if axis == 0 else box.h
    return push_cuts(pending, 0, 1, extent - 1, 0, 0, best) if extent > picture.min_extent else 0


@kernel
def push_cuts(pending, waiting, low, high, left, right, best):
    """Put the cuts low .. high on the stack of intervals to bisect, unless their bounds rule them out."""
    if low > high or left + right >= best:
        return waiting
    pending[waiting, 0] = low
    pending[waiting, 1] = high
    pending[waiting, 2] = left
    pending[waiting, 3] = right
    return waiting + 1


@kernel
def quadruple(stack, place):
    """The first four numbers of a row of a stack."""
    return stack[place, 0], stack[place, 1], stack[place, 2], stack[place, 3]


# ---- the lookahead oracle: candidate cuts, each scored by how IGM would finish ------------------------------------


@kernel
def look_ahead(picture, box, levels, candidates, offered_axis, offered_cut):
    """One step of policy improvement over IGM: of ``candidates`` cuts an axis, the one with which IGM ends best.

    The candidates are the cuts of greatest gain in as many equal stretches of the axis, and one that somebody else may
    have offered; around the best of them, halving steps look for a better neighbour.
    """
    best = label_errors(positives(picture, box), box.w * box.h * picture.unit)
    best_axis, best_at = LEAF, 0
    cuts = np.empty(candidates, np.int64)
    stack = np.empty((STACK_SIZE, 5), np.int64)
    if offered_axis != LEAF:
        errors = errors_of_cut(picture, box, levels, offered_axis, offered_cut, best, stack)
        if errors < best:
            best, best_axis, best_at = errors, offered_axis, offered_cut
    for axis in range(2):
        for i in range(candidate_cuts(picture, box, axis, cuts)):
            errors = errors_of_cut(picture, box, levels, axis, cuts[i], best, stack)
            if errors < best:
                best, best_axis, best_at = errors, axis, cuts[i]
    if best_axis == LEAF:  # in a checkerboard of two by two fields no count ever changes, and yet two levels solve it
        found = optimal_two(picture, box, best)
        return found[1], found[2]
    extent = box.w if best_axis == 0 else box.h
    step = max(extent // (2 * candidates), 1)
    while step > 0:
        improved = False
        for neighbour in (best_at - step, best_at + step):
            if 1 <= neighbour < extent:
                errors = errors_of_cut(picture, box, levels, best_axis, neighbour, best, stack)
                if errors < best:
                    best, best_at, improved = errors, neighbour, True
        if not improved:
            step >>= 1
    return best_axis, best_at


@kernel
def candidate_cuts(picture, box, axis, cuts):
    """Fill ``cuts`` with the cut of greatest gain in each of ``len(cuts)`` equal stretches; answer how many there are.

    A stretch in which the count never changes has no candidate.
    """
    far, near, step, extent, across = axis_walk(picture, box, axis)
    if extent <= picture.min_extent:
        return 0
    sums, unit, table = picture.sums, picture.unit, picture.table
    total, size = positives(picture, box), box.w * box.h * unit
    origin = np.int64(sums[at(far)] - sums[at(near)])
    before = np.int64(sums[at(far + step)] - sums[at(near + step)]) - origin
    column = before
    found, stretch_of_last, best = 0, -1, 0.0
    for cut in range(1, extent):
        far += step
        near += step
        after = np.int64(sums[at(far + step)] - sums[at(near + step)]) - origin
        if after - before != column:
            column = after - before
            first = cut * across * unit
            score = purity(before, first, table) + purity(total - before, size - first, table)
            stretch = (cut - 1) * len(cuts) // (extent - 1)
            if stretch != stretch_of_last:
                cuts[found] = cut
                found, stretch_of_last, best = found + 1, stretch, score
            elif score > best:
                cuts[found - 1], best = cut, score
        before = after
    return found


@kernel
def errors_of_cut(picture, box, levels, axis, cut, limit, stack):
    """Errors when a box is cut and IGM finishes both children; gives up at ``limit``."""
    one, other = halves(box, axis, cut)
    errors = rollout(picture, one, levels - 1, limit, stack)
    return errors + rollout(picture, other, levels - 1, limit - errors, stack) if errors < limit else limit


@kernel
def rollout(picture, box, levels, limit, stack):
    """Errors when IGM finishes a box, the last split chosen for accuracy; gives up at ``limit``."""
    errors = 0
    waiting = push_box(stack, 0, box, levels)
    while waiting > 0 and errors < limit:
        waiting -= 1
        box, levels = pop_box(stack, waiting)
        p, n = positives(picture, box), box.w * box.h * picture.unit
        if p == 0 or p == n:
            continue
        if levels <= 1:
            errors += errors_of_one(picture, box, limit) if levels == 1 else label_errors(p, n)
            continue
        axis, cut = best_cut(picture, box)
        if axis == LEAF:
            errors += label_errors(p, n)
        else:
            waiting = push_halves(stack, waiting, box, levels, axis, cut)
    return min(errors, limit)


@kernel
def push_box(stack, waiting, box, levels):
    """Put a box on the stack."""
    stack[waiting, 0] = box.x
    stack[waiting, 1] = box.y
    stack[waiting, 2] = box.w
    stack[waiting, 3] = box.h
    stack[waiting, 4] = levels
    return waiting + 1


@kernel
def push_halves(stack, waiting, box, levels, axis, cut):
    """Put both children of a split on the stack, the first on top."""
    one, other = halves(box, axis, cut)
    return push_box(stack, push_box(stack, waiting, other, levels - 1), one, levels - 1)


@kernel
def pop_box(stack, place):
    """The box at a place of the stack, and its levels."""
    x, y, w, h = quadruple(stack, place)
    return Box(x, y, w, h), stack[place, 4]


# ---- what the library calls ------------------------------------------------------------------------------------------


@kernel
def choose(picture, box, levels, candidates, offered_axis, offered_cut):
    """The oracle's action at a box: an axis and cut, or LEAF. IGM if ``candidates`` is 0, else the lookahead oracle,
    which takes a cut that is offered (unless the axis is LEAF) if it finds no better one."""
    p = positives(picture, box)
    if levels <= 0 or p == 0 or p == box.w * box.h * picture.unit:
        return LEAF, 0
    if candidates == 0:
        return best_cut(picture, box)
    if levels <= EXACT_LEVELS:
        return optimal_cut(picture, box, levels)
    return look_ahead(picture, box, levels, candidates, offered_axis, offered_cut)


@kernel
def finish(picture, box, levels, candidates, stack):
    """Errors when the oracle finishes a box."""
    errors = 0
    waiting = push_box(stack, 0, box, levels)
    while waiting > 0:
        waiting -= 1
        box, levels = pop_box(stack, waiting)
        axis, cut = choose(picture, box, levels, candidates, LEAF, 0)
        if axis == LEAF:
            errors += label_errors(positives(picture, box), box.w * box.h * picture.unit)
        else:
            waiting = push_halves(stack, waiting, box, levels, axis, cut)
    return errors


@kernel
def label_rule(picture, box):
    """The majority label of a box; ties go to paint."""
    return PAINT if 2 * positives(picture, box) >= box.w * box.h * picture.unit else SKIP


@kernel
def parse(picture, width, height, depth, candidates):
    """The oracle's whole tree, depth-first: rows x, y, w, h, depth, parent, rule, cut of a (8, nodes) array."""
    rows = np.empty((8, 64), np.int32)
    stack = np.empty((STACK_SIZE, 6), np.int64)
    waiting = push_box(stack, 0, Box(0, 0, width, height), depth)
    stack[0, 5] = -1
    count = 0
    while waiting > 0:
        waiting -= 1
        box, levels = pop_box(stack, waiting)
        if count == rows.shape[1]:
            longer = np.empty((8, 2 * count), np.int32)
            longer[:, :count] = rows
            rows = longer
        axis, cut = choose(picture, box, levels, candidates, LEAF, 0)
        rows[0, count], rows[1, count], rows[2, count], rows[3, count] = box.x, box.y, box.w, box.h
        rows[4, count], rows[5, count] = depth - levels, stack[waiting, 5]
        rows[6, count] = label_rule(picture, box) if axis == LEAF else axis
        rows[7, count] = cut
        if axis != LEAF:
            stack[waiting, 5] = stack[waiting + 1, 5] = count
            waiting = push_halves(stack, waiting, box, levels, axis, cut)
        count += 1
    return rows[:, :count].copy()


@kernel
def parse_stack(masks, words, sums, unit, table, min_extent, depth, candidates):
    """``parse`` of every mask of a stack, one behind the other in one array, and where each ends.

    ``words`` are the same masks for ``integrate_words``, or empty; ``sums`` is room for one integral image.
    """
    count, height, width = masks.shape
    rows, ends, total = np.empty((8, 64 * count), np.int32), np.empty(count, np.int64), 0
    for i in range(count):
        if words.shape[0] == count:
            integrate_words(words[i], sums, 0)
        else:
            integrate(masks[i], sums, 0)
        found = parse(Picture(sums, 0, width + 1, unit, table, min_extent), width, height, depth, candidates)
        if total + found.shape[1] > rows.shape[1]:
            longer = np.empty((8, 2 * (total + found.shape[1])), np.int32)
            longer[:, :total] = rows[:, :total]
            rows = longer
        rows[:, total : total + found.shape[1]] = found
        total += found.shape[1]
        ends[i] = total
    return rows, ends


@kernel
def choose_all(sums, starts, strides, unit, table, min_extent, depth_limit, candidates, nodes, rules, cuts):
    """The oracle's rule and cut for every row (image, x, y, w, h, depth) of ``nodes``.

    Splits that are offered to it stand in ``rules`` and ``cuts`` before.
    """
    for i in range(len(nodes)):
        picture = Picture(sums, starts[nodes[i, 0]], strides[nodes[i, 0]], unit, table, min_extent)
        box = Box(nodes[i, 1], nodes[i, 2], nodes[i, 3], nodes[i, 4])
        offered = np.int64(rules[i] if rules[i] < PAINT else LEAF)
        axis, cut = choose(picture, box, depth_limit - nodes[i, 5], candidates, offered, np.int64(cuts[i]))
        rules[i] = label_rule(picture, box) if axis == LEAF else axis
        cuts[i] = cut


@kernel
def snap_all(sums, starts, strides, unit, table, nodes, rules, cuts, reach, snapped):
    """For every split, the cut of greatest gain among those at most ``reach`` away from the one given."""
    for i in range(len(nodes)):
        snapped[i] = cuts[i]
        if rules[i] >= PAINT:
            continue
        picture = Picture(sums, starts[nodes[i, 0]], strides[nodes[i, 0]], unit, table, 1)
        box = Box(nodes[i, 1], nodes[i, 2], nodes[i, 3], nodes[i, 4])
        extent = box.w if rules[i] == 0 else box.h
        best, margin = -np.inf, TOLERANCE * box.w * box.h * unit
        for offset in range(2 * reach[i] + 1):
            cut = cuts[i] + (offset + 1) // 2 * (1 if offset % 2 else -1)  # nearest first: ties stay near
            if 1 <= cut < extent:
                one, other = halves(box, rules[i], cut)
                score = purity(positives(picture, one), one.w * one.h * unit, table)
                score += purity(positives(picture, other), other.w * other.h * unit, table)
                if score > best + margin:
                    best, snapped[i] = score, cut


@kernel
def cost_to_go_all(sums, starts, strides, unit, table, min_extent, depth_limit, candidates, nodes, rules, cuts, out):
    """Q*: the return (Eq. 1, in units) when each node's action is taken and the oracle finishes its children."""
    stack = np.empty((STACK_SIZE, 5), np.int64)
    for i in range(len(nodes)):
        picture = Picture(sums, starts[nodes[i, 0]], strides[nodes[i, 0]], unit, table, min_extent)
        box = Box(nodes[i, 1], nodes[i, 2], nodes[i, 3], nodes[i, 4])
        size = box.w * box.h * unit
        if rules[i] >= PAINT:
            agreement = 2 * positives(picture, box) - size
            out[i] = agreement if rules[i] == PAINT else -agreement
        else:
            one, other = halves(box, rules[i], cuts[i])
            levels = depth_limit - nodes[i, 5] - 1
            errors = finish(picture, one, levels, candidates, stack) + finish(picture, other, levels, candidates, stack)
            out[i] = size - 2 * errors
