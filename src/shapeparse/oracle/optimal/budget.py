"""The best tree with at most so many leaves, and the whole curve of errors over leaves.

A price per leaf finds the trees of the convex hull of that curve. The price at which the trees on both sides of the
wanted number cost the same is found by the secant through them, while the lines are refined. The tree itself is then
read from the frontier of that table (``budget_kernels``), which knows the trees between those of the hull too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import budget_kernels, kernels
from .search import (
    GAPS,
    MOST_GAPS,
    WHOLE,
    Lines,
    Problem,
    Rows,
    Solved,
    cuts_of,
    deepen,
    leaf_count,
    lines_near,
    refine,
    solve,
    steps_of,
)

FIRST_SLACK = 0.1
"""How many prices a tree may be dearer than the best of its table to be met in the frontier, at first."""
ENOUGH_BOXES = 1000
"""The slack does not grow after this many boxes were reached, ..."""
SMALL_TABLE = 5000
"""... unless the whole table has no more than this many."""
SECANTS = 6
"""Secants at most, for one set of lines, ..."""
MOST_SECANTS = 24
"""... but more while no tree as small as wanted was met."""
CLOSE = 4
"""Trees on both sides of the wanted number of leaves that differ by this many need no further secant."""
NO_CUTS: Lines = np.empty(0, np.int64)
SMALL_TREES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 17, 20, 22, WHOLE)
FIRST_PRICE = 0.02
LAST_PRICE = 0.01
"""In units: where trees for an accuracy are given up; a wrong pixel costs far more."""
STEP_OF_CURVE = 0.75
"""Each price of a curve is this share of the one before."""


@dataclass
class Found:
    """The best tree found for every number of leaves."""

    problem: Problem
    trees: dict[int, tuple[float, Rows]] = field(default_factory=dict)

    def add(self, rows: Rows) -> None:
        """Keep a tree if it is the best with its number of leaves."""
        cost, leaves = self.problem.tree_cost(rows), leaf_count(rows)
        if leaves not in self.trees or cost < self.trees[leaves][0]:
            self.trees[leaves] = (cost, rows)

    def best(self, leaves: int) -> tuple[float, Rows]:
        """Cost, without a price, and tree of the best with at most so many leaves; the fewest leaves among equals."""
        within = [(cost, number) for number, (cost, _) in self.trees.items() if number <= leaves]
        return self.trees[min(within)[1]]

    def fewest(self, accuracy: float) -> Rows | None:
        """The tree of the fewest leaves that reaches an accuracy."""
        for leaves in sorted(self.trees):
            if self.problem.accuracy(self.trees[leaves][1]) >= accuracy:
                return self.trees[leaves][1]
        return None

    def curve(self) -> list[tuple[int, float, Rows]]:
        """Leaves, cost and tree of all that no tree of fewer leaves equals."""
        points: list[tuple[int, float, Rows]] = []
        for leaves in sorted(self.trees):
            cost, rows = self.trees[leaves]
            if not points or cost < points[-1][1]:
                points.append((leaves, cost, rows))
        return points


def collect(found: Found, solved: Solved, most: int) -> None:
    """Add the trees of a table's frontier, up to ``most`` leaves, that are better than those found.

    The slack grows until no better tree of ``most`` leaves can lie beyond it, or too many boxes are reached.
    """
    price, slack = solved.costs.price, FIRST_SLACK
    enough = ENOUGH_BOXES if solved.tables.size > SMALL_TABLE else SMALL_TABLE
    while _collect_within(found, solved, most, slack * price) < enough:
        dearer = found.best(most)[0] + most * price - float(solved.tables[-1, -1, -1])
        if dearer <= slack * price:
            break
        slack *= 2


def _collect_within(found: Found, solved: Solved, most: int, slack: float) -> int:
    """Add the trees of a table's frontier with one slack; answers how many boxes it reached."""
    problem, costs = found.problem, solved.costs
    settings = (solved.xs, solved.ys, problem.min_extent)
    table, where = budget_kernels.frontiers(
        problem.sums, costs, solved.tables, problem.depth is None, *settings, slack, most
    )
    root = table[where[-1, -1, -1]]
    for leaves in (int(index) + 1 for index in np.flatnonzero(np.isfinite(root))):
        known = found.trees.get(leaves)
        if known is None or root[leaves - 1] - costs.price * leaves < known[0]:
            found.add(budget_kernels.read_budget_tree(problem.sums, costs, table, where, *settings, leaves))
    return len(table)


def search_leaves(found: Found, leaves: int) -> None:
    """Find the best tree of at most ``leaves`` leaves, and others on the way."""
    problem = found.problem
    box = problem.box
    as_leaf = float(kernels.box_cost(problem.sums, problem.costs(0.0), box.x0, box.x1, box.y0, box.y1))
    found.add(solve(problem, problem.costs(1.0), box, np.array([box.x0, box.x1]), np.array([box.y0, box.y1])).rows)
    if leaves == 1 or as_leaf == 0:
        return
    price = as_leaf / problem.size / leaves**2  # errors fall about like one over leaves
    if leaves > WHOLE:
        _search_many(found, leaves, price)
    else:
        _search_few(found, leaves, price)


def _search_few(found: Found, leaves: int, price: float) -> None:
    """Search on lines of the whole mask: in every round, lines near the cuts of the best tree so far.

    The first lines are those of ``refine``, so trees at a price are hardly ever better.
    """
    problem, box = found.problem, found.problem.box
    xs, ys = (lines_near(problem, box, axis, NO_CUTS, 1, GAPS) for axis in range(2))
    solved = _bracket(found, xs, ys, leaves, price, SECANTS)
    collect(found, solved, leaves)
    for step in steps_of(box, GAPS):
        best = found.best(leaves)[1]
        xs, ys = (lines_near(problem, box, axis, cuts_of(best)[axis], step, GAPS) for axis in range(2))
        solved = _bracket(found, xs, ys, leaves, solved.costs.price / problem.size, 2)
        collect(found, solved, leaves)
        if step == 1 and found.best(leaves)[1] is best:
            break


@dataclass
class Secant:
    """The trees next to a wanted number of leaves on both sides, and the price that leads between them."""

    leaves: int
    few: tuple[int, float] | None = None
    """Leaves and cost of the largest tree of fewer leaves met."""
    many: tuple[int, float] | None = None
    """The same of the smallest tree of more."""

    def next_price(self, found: Found, rows: Rows, price: float) -> float | None:
        """The price to try after a tree was found at one: where both sides cost the same, or a guess while one side is
        unknown; None if the tree is as large as wanted or nothing new."""
        point = leaf_count(rows), found.problem.tree_cost(rows)
        repeats = point == self.few or (point == self.many and self.few is not None)  # else, dearer still
        if point[0] == self.leaves or repeats:
            return None
        if point[0] < self.leaves:
            self.few = max(point, self.few or point)
        else:
            self.many = min(point, self.many or point)
        if self.few and self.many:
            return (self.few[1] - self.many[1]) / (self.many[0] - self.few[0]) / found.problem.size
        return price * min(4.0, max(0.25, (point[0] / self.leaves) ** 2))

    @property
    def is_close(self) -> bool:
        """Whether the sides differ by a few leaves only."""
        return self.few is not None and self.many is not None and self.many[0] - self.few[0] <= CLOSE


def _bracket(found: Found, xs: Lines, ys: Lines, leaves: int, price: float, fills: int) -> Solved:
    """The table at the price where the best tree, on these lines, changes from at most ``leaves`` leaves to more."""
    problem, secant = found.problem, Secant(leaves)
    solved = solve(problem, problem.costs(price), problem.box, xs, ys)
    found.add(solved.rows)
    for _ in range(fills - 1):
        following = secant.next_price(found, solved.rows, solved.costs.price / problem.size)
        if following is None or problem.costs(following) == solved.costs:
            break
        solved = solve(problem, problem.costs(following), problem.box, xs, ys)
        found.add(solved.rows)
    return solved


def _search_many(found: Found, leaves: int, price: float) -> None:
    """Search trees that are improved in parts, then the frontier on the cuts of the trees around ``leaves``."""
    if leaves <= 2 * WHOLE:
        search_leaves(found, WHOLE)  # a tree improved in parts must not be worse than a smaller one that is not
    secant = Secant(leaves)
    for tried in range(MOST_SECANTS):
        following = secant.next_price(found, search_price(found, price), price)
        if following is None or secant.is_close or (tried >= SECANTS - 1 and secant.few is not None):
            break
        price = following
    collect_around(found, leaves, price)
    found.add(refine(found.problem, found.problem.costs(price), found.problem.box, found.best(leaves)[1]))
    collect_around(found, leaves, price)


def search_price(found: Found, price: float) -> Rows:
    """Find the best tree at a price."""
    problem = found.problem
    costs = problem.costs(price)
    rows = deepen(problem, costs, problem.box, refine(problem, costs, problem.box))
    found.add(rows)
    return rows


def collect_around(found: Found, leaves: int, price: float) -> None:
    """Add the frontier on the cuts of the best tree of at most so many leaves and of the next larger one.

    Cuts of very large trees are too many for one table; then the trees found must do.
    """
    more = min((number for number in found.trees if number > leaves), default=leaves)
    trees = [found.best(leaves)[1], *([found.trees[more][1]] if more > leaves else [])]
    cuts = (np.concatenate([cuts_of(rows)[axis] for rows in trees]) for axis in range(2))
    xs, ys = (lines_near(found.problem, found.problem.box, axis, near, 0, 0) for axis, near in enumerate(cuts))
    if max(len(xs), len(ys)) <= MOST_GAPS:
        collect(found, _bracket(found, xs, ys, leaves, price, 4), leaves)


def search_curve(found: Found, most: int) -> None:
    """Find the best trees of 1 to ``most`` leaves: small ones by number, large ones by falling prices."""
    problem = found.problem
    for leaves in SMALL_TREES:
        search_leaves(found, min(leaves, most))
        if leaves >= most:
            return
    last = SMALL_TREES[-1]
    price = (found.best(3 * last // 4)[0] - found.best(last)[0]) / (last // 4) / problem.size
    while price * problem.size > 0.5:
        rows = search_price(found, price)
        collect_around(found, leaf_count(rows), price)
        if leaf_count(rows) > most:
            break
        price *= STEP_OF_CURVE


def search_accuracy(found: Found, accuracy: float) -> Rows | None:
    """The tree of the fewest leaves that reaches an accuracy; None if none was found.

    Prices fall until one reaches it; then trees of one leaf less are searched as long as they reach it too.
    """
    problem = found.problem
    search_leaves(found, 1)
    price = FIRST_PRICE
    while found.fewest(accuracy) is None and price * problem.size > LAST_PRICE:
        rows = search_price(found, price)
        collect_around(found, leaf_count(rows), price)
        price *= STEP_OF_CURVE
    fewest = found.fewest(accuracy)
    while fewest is not None and leaf_count(fewest) > 1:
        search_leaves(found, leaf_count(fewest) - 1)
        smaller = found.fewest(accuracy)
        if smaller is fewest:
            break
        fewest = smaller
    return fewest
