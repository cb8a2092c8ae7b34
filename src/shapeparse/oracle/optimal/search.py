"""The search for the lines of the best tree: coarse lines first, then lines around the cuts chosen, down to the pixel.

On given lines ``kernels`` finds the best tree exactly. Which lines it needs is found in rounds: the first lines
are spread where the mask changes most; later ones are the cuts of the best tree so far, lines a step to both sides of
them, and some spread ones. The step halves until it is a pixel. Every round can take the tree of the round before, so
no round is worse. Large trees are improved in parts: subtrees on lines of their own, then the cuts above them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...grammar import MAX_DEPTH
from ..kernels import PAINT
from . import kernels

GAPS = 32
"""Gaps between the lines of an axis when a whole mask is searched."""
LEAF_GAPS = 16
"""The same for a leaf that may become a subtree."""
MOST_GAPS = 44
"""More gaps than this are never filled at once: the time grows with their fifth power."""
WHOLE = 24
"""Trees of more leaves than this are improved in parts."""
FINAL_ROUNDS = 3
"""Rounds with steps of one pixel, unless one changes nothing."""
EVENNESS = 0.25
"""The share of spread lines that does not depend on where the mask changes, relative to the mean change."""

Lines = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int32]
"""A tree, depth-first: rows x, y, w, h, depth, parent, rule, cut; the depth counts from its own root."""


class Box(NamedTuple):
    """A rectangle by its first pixels and the pixels behind its last, and the levels allowed below it."""

    x0: int
    x1: int
    y0: int
    y1: int
    levels: int


class Solved(NamedTuple):
    """A filled table: the least cost of every box on its lines, and the best tree."""

    costs: kernels.Costs
    tables: npt.NDArray[np.float32]
    xs: Lines
    ys: Lines
    rows: Rows


@dataclass(frozen=True)
class Problem:
    """A mask as the search sees it."""

    sums: npt.NDArray[np.integer]
    """The integral image, (height + 1, width + 1), in units."""
    unit: int
    missed: float
    wasted: float
    min_extent: int
    depth: int | None
    """The depth of the deepest leaf allowed; None for no limit."""

    @property
    def size(self) -> int:
        """Units of the whole mask."""
        return (self.sums.shape[0] - 1) * (self.sums.shape[1] - 1) * self.unit

    @property
    def box(self) -> Box:
        """The whole mask."""
        levels = MAX_DEPTH if self.depth is None else self.depth
        return Box(0, self.sums.shape[1] - 1, 0, self.sums.shape[0] - 1, levels)

    def costs(self, price: float) -> kernels.Costs:
        """Costs in units, with a price that is a share of the whole mask.

        The price is rounded such that float32 holds sums of it and of whole units exactly, where it can.
        """
        grain = 2.0 ** (math.ceil(math.log2(self.size)) - 22)
        steps = round(price * self.size / grain)
        return kernels.Costs(self.unit, self.missed, self.wasted, (max(steps, 1) if price > 0 else 0) * grain)

    @property
    def is_plain(self) -> bool:
        """Whether the cost counts wrong pixels."""
        return self.missed == self.wasted == 1

    def tree_cost(self, rows: Rows) -> float:
        """The cost of a tree without any price."""
        return float(kernels.errors_of(self.sums, self.costs(0.0), rows))

    def accuracy(self, rows: Rows) -> float:
        """The share of the pixels that a tree labels right, true or expected."""
        return 1 - float(kernels.errors_of(self.sums, kernels.Costs(self.unit, 1.0, 1.0, 0.0), rows)) / self.size

    def ceiling(self) -> float:
        """The greatest accuracy any labels can have: 1 for a mask of labels."""
        sums = self.sums.astype(np.int64)
        pixels = np.diff(np.diff(sums, axis=0), axis=1)
        return float(np.maximum(pixels, self.unit - pixels).sum() / self.size)


def leaf_count(rows: Rows) -> int:
    """The leaves of a tree."""
    return (rows.shape[1] + 1) // 2


def spread(problem: Problem, box: Box, axis: int, count: int) -> Lines:
    """About ``count`` lines inside a box, closest to each other where the number of positives per line changes most.

    All lines there are, if they are no more than ``count``.
    """
    sums = problem.sums
    if axis == 0:
        along = sums[box.y1, box.x0 : box.x1 + 1].astype(np.int64) - sums[box.y0, box.x0 : box.x1 + 1]
    else:
        along = sums[box.y0 : box.y1 + 1, box.x1].astype(np.int64) - sums[box.y0 : box.y1 + 1, box.x0]
    first = box.x0 if axis == 0 else box.y0
    if len(along) - 2 <= count or count < 1:
        return np.arange(first + 1, first + len(along) - 1, dtype=np.int64)[: max(count, 0)]
    change = np.abs(np.diff(along, 2)).astype(np.float64)
    weight = np.cumsum(change + EVENNESS * change.mean() + 1e-9)
    places = np.searchsorted(weight, (np.arange(count) + 0.5) / count * weight[-1])
    return np.unique(first + 1 + np.minimum(places, len(weight) - 1)).astype(np.int64)


def cuts_of(rows: Rows) -> tuple[Lines, Lines]:
    """The lines, along x and along y, that a tree cuts along."""
    along_x, along_y = rows[6] == 0, rows[6] == 1
    return (
        np.unique(rows[0, along_x] + rows[7, along_x]).astype(np.int64),
        np.unique(rows[1, along_y] + rows[7, along_y]).astype(np.int64),
    )


def lines_near(problem: Problem, box: Box, axis: int, cuts: Lines, step: int, gaps: int) -> Lines:
    """The borders of a box, cuts, lines a step to both sides of them, and spread lines up to ``gaps`` gaps in all."""
    first, last = (box.x0, box.x1) if axis == 0 else (box.y0, box.y1)
    lines = np.unique(np.concatenate([cuts, cuts - step, cuts + step]))
    if len(lines) >= MOST_GAPS:
        lines = cuts
    lines = lines[(lines > first) & (lines < last)]
    more = spread(problem, box, axis, gaps - 1 - len(lines))
    return np.unique(np.concatenate([[first, last], lines, more])).astype(np.int64)


def solve(problem: Problem, costs: kernels.Costs, box: Box, xs: Lines, ys: Lines) -> Solved:
    """The best tree of a box on lines; the borders of the box are among them."""
    pairs_x, pairs_y = len(xs) * (len(xs) - 1) // 2, len(ys) * (len(ys) - 1) // 2
    levels = 1 if problem.depth is None else min(box.levels, len(xs) + len(ys) - 4) + 1
    tables = np.empty((max(levels, 1), pairs_x, pairs_y), np.float32)
    kernels.fill_levels(problem.sums, costs, xs, ys, problem.min_extent, problem.depth is None, tables)
    rows = kernels.read_tree(problem.sums, costs, xs, ys, problem.min_extent, problem.depth is None, tables)
    return Solved(costs, tables, xs, ys, rows)


def solve_near(
    problem: Problem, costs: kernels.Costs, box: Box, rows: Rows | None, step: int, gaps: int = GAPS
) -> Solved:
    """The best tree of a box on the cuts of a tree, lines a step beside them and spread ones."""
    cuts = cuts_of(rows) if rows is not None else (np.empty(0, np.int64), np.empty(0, np.int64))
    xs, ys = (lines_near(problem, box, axis, cuts[axis], step, gaps) for axis in range(2))
    return solve(problem, costs, box, xs, ys)


def steps_of(box: Box, gaps: int) -> Iterator[int]:
    """Half the distance of the first lines, halved again and again, and at last some single pixels."""
    step = max(box.x1 - box.x0, box.y1 - box.y0) // (2 * gaps)
    while step > 1:
        yield step
        step //= 2
    for _ in range(FINAL_ROUNDS):
        yield 1


def refine(problem: Problem, costs: kernels.Costs, box: Box, rows: Rows | None = None, gaps: int = GAPS) -> Rows:
    """The best tree of a box that the rounds find, from a tree or from nothing."""
    before = math.inf
    if rows is None:
        solved = solve_near(problem, costs, box, None, 1, gaps)
        before, rows = float(solved.tables[-1, -1, -1]), solved.rows
    for step in steps_of(box, gaps):
        if leaf_count(rows) == 1:
            break
        if leaf_count(rows) > WHOLE:
            return refine_parts(problem, costs, box, rows)
        solved = solve_near(problem, costs, box, rows, step, gaps)
        rows, after = solved.rows, float(solved.tables[-1, -1, -1])
        if step == 1 and after >= before:
            break
        before = after
    return rows


def refine_parts(problem: Problem, costs: kernels.Costs, box: Box, rows: Rows) -> Rows:
    """A large tree improved in parts: its subtrees of at most WHOLE leaves, then the cuts above them."""
    ends = subtree_ends(rows)
    leaves = (ends - np.arange(len(ends)) + 1) // 2
    for node in range(rows.shape[1] - 1, 0, -1):  # from behind: the places of earlier nodes stay
        if 1 < leaves[node] <= WHOLE < leaves[rows[5, node]]:
            part = _part(rows, node, int(ends[node]))
            rows = splice(rows, node, int(ends[node]), refine(problem, costs, _box(box, rows, node), part))
    cuts = cuts_of(rows)
    if max(len(cuts[0]), len(cuts[1])) < MOST_GAPS:
        for step in (2, 1):
            rows = solve_near(problem, costs, box, rows, step, GAPS).rows
    return rows


def deepen(problem: Problem, costs: kernels.Costs, box: Box, rows: Rows) -> Rows:
    """A tree whose leaves become subtrees, on lines of their own, where that pays."""
    ends = np.arange(1, rows.shape[1] + 1)
    for node in np.flatnonzero(rows[6] >= PAINT)[::-1]:
        leaf = _box(box, rows, int(node))
        wrong = kernels.box_cost(problem.sums, costs, leaf.x0, leaf.x1, leaf.y0, leaf.y1) - costs.price
        if wrong > costs.price and leaf.levels > 0:
            below = refine(problem, costs, leaf, gaps=LEAF_GAPS)
            if leaf_count(below) > 1:
                rows = splice(rows, int(node), int(ends[node]), deepen(problem, costs, leaf, below))
    return rows


def subtree_ends(rows: Rows) -> npt.NDArray[np.int64]:
    """For every node, the place behind the last node of its subtree."""
    ends = np.arange(1, rows.shape[1] + 1)
    for node in range(rows.shape[1] - 1, 0, -1):
        parent = rows[5, node]
        ends[parent] = max(ends[parent], ends[node])
    return ends


def splice(rows: Rows, node: int, end: int, part: Rows) -> Rows:
    """A tree with the subtree of ``node``, which ends before ``end``, replaced."""
    part, behind = part.copy(), rows[:, end:].copy()
    part[4] += rows[4, node]
    part[5] = np.where(part[5] < 0, rows[5, node], part[5] + node)
    behind[5] = np.where(behind[5] >= end, behind[5] + part.shape[1] - (end - node), behind[5])
    return np.concatenate([rows[:, :node], part, behind], axis=1)


def _part(rows: Rows, node: int, end: int) -> Rows:
    part = rows[:, node:end].copy()
    part[4] -= part[4, 0]
    part[5] = np.maximum(part[5] - node, -1)
    return part


def _box(box: Box, rows: Rows, node: int) -> Box:
    x, y, w, h, depth = (int(value) for value in rows[:5, node])
    return Box(x, x + w, y, y + h, box.levels - depth)
