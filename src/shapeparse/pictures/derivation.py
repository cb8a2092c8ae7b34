"""The derivation of a tree as one figure, after the paper's Fig. 1: object, decomposition, parse tree."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from ..grammar import BoolArray, ParseTree
from ..support.text import percent, printable
from .figures import TITLE_SIZE, fit, new_figure, panel, picture, text_width, write_text
from .layout import Layout, lay_out, split_lines
from .overlay import label_overlay
from .palette import INK, PAPER, hexadecimal
from .pixels import Pixels, as_rgb, washed
from .treepanel import FEW_LEAVES, Measures, draw_tree, is_numbered, measures, split_width

_MARGIN, _GAP, _TITLE = 14.0, 22.0, 22.0
_LEAST_COLUMN = 165.0
"""Narrow pictures stand in a column wide enough for their titles."""
_PICTURE_BOX = (270.0, 240.0)
_SHAPE = 2.2
"""Width over height that the figure comes near to: a slide, less its heading."""


@dataclass(frozen=True)
class _Arrangement:
    """Where everything stands, in points: the pictures in a row with the tree, or stacked beside it."""

    width: float
    height: float
    pictures: list[tuple[float, float]]
    """Left and top of each picture."""
    tree_left: float


def derivation_figure(
    tree: ParseTree,
    image: npt.NDArray | None = None,
    mask: BoolArray | None = None,
    max_depth: int | None = None,
) -> Figure:
    """The object (with its true labels if ``mask`` is given), its decomposition, and the parse tree.

    Small trees get numbered leaves and pieces of the photograph at the inner nodes. Subtrees below
    ``max_depth`` are drawn as one triangle each, coloured by their share of paint. The artist of node i has
    the gid ``node-i``. For thousands of leaves, which no page can hold, give a
    ``max_depth``.
    """
    layout = lay_out(tree, max_depth)
    photograph = as_rgb(image, tree.width, tree.height)
    thumbnails = photograph if image is not None and layout.slots <= FEW_LEAVES else None
    title = _tree_title(tree)
    sizes = measures(tree, layout, thumbnails is not None, text_width(title, TITLE_SIZE))
    size = fit(tree.width, tree.height, *_PICTURE_BOX)
    has_object = image is not None or mask is not None
    plan = _arrange(size, 2 if has_object else 1, sizes)
    sizes = sizes.stretched(plan.height - 2 * _MARGIN - _TITLE)
    figure = new_figure(plan.width, plan.height)
    if has_object:
        shown = photograph if mask is None else label_overlay(_checked(tree, mask), image)
        axes = picture(figure, *plan.pictures[0], *size, shown)
        _title(axes, size, "object" if mask is None else "object, true labels")
    _draw_decomposition(figure, plan.pictures[-1], size, tree, layout, photograph, mask)
    axes = panel(figure, plan.tree_left, _MARGIN + _TITLE, sizes.width, sizes.height)
    draw_tree(axes, tree, layout, sizes, thumbnails)
    write_text(axes, sizes.width / 2, -10, title, fontsize=TITLE_SIZE)
    return figure


def _arrange(size: tuple[float, float], pictures: int, sizes: Measures) -> _Arrangement:
    """Of the two arrangements, the one whose shape is nearer to a slide's."""
    plans = []
    for stacked in (False, True):
        column = max(size[0], _LEAST_COLUMN)
        right, down = (0.0, size[1] + _TITLE + _GAP / 2) if stacked else (column + _GAP, 0.0)
        left, top = _MARGIN + (column - size[0]) / 2, _MARGIN + _TITLE
        places = [(left + i * right, top + i * down) for i in range(pictures)]
        tree_left = _MARGIN + (pictures - 1) * right + column + _GAP
        bottom = max(places[-1][1] + size[1], _MARGIN + _TITLE + sizes.height)
        plans.append(_Arrangement(tree_left + sizes.width + _MARGIN, bottom + _MARGIN, places, tree_left))
    return min(plans, key=lambda plan: abs(math.log(plan.width / plan.height / _SHAPE)))


def _draw_decomposition(
    figure: Figure, place: tuple[float, float], size: tuple[float, float],
    tree: ParseTree, layout: Layout, photograph: Pixels, mask: BoolArray | None,
) -> None:  # fmt: skip
    """The segments in their labels' colours, and the split lines, shallow ones on top."""
    axes = picture(figure, *place, *size, washed(photograph, tree.labels()))
    splits = sorted(split_lines(tree), key=lambda split: -int(tree.depth[split.node]))
    size_x, size_y = tree.width, tree.height
    lines = [[(s.x / size_x, s.y / size_y), (s.end_x / size_x, s.end_y / size_y)] for s in splits]
    widths = [split_width(int(tree.depth[split.node])) for split in splits]
    axes.add_collection(
        LineCollection(lines, colors=hexadecimal(INK), linewidths=widths, capstyle="butt", gid="splits")
    )
    if is_numbered(layout):
        _number_segments(axes, tree, size)
    score = "" if mask is None else f", {percent(tree.accuracy(mask))} right"
    _title(axes, size, f"{_count(tree.leaf_count, 'segment')}{score}")


def _number_segments(axes: Axes, tree: ParseTree, size: tuple[float, float]) -> None:
    """The number that the tree panel gives each leaf, in its segment if it fits there."""
    across, down = size[0] / tree.width, size[1] / tree.height
    for number, segment in enumerate(tree.segments(), start=1):
        if min(segment.w * across, segment.h * down) >= 10:
            x, y = (segment.x + segment.w / 2) / tree.width, (segment.y + segment.h / 2) / tree.height
            write_text(axes, x, y, str(number), PAPER if segment.paint else INK, fontweight="bold")


def _tree_title(tree: ParseTree) -> str:
    name = printable(tree.name, 40)
    counts = f"{_count(len(tree), 'node')}, depth {int(tree.depth.max())}"
    return f"parse tree of {name}: {counts}" if name else f"parse tree: {counts}"


def _title(axes: Axes, size: tuple[float, float], text: str) -> None:
    write_text(axes, 0.5, -10 / size[1], text, fontsize=TITLE_SIZE)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _checked(tree: ParseTree, mask: BoolArray) -> BoolArray:
    tree.scores(mask)  # refuses a mask of another size, in words
    return np.asarray(mask, bool)
