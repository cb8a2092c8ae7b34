"""The best tree of a mask or a map: with at most so many rectangles, at a price, or for an accuracy.

Expected accuracy is a sum over pixels, so of a map of probabilities only the marginals matter, and masks and maps are
searched alike. On given lines the search is exact; the lines are found in rounds, down to single pixels
(``search``). Trees of at most four levels are exact over all pixel lines (``proof_kernels``).

Ties: the first axis, then the smallest cut, then paint; with a budget, the fewest rectangles. In the search over all
pixel lines, the first best cut that bisection meets. Equal input gives equal trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...grammar import MAX_DEPTH, Limits, ParseTree, is_whole
from ...support.errors import UserError
from ...support.limits import DEFAULT_PRICE, MOST_RECTANGLES, PROVEN_DEPTH
from ..igm import Mask, integrator, units_of
from ..kernels import UNLIMITED
from . import proof_kernels
from .bound import bound_accuracy
from .budget import Found, search_accuracy, search_curve, search_leaves
from .search import Problem, Rows, deepen, refine

MOST_PROVEN = 1 << 29
"""Larger sums of costs do not fit the 32 bits of the search over all pixel lines."""
MOST_WEIGHT = 1000
"""Of missed and wasted pixels: sums of greater costs would be too coarse in 32 bits."""
DEEP = 24
"""The limit of depth of a second search, where a tree without limit is deeper than tree files allow."""


@dataclass(frozen=True, eq=False)
class BestTree:
    """A tree and what is known of it.

    >>> found = best_tree(np.pad(np.ones((3, 4), bool), 2), rectangles=5)
    >>> found.rectangles, found.accuracy, found.bound
    (5, 1.0, 1.0)
    """

    tree: ParseTree
    accuracy: float
    """The share of the pixels that are labelled right, true or expected."""
    price: float | None
    """The price per rectangle it was searched at, a share of the pixels; None if there was none."""
    bound: float | None
    """No tree of at most as many rectangles, within the same depth, is more accurate than this; None if unknown."""

    @property
    def rectangles(self) -> int:
        """Leaves of the tree."""
        return self.tree.leaf_count


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One tree of a curve of accuracy over rectangles."""

    rectangles: int
    accuracy: float
    rows: Rows
    width: int
    height: int

    @cached_property
    def tree(self) -> ParseTree:
        """The tree itself."""
        return tree_of(self.rows, self.width, self.height)


def best_tree(
    mask: Mask,
    *,
    rectangles: int | None = None,
    price: float | None = None,
    accuracy: float | None = None,
    depth: int | None = None,
    min_extent: int = 1,
    missed: float = 1.0,
    wasted: float = 1.0,
    bound: bool = False,
) -> BestTree:
    """The best tree of a mask (labels) or a map (probabilities of paint).

    Args:
        mask: (height, width); bool, 0/1 or 0/255 are labels, floats between 0 and 1 are probabilities of paint.
        rectangles: the most accurate tree of at most so many rectangles.
        price: the tree of greatest accuracy minus this price, a share of the pixels, per rectangle.
        accuracy: the tree of the fewest rectangles that reaches this share of the pixels.
        depth: depth of the deepest leaf. Up to 4, the tree is proven to be the best over all pixel lines, unless the
            budget of rectangles is smaller than such a tree can have, or an accuracy is asked for.
        min_extent: a node is split along an axis only while its extent there is greater than this.
        missed: the cost of a pixel of paint that is skipped.
        wasted: the cost of a pixel that is painted and should not be.
        bound: compute a certified bound on the accuracy of any tree of as many rectangles, where it is not known
            anyway: some seconds. Only if missed and wasted paint cost the same.

    Without rectangles, price, accuracy and a depth of at most 4, the price is DEFAULT_PRICE.

    >>> best_tree(np.eye(4, dtype=bool), rectangles=3).accuracy
    0.8125
    """
    _check_one_goal(rectangles, price, accuracy)
    problem = problem_of(mask, depth, min_extent, missed, wasted)
    if rectangles is not None and not (is_whole(rectangles) and 1 <= rectangles <= MOST_RECTANGLES):
        raise UserError(f"rectangles is {rectangles}; give a whole number from 1 to {MOST_RECTANGLES}.")
    proven = _proven(problem, rectangles, price) if accuracy is None else None
    if proven is not None:
        return proven
    if rectangles is not None:
        found = _within(problem, rectangles)
    elif accuracy is not None:
        found = _reaching(problem, accuracy)
    else:
        found = _at_price(problem, DEFAULT_PRICE if price is None else price)
    return _with_bound(problem, found, rectangles or found.rectangles) if bound and found.bound is None else found


def tree_curve(
    mask: Mask,
    *,
    most: int = 60,
    depth: int | None = None,
    min_extent: int = 1,
    missed: float = 1.0,
    wasted: float = 1.0,
) -> list[CurvePoint]:
    """The best trees of 1 to ``most`` rectangles, from one search; only those more accurate than all smaller ones.

    >>> [point.rectangles for point in tree_curve(np.pad(np.ones((3, 4), bool), 2))]
    [1, 4, 5]
    """
    if not (is_whole(most) and 1 <= most <= MOST_RECTANGLES):
        raise UserError(f"most is {most}; give a number of rectangles from 1 to {MOST_RECTANGLES}.")
    problem = problem_of(mask, depth, min_extent, missed, wasted)
    found = Found(problem)
    search_curve(found, most)
    height, width = problem.sums.shape[0] - 1, problem.sums.shape[1] - 1
    return [
        CurvePoint(leaves, problem.accuracy(rows), rows, width, height)
        for leaves, _, rows in found.curve()
        if leaves <= most
    ]


def problem_of(mask: Mask, depth: int | None, min_extent: int, missed: float, wasted: float) -> Problem:
    """A mask and its limits, checked, as the search takes them."""
    Limits(MAX_DEPTH if depth is None else depth, min_extent)
    for name, weight in (("missed", missed), ("wasted", wasted)):
        if not 1 / MOST_WEIGHT <= weight <= MOST_WEIGHT:
            raise UserError(f"{name} is {weight}; give the cost of a pixel from 0.001 to {MOST_WEIGHT}, such as 1.")
    given: npt.NDArray = np.asarray(mask)
    if given.ndim != 2:
        raise UserError(f"A mask has shape {given.shape}; give one mask, height x width.")
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise UserError(f"The map has NaN at {int(np.isnan(given).sum())} pixels; give probabilities between 0 and 1.")
    units, unit = units_of(mask)
    height, width = units.shape
    sums = np.empty((height + 1) * (width + 1), np.int32 if units.size * unit < 2**31 else np.int64)
    integrator(unit)(units, sums, 0)
    return Problem(sums.reshape(height + 1, width + 1), unit, float(missed), float(wasted), min_extent, depth)


def _check_one_goal(rectangles: int | None, price: float | None, accuracy: float | None) -> None:
    goals = {"rectangles": rectangles, "price": price, "accuracy": accuracy}
    given = [f"{name} {value}" for name, value in goals.items() if value is not None]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given)} are given; give one of rectangles, price and accuracy.")
    if price is not None and not 0 < price <= 1:
        raise UserError(
            f"price is {price}; give the accuracy a rectangle must bring, above 0 and at most 1, such as 0.001."
        )
    if accuracy is not None and not 0 < accuracy <= 1:
        raise UserError(f"accuracy is {accuracy}; give a share of the pixels above 0 and at most 1, such as 0.98.")


def _proven(problem: Problem, rectangles: int | None, price: float | None) -> BestTree | None:
    """The best tree over all pixel lines, where that can be computed."""
    depth = problem.depth
    total = problem.size * max(problem.missed, problem.wasted)
    if depth is None or depth > PROVEN_DEPTH or problem.min_extent > 1 or total > MOST_PROVEN:
        return None
    if rectangles is not None and rectangles < 2**depth:
        return None
    scale = 2.0 ** min(10, math.floor(math.log2(MOST_PROVEN / total)))
    positive = problem.sums.astype(np.float64)
    y, x = np.ogrid[: positive.shape[0], : positive.shape[1]]
    rows = np.empty((2, *positive.shape), np.int32)
    rows[0] = np.rint(positive * (problem.missed * scale))
    rows[1] = np.rint((x * y * problem.unit - positive) * (problem.wasted * scale))
    columns = np.ascontiguousarray(rows.transpose(0, 2, 1))
    toll = round((price or 0.0) * problem.size * scale)
    box = problem.box
    found = proof_kernels.build(rows, columns, toll, depth, box.x1, box.y1, UNLIMITED)
    accuracy = problem.accuracy(found)
    return BestTree(tree_of(found, box.x1, box.y1), accuracy, price, accuracy if problem.is_plain else None)


def _at_price(problem: Problem, price: float) -> BestTree:
    costs = problem.costs(price)
    rows = deepen(problem, costs, problem.box, refine(problem, costs, problem.box))
    return _answer(problem, rows, price) or _at_price(replace(problem, depth=DEEP), price)


def _within(problem: Problem, rectangles: int) -> BestTree:
    found = Found(problem)
    search_leaves(found, rectangles)
    return _answer(problem, found.best(rectangles)[1], None) or _within(replace(problem, depth=DEEP), rectangles)


def _reaching(problem: Problem, accuracy: float) -> BestTree:
    ceiling = problem.ceiling()
    if accuracy > ceiling:
        raise UserError(
            f"accuracy {accuracy:g} cannot be reached on this map; the best of any labels is {ceiling:.6g}."
        )
    found = Found(problem)
    rows = search_accuracy(found, accuracy)
    if rows is None:
        proven = _proven(problem, None, None)
        best = proven.accuracy if proven else max(problem.accuracy(rows) for _, rows in found.trees.values())
        raise UserError(
            f"accuracy {accuracy:g} was not reached within these limits; the best tree found has {best:.6g}."
        )
    return _answer(problem, rows, None) or _reaching(replace(problem, depth=DEEP), accuracy)


def _with_bound(problem: Problem, best: BestTree, rectangles: int) -> BestTree:
    """The same with a bound for trees of at most so many rectangles."""
    if not problem.is_plain:
        return best
    price = (1 - best.accuracy) / rectangles  # errors fall about like one over rectangles
    return replace(best, bound=max(best.accuracy, bound_accuracy(problem, rectangles, price)))


def _answer(problem: Problem, rows: Rows, price: float | None) -> BestTree | None:
    """A tree with its facts; None if it is deeper than tree files allow."""
    if rows[4].max() > MAX_DEPTH:
        return None
    box = problem.box
    accuracy = problem.accuracy(rows)
    return BestTree(tree_of(rows, box.x1, box.y1), accuracy, price, 1.0 if accuracy == 1 else None)


def tree_of(rows: Rows, width: int, height: int) -> ParseTree:
    x, y, w, h, depth, parent, rule, cut = rows
    return ParseTree(width, height, x, y, w, h, depth, parent, rule.astype(np.int8), cut)
