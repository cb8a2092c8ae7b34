"""Slow, obvious twins of the kernels of the exact tree search: the definitions, all trees tried. Tests compare both.

A mask here is a (height, width) array of units, ``unit`` of them a pixel; a box is (x0, x1, y0, y1), in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..kernels import LEAF
from .kernels import Costs

Units = npt.NDArray[np.integer]
BoxTuple = tuple[int, int, int, int]
UNLIMITED = 1_000
"""Levels that no tree of a small mask uses up."""


def line_pairs(gaps: int) -> list[tuple[int, int]]:
    """All pairs of lines i < j, in the order of their numbers: by distance first, by i second."""
    return [(i, i + distance) for distance in range(1, gaps + 1) for i in range(gaps - distance + 1)]


def lower(target: npt.NDArray, one: npt.NDArray, other: npt.NDArray) -> npt.NDArray:
    """The lesser of ``target`` and ``one + other``, place by place."""
    return np.minimum(target, one + other)


def leaf_costs(mask: Units, costs: Costs, box: BoxTuple) -> tuple[float, float]:
    """The cost of a leaf when it is painted, and when it is skipped."""
    x0, x1, y0, y1 = box
    positive = int(mask[y0:y1, x0:x1].sum(dtype=np.int64))
    negative = (x1 - x0) * (y1 - y0) * costs.unit - positive
    return costs.price + costs.wasted * negative, costs.price + costs.missed * positive


def halves(box: BoxTuple, axis: int, line: int) -> tuple[BoxTuple, BoxTuple]:
    """The two children of a box that is cut along a line."""
    x0, x1, y0, y1 = box
    return ((x0, line, y0, y1), (line, x1, y0, y1)) if axis == 0 else ((x0, x1, y0, line), (x0, x1, line, y1))


class Exhaustive:
    """All trees of a mask whose cuts lie on the given lines; all pixel lines if none are given."""

    def __init__(
        self,
        mask: Units,
        costs: Costs,
        xs: Sequence[int] | None = None,
        ys: Sequence[int] | None = None,
        min_extent: int = 1,
    ) -> None:
        self.mask, self.costs, self.min_extent = mask, costs, min_extent
        self.xs = list(range(mask.shape[1] + 1)) if xs is None else [int(x) for x in xs]
        self.ys = list(range(mask.shape[0] + 1)) if ys is None else [int(y) for y in ys]
        self.root: BoxTuple = (self.xs[0], self.xs[-1], self.ys[0], self.ys[-1])
        self.least = cache(self._least)
        self.by_leaves = cache(self._by_leaves)

    def cuts(self, box: BoxTuple) -> Iterator[tuple[int, int]]:
        """Every (axis, line) that may cut a box: the first axis first, then the smallest cut."""
        for axis, lines in enumerate((self.xs, self.ys)):
            first, last = box[2 * axis], box[2 * axis + 1]
            if last - first > self.min_extent:
                yield from ((axis, line) for line in lines if first < line < last)

    def _least(self, box: BoxTuple, levels: int = UNLIMITED) -> float:
        """The least cost of any subtree of at most ``levels`` levels."""
        as_leaf = min(leaf_costs(self.mask, self.costs, box))
        if levels == 0:
            return as_leaf
        splits = (
            self.least(one, levels - 1) + self.least(other, levels - 1)
            for one, other in (halves(box, *cut) for cut in self.cuts(box))
        )
        return min(as_leaf, min(splits, default=as_leaf))

    def first_cut(self, box: BoxTuple, levels: int = UNLIMITED) -> tuple[int, int]:
        """The first (axis, line) of least cost; LEAF if a label costs no more."""
        if self.least(box, levels) < min(leaf_costs(self.mask, self.costs, box)):
            for cut in self.cuts(box):
                one, other = halves(box, *cut)
                if self.least(one, levels - 1) + self.least(other, levels - 1) == self.least(box, levels):
                    return cut
        return LEAF, 0

    def _by_leaves(self, box: BoxTuple, leaves: int, levels: int = UNLIMITED) -> float:
        """The least cost of any subtree of exactly so many leaves; infinite if there is none."""
        if leaves == 1:
            return min(leaf_costs(self.mask, self.costs, box))
        if levels == 0:
            return math.inf
        return min(
            (
                self.by_leaves(one, first, levels - 1) + self.by_leaves(other, leaves - first, levels - 1)
                for one, other in (halves(box, *cut) for cut in self.cuts(box))
                for first in range(1, leaves)
            ),
            default=math.inf,
        )

    def best_of_at_most(self, leaves: int, levels: int = UNLIMITED) -> float:
        """The least cost without prices of a tree of at most so many leaves."""
        price = self.costs.price
        return min(self.by_leaves(self.root, number, levels) - price * number for number in range(1, leaves + 1))


def tree_cost(mask: Units, costs: Costs, rows: npt.NDArray[np.integer]) -> float:
    """The cost of a tree whose labels are compared with the mask pixel by pixel."""
    total = 0.0
    for x, y, w, h, _, _, rule, _ in rows.T.tolist():
        if rule >= 2:
            painted, skipped = leaf_costs(mask, costs, (x, x + w, y, y + h))
            total += painted if rule == 2 else skipped
    return total


def relaxed(mask: Units, costs: Costs, xs: Sequence[int], ys: Sequence[int]) -> float:
    """The least cost of all trees when cuts between two lines, more than a pixel apart, leave out the strip there."""

    def parts(lines: Sequence[int], first: int, last: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        inside = [line for line in lines if first <= line <= last]
        for line in inside[1:-1]:
            yield (first, line), (line, last)
        for low, high in pairwise(inside):
            if high - low > 1:
                yield (first, low), (high, last)

    @cache
    def least(x0: int, x1: int, y0: int, y1: int) -> float:
        if x0 == x1 or y0 == y1:
            return costs.price
        found = min(leaf_costs(mask, costs, (x0, x1, y0, y1)))
        for one, other in parts(xs, x0, x1):
            found = min(found, least(*one, y0, y1) + least(*other, y0, y1))
        for one, other in parts(ys, y0, y1):
            found = min(found, least(x0, x1, *one) + least(x0, x1, *other))
        return found

    return least(xs[0], xs[-1], ys[0], ys[-1])
