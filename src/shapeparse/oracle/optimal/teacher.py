"""The optimal oracle: the best action at any node of the given masks, and the cost-to-go of any action there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...grammar import Actions, Limits, Nodes, Rule, is_whole
from ...grammar.expand import check_actions
from ...support.errors import UserError
from ..igm import Mask
from ..kernels import LEAF
from . import teacher_kernels
from .best import problem_of
from .kernels import Costs, fill_levels
from .search import Lines, Problem, Rows, refine, spread

DEFAULT_GAPS = 20
MOST_GAPS = 40


class Table(NamedTuple):
    """What the oracle knows of one mask: its lines, and the least cost of every box on them for every level."""

    sums: npt.NDArray[np.integer]
    costs: Costs
    xs: Lines
    ys: Lines
    min_extent: int
    tables: npt.NDArray[np.float32]


class Worth(NamedTuple):
    """What every cut of some nodes along the oracle's lines is worth, and both labels: Q* as a share of the area."""

    places: npt.NDArray[np.float32]
    """(nodes, 2, points): where, from 0 to 1, for each axis in ascending order. The first and the last are the node's
    edges, which are worth what is left when a level and a leaf are wasted; the last is repeated."""
    values: npt.NDArray[np.float32]
    """(nodes, 2, points)."""
    labels: npt.NDArray[np.float32]
    """(nodes, 2): of paint and of skip."""


class OptimalOracle:
    """An actor: the first action of the best tree of any node, at a price per rectangle.

    The cuts of these trees lie on lines of each image: those of its best tree at the price, to the pixel, and others
    where the mask changes. Among such trees the oracle is exact, at every node: nodes whose edges are no lines keep
    their edges. ``expand(oracle.sizes, oracle, oracle.limits)`` gives the best trees on the lines.

    >>> oracle = OptimalOracle([np.pad(np.ones((3, 4), bool), 2)])
    >>> roots = Nodes.roots(oracle.sizes)
    >>> bool(oracle(roots).rule[0] < Rule.PAINT), oracle.cost_to_go(roots, oracle(roots)).shape
    (True, (1,))
    """

    def __init__(
        self, masks: Sequence[Mask], limits: Limits | None = None, price: float = 0.001, gaps: int = DEFAULT_GAPS
    ) -> None:
        """Fill the table of every mask.

        Args:
            masks: masks of labels or maps of probabilities, of any sizes.
            limits: how far a parse may go.
            price: the accuracy, a share of the image's pixels, that every rectangle must bring.
            gaps: gaps between the lines of an axis; memory grows with their fourth power, time with their fifth.
        """
        if not 0 < price <= 1:
            raise UserError(
                f"price is {price}; give the accuracy a rectangle must bring, above 0 and at most 1, such as 0.001."
            )
        if not is_whole(gaps) or not 2 <= gaps <= MOST_GAPS:
            raise UserError(f"gaps is {gaps}; give a whole number from 2 to {MOST_GAPS}.")
        self.limits = limits or Limits()
        self.price, self.gaps = float(price), int(gaps)
        self._tables = [self._table(mask) for mask in masks]
        sizes = [(table.sums.shape[1] - 1, table.sums.shape[0] - 1) for table in self._tables]
        self.sizes = np.array(sizes, np.int32).reshape(-1, 2)

    @property
    def memory(self) -> int:
        """Bytes of the tables and integral images."""
        return sum(table.tables.nbytes + table.sums.nbytes for table in self._tables)

    def __call__(self, nodes: Nodes) -> Actions:
        """The best action at every node; ties go to a label, then to the first axis, then to the smallest cut."""
        rules, cuts = np.empty(len(nodes), np.int64), np.empty(len(nodes), np.int64)
        for table, chosen, rows in self._by_image(nodes):
            rule, cut = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
            teacher_kernels.choose_all(*table, rows, self.limits.depth, rule, cut)
            rules[chosen], cuts[chosen] = rule, cut
        labels = self._each(nodes, np.full(len(nodes), Rule.PAINT)) <= self._each(nodes, np.full(len(nodes), Rule.SKIP))
        rules = np.where(rules == LEAF, np.where(labels, Rule.PAINT, Rule.SKIP), rules)
        return Actions(rules.astype(np.int8), cuts.astype(np.int32))

    def cost_to_go(self, nodes: Nodes, actions: Actions) -> npt.NDArray[np.float64]:
        """Q*: the return of each node when its action is taken and the oracle finishes, minus the price of its leaves.

        The return (Eq. 1) is in pixels, right minus wrong ones; a right pixel instead of a wrong one is worth 2. So
        every leaf below the node costs 2 * price * (pixels of the image). On a map it is the expected return.
        """
        check_actions(nodes, actions, self.limits)
        cost = self._each(nodes, actions.rule.astype(np.int64), actions.cut.astype(np.int64))
        return nodes.area - 2 * cost

    @property
    def points(self) -> int:
        """Places along an axis that ``worth`` knows of at most."""
        return self.gaps + 1

    def worth(self, nodes: Nodes) -> Worth:
        """Q* of every cut along a line inside the nodes, and of both labels, by one look at the table of each node."""

        def empty(count: int) -> tuple[npt.NDArray[np.float32], ...]:
            shape = (count, 2, self.points)
            return np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape[:2], np.float32)

        places, values, labels = empty(len(nodes))
        for table, chosen, rows in self._by_image(nodes):
            where, cost, label = empty(len(rows))
            teacher_kernels.worth_all(*table, rows, self.limits.depth, where, cost, label)
            per_pixel = 2 / (table.costs.unit * nodes.area[chosen])
            places[chosen] = where
            values[chosen] = 1 - cost * per_pixel[:, None, None]
            labels[chosen] = 1 - label * per_pixel[:, None]
        return Worth(places, values, labels)

    def replace(self, index: int, mask: Mask) -> None:
        """Put another mask of the same size in the place of one."""
        if np.shape(mask)[::-1] != tuple(self.sizes[index]):
            raise ValueError("a mask can only be replaced by one of the same size")
        self._tables[index] = self._table(mask)

    def _table(self, mask: Mask) -> Table:
        problem = problem_of(mask, None, self.limits.min_extent, 1.0, 1.0)
        costs = problem.costs(self.price)
        tree = refine(problem, costs, problem.box)
        xs, ys = (self._lines(problem, tree, axis) for axis in range(2))
        levels = min(self.limits.depth, len(xs) + len(ys) - 4) + 1
        tables = np.empty((levels, len(xs) * (len(xs) - 1) // 2, len(ys) * (len(ys) - 1) // 2), np.float32)
        fill_levels(problem.sums, costs, xs, ys, self.limits.min_extent, False, tables)
        return Table(problem.sums, costs, xs, ys, self.limits.min_extent, tables)

    def _lines(self, problem: Problem, tree: Rows, axis: int) -> Lines:
        """The borders, the cuts of the tree along an axis, those nearest to the root first, and spread lines."""
        cuts = tree[axis] + tree[7]
        order = np.argsort(tree[4], kind="stable")
        unique = dict.fromkeys(int(cuts[node]) for node in order if tree[6, node] == axis)
        last = problem.box.x1 if axis == 0 else problem.box.y1
        kept = list(unique)[: self.gaps - 1]
        more = spread(problem, problem.box, axis, self.gaps - 1 - len(kept))
        return np.unique(np.concatenate([[0, last], kept, more])).astype(np.int64)

    def _each(
        self, nodes: Nodes, rules: npt.NDArray[np.int64], cuts: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.float64]:
        """The least cost of every node after an action, in pixels."""
        cuts = np.zeros(len(nodes), np.int64) if cuts is None else cuts
        result = np.empty(len(nodes), np.float64)
        for table, chosen, rows in self._by_image(nodes):
            cost = np.empty(len(rows), np.float64)
            teacher_kernels.cost_all(*table, rows, self.limits.depth, rules[chosen], cuts[chosen], cost)
            result[chosen] = cost / table.costs.unit
        return result

    def _by_image(self, nodes: Nodes) -> Iterator[tuple[Table, npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """For every image with nodes: its table, which nodes are its own, and their rows x, y, w, h, depth."""
        rows = np.stack([nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth], axis=1).astype(np.int64)
        self._check(nodes)
        order = np.argsort(nodes.image, kind="stable")
        images, starts = np.unique(nodes.image[order], return_index=True)
        for image, chosen in zip(images, np.split(order, starts[1:]), strict=True):
            yield self._tables[image], chosen, rows[chosen]

    def _check(self, nodes: Nodes) -> None:
        """Refuse nodes that lie outside their images: the kernels trust what they get."""
        if len(nodes) == 0:
            return
        if nodes.image.min() < 0 or nodes.image.max() >= len(self.sizes):
            raise ValueError(f"a node is of an image that is not among the oracle's {len(self.sizes)}")
        width, height = self.sizes[nodes.image].T
        inside = (nodes.x >= 0) & (nodes.y >= 0) & (nodes.x + nodes.w <= width) & (nodes.y + nodes.h <= height)
        if not (inside & (nodes.w > 0) & (nodes.h > 0) & (nodes.depth >= 0)).all():
            raise ValueError("a node lies outside its image")
