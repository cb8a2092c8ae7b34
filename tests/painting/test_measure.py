"""Areas: exact for fractions of pixels, against counted parts of pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeparse import ParseTree
from shapeparse.painting import PaintSettings, measure, plan_painting
from shapeparse.painting.measure import Areas

PARTS = 4
"""Edges lie on quarters of a pixel here, so that areas can be counted."""


def random_boxes(rng: np.random.Generator, count: int, side: int) -> np.ndarray:
    """Boxes with edges on quarters, some of them beyond the image."""
    first = rng.integers(-8, PARTS * side, (count, 2))
    return np.concatenate([first, first + rng.integers(1, 20, (count, 2))], axis=1) / PARTS


def counted(boxes: np.ndarray, side: int) -> np.ndarray:
    """How many boxes lie on every part of a pixel; the image begins 10 pixels in."""
    counts = np.zeros((PARTS * (side + 20),) * 2, int)
    for left, top, right, bottom in (PARTS * (boxes + 10)).astype(int).tolist():
        counts[top:bottom, left:right] += 1
    return counts


@given(st.integers(0, 999), st.integers(1, 12), st.integers(0, 12), st.sampled_from([4, 50, 1 << 22]))
def test_areas_are_those_of_counted_parts(seed: int, count: int, rectangles: int, band: int) -> None:
    rng, side = np.random.default_rng(seed), 12
    prints, areas = random_boxes(rng, count, side), random_boxes(rng, rectangles, side)
    mask = rng.random((side, side)) < 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "BAND", band)
        found = measure.measure(prints, areas, mask)
    painted, inside = counted(prints, side), counted(areas, side)
    wanted = np.pad(np.kron(mask, np.ones((PARTS, PARTS), bool)), 10 * PARTS)
    expected = Areas(
        painted=(painted > 0).sum(), twice=(painted > 1).sum(),
        beyond=((painted > 0) & (inside == 0)).sum(), wanted=((painted > 0) & wanted).sum(),
    )  # fmt: skip
    assert found == pytest.approx(np.array(expected) / PARTS**2)


def test_nothing_painted_has_no_area() -> None:
    assert measure.measure(np.empty((0, 4)), np.ones((1, 4))) == (0, 0, 0, 0)


@given(st.from_type(ParseTree))
def test_a_brush_of_one_pixel_covers_and_wastes_what_the_tree_does(tree: ParseTree) -> None:
    mask = np.random.default_rng(0).random((tree.height, tree.width)) < 0.5
    metrics, scores = plan_painting(tree, PaintSettings(brush=1)).metrics(mask), tree.scores(mask)
    assert (metrics["coverage"], metrics["waste"]) == pytest.approx((scores.coverage, scores.waste))
    assert metrics["overspill"] == 0
