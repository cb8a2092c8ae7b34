"""The tools: each is a pure function from labels, a mask and its tree, to new labels.

A change of the tree changes the mask exactly where it changes the tree's labels. A mask that is drawn freely gets the
best tree there is, at the wanted number of rectangles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from ..grammar import BoolArray, Forest, ParseTree, Rule, is_whole
from ..oracle.optimal import best_tree
from ..support.errors import UserError
from ..support.text import unknown
from .growing import grow
from .surgery import Leaf, Part, Split, changed

MOST_POINTS = 20_000
"""Numbers in a polygon or a stroke."""
MOST_RECTANGLES = 400


@dataclass(frozen=True, eq=False)
class Labels:
    """What a photograph is labelled with."""

    mask: BoolArray
    """(height, width), True = paint."""
    tree: ParseTree
    rectangles: int | None = None
    """How many rectangles a tree of a freely drawn mask has at most; as many as pay if not given."""

    @classmethod
    def of(cls, mask: BoolArray, rectangles: int | None = None, name: str = "") -> Labels:
        """A mask and its best tree."""
        found = best_tree(mask, rectangles=rectangles).tree
        return cls(mask, replace(found, name=name), rectangles)

    @classmethod
    def proposed(cls, tree: ParseTree, likely: npt.NDArray[np.uint8] | None = None) -> Labels:
        """What a parser proposes: its tree, and the outline of its map, 0 to 255, which follows the object more closely
        than rectangles do. Without a map it is what the tree says."""
        if likely is None:
            return cls(tree.labels(), tree)
        sized = Image.fromarray(likely).resize((tree.width, tree.height), Image.Resampling.BILINEAR)
        return cls(np.asarray(sized) > 127, tree)

    def drawn(self, mask: BoolArray) -> Labels:
        """The same photograph with a mask that was drawn freely."""
        return self if np.array_equal(mask, self.mask) else Labels.of(mask, self.rectangles, self.tree.name)

    def cut(self, tree: ParseTree) -> Labels:
        """The same photograph with a changed tree: the mask follows where the tree's labels changed."""
        before, after = self.tree.labels(), tree.labels()
        return Labels(np.where(before != after, after, self.mask), tree, self.rectangles)


@dataclass(frozen=True, eq=False)
class Sight:
    """What there is to see beside the labels."""

    photo: Callable[[], npt.NDArray[np.uint8]]
    """The photograph, (height, width, 3); read when a tool asks for it."""
    likely: npt.NDArray[np.uint8] | None = None
    """The parser's map of the photograph, 0 to 255, of the photograph's size or smaller."""
    untouched: bool = False
    """Whether the labels are the parser's own, whatever their number of rectangles."""


@dataclass(frozen=True)
class Flip:
    """Give a rectangle the other label."""

    tool: ClassVar = "flip"
    node: int

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        leaf = leaf_at(labels.tree, self.node)
        return labels.cut(changed(labels.tree, self.node, lambda _: Leaf(not leaf)))


@dataclass(frozen=True)
class Drag:
    """Move the cut of a split to the pixel ``at`` of the picture; rectangles that end up beyond it are gone."""

    tool: ClassVar = "drag"
    node: int
    at: int

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        tree = labels.tree
        rule = int(tree.rule[node_at(tree, self.node)])
        if rule >= Rule.PAINT:
            raise UserError(f"Rectangle {self.node} has no cut to drag; choose a split.")
        low, extent = _along(tree, self.node, rule)
        at = min(max(self.at, low + 1), low + extent - 1)

        def moved(part: Part) -> Part:
            assert isinstance(part, Split)
            return replace(part, at=at)

        return labels.cut(changed(tree, self.node, moved))


@dataclass(frozen=True)
class Cut:
    """Split a rectangle at the pixel ``at`` of the picture, across the axis x or y; both halves keep its label."""

    tool: ClassVar = "split"
    node: int
    axis: str
    at: int

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        leaf = leaf_at(labels.tree, self.node)
        if self.axis not in ("x", "y"):
            raise UserError("A rectangle is split across the axis x or y.")
        axis = 0 if self.axis == "x" else 1
        low, extent = _along(labels.tree, self.node, axis)
        if not 0 < self.at - low < extent:
            raise UserError(f"The pixel {self.at} is not within rectangle {self.node}; split it inside.")
        return labels.cut(changed(labels.tree, self.node, lambda _: Split(axis, self.at, Leaf(leaf), Leaf(leaf))))


@dataclass(frozen=True)
class Merge:
    """Make all that is below a split one rectangle, with the label that most of it had."""

    tool: ClassVar = "merge"
    node: int

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        tree, node = labels.tree, node_at(labels.tree, self.node)
        x, y, w, h = (int(side[node]) for side in (tree.x, tree.y, tree.w, tree.h))
        most = tree.labels()[y : y + h, x : x + w].mean() >= 0.5
        return labels.cut(changed(tree, node, lambda _: Leaf(bool(most))))


@dataclass(frozen=True)
class Rectangle:
    """Label a rectangle of pixels."""

    tool: ClassVar = "rectangle"
    x: float
    y: float
    w: float
    h: float
    paint: bool

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        height, width = labels.mask.shape
        left, right = sorted(_clamped(value, width) for value in (self.x, self.x + self.w))
        top, bottom = sorted(_clamped(value, height) for value in (self.y, self.y + self.h))
        mask = labels.mask.copy()
        mask[top:bottom, left:right] = self.paint
        return labels.drawn(mask)


@dataclass(frozen=True)
class Polygon:
    """Label what lies within the corners x, y, x, y ..."""

    tool: ClassVar = "polygon"
    points: tuple[float, ...]
    paint: bool

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        corners = _corners(self.points, 3, labels.mask.shape)
        return labels.drawn(_painted(labels.mask, self.paint, lambda draw: draw.polygon(corners, fill=1)))


@dataclass(frozen=True)
class Brush:
    """Label what a round brush passes over on its way x, y, x, y ..."""

    tool: ClassVar = "brush"
    points: tuple[float, ...]
    radius: float
    paint: bool

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        way = _corners(self.points, 1, labels.mask.shape)
        radius = min(max(self.radius, 0.5), max(labels.mask.shape))

        def stroke(draw: ImageDraw.ImageDraw) -> None:
            draw.line(way, fill=1, width=max(1, round(2 * radius)))
            for x, y in way:
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=1)

        return labels.drawn(_painted(labels.mask, self.paint, stroke))


@dataclass(frozen=True)
class Grow:
    """Label what looks like the pixel (x, y) around it, up to the next edge."""

    tool: ClassVar = "grow"
    x: int
    y: int
    reach: float
    paint: bool

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        height, width = labels.mask.shape
        if not (0 <= self.x < width and 0 <= self.y < height and 0 <= self.reach <= 1):
            raise UserError("A region grows from a pixel of the photograph, with a reach from 0 to 1.")
        region = grow(sight.photo(), sight.likely, self.x, self.y, self.reach)
        return labels.drawn(np.where(region, self.paint, labels.mask))


@dataclass(frozen=True)
class Rectangles:
    """More or fewer rectangles: the best tree with at most so many; 0 for as many as pay.

    It is the best tree of the mask; while nobody has changed the parser's labels, that of its map.
    """

    tool: ClassVar = "rectangles"
    count: int

    def __call__(self, labels: Labels, sight: Sight) -> Labels:
        if not 0 <= self.count <= MOST_RECTANGLES:
            raise UserError(f"A tree has from 1 to {MOST_RECTANGLES} rectangles here; 0 is as many as pay.")
        count, tree = self.count or None, labels.tree
        if sight.likely is None or not sight.untouched:
            return Labels.of(labels.mask, count, tree.name)
        found = Forest.of([best_tree(sight.likely.astype(np.float32) / 255, rectangles=count).tree])
        (tree,) = found.scaled(np.array([[tree.width, tree.height]], np.int32)).trees([tree.name])
        return Labels(labels.mask, tree, count)


Edit: TypeAlias = Flip | Drag | Cut | Merge | Rectangle | Polygon | Brush | Grow | Rectangles
TOOLS: dict[str, type[Edit]] = {
    one.tool: one for one in (Flip, Drag, Cut, Merge, Rectangle, Polygon, Brush, Grow, Rectangles)
}


def edit_of(content: Any) -> Edit:
    """The edit in JSON that may hold anything, such as ``{"tool": "flip", "node": 3}``."""
    if not isinstance(content, dict) or not isinstance(content.get("tool"), str):
        raise UserError('An edit is an object with a "tool"; see docs/labelling.md.')
    tool = TOOLS.get(content["tool"])
    if tool is None:
        raise unknown("tool", content["tool"], TOOLS)
    values = {name: value for name, value in content.items() if name != "tool"}
    known = {field.name: field for field in fields(tool)}
    missing = [name for name, field in known.items() if field.default is MISSING and name not in values]
    if missing or set(values) - set(known):
        raise UserError(f"The tool {tool.tool} takes {', '.join(known)}, and nothing else.")
    return tool(**{name: _checked(tool.tool, name, str(known[name].type), value) for name, value in values.items()})


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """What ``edit_of`` reads."""
    return {"tool": edit.tool, **asdict(edit)}


def leaf_at(tree: ParseTree, node: int) -> bool:
    """Whether a leaf is paint; UserError if the node is none."""
    rule = int(tree.rule[node_at(tree, node)])
    if rule < Rule.PAINT:
        raise UserError(f"Node {node} is a split; choose a rectangle, or merge it first.")
    return rule == Rule.PAINT


def node_at(tree: ParseTree, node: int) -> int:
    """The node, if there is one of that number."""
    if not 0 <= node < len(tree):
        raise UserError(f"The tree has no node {node}; it has {len(tree)}.")
    return node


def _along(tree: ParseTree, node: int, axis: int) -> tuple[int, int]:
    """Where a node begins along an axis, and its extent."""
    return (int(tree.x[node]), int(tree.w[node])) if axis == 0 else (int(tree.y[node]), int(tree.h[node]))


def _checked(tool: str, name: str, kind: str, value: Any) -> Any:
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "str" and isinstance(value, str):
        return value[:20]
    if kind == "int" and is_whole(value) and abs(value) < 1 << 31:
        return value
    if kind == "float" and _is_number(value):
        return value
    if kind.startswith("tuple") and isinstance(value, list | tuple) and all(map(_is_number, value)):
        return tuple(value)
    words = {"bool": "true or false", "str": "a word", "int": "a whole number", "float": "a number"}
    raise UserError(f"{name} of the tool {tool} must be {words.get(kind, 'a list of numbers')}.")


def _is_number(value: Any) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and math.isfinite(value) and abs(value) < 1 << 31


def _clamped(value: float, most: int) -> int:
    return min(max(round(value), 0), most)


def _corners(points: tuple[float, ...], least: int, shape: tuple[int, ...]) -> list[tuple[float, float]]:
    """Pairs of numbers, none far outside of the picture."""
    if len(points) % 2 or not 2 * least <= len(points) <= MOST_POINTS:
        raise UserError(f"Points are x, y, x, y ..., at least {least} and at most {MOST_POINTS // 2} of them.")
    far = 2 * max(shape)
    near = [min(max(value, -far), far) for value in points]
    return list(zip(near[::2], near[1::2], strict=True))


def _painted(mask: BoolArray, paint: bool, stroke: Callable[[ImageDraw.ImageDraw], None]) -> BoolArray:
    """The mask with what a stroke draws labelled."""
    canvas = Image.new("L", mask.shape[::-1])
    stroke(ImageDraw.Draw(canvas))
    return np.where(np.asarray(canvas) != 0, paint, mask)
