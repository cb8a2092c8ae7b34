"""Slow, obvious twins of the kernels: the definitions, written without a thought for speed. Tests compare both.

A mask here is a (height, width) array of units, ``unit`` of them a pixel; a box is (x, y, w, h).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from .kernels import LEAF, TOLERANCE

Units = npt.NDArray[np.integer]
BoxTuple = tuple[int, int, int, int]


def positives(mask: Units, box: BoxTuple) -> int:
    """Positive units in a box."""
    x, y, w, h = box
    return int(mask[y : y + h, x : x + w].sum(dtype=np.int64))


def entropy(p: int, n: int) -> float:
    """Entropy, in nats, of p positive units among n."""
    return -sum(share * math.log(share) for share in (p / n, (n - p) / n) if share > 0)


def cuts(box: BoxTuple, min_extent: int) -> Iterator[tuple[int, int]]:
    """Every (axis, cut) that may split a box."""
    for axis in range(2):
        extent = box[2 + axis]
        if extent > min_extent:
            for cut in range(1, extent):
                yield axis, cut


def halves(box: BoxTuple, axis: int, cut: int) -> tuple[BoxTuple, BoxTuple]:
    """The two children of a box."""
    x, y, w, h = box
    return ((x, y, cut, h), (x + cut, y, w - cut, h)) if axis == 0 else ((x, y, w, cut), (x, y + cut, w, h - cut))


def gain(mask: Units, box: BoxTuple, axis: int, cut: int, unit: int = 1) -> float:
    """Information gain of a cut, in nats, times the size of the box in units."""

    def impurity(part: BoxTuple) -> float:
        size = part[2] * part[3] * unit
        return size * entropy(positives(mask, part), size)

    one, other = halves(box, axis, cut)
    return impurity(box) - impurity(one) - impurity(other)


def best_cut(mask: Units, box: BoxTuple, min_extent: int = 1, unit: int = 1) -> tuple[int, int]:
    """The cut of greatest gain; ties to the first axis and the smallest cut; LEAF if none gains."""
    best, choice = 0.0, (LEAF, 0)
    margin = TOLERANCE * box[2] * box[3] * unit
    for axis, cut in cuts(box, min_extent):
        found = gain(mask, box, axis, cut, unit)
        if found > best + margin:
            best, choice = found, (axis, cut)
    return choice


def snap(mask: Units, box: BoxTuple, axis: int, cut: int, reach: int, unit: int = 1) -> int:
    """The cut of greatest gain among those at most ``reach`` away from one; ties to the nearest."""
    near = [other for other in range(1, box[2 + axis]) if abs(other - cut) <= reach]
    return max(near, key=lambda other: (round(gain(mask, box, axis, other, unit), 6), -abs(other - cut)))


def label_errors(mask: Units, box: BoxTuple, unit: int = 1) -> int:
    """Units that are wrong when a box gets its majority label."""
    p = positives(mask, box)
    return min(p, box[2] * box[3] * unit - p)


def optimal_errors(mask: Units, box: BoxTuple, levels: int, min_extent: int = 1, unit: int = 1) -> int:
    """The fewest errors any subtree of at most ``levels`` levels can make."""

    @cache
    def fewest(part: BoxTuple, left: int) -> int:
        as_leaf = label_errors(mask, part, unit)
        if left == 0 or as_leaf == 0:
            return as_leaf
        splits = (
            sum(fewest(half, left - 1) for half in halves(part, axis, cut)) for axis, cut in cuts(part, min_extent)
        )
        return min(as_leaf, min(splits, default=as_leaf))

    return fewest(box, levels)


def finish(mask: Units, box: BoxTuple, levels: int, min_extent: int = 1, unit: int = 1) -> int:
    """Errors when greedy IGM finishes a box."""
    axis, cut = best_cut(mask, box, min_extent, unit) if levels > 0 else (LEAF, 0)
    if axis == LEAF:
        return label_errors(mask, box, unit)
    return sum(finish(mask, half, levels - 1, min_extent, unit) for half in halves(box, axis, cut))
