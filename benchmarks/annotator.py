"""A simulated annotator: it corrects labels with the tools of ``shapeparse label`` until they are right enough.

Seconds are those of the keystroke-level model (Card, Moran and Newell, 1980): to think, to point, to press a button.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator

from shapeparse.labelling.edits import Drag, Edit, Flip, Grow, Labels, Polygon, Rectangle, Sight
from shapeparse.support.errors import UserError

THINK, POINT, PRESS, KEY = 1.35, 1.1, 0.1, 0.2
"""Seconds: to decide, to move the pointer to a place, to press or release a button, to press a key for another tool."""
CLICK = POINT + 2 * PRESS
DRAG = 2 * POINT + 2 * PRESS
ENOUGH = 0.98
MOST_ACTIONS = 200
CELLS = 32
"""Cells a side in which the annotator looks for the best rectangle, before its sides move to the pixel."""
REACHES = (0.08, 0.15, 0.3)
TOLERANCES = (8.0, 4.0, 2.0, 1.0)
"""Pixels by which the polygons that it tries may be off."""
MOVES = (-24, -12, -6, -3, -1, 1, 3, 6, 12, 24)
"""Pixels by which a cut may be dragged."""


@dataclass(frozen=True)
class Effort:
    """What labelling took."""

    actions: int = 0
    """Clicks and drags."""
    seconds: float = 0.0
    accuracy: float = 0.0
    """Of the mask in the end."""


@dataclass(frozen=True, eq=False)
class Sketch(Labels):
    """Labels without a search for the tree of what is drawn: enough to see what an edit would gain."""

    def drawn(self, mask: np.ndarray) -> Labels:
        return Labels(mask, self.tree, self.rectangles)


def correct(labels: Labels, truth: np.ndarray, sight: Sight, enough: float = ENOUGH) -> tuple[Labels, Effort]:
    """Use the tool that gains most per second, until ``enough`` pixels are right; or, where that is quicker, label all
    of it skip and draw polygons, as with nothing to begin with."""
    anew = polygons_from_nothing(truth, enough)
    actions, seconds, tool = 0, 0.0, ""
    while (labels.mask == truth).mean() < enough and actions < MOST_ACTIONS:
        best = best_edit(labels, truth, sight, tool, enough)
        if best is None:
            break
        actions += clicks_of(best)
        seconds += seconds_of(best) + KEY * (best.tool != tool)
        tool, labels = best.tool, best(labels, sight)
    effort = Effort(actions, seconds, float((labels.mask == truth).mean()))
    cleared = Effort(anew.actions + 1, anew.seconds + THINK + DRAG + 2 * KEY, anew.accuracy)
    if cleared.accuracy >= enough and (effort.accuracy < enough or cleared.seconds < effort.seconds):
        return Labels.of(truth), cleared
    return labels, effort


def best_edit(labels: Labels, truth: np.ndarray, sight: Sight, tool: str, enough: float) -> Edit | None:
    """The edit that gains most pixels per second with this tool in hand; more than are needed do not count."""
    right = int((labels.mask == truth).sum())
    needed = math.ceil(enough * truth.size) - right
    sketch = Sketch(labels.mask, labels.tree, labels.rectangles)
    best: tuple[float, Edit] | None = None
    for edit in candidates(labels, truth):
        try:
            gained = min(int((edit(sketch, sight).mask == truth).sum()) - right, needed)
        except UserError:
            continue
        rate = gained / (seconds_of(edit) + KEY * (edit.tool != tool))
        if gained > 0 and (best is None or rate > best[0]):
            best = rate, edit
    return None if best is None else best[1]


def polygons_from_nothing(truth: np.ndarray, enough: float = ENOUGH) -> Effort:
    """The cheapest outlines, paint first and then holes, that label enough pixels right."""
    best: Effort | None = None
    for tolerance in (12.0, 8.0, 6.0, 4.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5):
        rings = [ring for ring in (simplified(ring, tolerance) for ring in outlines(truth)) if len(ring) >= 3]
        rings.sort(key=lambda ring: -abs(area(ring)))
        mask = np.zeros(truth.shape, bool)
        actions, seconds = 0, 0.0
        if (mask == truth).mean() >= enough:
            return Effort(accuracy=float((mask == truth).mean()))
        for ring in rings:
            inside = bool(area(ring) > 0)
            edit = Polygon(tuple(ring.ravel().tolist()), inside)
            mask = edit_mask(edit, mask)
            actions, seconds = actions + clicks_of(edit), seconds + seconds_of(edit)
            if (mask == truth).mean() >= enough:
                break
        effort = Effort(actions, seconds, float((mask == truth).mean()))
        if effort.accuracy >= enough and (best is None or effort.seconds < best.seconds):
            best = effort
    return best or effort


def clicks_of(edit: Edit) -> int:
    """Clicks and drags."""
    return len(edit.points) // 2 if isinstance(edit, Polygon) else 1


def seconds_of(edit: Edit) -> float:
    """What an action takes, once its tool is chosen."""
    if isinstance(edit, Polygon):
        return THINK + CLICK * clicks_of(edit)
    return THINK + (DRAG if isinstance(edit, Drag | Rectangle) else CLICK)


# ---- what a person might do next -------------------------------------------------------------------------------------


def candidates(labels: Labels, truth: np.ndarray) -> Iterator[Edit]:
    """Edits that may help."""
    yield from _flips(labels, truth)
    yield from _drags(labels, truth)
    for paint in (True, False):
        wrong = (truth == paint) & (labels.mask != paint)
        if wrong.any():
            yield best_rectangle(labels, truth, paint)
            y, x = deepest(wrong)
            for reach in REACHES:
                yield Grow(x, y, reach, paint)
            for region in (wrong, truth == paint):
                yield from _polygons(region, x, y, paint)


def _polygons(region: np.ndarray, x: int, y: int, paint: bool) -> Iterator[Edit]:
    """Outlines, coarse and fine, of the part of a region that has a pixel in it."""
    ring = outline_around(region, x, y)
    if ring is None:
        return
    for tolerance in TOLERANCES:
        corners = simplified(ring, tolerance)
        if len(corners) >= 3:
            yield Polygon(tuple(corners.ravel().tolist()), paint)


def _flips(labels: Labels, truth: np.ndarray) -> Iterator[Edit]:
    tree = labels.tree
    wrong = box_sums(labels.mask != truth)
    share = [
        (_count(wrong, *(int(side[node]) for side in (tree.x, tree.y, tree.w, tree.h))) / tree.nodes.area[node], node)
        for node in np.flatnonzero(tree.is_leaf)
    ]
    for part, leaf in sorted(share, reverse=True)[:4]:
        if part > 0.5:
            yield Flip(int(leaf))


def _drags(labels: Labels, truth: np.ndarray) -> Iterator[Edit]:
    """The cuts with most wrong pixels along them, moved a little or more."""
    tree, wrong = labels.tree, box_sums(labels.mask != truth)
    found = []
    for node in np.flatnonzero(~tree.is_leaf):
        x, y, w, h, cut = (int(side[node]) for side in (tree.x, tree.y, tree.w, tree.h, tree.cut))
        along_x = tree.rule[node] == 0
        band = (x + cut - 6, y, 12, h) if along_x else (x, y + cut - 6, w, 12)
        found.append((_count(wrong, *band), int(node), (x if along_x else y) + cut))
    for count, split, at in sorted(found, reverse=True)[:3]:
        if count:
            yield from (Drag(split, at + move) for move in MOVES)


def best_rectangle(labels: Labels, truth: np.ndarray, paint: bool) -> Rectangle:
    """The rectangle that gains most if all of it is labelled so: the best in cells, then each side moved by pixels."""
    gain = np.where(labels.mask == paint, 0, np.where(truth == paint, 1, -1))
    height, width = gain.shape
    ys, xs = (np.unique(np.linspace(0, side, CELLS + 1).astype(int)) for side in (height, width))
    sums = box_sums(gain)
    grid = sums[np.ix_(ys, xs)]
    best, box = -1, (0, 0, 1, 1)
    for top in range(len(ys) - 1):
        strips = grid[top + 1 :] - grid[top]
        lowest = np.minimum.accumulate(strips, axis=1)
        reached = strips[:, 1:] - lowest[:, :-1]
        row, column = np.unravel_index(int(reached.argmax()), reached.shape)
        if reached[row, column] > best:
            left = int(strips[row, : column + 1].argmin())
            best, box = (
                int(reached[row, column]),
                (int(xs[left]), int(ys[top]), int(xs[column + 1]), int(ys[top + 1 + row])),
            )
    return _snapped(sums, box, max(width, height) // CELLS + 1, paint)


def _snapped(sums: np.ndarray, box: tuple[int, int, int, int], far: int, paint: bool) -> Rectangle:
    sides, most = list(box), (sums.shape[1] - 1, sums.shape[0] - 1)

    def gained(side: int, at: int) -> int:
        x0, y0, x1, y1 = (at if place == side else value for place, value in enumerate(sides))
        return int(sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]) if x0 < x1 and y0 < y1 else -1

    for side in (0, 1, 2, 3) * 2:
        near = range(max(sides[side] - far, 0), min(sides[side] + far, most[side % 2]) + 1)
        sides[side] = max(near, key=lambda at, side=side: gained(side, at))  # type: ignore[misc]
    x0, y0, x1, y1 = sides
    return Rectangle(x0, y0, x1 - x0, y1 - y0, paint)


# ---- outlines --------------------------------------------------------------------------------------------------------


def outlines(mask: np.ndarray) -> list[np.ndarray]:
    """The outlines of a mask, (corners, 2) of x and y each; holes turn the other way, so their area is negative."""
    padded = np.pad(mask.astype(float), 1)
    rings = contour_generator(z=padded).lines(0.5)
    turned = [np.asarray(ring)[:-1] - 0.5 for ring in rings if len(ring) > 3]
    if not turned:
        return []
    largest = max(turned, key=lambda ring: abs(area(ring)))
    sign = 1 if area(largest) > 0 else -1
    return [ring if sign > 0 else ring[::-1] for ring in turned]


def area(ring: np.ndarray) -> float:
    """Its area, with the sign of its direction."""
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def simplified(ring: np.ndarray, tolerance: float) -> np.ndarray:
    """A ring with few corners, none of it farther off than the tolerance (Douglas and Peucker, 1973)."""
    far = int(np.linalg.norm(ring - ring[0], axis=1).argmax())
    closed = np.vstack([ring, ring[:1]])
    keep = np.zeros(len(closed), bool)
    keep[[0, far, -1]] = True
    stack = [(0, far), (far, len(closed) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        start, way = closed[first], closed[last] - closed[first]
        offset = closed[first + 1 : last] - start
        length = float(np.hypot(*way))
        away = np.abs(way[0] * offset[:, 1] - way[1] * offset[:, 0]) / length if length else np.hypot(*offset.T)
        place = int(away.argmax())
        if away[place] > tolerance:
            keep[first + 1 + place] = True
            stack += [(first, first + 1 + place), (first + 1 + place, last)]
    return np.asarray(closed[:-1][keep[:-1]])


def outline_around(region: np.ndarray, x: int, y: int) -> np.ndarray | None:
    """The outer outline of the part of a region that has a pixel in it."""
    from scipy.ndimage import label

    parts, _ = label(region)
    rings = [ring for ring in outlines(parts == parts[y, x]) if len(simplified(ring, 1.5)) >= 3]
    return max(rings, key=lambda ring: abs(area(ring)), default=None)


def deepest(region: np.ndarray) -> tuple[int, int]:
    """The row and column of the pixel that lies deepest in a region: what a person would click."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(region, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(int(depth.argmax()), depth.shape)
    return int(row), int(column)


def edit_mask(edit: Polygon, mask: np.ndarray) -> np.ndarray:
    """A mask with a polygon drawn, without the search for its tree."""
    from shapeparse.data.coco import outline_mask

    drawn = outline_mask([list(edit.points)], *mask.shape)
    return np.where(drawn, edit.paint, mask)


def box_sums(values: np.ndarray) -> np.ndarray:
    """An integral image."""
    sums = np.zeros((values.shape[0] + 1, values.shape[1] + 1), np.int64)
    np.cumsum(np.cumsum(values, axis=0), axis=1, out=sums[1:, 1:])
    return sums


def _count(sums: np.ndarray, x: int, y: int, w: int, h: int) -> int:
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + w, sums.shape[1] - 1), min(y + h, sums.shape[0] - 1)
    return int(sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0])
