"""Parse trees as parallel arrays: the forest an expansion makes, and one image's tree with its views for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..support import files
from ..support.errors import UserError
from . import treefile
from .boxes import BoxSums
from .rules import BoolArray, IntArray, Nodes, Rule
from .segments import merge_rectangles


class Segment(NamedTuple):
    """A labelled rectangle, in pixels.

    >>> Segment(x=2, y=0, w=3, h=4, paint=True).w
    3
    """

    x: int
    y: int
    w: int
    h: int
    paint: bool


@dataclass(frozen=True)
class Scores:
    """How well a labelling fits a mask; all are shares between 0 and 1.

    >>> from shapeparse.pictures import toy_object
    >>> photo, mask, tree = toy_object()
    >>> tree.scores(mask).coverage
    1.0
    """

    accuracy: float
    """Pixels labelled as in the mask."""
    iou: float
    """Painted object pixels over pixels that are painted, object, or both (1 if there are none)."""
    coverage: float
    """Object pixels that are painted (1 if there is no object)."""
    waste: float
    """Painted pixels that are not object (0 if nothing is painted)."""


@dataclass(frozen=True, eq=False)
class ParseTree:
    """The derivation of one image: node 0 is the whole image, the others follow depth-first, first child first.

    >>> from shapeparse.pictures import toy_object
    >>> photo, mask, tree = toy_object()
    >>> tree.leaf_count, tree.accuracy(mask), tree.segments()[0]
    (7, 1.0, Segment(x=0, y=0, w=30, h=44, paint=False))
    >>> ParseTree.from_json(tree.to_json()) == tree
    True
    """

    width: int
    height: int
    x: IntArray
    y: IntArray
    w: IntArray
    h: IntArray
    depth: IntArray
    parent: IntArray
    """Index of the parent; -1 for the root."""
    rule: npt.NDArray[np.int8]
    cut: IntArray
    """Pixels of the node's extent that the first child keeps; 0 at leaves."""
    name: str = ""
    """What the image is called, usually its file name."""
    likely: npt.NDArray[np.float32] | None = None
    """How likely a pixel of each node is paint, by the model that made the tree; oracles have no doubts."""

    def __len__(self) -> int:
        return len(self.x)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParseTree):
            return NotImplemented
        same_image = (self.width, self.height, self.name) == (other.width, other.height, other.name)
        columns = ("x", "y", "w", "h", "depth", "parent", "rule", "cut")
        return same_image and all(np.array_equal(getattr(self, c), getattr(other, c)) for c in columns)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        of = f" of {self.name!r}" if self.name else ""
        return f"<ParseTree{of}: {self.width}x{self.height}, {len(self)} nodes, {self.leaf_count} leaves>"

    @property
    def nodes(self) -> Nodes:
        """The nodes as the batched functions take them; all of image 0."""
        return Nodes(np.zeros(len(self), np.int32), self.x, self.y, self.w, self.h, self.depth)

    @property
    def is_leaf(self) -> BoolArray:
        """Which nodes are leaves."""
        return self.rule >= Rule.PAINT

    @property
    def leaf_count(self) -> int:
        """Number of leaves: the rectangles of the decomposition."""
        return int(self.is_leaf.sum())

    @property
    def children(self) -> npt.NDArray[np.int32]:
        """A (nodes, 2) table of child indices; -1 at leaves."""
        table = np.full((len(self), 2), -1, np.int32)
        for node in range(len(self) - 1, 0, -1):  # later siblings are met first
            pair = table[self.parent[node]]
            pair[1], pair[0] = pair[0] if pair[0] >= 0 else pair[1], node
        return table

    @property
    def confidence(self) -> npt.NDArray[np.float32] | None:
        """How likely a pixel of each leaf has the leaf's label, by the model that made the tree; NaN at other nodes."""
        if self.likely is None:
            return None
        sure = np.where(self.rule == Rule.PAINT, self.likely, 1 - self.likely)
        return np.where(self.is_leaf, sure, np.nan).astype(np.float32)

    def labels(self) -> BoolArray:
        """The labelling as an image: True where the tree says paint."""
        image = np.zeros((self.height, self.width), bool)
        for i in np.flatnonzero(self.rule == Rule.PAINT):
            image[self.y[i] : self.y[i] + self.h[i], self.x[i] : self.x[i] + self.w[i]] = True
        return image

    def segments(self, merge: bool = False) -> list[Segment]:
        """The leaves as labelled rectangles, depth-first; merged into the fewest rectangles if ``merge`` is set.

        Merging joins neighbours of one label; the labelling of every pixel stays as it is.
        """
        boxes = np.stack([self.x, self.y, self.w, self.h], axis=1)
        if not merge:
            leaves = np.flatnonzero(self.is_leaf)
            return _segments(boxes[leaves], self.rule[leaves] == Rule.PAINT)
        paint, skip = (merge_rectangles(boxes[self.rule == rule]) for rule in (Rule.PAINT, Rule.SKIP))
        return _segments(paint, np.ones(len(paint), bool)) + _segments(skip, np.zeros(len(skip), bool))

    def returns(self, mask: BoolArray) -> npt.NDArray[np.int64]:
        """Eq. 1: for every node, the sum over its pixels of label times prediction, each -1 or +1."""
        self._check_size(mask)
        return returns(self.nodes, self.rule, self.parent, positives(self.nodes, [mask]))

    def scores(self, mask: BoolArray) -> Scores:
        """Accuracy, IoU, coverage and waste against the true mask."""
        self._check_size(mask)
        truth, painted = np.asarray(mask, bool), self.labels()
        both, either = int((truth & painted).sum()), int((truth | painted).sum())
        object_pixels, painted_pixels = int(truth.sum()), int(painted.sum())
        return Scores(
            accuracy=1 - (either - both) / truth.size,
            iou=both / either if either else 1.0,
            coverage=both / object_pixels if object_pixels else 1.0,
            waste=(painted_pixels - both) / painted_pixels if painted_pixels else 0.0,
        )

    def accuracy(self, mask: BoolArray) -> float:
        """Share of the pixels that are labelled as in the mask."""
        return self.scores(mask).accuracy

    def to_json(self) -> str:
        """The tree as JSON text; docs/formats.md describes it."""
        columns = (self.nodes, self.rule, self.cut, self.parent, self.likely)
        return treefile.to_json(treefile.TreeRecord(self.name, self.width, self.height, *columns))

    @staticmethod
    def from_json(text: str | bytes) -> ParseTree:
        """The tree in JSON text; UserError says in one sentence what is wrong with it."""
        return _tree_of(treefile.from_json(text))

    def save(self, path: str | Path) -> None:
        """Write the tree as JSON, atomically."""
        files.write_text(path, self.to_json())

    @staticmethod
    def load(path: str | Path) -> ParseTree:
        """Read and validate a tree that was written by ``save``."""
        return _tree_of(treefile.read(path))

    def _check_size(self, mask: BoolArray) -> None:
        if np.shape(mask) != (self.height, self.width):
            raise UserError(
                f"The mask has shape {np.shape(mask)} but the tree's image is {self.width}x{self.height} pixels; "
                "give the mask of the same image."
            )


@dataclass(frozen=True)
class Forest:
    """Trees of many images in one set of arrays; a parent always stands before its children.

    >>> from shapeparse.pictures import toy_object
    >>> photo, mask, tree = toy_object()
    >>> forest = Forest.of([tree, tree])
    >>> len(forest.trees()), forest.trees()[1].leaf_count
    (2, 7)
    """

    nodes: Nodes
    rule: npt.NDArray[np.int8]
    cut: IntArray
    parent: IntArray
    """Index of the parent within the forest; -1 for roots."""
    sizes: npt.NDArray[np.int32]
    """(width, height) of each image."""
    likely: npt.NDArray[np.float32] | None = None
    """How likely a pixel of each node is paint, if a model made the trees."""

    def __len__(self) -> int:
        return len(self.nodes)

    @classmethod
    def of(cls, trees: Sequence[ParseTree]) -> Forest:
        """Trees of single images together, level by level as ``expand`` gives them: roots first."""
        starts = np.cumsum([0, *(len(tree) for tree in trees)])[:-1]
        image = np.repeat(np.arange(len(trees), dtype=np.int32), [len(tree) for tree in trees])
        parent = np.concatenate(
            [np.where(tree.parent < 0, -1, tree.parent + start) for tree, start in zip(trees, starts, strict=True)]
        )
        x, y, w, h, depth, rule, cut = (
            np.concatenate([getattr(tree, name) for tree in trees])
            for name in ("x", "y", "w", "h", "depth", "rule", "cut")
        )
        order = np.argsort(depth, kind="stable")
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        parent = np.where(parent < 0, -1, place[parent])[order].astype(np.int32)
        sizes = np.array([(tree.width, tree.height) for tree in trees], np.int32).reshape(-1, 2)
        return cls(Nodes(image, x, y, w, h, depth).take(order), rule[order], cut[order], parent, sizes)

    def returns(self, masks: Sequence[BoolArray]) -> npt.NDArray[np.int64]:
        """Eq. 1 for every node, given the true mask of every image."""
        return returns(self.nodes, self.rule, self.parent, positives(self.nodes, masks))

    def scaled(self, sizes: npt.NDArray[np.int32]) -> Forest:
        """The same trees on images of other sizes, none smaller: every edge moves to the nearest pixel."""
        nodes, axis = self.nodes, (self.rule == Rule.SPLIT_Y).astype(np.int64)
        before, after = self.sizes[nodes.image].astype(np.int64), sizes[nodes.image].astype(np.int64)

        def moved(edge: IntArray, along: int) -> npt.NDArray[np.int32]:
            return ((2 * edge * after[:, along] + before[:, along]) // (2 * before[:, along])).astype(np.int32)

        x, y = moved(nodes.x, 0), moved(nodes.y, 1)
        w, h = moved(nodes.x + nodes.w, 0) - x, moved(nodes.y + nodes.h, 1) - y
        cut = np.where(axis == 0, moved(nodes.x + self.cut, 0) - x, moved(nodes.y + self.cut, 1) - y)
        cut = np.where(self.rule < Rule.PAINT, cut, 0).astype(np.int32)
        moved_nodes = Nodes(nodes.image, x, y, w, h, nodes.depth)
        return Forest(moved_nodes, self.rule, cut, self.parent, sizes, self.likely)

    def trees(self, names: Sequence[str] | None = None) -> list[ParseTree]:
        """One tree an image, each in depth-first order."""
        order = depth_first_order(self.parent)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        edges = np.searchsorted(self.nodes.image[order], np.arange(len(self.sizes) + 1))
        names = names if names is not None else [""] * len(self.sizes)
        parts = zip(edges[:-1], edges[1:], self.sizes, names, strict=True)
        return [self._tree(order[first:last], place, size, name) for first, last, size, name in parts]

    def _tree(self, chosen: npt.NDArray[np.int64], place: IntArray, size: IntArray, name: str) -> ParseTree:
        nodes, parent = self.nodes.take(chosen), self.parent[chosen]
        parent = np.where(parent < 0, -1, place[parent] - place[chosen[0]]).astype(np.int32)
        return ParseTree(
            int(size[0]), int(size[1]), nodes.x, nodes.y, nodes.w, nodes.h, nodes.depth,
            parent, self.rule[chosen], self.cut[chosen], name, None if self.likely is None else self.likely[chosen],
        )  # fmt: skip


def _tree_of(record: treefile.TreeRecord) -> ParseTree:
    sizes = np.array([[record.width, record.height]], np.int32)
    forest = Forest(record.nodes, record.rule, record.cut, record.parent, sizes, record.likely)
    return forest.trees([record.name])[0]


def _segments(boxes: npt.NDArray[np.integer], paint: BoolArray) -> list[Segment]:
    return [Segment(int(x), int(y), int(w), int(h), bool(p)) for (x, y, w, h), p in zip(boxes, paint, strict=True)]


def beside_masks(forests: Iterable[Forest], masks: npt.NDArray[np.bool_]) -> Iterator[tuple[Forest, BoolArray]]:
    """Each forest with the masks of its images, of forests that together are of these masks, in order."""
    first = 0
    for forest in forests:
        last = first + len(forest.sizes)
        yield forest, masks[first:last]
        first = last


def positives(nodes: Nodes, masks: Sequence[BoolArray]) -> npt.NDArray[np.int64]:
    """Object pixels in each node, from one integral image per mask."""
    return BoxSums.of([np.asarray(mask, bool).view(np.uint8) for mask in masks]).count(nodes)


def returns(
    nodes: Nodes, rule: npt.NDArray[np.int8], parent: IntArray, positive: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Eq. 1, bottom-up: a leaf returns the sum of label times prediction, a split the sum of its children's returns."""
    agreement = 2 * positive - nodes.area
    result = np.where(rule == Rule.PAINT, agreement, np.where(rule == Rule.SKIP, -agreement, 0))
    for depth in range(int(nodes.depth.max(initial=0)), 0, -1):
        level = np.flatnonzero(nodes.depth == depth)
        np.add.at(result, parent[level], result[level])
    return result


def depth_first_order(parent: IntArray) -> npt.NDArray[np.int64]:
    """The order in which a depth-first derivation meets the nodes, given parents that stand before their children.

    A node's place is its parent's place, plus one, plus the nodes below its earlier siblings; roots are siblings.
    """
    count = len(parent)
    below = np.ones(count, np.int64)
    for node in range(count - 1, -1, -1):
        if parent[node] >= 0:
            below[parent[node]] += below[node]
    place = np.zeros(count, np.int64)
    next_free = np.zeros(count + 1, np.int64)  # the last entry serves the roots, whose parent is -1
    for node in range(count):
        place[node] = next_free[parent[node]]
        next_free[parent[node]] += below[node]
        next_free[node] = place[node] + 1
    order = np.empty(count, np.int64)
    order[place] = np.arange(count)
    return order
