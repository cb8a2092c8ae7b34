"""The parse tree itself, drawn into a panel: a glyph a node, the rule in words where there is room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from ..grammar import ParseTree, Rule, location_from_cut
from .figures import TEXT_SIZE, fit, text_width, write_text
from .glyphs import Point, draw_leaf, draw_split, draw_subtree
from .layout import Layout, neighbour_gap
from .palette import INK, PAPER, QUIET, hexadecimal
from .pixels import Pixels

FEW_LEAVES = 16
"""Up to so many branch ends, leaves are numbered and inner nodes show their piece of the photograph."""
_LEGEND_HEIGHT, _RULE_HEIGHT, _SMALL_TEXT = 36.0, 18.0, 6.5
_PAINT, _SKIP, _SPLIT, _SUBTREE = "paint", "skip", "split, with its cut", "subtree, coloured by share of paint"


@dataclass(frozen=True)
class Measures:
    """Sizes of everything in the tree panel, in points."""

    pitch: float
    """Distance of neighbouring leaves."""
    level: float
    """Distance of neighbouring depths."""
    leaf: float
    """Side of a leaf's square."""
    inner: float
    """Side of an inner node's glyph."""
    width: float
    height: float
    levels: int
    """Number of depths drawn."""

    def stretched(self, height: float) -> Measures:
        """The same with the levels further apart, by half at most, so that the panel fills ``height``."""
        level = self.level
        if self.levels > 1:
            level = min(level + (height - self.height) / (self.levels - 1), 1.5 * level)
        return replace(self, level=level, height=height)


def measures(tree: ParseTree, layout: Layout, thumbnails: bool, least_width: float) -> Measures:
    """Sizes that suit the tree: generous for a few leaves, and still within a slide for hundreds."""
    slots = layout.slots
    levels = int(tree.depth[layout.drawn].max()) + 1
    pitch = float(np.clip(880 / slots, min(6.6, 1900 / slots), 56))
    if slots <= FEW_LEAVES:
        inner, level = (38.0, 66.0) if thumbnails else (20.0, 54.0)
    else:
        inner, level = float(np.clip(pitch * 0.9, 3, 18)), float(np.clip(420 / levels, 13, 56))
    leaf = float(np.clip(pitch * 0.74, 1.2, 17))
    width = max(slots * pitch, least_width, sum(map(_entry_width, _legend(layout)))) + 8
    height = _RULE_HEIGHT + inner / 2 + (levels - 1) * level + leaf / 2 + _LEGEND_HEIGHT
    return Measures(pitch, level, leaf, inner, width, height, levels)


def split_width(depth: int) -> float:
    """Width of a split's line: the shallower, the thicker."""
    return max(0.5, 3.0 * 0.74**depth)


def draw_tree(axes: Axes, tree: ParseTree, layout: Layout, sizes: Measures, photograph: Pixels | None) -> None:
    """Draw the laid-out tree; ``photograph`` is cut into thumbnails for the inner nodes if it is given.

    The artist that stands for node i has the gid ``node-i``.
    """
    offset = (sizes.width - layout.slots * sizes.pitch) / 2
    x = offset + (layout.slot + 0.5) * sizes.pitch
    y = _RULE_HEIGHT + sizes.inner / 2 + tree.depth.astype(np.float64) * sizes.level
    drawing = _Drawing(axes, tree, layout, sizes, photograph, x, y)
    drawing.draw_edges()
    drawing.draw_nodes()
    for depth in range(sizes.levels):
        drawing.write_rules(depth)
    drawing.draw_legend()


@dataclass(frozen=True)
class _Drawing:
    """A tree and where its nodes stand in the panel, in points."""

    axes: Axes
    tree: ParseTree
    layout: Layout
    sizes: Measures
    photograph: Pixels | None
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]

    def draw_edges(self) -> None:
        """Right-angled edges, each as thick as the split it comes from."""
        x, y, parents = self.x, self.y, self.tree.parent
        lines, widths = [], []
        for node in np.flatnonzero(self.layout.drawn & (parents >= 0)):
            parent = parents[node]
            bend = (y[parent] + y[node]) / 2
            lines.append([(x[parent], y[parent]), (x[parent], bend), (x[node], bend), (x[node], y[node])])
            widths.append(max(0.5, 0.62 * split_width(int(self.tree.depth[parent]))))
        edges = LineCollection(lines, colors=hexadecimal(QUIET), linewidths=widths, gid="edges", zorder=1)
        self.axes.add_collection(edges)

    def draw_nodes(self) -> None:
        """The glyphs, and the leaves' numbers if they are few."""
        number = 0
        for node in map(int, np.flatnonzero(self.layout.drawn)):
            at = float(self.x[node]), float(self.y[node])
            if self.layout.collapsed[node]:
                self._draw_collapsed(node, at)
            elif self.tree.rule[node] < Rule.PAINT:
                self._draw_inner(node, at)
            else:
                paint = bool(self.tree.rule[node] == Rule.PAINT)
                draw_leaf(self.axes, at, self.sizes.leaf, paint, f"node-{node}")
                number += 1
                if is_numbered(self.layout):
                    colour = PAPER if paint else INK
                    write_text(self.axes, *at, str(number), colour, fontweight="bold", zorder=5)

    def _draw_inner(self, node: int, at: Point) -> None:
        x, y, w, h = (int(a[node]) for a in (self.tree.x, self.tree.y, self.tree.w, self.tree.h))
        piece = None if self.photograph is None else self.photograph[y : y + h, x : x + w]
        along_x = bool(self.tree.rule[node] == Rule.SPLIT_X)
        location = float(location_from_cut(self.tree.cut[node], w if along_x else h))
        draw_split(self.axes, at, self._glyph_size(node), along_x, location, piece, f"node-{node}")

    def _draw_collapsed(self, node: int, at: Point) -> None:
        side = self.sizes.leaf * 1.2
        draw_subtree(self.axes, at, side, float(self.layout.paint_share[node]), f"node-{node}")
        count = str(int(self.layout.leaves_below[node]))
        if text_width(count, _SMALL_TEXT) < self.sizes.pitch:
            write_text(self.axes, at[0], at[1] + side / 2 + 6, count, QUIET, fontsize=_SMALL_TEXT)

    def _glyph_size(self, node: int) -> tuple[float, float]:
        """Thumbnails have the shape of their region; without them all splits look alike."""
        side = self.sizes.inner
        if self.photograph is None:
            return side, side
        return fit(float(self.tree.w[node]), float(self.tree.h[node]), side, side)

    def write_rules(self, depth: int) -> None:
        """The rules of one depth in words, above the nodes, in the longest form for which all have room."""
        inner = self.layout.drawn & ~self.layout.collapsed & ~self.tree.is_leaf
        nodes = [int(node) for node in np.flatnonzero(inner & (self.tree.depth == depth))]
        room = neighbour_gap(self.tree, self.layout, depth) * self.sizes.pitch - 2
        for shorter in (0, 1):
            size = TEXT_SIZE - shorter
            words = [rule_words(self.tree, node)[shorter] for node in nodes]
            high_enough = self.sizes.level > self.sizes.inner + size + 6
            if high_enough and all(text_width(word, size) < room for word in words):
                for node, word in zip(nodes, words, strict=True):
                    above = float(self.y[node]) - self._glyph_size(node)[1] / 2 - 3
                    ground = {"facecolor": hexadecimal(PAPER), "edgecolor": "none", "pad": 0.8}
                    style: dict[str, Any] = {"va": "bottom", "fontsize": size, "bbox": ground, "zorder": 3}
                    write_text(self.axes, float(self.x[node]), above, word, **style)
                return

    def draw_legend(self) -> None:
        """What the glyphs mean, below the tree; only those that occur."""
        words = _legend(self.layout)
        x, y = (self.sizes.width - sum(map(_entry_width, words))) / 2, self.sizes.height - 9
        for word in words:
            if word in (_PAINT, _SKIP):
                draw_leaf(self.axes, (x + 5, y), 8, word == _PAINT)
            elif word == _SPLIT:
                draw_split(self.axes, (x + 5, y), (8, 8), along_x=True, location=0.35)
            else:
                draw_subtree(self.axes, (x + 5, y), 9, 0.5)
            write_text(self.axes, x + 13, y, word, QUIET, ha="left")
            x += _entry_width(word)


def _legend(layout: Layout) -> list[str]:
    words = [_PAINT, _SKIP]
    words += [_SPLIT] if layout.slots > 1 else []
    words += [_SUBTREE] if layout.collapsed.any() else []
    return words


def _entry_width(word: str) -> float:
    return text_width(word) + 22


def is_numbered(layout: Layout) -> bool:
    """Whether the leaves are so few, and all drawn, that they bear numbers in tree and decomposition."""
    return layout.slots <= FEW_LEAVES and not layout.collapsed.any()


def rule_words(tree: ParseTree, node: int) -> tuple[str, str]:
    """An inner node's rule, long and short: ``x : 0.42`` for the location in the node, or the axis alone."""
    axis, extent = ("x", tree.w[node]) if tree.rule[node] == Rule.SPLIT_X else ("y", tree.h[node])
    return f"{axis} : {location_from_cut(tree.cut[node], extent):.2f}", axis
