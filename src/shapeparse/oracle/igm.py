"""IGM for whole masks and for single decisions, greedy or with lookahead, on hard and soft masks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..grammar import Actions, Limits, Nodes, ParseTree, Rule, is_whole, prune
from ..grammar.boxes import BoxSums
from ..grammar.expand import check_actions
from ..grammar.prune import worth
from ..support.errors import UserError
from ..support.limits import MOST_LOOKAHEAD
from . import kernels

Mask = npt.NDArray[np.bool_] | npt.NDArray[np.integer] | npt.NDArray[np.floating]
"""(height, width): bool, 0/1 or 0/255 are labels; floats between 0 and 1 are probabilities of paint."""

SOFT_UNITS = 255
"""A soft mask is counted in this many units a pixel."""


def igm(
    mask: Mask | Sequence[Mask],
    depth: int = 7,
    min_extent: int = 1,
    lookahead: int = 0,
    price: float = 0.0,
    threads: int | None = None,
) -> ParseTree | list[ParseTree]:
    """Decompose a mask into labelled rectangles by greatest information gain.

    Args:
        mask: one mask, or a stack or list of them. Floats are read as probabilities of paint.
        depth: depth of the deepest leaf.
        min_extent: a node is split along an axis only while its extent there is greater than this.
        lookahead: 0 is the paper's greedy oracle. K > 0 tries K cuts an axis, scores each by how IGM would finish,
            takes the best, and solves the last three levels exactly: slower, and far more accurate.
        price: prune splits that gain less accuracy (a share of the image) than this for each rectangle they add. With
            lookahead, the greedy tree is pruned too, and the better of both for that price is the answer.
        threads: how many cores share a stack or list of masks; all of them if not given.

    Returns:
        The parse tree of the mask, or a list of trees, one a mask.

    >>> igm(np.pad(np.ones((3, 4), bool), 2)).leaf_count
    5
    """
    limits, candidates, threads = Limits(depth, min_extent), _checked_lookahead(lookahead), _checked_threads(threads)
    if not 0 <= price <= 1:
        raise UserError(f"price is {price}; give an accuracy a rectangle from 0 to 1, such as 0.001.")
    if isinstance(mask, np.ndarray) and mask.ndim == 2:
        return _parse_some([units_of(mask)], limits, candidates, price)[0]

    if isinstance(mask, np.ndarray) and mask.ndim == 3 and mask.shape[2] in (3, 4) and mask.shape[1] > 4:
        raise UserError(
            f"A mask has shape {mask.shape}, which looks like a picture with {mask.shape[2]} channels; give one of "
            "them (height x width), or a list of masks."
        )
    work: Callable[[int, int], list[ParseTree]]
    if isinstance(mask, np.ndarray) and mask.ndim == 3 and not price:
        stack, unit = units_of(mask, axes=3)

        def work(first: int, last: int) -> list[ParseTree]:
            return _parse_stack(stack[first:last], unit, limits, candidates)
    else:
        if isinstance(mask, np.ndarray) and mask.ndim != 3:
            raise UserError(f"A mask has shape {mask.shape}; give height x width, or a stack of such masks.")
        counted = [units_of(one) for one in mask]

        def work(first: int, last: int) -> list[ParseTree]:
            return _parse_some(counted[first:last], limits, candidates, price)

    return _in_threads(work, len(mask), _smallest_part(candidates), threads)


class Oracle:
    """The oracle's decision at any node of the given masks, and the exact cost-to-go of any action there.

    An instance is an actor: ``expand(oracle.sizes, oracle, oracle.limits)`` gives the trees of ``igm``.

    >>> oracle = Oracle([np.pad(np.ones((3, 4), bool), 2)])
    >>> roots = Nodes.roots(oracle.sizes)
    >>> float(oracle.cost_to_go(roots, oracle(roots))[0])  # all 7 x 8 pixels are labelled right
    56.0
    """

    def __init__(
        self, masks: Sequence[Mask], limits: Limits | None = None, lookahead: int = 0, threads: int | None = None
    ) -> None:
        self.limits = limits or Limits()
        self.threads = _checked_threads(threads)
        self.lookahead = _checked_lookahead(lookahead)
        counted = [units_of(mask) for mask in masks]
        units = {unit for _, unit in counted}
        if len(units) > 1:
            raise UserError("The masks are hard and soft ones; give an Oracle masks of one kind.")
        self.unit = units.pop() if units else 1
        self._boxes = BoxSums.of([mask for mask, _ in counted], _sums_type(self.unit), integrator(self.unit))
        self.sizes = self._boxes.sizes
        self._strides = self.sizes[:, 0].astype(np.int64) + 1

    def looking_ahead(self, lookahead: int) -> Oracle:
        """The oracle of the same masks that looks so many cuts ahead; both share what they know of the masks."""
        other = copy(self)
        other.lookahead = _checked_lookahead(lookahead)
        return other

    def __call__(self, nodes: Nodes, offered: Actions | None = None) -> Actions:
        """The oracle's action at every node.

        With lookahead, splits that are ``offered`` are candidates too, and taken where no other is better; where all
        splits can be tried, in the last levels, nothing has to be offered.
        """
        rows = self._rows(nodes)
        rules, cuts = np.full(len(rows), Rule.SKIP, np.int8), np.zeros(len(rows), np.int32)
        if offered is not None:
            check_actions(nodes, offered, self.limits)
            rules[:], cuts[:] = offered.rule, offered.cut
        settings = self._settings()

        def choose(first: int, last: int) -> list[None]:
            kernels.choose_all(*settings, rows[first:last], rules[first:last], cuts[first:last])
            return []

        _in_threads(choose, len(rows), _smallest_part(self.lookahead), self.threads)
        return Actions(rules, cuts)

    def cost_to_go(self, nodes: Nodes, actions: Actions) -> npt.NDArray[np.float64]:
        """Q*: the return (Eq. 1, in pixels) of each node when its action is taken and the oracle finishes.

        On a soft mask it is the expected return.
        """
        check_actions(nodes, actions, self.limits)
        rows = self._rows(nodes)
        rules, cuts = actions.rule.astype(np.int64), actions.cut.astype(np.int64)
        result = np.empty(len(rows), np.int64)
        settings = self._settings()

        def score(first: int, last: int) -> list[None]:
            kernels.cost_to_go_all(*settings, rows[first:last], rules[first:last], cuts[first:last], result[first:last])
            return []

        _in_threads(score, len(rows), _smallest_part(self.lookahead), self.threads)
        return result / self.unit

    def paint_share(self, nodes: Nodes) -> npt.NDArray[np.float64]:
        """The share of each node's pixels that is paint, true or expected."""
        self._rows(nodes)  # which checks them
        return self._boxes.count(nodes) / (self.unit * nodes.area)

    def snap(self, nodes: Nodes, actions: Actions, reach: npt.NDArray[np.integer]) -> Actions:
        """The same actions, each cut moved by at most ``reach`` pixels to where it gains most."""
        check_actions(nodes, actions, self.limits)
        cuts = np.empty(len(nodes), np.int32)
        place = self._place()
        rules, given = actions.rule.astype(np.int64), actions.cut.astype(np.int64)
        kernels.snap_all(*place, self._rows(nodes), rules, given, reach.astype(np.int64), cuts)
        return Actions(actions.rule, cuts)

    def replace(self, index: int, mask: Mask) -> None:
        """Put another mask of the same size and kind in the place of one."""
        units, unit = units_of(mask)
        if units.shape[::-1] != tuple(self.sizes[index]) or unit != self.unit:
            raise ValueError("a mask can only be replaced by one of the same size and kind")
        integrator(unit)(units, self._boxes.sums, self._boxes.starts[index])

    def _settings(self) -> tuple:
        return (*self._place(), self.limits.min_extent, self.limits.depth, self.lookahead)

    def _place(self) -> tuple:
        return self._boxes.sums, self._boxes.starts, self._strides, self.unit, _table()

    def _rows(self, nodes: Nodes) -> npt.NDArray[np.int64]:
        """The nodes as the kernels take them, checked: the kernels trust what they get."""
        rows = np.stack([nodes.image, nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth], axis=1).astype(np.int64)
        if len(rows):
            image, x, y, w, h, depth = rows.T
            if image.min() < 0 or image.max() >= len(self.sizes):
                raise ValueError(f"a node is of an image that is not among the oracle's {len(self.sizes)}")
            width, height = self.sizes[image].T
            if not ((x >= 0) & (y >= 0) & (w > 0) & (h > 0) & (x + w <= width) & (y + h <= height)).all():
                raise ValueError("a node lies outside its image")
            if depth.min() < 0:  # more levels below it than the kernels have room for
                raise ValueError("a node has a depth below 0")
        return rows


@cache
def _table() -> npt.NDArray[np.float64]:
    return kernels.xlogx_table()


def _sums_type(unit: int) -> type:
    """Whole pixels fit 32 bits up to 2**31 of them; units of a soft mask do not."""
    return np.int32 if unit == 1 else np.int64


def _checked_lookahead(lookahead: int) -> int:
    if not is_whole(lookahead) or not 0 <= lookahead <= MOST_LOOKAHEAD:
        raise UserError(f"lookahead is {lookahead}; give 0 for none, or a number of cuts from 1 to {MOST_LOOKAHEAD}.")
    return int(lookahead)


def _checked_threads(threads: int | None) -> int | None:
    if threads is not None and (not is_whole(threads) or threads < 1):
        raise UserError(f"threads is {threads}; give a whole number of at least 1, or none for all cores.")
    return threads


def units_of(given: Mask, axes: int = 2) -> tuple[npt.NDArray[np.uint8], int]:
    """A mask, or with three axes a stack of masks, in whole units, and how many make a pixel."""
    mask: npt.NDArray = np.asarray(given)
    if mask.ndim != axes or 0 in mask.shape[-2:]:
        raise UserError(f"A mask has shape {mask.shape}; give height x width, at least one pixel.")
    if mask.size == 0:
        return mask.astype(np.uint8), 1
    if mask.dtype == np.bool_:
        return np.ascontiguousarray(mask).view(np.uint8), 1
    if mask.dtype.kind not in "uif":
        raise UserError(f"A mask has values of type {mask.dtype}; give bool, whole numbers or probabilities.")
    low, high = mask.min(), mask.max()
    if mask.dtype.kind in "ui":
        if high not in (0, 1, 255) or not ((mask == 0) | (mask == high)).all():
            raise UserError(f"A mask of whole numbers has values from {low} to {high}; give 0/1, 0/255 or bool.")
        return np.ascontiguousarray(mask > 0).view(np.uint8), 1
    if not (low >= 0 and high <= 1):
        raise UserError(f"A soft mask has values from {low} to {high}; give probabilities between 0 and 1.")
    return np.ascontiguousarray(np.rint(mask * SOFT_UNITS).astype(np.uint8)), SOFT_UNITS


def integrator(unit: int) -> Callable[[npt.NDArray[np.uint8], npt.NDArray[np.integer], int], None]:
    """What writes the integral image of a mask of so many units per pixel; labels are read eight at a time."""
    return integrate_labels if unit == 1 else kernels.integrate


def integrate_labels(labels: npt.NDArray[np.uint8], sums: npt.NDArray[np.integer], start: int) -> None:
    """Write the integral image of labels, 0 and 1, into ``sums``, from ``start`` on."""
    if _has_words(labels, 1):
        kernels.integrate_words(labels.view(np.uint64), sums, start)
    else:
        kernels.integrate(labels, sums, start)


def _has_words(mask: npt.NDArray[np.uint8], unit: int) -> bool:
    """Whether rows of labels can be read eight at a time."""
    return unit == 1 and mask.shape[-1] % 8 == 0 and sys.byteorder == "little"


def _parse_stack(stack: npt.NDArray[np.uint8], unit: int, limits: Limits, candidates: int) -> list[ParseTree]:
    """Masks of one size in a single call, which leaves other threads alone until it is done."""
    _, height, width = stack.shape
    words = stack.view(np.uint64) if _has_words(stack, unit) else np.empty((0, 0, 0), np.uint64)
    sums = np.empty((height + 1) * (width + 1), _sums_type(unit))
    settings = (unit, _table(), limits.min_extent, limits.depth, candidates)
    rows, ends = kernels.parse_stack(stack, words, sums, *settings)
    rules, edges = rows[6].astype(np.int8), [0, *ends.tolist()]
    trees = []
    for start, end in pairwise(edges):
        x, y, w, h, depth, parent = rows[:6, start:end]
        trees.append(ParseTree(width, height, x, y, w, h, depth, parent, rules[start:end], rows[7, start:end]))
    return trees


def _parse_some(
    counted: Sequence[tuple[npt.NDArray[np.uint8], int]], limits: Limits, candidates: int, price: float
) -> list[ParseTree]:
    trees = []
    sums = np.empty(0, np.int32)
    for mask, unit in counted:
        height, width = mask.shape
        needed = (height + 1) * (width + 1)
        if len(sums) < needed or sums.dtype != _sums_type(unit):
            sums = np.empty(needed, _sums_type(unit))
        integrator(unit)(mask, sums, 0)
        picture = kernels.Picture(sums, 0, width + 1, unit, _table(), limits.min_extent)
        tree = _parse(picture, width, height, limits.depth, candidates, price)
        if price and candidates:
            # Lookahead spends every level it may use; where rectangles are dear, pruned greedy trees can be better.
            greedy = _parse(picture, width, height, limits.depth, 0, price)
            tree = max(tree, greedy, key=lambda one: worth(one, _positives(one, picture), price))
        trees.append(tree)
    return trees


def _parse(
    picture: kernels.Picture, width: int, height: int, depth_limit: int, candidates: int, price: float
) -> ParseTree:
    x, y, w, h, depth, parent, rule, cut = kernels.parse(picture, width, height, depth_limit, candidates)
    tree = ParseTree(width, height, x, y, w, h, depth, parent, rule.astype(np.int8), cut)
    return prune(tree, _positives(tree, picture), price) if price else tree


def _positives(tree: ParseTree, picture: kernels.Picture) -> npt.NDArray[np.float64]:
    """Object pixels, true or expected, in each node."""
    boxes = BoxSums(np.array([[tree.width, tree.height]], np.int32), np.zeros(1, np.int64), picture.sums)
    return boxes.count(tree.nodes) / picture.unit


def _smallest_part(candidates: int) -> int:
    """How much work is worth a thread: many greedy parses, few with lookahead."""
    return 4 if candidates else 64


def _in_threads(work: Callable[[int, int], list], count: int, smallest: int, threads: int | None) -> list:
    """Call ``work(first, last)`` on consecutive parts of ``range(count)`` in threads; the kernels leave the GIL.

    There are more parts than threads, since one part may be much more work than another.
    """
    workers = min(threads or os.cpu_count() or 1, count // smallest)
    if workers <= 1:
        return work(0, count)
    parts = min(4 * workers, count // smallest)
    edges = [count * part // parts for part in range(parts + 1)]
    with ThreadPoolExecutor(workers) as pool:
        return [item for some in pool.map(work, edges[:-1], edges[1:]) for item in some]
