"""Where the nodes of a parse tree stand when it is drawn: geometry only, no drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..grammar import BoolArray, ParseTree, Rule


@dataclass(frozen=True)
class Layout:
    """The part of a tree that is drawn: leaves at equal distances, parents centred over their children."""

    slot: npt.NDArray[np.float64]
    """Each node's place from left to right; the ends of branches are at 0, 1, 2 ... (nan if not drawn)."""
    drawn: BoolArray
    collapsed: BoolArray
    """Inner nodes at the greatest depth drawn: they stand for the whole subtree below them."""
    leaves_below: npt.NDArray[np.int64]
    """Leaves of each node's subtree; 1 at leaves."""
    paint_share: npt.NDArray[np.float64]
    """Share of each node's pixels that are painted."""

    @property
    def slots(self) -> int:
        """Number of branch ends: drawn leaves and collapsed subtrees."""
        return int(np.nanmax(self.slot)) + 1


def lay_out(tree: ParseTree, max_depth: int | None = None) -> Layout:
    """Place the tree's nodes down to ``max_depth`` (None: all of them)."""
    deepest = int(tree.depth.max()) if max_depth is None else max(0, max_depth)
    drawn = tree.depth <= deepest
    inner = ~tree.is_leaf
    collapsed = inner & (tree.depth == deepest)
    leaves_below, painted = _sums_below(tree)
    slot = np.full(len(tree), np.nan)
    ends = np.flatnonzero(drawn & (collapsed | ~inner))
    slot[ends] = np.arange(len(ends))  # nodes are in depth-first order, so this is from left to right
    children = tree.children
    for node in np.flatnonzero(drawn & inner & ~collapsed)[::-1]:
        slot[node] = slot[children[node]].mean()
    return Layout(slot, drawn, collapsed, leaves_below, painted / tree.nodes.area)


def neighbour_gap(tree: ParseTree, layout: Layout, depth: int) -> float:
    """The least distance, in slots, between two drawn nodes of one depth (infinite if there is only one)."""
    row = np.sort(layout.slot[layout.drawn & (tree.depth == depth)])
    return float(np.diff(row).min()) if len(row) > 1 else float("inf")


class SplitLine(NamedTuple):
    """Where an inner node is cut, in pixels of the image: from (x, y) to the right or down to (end_x, end_y)."""

    node: int
    x: int
    y: int
    end_x: int
    end_y: int


def split_lines(tree: ParseTree) -> list[SplitLine]:
    """The lines of all splits, depth-first; every border between two leaves is a part of some of them."""
    lines = []
    for node in map(int, np.flatnonzero(~tree.is_leaf)):
        x, y, w, h, cut = (int(a[node]) for a in (tree.x, tree.y, tree.w, tree.h, tree.cut))
        along_x = tree.rule[node] == Rule.SPLIT_X
        ends = (x + cut, y, x + cut, y + h) if along_x else (x, y + cut, x + w, y + cut)
        lines.append(SplitLine(node, *ends))
    return lines


def _sums_below(tree: ParseTree) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Leaves and painted pixels of every subtree."""
    leaves = tree.is_leaf.astype(np.int64)
    painted = np.where(tree.rule == Rule.PAINT, tree.nodes.area, 0)
    for node in range(len(tree) - 1, 0, -1):  # children stand after their parents
        leaves[tree.parent[node]] += leaves[node]
        painted[tree.parent[node]] += painted[node]
    return leaves, painted
