"""A price for every rectangle: splits that do not earn it are undone, bottom-up."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .rules import Rule
from .tree import ParseTree


def worth(tree: ParseTree, positive: npt.NDArray, price: float) -> float:
    """Accuracy, true or expected, minus ``price`` times leaves; ``positive`` as for ``prune``."""
    right = np.where(tree.rule == Rule.PAINT, positive, tree.nodes.area - positive)[tree.is_leaf].sum()
    return float(right / (tree.width * tree.height) - price * tree.leaf_count)


def prune(tree: ParseTree, positive: npt.NDArray, price: float) -> ParseTree:
    """The subtree with the same root of greatest accuracy minus ``price`` times leaves.

    Args:
        tree: the tree to prune; it is not changed.
        positive: object pixels in each node, true or expected.
        price: accuracy, as a share of the whole image, that each additional rectangle must bring.

    >>> from shapeparse.grammar.tree import positives
    >>> from shapeparse.pictures import toy_object
    >>> photo, mask, tree = toy_object()
    >>> tree.leaf_count, prune(tree, positives(tree.nodes, [mask]), price=0.1).leaf_count
    (7, 2)
    """
    negative = tree.nodes.area - positive
    wrong_as_leaf = np.select(  # leaves keep their labels, an undone split gets the better one
        [tree.rule == Rule.PAINT, tree.rule == Rule.SKIP], [negative, positive], np.minimum(positive, negative)
    )
    toll = price * tree.width * tree.height
    cost = wrong_as_leaf + toll
    below = np.zeros(len(tree))
    kept_split = np.zeros(len(tree), bool)
    for node in range(len(tree) - 1, -1, -1):  # children stand behind their parent
        if tree.rule[node] < Rule.PAINT and below[node] <= cost[node]:
            kept_split[node] = True
            cost[node] = below[node]
        if node:
            below[tree.parent[node]] += cost[node]

    alive = np.ones(len(tree), bool)
    for node in range(1, len(tree)):
        alive[node] = alive[tree.parent[node]] and kept_split[tree.parent[node]]
    label = np.where(2 * positive >= tree.nodes.area, Rule.PAINT, Rule.SKIP)
    was_split = tree.rule < Rule.PAINT
    rule = np.where(was_split & ~kept_split, label, tree.rule).astype(np.int8)
    cut = np.where(kept_split, tree.cut, 0).astype(np.int32)
    new_index = np.append(np.cumsum(alive) - 1, -1).astype(np.int32)  # the last place answers for parent -1
    return ParseTree(
        tree.width, tree.height, tree.x[alive], tree.y[alive], tree.w[alive], tree.h[alive], tree.depth[alive],
        new_index[tree.parent[alive]], rule[alive], cut[alive], tree.name,
        None if tree.likely is None else tree.likely[alive],
    )  # fmt: skip
