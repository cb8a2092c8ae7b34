"""The rectangles to paint: the fewest, all of the paint, and as far from skip as the margin asks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, areas, plan_painting


def filled(rectangles: np.ndarray, tree: ParseTree, times: int = 1) -> np.ndarray:
    """How often each pixel, or ``times`` x ``times`` part of a pixel, is in a rectangle."""
    counts = np.zeros((times * tree.height, times * tree.width), int)
    scaled = rectangles * times
    assert (scaled == scaled.astype(int)).all()
    for x, y, w, h in scaled.astype(int).tolist():
        counts[y : y + h, x : x + w] += 1
    return counts


@given(st.from_type(ParseTree))
def test_without_a_margin_the_rectangles_are_the_merged_paint(tree: ParseTree) -> None:
    fewest = sum(segment.paint for segment in tree.segments(merge=True))
    for rectangles in areas.partitions(tree, 0):
        assert len(rectangles) == fewest
        assert np.array_equal(filled(rectangles, tree), tree.labels())


@given(st.from_type(ParseTree), st.integers(1, 9))
def test_a_margin_keeps_away_from_skip_but_not_from_the_edge_of_the_image(tree: ParseTree, quarters: int) -> None:
    paint = np.kron(tree.labels(), np.ones((4, 4), bool))
    square = np.ones((2 * quarters + 1, 2 * quarters + 1), bool)
    wanted = ndimage.binary_erosion(paint, square, border_value=1)
    for rectangles in areas.partitions(tree, quarters / 4):
        assert np.array_equal(filled(rectangles, tree, 4), wanted)


@given(st.from_type(ParseTree))
def test_rectangles_stand_in_the_order_of_the_derivation(tree: ParseTree) -> None:
    place = np.zeros((tree.height, tree.width), int)
    for number, (x, y, w, h, _) in enumerate(tree.segments()):
        place[y : y + h, x : x + w] = number
    for rectangles in areas.partitions(tree, 0):
        first = [place[y : y + h, x : x + w].min() for x, y, w, h in rectangles.astype(int).tolist()]
        assert first == sorted(first)


def test_a_margin_larger_than_the_paint_leaves_nothing(toy: ParseTree) -> None:
    assert plan_painting(toy, PaintSettings(margin=200)).strokes == ()


def test_of_two_ways_to_cut_the_one_with_fewer_strokes_is_taken(toy: ParseTree) -> None:
    from shapeparse.painting.strokes import stroke_count

    for brush in (3, 5, 8, 13, 21):
        settings = PaintSettings(brush=brush)
        taken = stroke_count(plan_painting(toy, settings).rectangles, settings)
        assert taken == min(stroke_count(found, settings) for found in areas.partitions(toy, 0))


def test_a_tree_that_would_fill_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str], toy: ParseTree
) -> None:
    monkeypatch.setattr(areas, "MOST_CELLS", 10)
    assert "less deeply" in refused(plan_painting, toy)
