"""Which rectangles are painted: the paint leaves merged into the fewest, at a distance from what is skipped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..grammar import FloatArray, ParseTree, Rule
from ..grammar.segments import merge_rectangles
from ..support.errors import UserError

STEPS = 1024
"""A margin is rounded to this part of a pixel: whole numbers are merged exactly."""

MOST_CELLS = 1 << 27
"""Of the grid that the rectangles' edges make: a hostile tree of few bytes could ask for far more memory."""

Boxes = npt.NDArray[np.int64]


def partitions(tree: ParseTree, margin: float) -> list[FloatArray]:
    """Ways to cut the area to paint into the fewest rectangles (x, y, w, h), each in the order of the derivation.

    What is painted is all that is labelled paint and at least ``margin`` away, along x or along y, from everything
    labelled skip. The edge of the image is no border to keep away from. Where a corner may be cut either way, one
    partition cuts along x and the other along y.
    """
    boxes = np.stack([tree.x, tree.y, tree.w, tree.h], axis=1).astype(np.int64) * STEPS
    paint, skip = boxes[tree.rule == Rule.PAINT], boxes[tree.rule == Rule.SKIP]
    distance = round(margin * STEPS)
    if distance:
        paint = _kept_away(paint, skip, distance)
    _check_grid(paint)
    found = [merge_rectangles(paint), merge_rectangles(paint[:, [1, 0, 3, 2]])[:, [1, 0, 3, 2]]]
    leaves = boxes[tree.is_leaf]
    return [_in_tree_order(rectangles, leaves) / STEPS for rectangles in found]


def _kept_away(paint: Boxes, skip: Boxes, distance: int) -> Boxes:
    """The paint without all that is nearer than ``distance`` to skip, as disjoint rectangles."""
    grown = skip + np.array([-distance, -distance, 2 * distance, 2 * distance])
    if not len(paint) or not len(skip):
        return paint
    _check_grid(np.concatenate([paint, grown]))
    xs, ys = _edges(np.concatenate([paint, grown]))
    inside = np.zeros((len(ys) - 1, len(xs) - 1), bool)
    for boxes, value in ((paint, True), (grown, False)):
        left, right = np.searchsorted(xs, boxes[:, 0]), np.searchsorted(xs, boxes[:, 0] + boxes[:, 2])
        top, bottom = np.searchsorted(ys, boxes[:, 1]), np.searchsorted(ys, boxes[:, 1] + boxes[:, 3])
        for rows, columns in zip(_slices(top, bottom), _slices(left, right), strict=True):
            inside[rows, columns] = value
    padded = np.pad(inside, ((0, 0), (1, 1)))
    changes = np.flatnonzero(padded[:, 1:] != padded[:, :-1])  # runs of cells begin and end in turns
    row, first = np.divmod(changes[0::2], padded.shape[1] - 1)
    last = changes[1::2] % (padded.shape[1] - 1)
    return np.stack([xs[first], ys[row], xs[last] - xs[first], ys[row + 1] - ys[row]], axis=1)


def _slices(first: Boxes, last: Boxes) -> list[slice]:
    return [slice(*pair) for pair in zip(first.tolist(), last.tolist(), strict=True)]


def _edges(boxes: Boxes) -> tuple[Boxes, Boxes]:
    x, y, w, h = boxes.T
    return np.unique(np.concatenate([x, x + w])), np.unique(np.concatenate([y, y + h]))


def _check_grid(boxes: Boxes) -> None:
    xs, ys = _edges(boxes)
    if len(xs) * len(ys) > MOST_CELLS:
        raise UserError(
            f"The tree has too many different edges to plan with ({len(xs)} along x, {len(ys)} along y); "
            "parse the image less deeply."
        )


def _in_tree_order(rectangles: Boxes, leaves: Boxes) -> Boxes:
    """Rectangles by the first leaf of the derivation that they share area with."""
    first = np.empty(len(rectangles), np.int64)
    left, top, right, bottom = leaves[:, 0], leaves[:, 1], leaves[:, 0] + leaves[:, 2], leaves[:, 1] + leaves[:, 3]
    for place, (x, y, w, h) in enumerate(rectangles.tolist()):
        first[place] = np.argmax((left < x + w) & (right > x) & (top < y + h) & (bottom > y))
    return rectangles[np.argsort(first, kind="stable")]
