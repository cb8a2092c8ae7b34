"""The marks of the tree: squares, boxes with their cut, and triangles, where they are said to be."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Polygon, Rectangle

from shapeparse.pictures.figures import new_figure, panel
from shapeparse.pictures.glyphs import draw_leaf, draw_split, draw_subtree
from shapeparse.pictures.palette import PAINT, SKIP, hexadecimal, label_colour


@pytest.fixture
def axes() -> Axes:
    return panel(new_figure(100, 100), 0, 0, 100, 100)


def test_a_leaf_is_a_square_in_its_colour_around_its_place(axes: Axes) -> None:
    draw_leaf(axes, (50, 40), 10, paint=True, gid="node-1")
    draw_leaf(axes, (20, 40), 10, paint=False)
    paint, skip = axes.patches
    assert isinstance(paint, Rectangle)
    assert paint.get_bbox().bounds == (45, 35, 10, 10)
    assert paint.get_gid() == "node-1"
    assert to_hex(paint.get_facecolor()) == hexadecimal(PAINT)
    assert to_hex(skip.get_edgecolor()) == hexadecimal(SKIP)


@pytest.mark.parametrize(("along_x", "cut"), [(True, ([45, 45], [30, 50])), (False, ([40, 60], [35, 35]))])
def test_a_split_has_a_line_where_it_cuts(axes: Axes, along_x: bool, cut: tuple[list[int], list[int]]) -> None:
    draw_split(axes, (50, 40), (20, 20), along_x, 0.25)
    [box], [line] = axes.patches, axes.lines
    assert isinstance(box, Rectangle)
    assert box.get_bbox().bounds == (40, 30, 20, 20)
    assert (list(line.get_xdata()), list(line.get_ydata())) == cut


def test_a_split_may_show_its_piece_of_the_photograph_under_a_line_that_still_reads(axes: Axes) -> None:
    draw_split(axes, (50, 40), (20, 10), True, 0.5, np.zeros((4, 8, 3), np.uint8))
    [image] = axes.images
    assert list(image.get_extent()) == [40, 60, 45, 35]
    light, dark = axes.lines
    assert light.get_linewidth() > dark.get_linewidth()
    assert to_hex(axes.patches[0].get_facecolor(), keep_alpha=True) == "#00000000"


def test_a_subtree_is_a_triangle_coloured_by_its_share_of_paint(axes: Axes) -> None:
    draw_subtree(axes, (50, 40), 10, 0.3)
    [triangle] = axes.patches
    assert isinstance(triangle, Polygon)
    assert triangle.get_xy()[:3].tolist() == [[50, 35], [55, 45], [45, 45]]
    assert to_hex(triangle.get_facecolor()) == hexadecimal(label_colour(0.3))
