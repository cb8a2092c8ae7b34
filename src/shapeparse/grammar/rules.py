"""The grammar of section 3.2: rules, nodes as parallel arrays, which rule is valid where, and pixel rounding.

A node is an axis-aligned rectangle ``(x, y, w, h)`` of one image, x to the right and y down, in pixels, with its
depth in the parse tree. Four rules rewrite it: split-x into (left, right), split-y into (top, bottom), paint, skip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ..support.checks import is_whole
from ..support.errors import UserError

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

MAX_DEPTH = 64
MAX_EXTENT = 10**9
"""Deeper trees than this are refused: no use is known, and a hostile file could ask for them."""


class Rule(IntEnum):
    """The production rules. The two splits come first, so ``rule < 2`` means split and ``rule`` is the axis.

    >>> Rule.SPLIT_X.label, Rule(2).name
    ('split-x', 'PAINT')
    """

    SPLIT_X = 0
    SPLIT_Y = 1
    PAINT = 2
    SKIP = 3

    @property
    def label(self) -> str:
        """The name used in files and pictures: ``split-x``, ``split-y``, ``paint`` or ``skip``."""
        return self.name.lower().replace("_", "-")


RULE_BY_LABEL = {rule.label: rule for rule in Rule}


@dataclass(frozen=True)
class Limits:
    """How far a parse may go.

    >>> Limits(depth=3)
    Limits(depth=3, min_extent=1)
    """

    depth: int = 7
    """Depth of the deepest leaf; the root has depth 0."""
    min_extent: int = 1
    """A node may be split along an axis only while its extent there is greater than this many pixels."""

    def __post_init__(self) -> None:
        if not is_whole(self.depth) or not 0 <= self.depth <= MAX_DEPTH:
            raise UserError(f"depth is {self.depth}; give a whole number from 0 to {MAX_DEPTH}.")
        if not is_whole(self.min_extent) or not 1 <= self.min_extent <= MAX_EXTENT:
            raise UserError(f"min_extent is {self.min_extent}; give a whole number of pixels from 1 to {MAX_EXTENT}.")


@dataclass(frozen=True)
class Nodes:
    """Nodes of any number of images as parallel arrays.

    >>> roots = Nodes.roots([(8, 6), (5, 5)])
    >>> len(roots), roots.w.tolist(), roots.area.tolist()
    (2, [8, 5], [48, 25])
    """

    image: IntArray
    x: IntArray
    y: IntArray
    w: IntArray
    h: IntArray
    depth: IntArray

    @classmethod
    def roots(cls, sizes: Sequence[tuple[int, int]] | npt.NDArray[np.integer]) -> Nodes:
        """One root an image; ``sizes`` are (width, height) pairs."""
        array = np.asarray(sizes, dtype=np.int32).reshape(-1, 2)
        zero = np.zeros(len(array), np.int32)
        image = np.arange(len(array), dtype=np.int32)
        return cls(image, zero, zero, array[:, 0].copy(), array[:, 1].copy(), zero)

    @classmethod
    def concatenate(cls, parts: Sequence[Nodes]) -> Nodes:
        """All nodes of ``parts``, in order."""
        columns = ("image", "x", "y", "w", "h", "depth")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

    def __len__(self) -> int:
        return len(self.x)

    def take(self, chosen: npt.NDArray) -> Nodes:
        """The nodes at ``chosen`` (indices or a boolean array)."""
        return Nodes(
            self.image[chosen],
            self.x[chosen],
            self.y[chosen],
            self.w[chosen],
            self.h[chosen],
            self.depth[chosen],
        )

    @property
    def area(self) -> npt.NDArray[np.int64]:
        """Pixels in each node."""
        return self.w.astype(np.int64) * self.h

    def extent(self, rule: npt.NDArray) -> IntArray:
        """The side of each node that its split ``rule`` cuts."""
        return np.where(rule == Rule.SPLIT_X, self.w, self.h)


@dataclass(frozen=True)
class Actions:
    """A rule for each of some nodes, and the cut of the splits among them (0 for assignments).

    >>> nodes = Nodes.roots([(8, 6), (5, 5)])
    >>> Actions.at_locations(nodes, [Rule.SPLIT_X, Rule.PAINT], [0.25, 0.5]).cut.tolist()
    [2, 0]
    """

    rule: npt.NDArray[np.int8]
    cut: IntArray

    @classmethod
    def at_locations(cls, nodes: Nodes, rule: npt.ArrayLike, location: npt.ArrayLike) -> Actions:
        """Actions as a policy gives them: rules, and for the splits among them a location in (0, 1)."""
        rules = np.asarray(rule, np.int8)
        cuts = cut_from_location(location, np.maximum(nodes.extent(rules), 2))
        return cls(rules, np.where(rules < Rule.PAINT, cuts, 0).astype(np.int32))

    @property
    def splits(self) -> BoolArray:
        """Which of the actions split."""
        return self.rule < Rule.PAINT


def valid_rules(nodes: Nodes, limits: Limits) -> BoolArray:
    """A (nodes, 4) table: which rule may be applied where. Both assignments always may, so no row is empty.

    >>> valid_rules(Nodes.roots([(1, 6)]), Limits(depth=3)).tolist()  # one pixel wide
    [[False, True, True, True]]
    """
    deeper = nodes.depth < limits.depth
    valid = np.ones((len(nodes), len(Rule)), bool)
    valid[:, Rule.SPLIT_X] = deeper & (nodes.w > limits.min_extent)
    valid[:, Rule.SPLIT_Y] = deeper & (nodes.h > limits.min_extent)
    return valid


def cut_from_location(location: npt.ArrayLike, extent: npt.ArrayLike) -> IntArray:
    """The cut, a whole pixel in [1, extent - 1], that a location l in (0, 1) rounds to.

    This is the only place where a location becomes a pixel. The first child keeps ``cut`` pixels of the extent.

    >>> cut_from_location([0.001, 0.5], 10).tolist()
    [1, 5]
    """
    sides = np.asarray(extent, np.float64)
    pixels: FloatArray = np.clip(np.rint(np.asarray(location, np.float64) * sides), 1, sides - 1)
    return pixels.astype(np.int32)


def location_from_cut(cut: npt.ArrayLike, extent: npt.ArrayLike) -> FloatArray:
    """The location in (0, 1) that ``cut_from_location`` turns back into ``cut``.

    >>> float(location_from_cut(3, 10))
    0.3
    """
    return np.asarray(cut, np.float64) / np.asarray(extent, np.float64)


def split_children(nodes: Nodes, actions: Actions) -> Nodes:
    """The two children of every node, side by side (left, right or top, bottom); every action must be a split."""
    along_x = actions.rule == Rule.SPLIT_X
    cut_x, cut_y = np.where(along_x, actions.cut, 0), np.where(along_x, 0, actions.cut)
    first_w, first_h = np.where(along_x, cut_x, nodes.w), np.where(along_x, nodes.h, cut_y)
    second_w, second_h = nodes.w - cut_x, nodes.h - cut_y

    def both(first: npt.NDArray, second: npt.NDArray) -> IntArray:
        return np.stack([first, second], axis=1).reshape(-1).astype(np.int32)

    return Nodes(
        image=both(nodes.image, nodes.image),
        x=both(nodes.x, nodes.x + cut_x),
        y=both(nodes.y, nodes.y + cut_y),
        w=both(first_w, second_w),
        h=both(first_h, second_h),
        depth=both(nodes.depth + 1, nodes.depth + 1),
    )
